"""Assertions of another machine: what is exported, what is refused, and what comes over."""

import json
from pathlib import Path
from typing import Any

import pytest

from observer.base.errors import CaptureRefused
from observer.capture import bind, movement, runs, tasks
from observer.capture.bind import Binding
from observer.capture.runs import AttemptFields, DispatchFields
from observer.capture.tasks import OutcomeFields, TaskFields
from tests.builders import mini
from tests.builders.batches import Book
from tests.builders.mini import P1, P2, S

TOKEN = "ghp_" + "q7Wm2Kx9Zt4Rb6Yn3Lp8Vd5"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Two tasks of which everything was said that can be."""
    found = mini.book(tmp_path / "here")
    mini.create(found, "T-B")
    with found.writer() as connection:
        tasks.amend(connection, "T-A", TaskFields("/srv/kit", "kit", "The title", "https://github.com/o/r/issues/1"),
                    reason="forgot")  # fmt: skip
        bind.assign(connection, P1, "T-A", Binding("1", "design", "seen", shared=True))
        bind.assign(connection, P2, "T-B", Binding())
        bind.withdraw_prompt(connection, P2, "T-B", reason="it was not")
        bind.assign_sessions(connection, S, "T-A", evidence="its only work", with_subagents=False)
        tasks.record_outcome(connection, "T-A", OutcomeFields("complete", "o/r#7", "o/r#8", 1, 2))
        runs.dispatch(connection, P1, "codex:w", DispatchFields("A", "C", "luna", "high", "v1", "it is small", "name"))
        runs.dispatch(connection, P2, "codex:v", DispatchFields())
        runs.attempt(connection, "T-A", "A", AttemptFields("worker", "review", "luna", "high", "failed", usable=False))
    return found


def exported(book: Book, *names: str) -> dict[str, Any]:
    with book.reader() as connection:
        found: dict[str, Any] = json.loads(movement.encode(movement.document(connection, names)))
    return found


def test_every_row_goes_with_its_history_one_a_line(book: Book) -> None:
    found = exported(book)
    kinds = [each["kind"] for each in found["assertions"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "task": 3, "assignment": 3, "session": 1, "outcome": 1, "dispatch": 2, "attempt": 1
    }  # fmt: skip
    with book.reader() as connection:
        lines = movement.encode(movement.document(connection, ())).splitlines()
    assert len(lines) == len(kinds) + 2
    taken_back = [each for each in found["assertions"] if each.get("withdrawn")]
    assert [(each["submission"], each["reason"]) for each in taken_back] == [(P2, "it was not")]


def test_only_the_tasks_that_are_asked_for_go(book: Book) -> None:
    """A dispatch goes with the tasks its prompt was ever bound to."""
    found = exported(book, "T-B")["assertions"]
    assert [(each["kind"], each.get("task") or each["worker"]) for each in found] == [
        ("task", "T-B"), ("assignment", "T-B"), ("assignment", "T-B"), ("dispatch", "codex:v")
    ]  # fmt: skip


def broken(found: dict[str, Any], place: int, **fields: Any) -> bytes:
    found["assertions"][place] |= fields
    return json.dumps(found).encode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "verdict"}, r"\$\.assertions\[2\]"),
        ({"title": 7}, r"\$\.assertions\[2\]\.title"),
        ({"task": "T 1"}, r"\$\.assertions\[2\]\.task"),
        ({"recorded": "yesterday"}, r"\$\.assertions\[2\]\.recorded"),
        ({"owner": "me"}, "unknown field"),
        ({"title": f"use {TOKEN}"}, r"\$\.assertions\[2\]: title holds what looks like a secret"),
        ({"title": "two\nlines"}, r"\$\.assertions\[2\]: title must be one line"),
    ],
)
def test_what_no_ledger_writes_is_refused_with_its_place(book: Book, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(CaptureRefused, match=words) as found:
        movement.decode(broken(exported(book), 2, **fields))
    assert TOKEN not in str(found.value)


def test_an_instant_that_is_none_is_refused_and_nothing_is_taken(book: Book, tmp_path: Path) -> None:
    other = Book(tmp_path / "there")
    said = movement.decode(broken(exported(book), 5, recorded="2026-13-45T99:00:00.000Z"))
    with other.writer() as connection, pytest.raises(CaptureRefused, match="instant"):
        movement.take(connection, said)
    assert other.rows("SELECT COUNT(*) FROM task_assertion") == [(0,)]


def test_a_word_that_was_said_later_here_stands(book: Book, tmp_path: Path) -> None:
    """And one that was said later there replaces it, although it is older than the import."""
    other = mini.book(tmp_path / "there")
    with book.reader() as connection:
        said = movement.document(connection, ())
    with other.writer() as connection:
        tasks.amend(connection, "T-A", TaskFields(title="Mine"), reason="later")
        connection.execute("UPDATE task_assertion SET recorded_ms = recorded_ms + 10000000 WHERE title = 'Mine'")
        taken = movement.take(connection, said)
    assert (taken.taken, taken.known, taken.tasks) == (9, 2, ("T-A", "T-B"))
    assert other.rows("SELECT title FROM task WHERE task = 'T-A'") == [("Mine",)]
    with other.writer() as connection:
        connection.execute("UPDATE task_assertion SET recorded_ms = 1 WHERE title = 'Mine'")
        movement.take(connection, said)
    assert other.rows("SELECT title FROM task WHERE task = 'T-A'") == [("The title",)]


def test_a_task_that_nobody_made_known_is_named(book: Book, tmp_path: Path) -> None:
    other = Book(tmp_path / "there")
    found = exported(book)
    found["assertions"] = [each for each in found["assertions"] if each["kind"] != "task"]
    with other.writer() as connection:
        taken = movement.take(connection, movement.decode(json.dumps(found).encode()))
        assert list(movement.unknown_tasks(connection, taken.tasks)) == ["T-A", "T-B"]
