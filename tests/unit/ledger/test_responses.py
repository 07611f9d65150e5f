"""Responses in the ledger: each once, the best figures there are, and copies settled alike in any order."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.ledger import write
from observer.records.response import COPIED, PROVEN, RECORDED
from observer.records.semantics import CODEX_FALLBACK
from observer.records.session import Session, Turn
from observer.records.source import Quarantine, SourceFile
from tests.builders import batches
from tests.builders.batches import START_MS, Book, response, session, submission, usage
from tests.builders.wholes import whole

S = "codex:s"
_CONFLICTS = (
    "SELECT path, fault.ordinal, keys FROM fault JOIN source ON source.id = source_id WHERE category = 'usage_conflict'"
)


def totals(book: Book) -> dict[str, int]:
    return dict(book.rows("SELECT response.id, total FROM response ORDER BY 1"))


def test_a_repeat_changes_nothing(tmp_path: Path) -> None:
    """E010: the same figures again are no second response and no conflict."""
    book = Book(tmp_path)
    assert book.told("/a", session(S), response("codex:r", S)).responses == 1
    assert book.told("/a", session(S), response("codex:r", S)).responses == 0
    assert totals(book) == {"codex:r": 100}
    assert book.rows(_CONFLICTS) == []


def test_other_figures_for_a_known_response_are_a_conflict_and_the_first_stay(tmp_path: Path) -> None:
    """E013, §2.2: nothing is averaged, replaced or added."""
    book = Book(tmp_path)
    book.told("/a", session(S), response("codex:r", S, total=100))
    again = book.told("/a", session(S), response("codex:r", S, total=999, ordinal=7))
    assert (again.responses, again.faults) == (0, 1)
    assert totals(book) == {"codex:r": 100}
    assert book.rows(_CONFLICTS) == [("/a", 7, "")]


def test_a_contradiction_inside_one_batch_is_a_conflict_too(tmp_path: Path) -> None:
    """E042: cached 100, then 999, then a good record: the first and the good one stay."""
    book = Book(tmp_path)
    first = response("codex:r", S, usage=replace(usage(1100), cached_input=100))
    second = replace(first, usage=replace(first.usage, cached_input=999), ordinal=3)
    book.told("/a", session(S), first, second, response("codex:good", S, total=550))
    assert totals(book) == {"codex:good": 550, "codex:r": 1100}
    assert book.rows("SELECT cached_input FROM response WHERE id = 'codex:r'") == [(100,)]
    assert book.rows(_CONFLICTS) == [("/a", 3, "")]


def test_a_streamed_message_ends_with_its_closing_figures(tmp_path: Path) -> None:
    """§4.1: provisional figures are replaced, closing ones stay, and a stale piece reopens nothing."""
    pieces = [response("claude:m", "claude:s", total=total, final=final) for total, final in
              ((10, False), (40, False), (20, False), (70, True), (30, False))]  # fmt: skip
    for cuts in ((5,), (1, 2, 3, 4, 5), (2, 5), (4, 5)):
        book = Book(tmp_path / repr(cuts))
        start = 0
        for cut in cuts:
            book.told("/a", session("claude:s"), *pieces[start:cut])
            start = cut
        assert book.rows("SELECT total, final FROM response") == [(70, 1)]
        assert book.rows(_CONFLICTS) == []


def test_a_message_that_never_closes_keeps_its_highest_output(tmp_path: Path) -> None:
    book = Book(tmp_path)
    for total in (10, 40, 20):
        book.told("/a", session("claude:s"), response("claude:m", "claude:s", total=total, final=False))
    assert book.rows("SELECT total, output, final FROM response") == [(40, 4, 0)]


def test_a_copy_belongs_to_the_session_that_was_there_first(tmp_path: Path) -> None:
    """Whichever file is read first, the history counts in its original, and its prompts with it."""
    original = (session("claude:a", ended_ms=START_MS + 1), submission("claude:p", "claude:a"),
                response("claude:m", "claude:a"))  # fmt: skip
    copy = (session("claude:b", ended_ms=START_MS + 99), submission("claude:p", "claude:b"),
            submission("claude:q", "claude:b", minute=1), response("claude:m", "claude:b"),
            response("claude:n", "claude:b", minute=1))  # fmt: skip
    for order in ((original, copy), (copy, original)):
        for at_once in (True, False):
            book = Book(tmp_path / f"{order[0] is copy}{at_once}")
            for said in order:
                (book.write if at_once else book.told)(said[0].key, *said)
            book.settle()
            found = book.rows(
                "SELECT response.id, key FROM response JOIN session ON session.id = session_id ORDER BY 1"
            )
            assert found == [("claude:m", "claude:a"), ("claude:n", "claude:b")]
            prompts = book.rows(
                "SELECT key, submission.id FROM submission JOIN session ON session.id = session_id"
                " WHERE copied = 0 ORDER BY 1, 2"
            )
            assert prompts == [("claude:a", "claude:p"), ("claude:b", "claude:q")]


def test_a_proven_origin_outranks_age(tmp_path: Path) -> None:
    book = Book(tmp_path)
    book.told("/a", session("claude:a", ended_ms=START_MS + 1), response("claude:m", "claude:a", origin=COPIED))
    book.told("/b", session("claude:b", ended_ms=START_MS + 9), response("claude:m", "claude:b", origin=PROVEN))
    assert book.rows("SELECT key FROM response JOIN session ON session.id = session_id") == [("claude:b",)]


def test_two_sources_that_prove_different_owners_contradict_each_other(tmp_path: Path) -> None:
    """E093: one of them owns the response in any order, the other has the fault."""
    said = {
        "/a": (session("opencode:a", ended_ms=START_MS + 1), response("opencode:m", "opencode:a", origin=PROVEN)),
        "/b": (session("opencode:b", ended_ms=START_MS + 9), response("opencode:m", "opencode:b", origin=PROVEN)),
    }
    for order in (("/a", "/b"), ("/b", "/a")):
        book = Book(tmp_path / order[0].strip("/"))
        for path in order:
            book.told(path, *said[path])
        assert book.rows("SELECT key FROM response JOIN session ON session.id = session_id") == [("opencode:a",)]
        assert [row[0] for row in book.rows(_CONFLICTS)] == ["/b"]


def test_a_record_of_a_store_that_changed_its_id_is_one_response(tmp_path: Path) -> None:
    """E090: what the record said before goes; what the store, or another one, still tells or tells no more, stays."""
    book = Book(tmp_path)

    def told(path: str, *names: str) -> None:
        places = {"first": 1, "changed": 1, "second": 2, "copied": 3}
        found = [replace(response(name, S, turn="t"), ordinal=places[name]) for name in names]
        with book.writer() as connection:
            source = write.source(connection, SourceFile("opencode", path))
            write.batch(connection, source, batches.batch(session(S), *found), mutable=True)

    told("/store#s", "first", "second", "copied")
    told("/other#s", "copied")
    told("/store#s", "changed")
    assert sorted(totals(book)) == ["changed", "copied", "second"]


def test_a_stale_partial_copy_is_no_contradiction(tmp_path: Path) -> None:
    """§4.1: a resumed session may hold an unfinished piece of a message that was finished elsewhere."""
    said = {
        "/original": (session("claude:a"), response("claude:m", "claude:a", total=70)),
        "/copy": (session("claude:b", ended_ms=START_MS + 9), response("claude:m", "claude:b", total=20, final=False)),
    }
    for order in (("/original", "/copy"), ("/copy", "/original")):
        book = Book(tmp_path / order[0].strip("/"))
        for path in order:
            book.told(path, *said[path])
        assert book.rows("SELECT total, final FROM response") == [(70, 1)]
        assert book.rows(_CONFLICTS) == []


def test_copies_that_contradict_each_other_are_a_conflict_of_the_copy(tmp_path: Path) -> None:
    said = {
        "/original": (session("claude:a"), response("claude:m", "claude:a", total=70, ordinal=1)),
        "/copy": (session("claude:b", ended_ms=START_MS + 9), response("claude:m", "claude:b", total=20, ordinal=2)),
    }
    for order in (("/original", "/copy"), ("/copy", "/original")):
        book = Book(tmp_path / order[0].strip("/"))
        for path in order:
            book.told(path, *said[path])
        assert totals(book) == {"claude:m": 70}
        assert book.rows(_CONFLICTS) == [("/copy", 2, "")]


_SOURCES = st.lists(
    st.lists(
        st.builds(
            lambda name, total, final, origin, minute: (name, total, final, origin, minute),
            st.sampled_from("xyz"),
            st.sampled_from([10, 20, 30]),
            st.booleans(),
            st.sampled_from([COPIED, RECORDED, PROVEN]),
            st.integers(0, 3),
        ),
        max_size=4,
    ),
    min_size=2,
    max_size=4,
)


@given(sources=_SOURCES, data=st.data())
def test_any_order_of_sources_gives_the_same_ledger(
    sources: list[list[tuple[str, int, bool, int, int]]], data: st.DataObject, tmp_path_factory: Any
) -> None:
    """E022, §2.1: also when every source comes with a sync of its own."""
    folder = tmp_path_factory.mktemp("books")
    said = {
        f"/{number}": [
            session(f"claude:{number}", ended_ms=START_MS + max([0, *(each[4] for each in pieces)]) * 60_000),
            *(submission(f"claude:{name}", f"claude:{number}", minute=minute) for name, *_, minute in pieces),
            *(
                response(f"claude:{name}", f"claude:{number}", total=total, final=final, origin=origin, minute=minute,
                         ordinal=ordinal)
                for ordinal, (name, total, final, origin, minute) in enumerate(pieces)
            ),
        ]
        for number, pieces in enumerate(sources)
    }  # fmt: skip
    clean, other = Book(folder / "clean"), Book(folder / "other")
    for path, records in said.items():
        clean.write(path, *records)
    clean.settle()
    for path in data.draw(st.permutations(list(said))):
        other.told(path, *said[path])
        other.told(path, *said[path])
    assert whole(other.path) == whole(clean.path)


def counted(total: int, cumulative: int) -> Any:
    return response(f"codex:s:tc:0:{cumulative}", S, total=total, cumulative=cumulative, semantics=CODEX_FALLBACK.label)


def recorded(name: str, total: int, cumulative: int) -> Any:
    return response(f"codex:{name}", S, total=total, cumulative=cumulative)


def test_totals_that_records_cover_are_kept_but_left_out(tmp_path: Path) -> None:
    """E037: cumulative 450 and 1120 (rows of 450 and 670) under records of 1100 and 2250 up to 3350."""
    rows = [counted(450, 450), counted(670, 1120), recorded("r1", 1100, 1100), recorded("r2", 2250, 3350)]
    for order in (rows, rows[::-1]):
        book = Book(tmp_path / repr(order is rows))
        for row in order:
            book.told("/a", session(S), row)
        overlap = dict(book.rows("SELECT response.id, overlap FROM response"))
        assert overlap == {
            "codex:s:tc:0:450": 1, "codex:s:tc:0:1120": 1, "codex:r1": 0, "codex:r2": 0
        }  # fmt: skip


def test_totals_beyond_the_records_stay(tmp_path: Path) -> None:
    """§3.3: in a file that changes its format half-way both kinds count where they cover different spans."""
    book = Book(tmp_path)
    book.told("/a", session(S), counted(450, 450), recorded("r1", 100, 550), counted(50, 600))
    left_out = book.rows("SELECT id FROM response WHERE overlap = 1")
    assert left_out == []


def test_overlap_survives_the_settling_of_copies(tmp_path: Path) -> None:
    """A fork that shares rows with the thread does not bring covered rows back into the sums."""
    book = Book(tmp_path)
    book.told("/a", session(S), counted(100, 100), recorded("r1", 100, 100))
    for number in range(3):
        key = f"codex:f{number}"
        book.told(f"/{number}", session(key, forked_from=S), replace(counted(100, 100), origin=COPIED),
                  response(f"codex:own{number}", key))  # fmt: skip
        assert book.rows("SELECT overlap FROM response WHERE id LIKE '%:tc:%'") == [(1,)]


def fork(**fields: Any) -> Session:
    return session("codex:fork", forked_from=S, started_ms=START_MS + 50, **fields)


def test_a_fork_without_context_works_with_its_parents_last_model(tmp_path: Path) -> None:
    """§3.4 as amended: the model before the fork point, in whatever pieces the parent comes."""
    turns = [Turn(S, "t1", started_ms=START_MS, model="first", effort="low"),
             Turn(S, "t2", started_ms=START_MS + 40, model="second", effort="high"),
             Turn(S, "t3", started_ms=START_MS + 60, model="later")]  # fmt: skip
    child = (fork(), response("codex:r", "codex:fork", model=None))
    for place in range(4):
        book = Book(tmp_path / str(place))
        for number, turn in enumerate(turns):
            if number == place:
                book.told("/fork", *child)
            book.told("/parent", session(S), turn)
        if place == 3:
            book.told("/fork", *child)
        assert book.rows("SELECT model, effort FROM response") == [("second", "high")]


def test_faults_of_a_source_do_not_multiply(tmp_path: Path) -> None:
    """E020: read again from the beginning, with or without an ordinal."""
    book = Book(tmp_path)
    faults = [Quarantine(3, "malformed_json"), Quarantine(4, "schema_error", ("a", "b"))]
    book.told("/a", session(S), *faults)
    for _ in range(2):
        book.write("/a", session(S), *faults, again=True)
        assert book.rows("SELECT ordinal, category, keys FROM fault") == [
            (3, "malformed_json", ""), (4, "schema_error", "a,b")
        ]  # fmt: skip


def test_a_second_native_id_of_a_prompt_is_kept_when_it_comes_later(tmp_path: Path) -> None:
    book = Book(tmp_path)
    book.told("/a", session(S), submission("codex:p", S))
    book.told("/a", session(S), submission("codex:p", S, alias="codex:queued"))
    book.told("/a", session(S), submission("codex:p", S, alias="codex:other"))
    assert book.rows("SELECT id, alias FROM submission") == [("codex:p", "codex:queued")]


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    """E045, §23.4: a missing counter is NULL in the ledger, never 0."""
    book = Book(tmp_path)
    book.told("/a", session(S), response("codex:r", S, total=None, at_ms=None, model=None))
    found = book.rows("SELECT input, cached_input, output, reasoning_output, total, at_ms, model FROM response")
    assert found == [(None,) * 7]


def test_an_event_is_kept_once_per_family_and_id(tmp_path: Path) -> None:
    """E010: the id of a call and of its result are the same and stay two events."""
    book = Book(tmp_path)
    said = (session(S), batches.event("call_1", S), batches.event("call_1", S, "tool_result"))
    assert book.told("/a", *said).events == 2
    assert book.told("/a", *said).events == 0
