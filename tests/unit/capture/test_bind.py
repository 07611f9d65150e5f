"""Binding prompts and sessions to tasks: what is accepted, what is refused, and that history stays."""

from pathlib import Path

import pytest

from observer.base.errors import CaptureRefused
from observer.capture import bind, tasks
from observer.capture.bind import Binding
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.facts import ownership
from tests.builders.batches import Book, session, submission

S, AGENT = "claude:s", "claude:s:agent:a"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """One session with two prompts and a subagent, another session of another agent, two tasks."""
    found = Book(tmp_path)
    found.told(
        "/a",
        session(S),
        submission("claude:p1", S, turn="t1"),
        submission("claude:p2", S, turn="t2", alias="claude:queued"),
        submission("claude:same", S, turn="t3"),
        submission("claude:reminder", S, turn="t4", kind="scaffolding"),
        submission("claude:hook", S, turn="t5", kind="synthetic"),
        session(AGENT, role="subagent", parent=S),
        session(f"{AGENT}b", role="subagent", parent=AGENT),
    )
    found.told("/b", session("codex:s2"), submission("codex:same", "codex:s2", turn="t1"))
    with found.writer() as connection:
        for task in ("T-A", "T-B"):
            tasks.create(connection, task, TaskFields())
    return found


def assign(book: Book, submission: str, task: str = "T-A", **fields: object) -> str:
    with book.writer() as connection:
        return bind.assign(connection, submission, task, Binding(**fields))  # type: ignore[arg-type]


def whole(
    book: Book, session: str, task: str = "T-A", *, evidence: str = "its only work", deep: bool = False
) -> list[str]:
    with book.writer() as connection:
        return bind.assign_sessions(connection, session, task, evidence=evidence, with_subagents=deep)


def refused(pattern: str) -> object:
    return pytest.raises(CaptureRefused, match=pattern)


def test_only_a_persons_prompts_can_be_assigned(book: Book) -> None:
    """E149: unknown prompts, scaffolding and synthetic ones are refused."""
    for name, words in (
        ("claude:nothing", "no prompt"),
        ("claude:reminder", "scaffolding"),
        ("claude:hook", "synthetic"),
    ):
        with refused(words) as found:
            assign(book, name)
        assert found.value.exit_code == 2
    assert book.rows("SELECT COUNT(*) FROM assignment_assertion") == [(0,)]


def test_an_unknown_task_owns_nothing(book: Book) -> None:
    """E150: neither prompts nor sessions can be given to it."""
    with refused("T-X") as found:
        assign(book, "claude:p1", "T-X")
    assert "create-task" in found.value.hint
    with refused("T-X"):
        whole(book, S, "T-X")


def test_a_bare_prompt_id_is_accepted_when_it_is_unique(book: Book) -> None:
    """E152: and refused when two agents use it, with both keys in the words."""
    assert assign(book, "p1") == "claude:p1"
    assert assign(book, "claude:queued") == "claude:p2"
    assert assign(book, "queued") == "claude:p2"
    with refused("ambiguous: claude:same, codex:same"):
        assign(book, "same")
    assert assign(book, "codex:same") == "codex:same"


def test_a_repeat_changes_nothing_and_an_amendment_does(book: Book) -> None:
    """§11: an assignment can be corrected, with its history."""
    assign(book, "claude:p1", phase="design", evidence="seen")
    assign(book, "claude:p1", phase="review", shared=True)
    with book.reader() as connection:
        (before,) = ownership.of_sessions(connection, [S]).ownership.bindings["claude:p1"]
    assert (before.phase, before.evidence, before.shared) == ("design", "seen", False)
    with book.writer() as connection:
        bind.amend(connection, "claude:p1", "T-A", Binding(phase="review", shared=True), reason="it was a review")
    with book.reader() as connection:
        (after,) = ownership.of_sessions(connection, [S]).ownership.bindings["claude:p1"]
    assert (after.phase, after.evidence, after.shared) == ("review", "seen", True)
    assert book.rows("SELECT phase, reason FROM assignment_assertion ORDER BY seq") == [
        ("design", None), ("review", "it was a review")
    ]  # fmt: skip


def test_only_what_is_bound_can_be_amended_or_withdrawn(book: Book) -> None:
    with book.writer() as connection:
        with refused("not bound"):
            bind.amend(connection, "claude:p1", "T-A", Binding(phase="x"), reason="r")
        with refused("not bound"):
            bind.withdraw_prompt(connection, "claude:p1", "T-A", reason="r")
        with refused("not bound"):
            bind.withdraw_session(connection, S, "T-A", reason="r")


def test_what_is_withdrawn_is_gone_and_can_be_given_again(book: Book) -> None:
    assign(book, "claude:p1", phase="design")
    with book.writer() as connection:
        bind.withdraw_prompt(connection, "claude:p1", "T-A", reason="a mistake")
    with book.reader() as connection:
        assert ownership.of_sessions(connection, [S]).ownership.bindings == {}
    assign(book, "claude:p1")
    assert book.rows("SELECT withdrawn, phase FROM assignment_assertion ORDER BY seq") == [
        (0, "design"), (1, "design"), (0, None)
    ]  # fmt: skip


def test_a_whole_session_needs_evidence(book: Book) -> None:
    """E155: blank is none."""
    for evidence in ("", "  \t"):
        with refused("evidence"):
            whole(book, S, evidence=evidence)


def test_a_session_with_another_tasks_prompt_cannot_be_taken(book: Book) -> None:
    """E156: but the same task may have both, and a repeat is no change."""
    assign(book, "claude:p1", "T-B")
    with refused("holds a prompt of T-B"):
        whole(book, S)
    assert whole(book, S, "T-B") == [S]
    assert whole(book, S, "T-B") == [S]
    assert book.rows("SELECT COUNT(*) FROM session_assertion") == [(1,)]
    with refused("wholly owned by T-B"):
        whole(book, S)


def test_a_prompt_of_another_tasks_session_cannot_be_taken(book: Book) -> None:
    """§11: and the way out is named."""
    whole(book, S)
    with refused("wholly owned by T-A") as found:
        assign(book, "claude:p1", "T-B")
    assert "withdraw" in found.value.hint
    assert assign(book, "claude:p1", "T-A") == "claude:p1"
    with book.writer() as connection:
        bind.withdraw_session(connection, S, "T-A", reason="it was not")
        bind.withdraw_prompt(connection, "claude:p1", "T-A", reason="nor this")
    assert assign(book, "claude:p1", "T-B") == "claude:p1"


def test_subagents_come_along_when_asked_all_or_none(book: Book) -> None:
    assert whole(book, S, deep=True) == [S, AGENT, f"{AGENT}b"]
    other = Book(book.path.parent / "other")
    other.told("/a", session(S), session(AGENT, role="subagent", parent=S))
    with other.writer() as connection:
        for task in ("T-A", "T-B"):
            tasks.create(connection, task, TaskFields())
    whole(other, AGENT, "T-B")
    with refused(f"{AGENT} is wholly owned by T-B"):
        whole(other, S, deep=True)
    assert other.rows("SELECT session FROM session_assertion") == [(AGENT,)]


def test_a_bare_session_id_is_accepted_when_it_is_unique(book: Book) -> None:
    """E152: the same law for sessions."""
    book.told("/c", session("codex:s"))
    with refused("ambiguous"):
        whole(book, "s")
    assert whole(book, "s2") == ["codex:s2"]
    with refused("no session"):
        whole(book, "claude:nowhere")


def test_a_prompt_copied_into_a_fork_is_assigned_once(book: Book) -> None:
    """The copy owns nothing, so the id names one prompt."""
    fork = session("claude:fork", copied_until_ms=2**41)
    book.told("/d", fork, submission("claude:p1", "claude:fork", turn="t1"))
    assert assign(book, "claude:p1") == "claude:p1"
    with book.reader() as connection:
        assert ownership.scope(connection, "T-A").sessions == (S,)


def test_creating_a_task_again_changes_nothing(book: Book) -> None:
    """E160: the first title stays; amending is the way to change it."""
    with book.writer() as connection:
        assert tasks.create(connection, "T-C", TaskFields(title="first", project="/srv/kit")) is True
        assert tasks.create(connection, "T-C", TaskFields(title="second")) is False
        assert ownership.task(connection, "T-C").title == "first"  # type: ignore[union-attr]
        tasks.amend(connection, "T-C", TaskFields(title="third"), reason="renamed")
        found = ownership.task(connection, "T-C")
    assert found is not None
    assert (found.title, found.project) == ("third", "/srv/kit")


@pytest.mark.parametrize("name", ["", " T", "-T", "T 1", "T\n", "x" * 129, "T<b>", "T|1", "../T"])
def test_a_task_id_is_an_identifier(book: Book, name: str) -> None:
    with book.writer() as connection, refused("no task id"):
        tasks.create(connection, name, TaskFields())


def test_an_outcome_keeps_what_a_later_call_leaves_out(book: Book) -> None:
    """§11: nothing is erased by silence, and an unknown task or state is refused."""
    with book.writer() as connection:
        tasks.record_outcome(connection, "T-A", OutcomeFields("active", candidate="o/r#7", repairs=2))
        tasks.record_outcome(connection, "T-A", OutcomeFields("complete", proof="o/r#8"))
        found = ownership.outcome(connection, "T-A")
        assert found is not None
        assert (found.state, found.candidate, found.proof, found.repairs) == ("complete", "o/r#7", "o/r#8", 2)
        with refused("no such state"):
            tasks.record_outcome(connection, "T-A", OutcomeFields("done"))
        with refused("T-X"):
            tasks.record_outcome(connection, "T-X", OutcomeFields("complete"))
        with refused("negative"):
            tasks.record_outcome(connection, "T-A", OutcomeFields("complete", repairs=-1))
