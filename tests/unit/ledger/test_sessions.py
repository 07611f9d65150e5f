"""Sessions and turns in the ledger: facts may come in any order, and nothing known is lost."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from observer.records.session import Turn
from tests.builders import batches
from tests.builders.batches import START_MS, Book, session

KEY = "claude:s"
_COLUMNS = "started_ms, ended_ms, role, parent, project, branch, client_version"


def stored(book: Book) -> tuple[Any, ...]:
    return book.rows(f"SELECT {_COLUMNS} FROM session")[0]


def test_the_earliest_start_and_the_latest_end_stay(tmp_path: Path) -> None:
    """E008: a later start and an earlier end change nothing."""
    book = Book(tmp_path)
    book.told("/a", session(KEY, started_ms=100, ended_ms=900))
    book.told("/a", session(KEY, started_ms=200, ended_ms=800))
    assert stored(book)[:2] == (100, 900)
    book.told("/a", session(KEY, started_ms=50, ended_ms=1000))
    assert stored(book)[:2] == (50, 1000)


def test_a_known_branch_stays_when_a_later_record_has_none(tmp_path: Path) -> None:
    """E009: an upsert fills what is unknown and takes nothing away."""
    book = Book(tmp_path)
    book.told("/a", session(KEY, branch="main", project=None))
    book.told("/a", session(KEY, branch=None, project="/srv/kit"))
    assert stored(book)[4:6] == ("/srv/kit", "main")


def test_known_labels_stay_when_another_source_has_others(tmp_path: Path) -> None:
    """E009: what is known is never replaced, by nothing or by something else."""
    book = Book(tmp_path)
    labels = ("project", "branch", "client_version", "entry_point")
    book.told("/a", session(KEY, **{name: f"first {name}" for name in labels}))
    for said in ("another", None):
        book.told("/b", session(KEY, **dict.fromkeys(labels, said)))
        assert book.rows(f"SELECT {', '.join(labels)} FROM session") == [tuple(f"first {name}" for name in labels)]


def test_proof_that_a_session_is_a_child_wins_whenever_it_comes(tmp_path: Path) -> None:
    """A prompt that was taken for a person's is none in a child, and its excerpt goes."""
    for order in ((0, 1), (1, 0)):
        book = Book(tmp_path / str(order))
        said = (
            (session(KEY, role="main"), batches.submission("claude:p", KEY)),
            (session(KEY, role="subagent", parent="claude:parent"),),
        )
        for place in order:
            book.told(f"/{place}", *said[place])
        assert stored(book)[2:4] == ("subagent", "claude:parent")
        assert book.rows("SELECT kind, excerpt FROM submission") == [("synthetic", "")]


@given(
    facts=st.lists(
        st.builds(
            lambda start, length, role: {"started_ms": start, "ended_ms": start + length, "role": role},
            st.integers(0, 1000),
            st.integers(0, 1000),
            st.sampled_from([None, "main", "subagent"]),
        ),
        min_size=1,
        max_size=4,
    ),
    data=st.data(),
)
def test_the_order_of_facts_does_not_matter(
    facts: list[dict[str, Any]], data: st.DataObject, tmp_path_factory: Any
) -> None:
    """E008, E022: any order of the same facts gives the same session."""
    folder = tmp_path_factory.mktemp("books")
    shuffled = data.draw(st.permutations(facts))
    results = []
    for name, order in (("given", facts), ("shuffled", shuffled)):
        book = Book(folder / name)
        for number, fact in enumerate(order):
            book.write(f"/{number}", session(KEY, **fact))
        book.settle()
        results.append(stored(book))
    assert results[0] == results[1]


def test_a_turn_gets_its_end_later_and_keeps_its_start(tmp_path: Path) -> None:
    book = Book(tmp_path)
    started = Turn(KEY, "t", started_ms=START_MS, state="active", model="m")
    ended = Turn(KEY, "t", ended_ms=START_MS + 9, duration_ms=9, state="cancelled")
    for order in ((started, ended), (ended, started)):
        for turn in order:
            book.told("/a", session(KEY), turn)
    found = book.rows("SELECT started_ms, ended_ms, duration_ms, state, model FROM turn")
    assert found == [(START_MS, START_MS + 9, 9, "cancelled", "m")]


@given(
    times=st.lists(st.tuples(st.integers(0, 99), st.integers(100, 199)), min_size=2, max_size=3),
    data=st.data(),
)
def test_the_order_of_what_is_said_of_a_turn_does_not_matter(
    times: list[tuple[int, int]], data: st.DataObject, tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.mktemp("books")
    results = []
    for name, order in (("given", times), ("shuffled", data.draw(st.permutations(times)))):
        book = Book(folder / name)
        for number, (start, end) in enumerate(order):
            book.write(f"/{number}", session(KEY), Turn(KEY, "t", started_ms=start, ended_ms=end))
        results.append(book.rows("SELECT started_ms, ended_ms FROM turn"))
    assert results[0] == results[1]


def test_rows_may_name_sessions_that_nothing_is_said_of(tmp_path: Path) -> None:
    book = Book(tmp_path)
    book.told("/a", batches.response("claude:r", "claude:elsewhere"))
    assert book.rows("SELECT key, harness, native_id, role FROM session") == [
        ("claude:elsewhere", "claude", "elsewhere", None)
    ]
