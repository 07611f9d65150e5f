"""Dispatches and runs: what a coordinator may say of them, what is refused, and that history stays."""

from pathlib import Path
from typing import Any

import pytest

from observer.base.errors import CaptureRefused
from observer.capture import runs, tasks
from observer.capture.runs import AttemptFields, DispatchFields, Handed
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.facts import attempts
from observer.records.ownership import Attempt
from observer.records.session import Turn
from tests.builders import mini, routed
from tests.builders.batches import START_MS, Book, event, response, session, submission
from tests.builders.mini import P1, S
from tests.builders.routed import NEW, Shelf, job, run

AGENT = "claude:s:agent:a"
TOKEN = "ghp_" + "q7Wm2Kx9Zt4Rb6Yn3Lp8Vd5"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """The mini rollout, a Claude session whose subagent works in its parent's turn, and a task."""
    found = mini.book(tmp_path)
    found.told(
        "/a",
        session("claude:s"),
        submission("claude:p1", "claude:s", turn="t1"),
        submission("claude:hook", "claude:s", turn="t2", kind="synthetic"),
        session(AGENT, role="subagent", parent="claude:s"),
        event("c1", AGENT, turn="t1"),
    )
    return found


def refused(words: str) -> Any:
    return pytest.raises(CaptureRefused, match=words)


def hand(book: Book, submission: str = P1, worker: str = "codex:w", **fields: str) -> Handed:
    with book.writer() as connection:
        return runs.dispatch(connection, submission, worker, DispatchFields(**fields))


def say(
    book: Book, turn: str = "A", task: str = "T-A", *, session: str | None = None, reason: str | None = None,
    **fields: Any,
) -> str:  # fmt: skip
    with book.writer() as connection:
        return runs.attempt(connection, task, turn, AttemptFields(**fields), session=session, reason=reason)


def known(book: Book, task: str = "T-A") -> tuple[Attempt, ...]:
    with book.reader() as connection:
        return attempts.of_task(connection, task)


def test_a_dispatch_needs_a_prompt_that_is_known(book: Book) -> None:
    """§11: unknown is refused; what kind of prompt it is does not matter, nor whether the worker was ever seen."""
    with refused("no prompt"):
        hand(book, "codex:nowhere")
    assert hand(book, "hook", "never-seen") == Handed("claude:hook", "never-seen")
    assert hand(book, "p2", "codex:s") == Handed("codex:p2", "codex:s")


def test_a_worker_is_kept_by_its_key_where_one_session_answers_to_the_name(book: Book) -> None:
    """E159: otherwise as it was given."""
    book.told("/w", session("opencode:w"))
    assert hand(book, worker="w").worker == "opencode:w"
    assert hand(book, worker="s").worker == "s"


@pytest.mark.parametrize("worker", ["", "two words", "a<b", "x" * 200, "w\n", TOKEN])
def test_a_worker_is_an_identifier(book: Book, worker: str) -> None:
    with refused("worker is no identifier"):
        hand(book, worker=worker)
    with refused("parent turn is no identifier"):
        hand(book, parent_turn=worker)


def test_a_dispatch_said_again_changes_nothing_and_an_amendment_does(book: Book) -> None:
    """§11: also where the session has come into the ledger in between, under whichever of its names."""
    hand(book, worker="w", requested_model="luna", purpose="it is small")
    book.told("/w", session("opencode:w"))
    assert hand(book, worker="opencode:w", requested_model="other").worker == "w"
    assert hand(book, worker="w").worker == "w"
    with book.writer() as connection:
        runs.amend_dispatch(
            connection, P1, "opencode:w", DispatchFields(requested_effort="high"), reason="was left out"
        )
    stored = book.rows("SELECT requested_model, requested_effort, purpose, reason FROM dispatch_assertion ORDER BY seq")
    assert stored == [("luna", None, "it is small", None), ("luna", "high", "it is small", "was left out")]
    with book.writer() as connection:
        assert runs.withdraw_dispatch(connection, P1, "w", reason="a mistake") == Handed(P1, "w")
        with refused("no dispatch from codex:p1"):
            runs.withdraw_dispatch(connection, P1, "w", reason="again")
        with refused("no dispatch from codex:p1"):
            runs.amend_dispatch(connection, P1, "w", DispatchFields(), reason="again")
    assert book.rows("SELECT * FROM dispatch") == []


def test_a_run_is_of_a_task_and_a_turn_that_are_known(book: Book) -> None:
    """§11: the reference checks neither."""
    with refused("T-X"):
        say(book, task="T-X", role="worker")
    with refused("no turn 'nowhere'") as found:
        say(book, "nowhere", role="worker")
    assert found.value.hint == "agent-observer sync"
    with refused("no turn 'A' in claude:s"):
        say(book, role="worker", session="claude:s")
    with refused("is no run of T-A yet"):
        say(book, state="failed")
    with refused("is no run of T-A yet"):
        say(book, role="worker", reason="nothing to correct")
    assert book.rows("SELECT * FROM attempt_assertion") == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"role": "boss"}, "no such role"),
        ({"state": "done"}, "no such state"),
        ({"stage": "followup"}, "no such phase"),
    ],
)
def test_roles_states_and_phases_are_of_closed_lists(book: Book, fields: dict[str, str], words: str) -> None:
    with refused(words) as found:
        say(book, **({"role": "worker"} | fields))
    assert "one of: " in found.value.hint


def test_a_run_is_active_until_its_end_is_said(book: Book) -> None:
    """§11: saying it again updates state and role and keeps what is left out."""
    assert say(book, role="worker", requested_model="luna", stage="design") == S
    (first,) = known(book)
    assert (first.origin, first.state, first.role, first.session) == ("capture", "active", "worker", S)
    say(book, role="parent", state="failed", usable=False)
    (second,) = known(book)
    assert (second.state, second.role, second.usable) == ("failed", "parent", False)
    assert (second.requested_model, second.stage) == ("luna", "design")
    say(book, state="complete", reason="it did finish")
    assert known(book)[0].state == "complete"
    assert book.rows("SELECT state, reason FROM attempt_assertion ORDER BY seq") == [
        ("active", None), ("failed", None), ("complete", "it did finish")
    ]  # fmt: skip


def test_what_ran_and_how_long_is_taken_from_the_records(book: Book) -> None:
    """Asked for and observed are two things; a turn with responses of two models has no model of its own."""
    book.told(
        "/t",
        Turn(S, "A", START_MS, START_MS + 5000, 4000, "complete", "gpt-6-astra", "high"),
        response("codex:r9", S, turn="B", model="other"),
    )
    say(book, role="worker", requested_model="luna")
    say(book, "B", role="worker")
    timed, mixed = known(book)
    assert (timed.model, timed.effort, timed.requested_model) == ("gpt-6-astra", "high", "luna")
    assert (timed.started_ms, timed.ended_ms, timed.elapsed_ms) == (START_MS, START_MS + 5000, 4000)
    assert (mixed.model, mixed.started_ms, mixed.elapsed_ms) == (None, None, None)


def test_a_subagent_works_in_its_parents_turn(book: Book) -> None:
    """Both can be runs of one task; which session is meant is said, or is the one that started the other."""
    assert say(book, "t1", role="parent") == "claude:s"
    with refused("turn 't1' is in claude:s, claude:s:agent:a"):
        say(book, "t1", role="worker")
    assert say(book, "t1", role="worker", session=AGENT) == AGENT
    assert [each.session for each in known(book)] == ["claude:s", AGENT]
    with book.writer() as connection:
        with refused("is a run of T-A in claude:s, claude:s:agent:a"):
            runs.withdraw_attempt(connection, "T-A", "t1", session=None, reason="which?")
        assert runs.withdraw_attempt(connection, "T-A", "t1", session=AGENT, reason="none") == AGENT
        with refused("is no run of T-A"):
            runs.withdraw_attempt(connection, "T-A", "t1", session=AGENT, reason="again")
    assert [each.session for each in known(book)] == ["claude:s"]


def test_a_copied_turn_is_where_it_was_made(book: Book) -> None:
    fork = session("codex:fork", forked_from=S, copied_until_ms=2**41)
    book.told("/f", fork, submission(P1, "codex:fork", turn="A"), Turn("codex:fork", "A", START_MS, START_MS))
    with book.writer() as connection:
        connection.execute("UPDATE session SET copied_until_ms = 1 << 41 WHERE key = 'codex:fork'")
        connection.execute(
            "UPDATE submission SET copied = 1 WHERE session_id = (SELECT id FROM session WHERE key = 'codex:fork')"
        )
    assert say(book, role="worker") == S


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    found = routed.shelf(tmp_path / "routed")
    found.routed(NEW, job(), run(state="failed", terminal_class="timeout", requested_route="luna/max"))
    return found


def test_a_persons_word_stands_over_a_routers_field_by_field(shelf: Shelf) -> None:
    """What the router measured stays; what it tells later changes nothing that was said."""
    assert say(shelf, "router:run-1", "T-42", role="worker", usable=False) == ""
    (found,) = known(shelf, "T-42")
    assert (found.origin, found.role, found.kind, found.usable) == ("capture", "worker", "codex_dispatch", False)
    assert (found.state, found.terminal_class, found.requested_route) == ("failed", "timeout", "luna/max")
    assert (found.session, found.request, found.started_ms) == (S, "job-1", START_MS)
    shelf.routed(NEW, job(), run(state="complete"))
    assert known(shelf, "T-42")[0].state == "complete"
    say(shelf, "router:run-1", "T-42", state="crashed")
    shelf.routed(NEW, job(), run(state="failed"))
    assert known(shelf, "T-42")[0].state == "crashed"
    with shelf.writer() as connection:
        runs.withdraw_attempt(connection, "T-42", "router:run-1", session=None, reason="it did not")
    (again,) = known(shelf, "T-42")
    assert (again.origin, again.role, again.state) == ("router", "codex_dispatch", "failed")


def test_a_run_that_a_person_gives_to_another_task_leaves_the_routers(shelf: Shelf) -> None:
    mini.create(shelf, "T-B")
    say(shelf, "router:run-1", "T-B", role="worker")
    assert known(shelf, "T-42") == ()
    (moved,) = known(shelf, "T-B")
    assert (moved.turn, moved.request, moved.state) == ("router:run-1", "job-1", "failed")


SAID: list[tuple[str, Any]] = [
    ("title", lambda c, text: tasks.create(c, "T-N", TaskFields(title=text))),
    ("title", lambda c, text: tasks.amend(c, "T-A", TaskFields(title=text), reason="r")),
    ("reason", lambda c, text: tasks.amend(c, "T-A", TaskFields(title="x"), reason=text)),
    ("candidate", lambda c, text: tasks.record_outcome(c, "T-A", OutcomeFields("complete", candidate=text))),
    ("purpose", lambda c, text: runs.dispatch(c, P1, "w", DispatchFields(purpose=text))),
    ("task name", lambda c, text: runs.dispatch(c, P1, "w", DispatchFields(task_name=text))),
    ("requested model", lambda c, text: runs.attempt(c, "T-A", "A", AttemptFields("worker", requested_model=text))),
]


@pytest.mark.parametrize(("name", "call"), SAID, ids=[f"{place}-{name}" for place, (name, _) in enumerate(SAID)])
@pytest.mark.parametrize("text", [f"use {TOKEN}", "two\nlines", "esc \x1b[31m", "x" * 2001])
def test_a_word_is_one_line_without_a_secret(book: Book, name: str, call: Any, text: str) -> None:
    """And what is refused is never said again, nor anywhere in the file."""
    with book.writer() as connection, refused(f"^{name} ") as found:
        call(connection, text)
    assert text not in found.value.message + found.value.hint
    assert TOKEN.encode() not in book.path.read_bytes()


def test_a_later_word_is_later_also_where_the_clock_was_set_back(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ledgers compare instants; the order here must be the same."""
    say(book, role="worker")
    monkeypatch.setattr("observer.ledger.assertions.now_ms", lambda: 1000)
    say(book, state="failed")
    say(book, state="complete")
    instants = [row[0] for row in book.rows("SELECT recorded_ms FROM attempt_assertion ORDER BY seq")]
    assert instants == [instants[0], instants[0] + 1, instants[0] + 2]
