"""Snapshot identity: the same inputs give the same id, and every input moves it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from observer.capture import bind, tasks
from observer.capture.bind import Binding
from observer.capture.tasks import OutcomeFields, TaskFields
from tests.builders import mini
from tests.builders.batches import Book, response, session, submission
from tests.builders.mini import P1, P2, S, assign, create, records, report


@pytest.fixture
def book(tmp_path: Path) -> Book:
    found = mini.book(tmp_path)
    create(found, "T-B")
    assign(found, P1)
    return found


def snapshot(book: Book) -> str:
    return report(book).snapshot_id


def test_asking_twice_and_importing_nothing_new_keep_the_id(book: Book) -> None:
    """E177, E180: reading everything again under the same ledger is no change."""
    before = snapshot(book)
    assert snapshot(book) == before
    book.told("/mini", *records())
    book.write("/mini", *records(), again=True)
    book.settle()
    assert snapshot(book) == before


def test_what_happens_elsewhere_keeps_the_id(book: Book) -> None:
    """Another session, another task, and a title are no part of this measurement."""
    before = snapshot(book)
    book.told("/else", session("codex:else"), submission("codex:q", "codex:else"), response("codex:z", "codex:else"))
    assign(book, "codex:q", "T-B")
    with book.writer() as connection:
        tasks.amend(connection, "T-A", TaskFields(title="another title"), reason="nicer")
    assert snapshot(book) == before


def _outcome(book: Book) -> None:
    with book.writer() as connection:
        tasks.record_outcome(connection, "T-A", OutcomeFields("complete"))


def _phase(book: Book) -> None:
    with book.writer() as connection:
        bind.amend(connection, P1, "T-A", Binding(phase="review"), reason="it was one")


def _usage(book: Book) -> None:
    book.told("/mini", response("codex:r9", S, turn="B"))


@pytest.mark.parametrize(
    "change", [_outcome, _phase, _usage, lambda book: assign(book, P2, "T-B"), lambda book: assign(book, P2)]
)
def test_every_input_moves_the_id(book: Book, change: Callable[[Book], None]) -> None:
    """E178, E179: an outcome, a phase, a response, and another task's binding in the same session."""
    before = snapshot(book)
    change(book)
    assert snapshot(book) != before


def test_a_rate_moves_the_snapshot_and_the_schedule(book: Book) -> None:
    """E178: and the order of keys in the file moves neither (E181)."""
    before, after = report(book), report(book, prices=mini.schedule(output_tokens=51))
    assert before.snapshot_id != after.snapshot_id
    assert before.schedule.schedule_id != after.schedule.schedule_id
    backwards = mini.schedule(**dict(reversed(list({"output_tokens": 50, "input_tokens": 10}.items()))))
    assert backwards.schedule_id == before.schedule.schedule_id
