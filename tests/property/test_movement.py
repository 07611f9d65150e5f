"""Laws of assertions between machines: a document taken in again changes nothing, and ledgers come to agree."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.base.errors import CaptureRefused
from observer.capture import bind, movement, runs, tasks
from observer.capture.bind import Binding
from observer.capture.runs import AttemptFields, DispatchFields
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.ledger import assertions
from observer.ledger.open import Writer, reader, writer
from observer.records.assertion import KINDS
from observer.records.ownership import OUTCOME_STATES
from tests.builders import mini
from tests.builders.batches import Book

VIEWS = ("task", "assignment", "asserted_session", "outcome", "dispatch", "asserted_attempt")
# When something was said is no part of what is in force.
IN_FORCE = {
    "task": "SELECT task, project, family, title, issue_url, origin FROM task",
    "assignment": "SELECT submission, task, attempt, phase, evidence, shared FROM assignment",
    "outcome": "SELECT task, state, candidate, proof, repairs, corrections FROM outcome",
    "dispatch": "SELECT * FROM dispatch",
}


@contextmanager
def ledgers(number: int, *, step: int = 1) -> Iterator[list[Book]]:
    """Machines with the mini rollout and the task T-A each, and one clock, which may stand still (`step` 0)."""
    clock = itertools.count(template()[1], step)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(assertions, "now_ms", lambda: next(clock))
        books = [Book(Path(folder, str(each))) for each in range(number)]
        for book in books:
            book.path.parent.mkdir(parents=True)
            book.path.write_bytes(template()[0])
        yield books


@cache
def template() -> tuple[bytes, int]:
    """The ledger that each machine begins with, and an instant after everything in it."""
    with tempfile.TemporaryDirectory() as folder:
        book = mini.book(Path(folder))
        ((latest,),) = book.rows("SELECT MAX(recorded_ms) FROM task_assertion")
        return book.path.read_bytes(), latest + 1


def said(book: Book) -> bytes:
    with reader(book.path) as connection:
        return movement.encode(movement.document(connection, ()))


def take(book: Book, document: bytes) -> int:
    with writer(book.path) as connection:
        return movement.take(connection, movement.decode(document)).taken


def in_force(book: Book) -> dict[str, list[tuple[Any, ...]]]:
    return {view: sorted(book.rows(IN_FORCE.get(view, f"SELECT * FROM {view}")), key=repr) for view in VIEWS}


def rows(book: Book) -> dict[str, list[tuple[Any, ...]]]:
    return {kind: book.rows(f"SELECT * FROM {kind}_assertion ORDER BY seq") for kind in KINDS}


tasks_ = st.sampled_from(["T-A", "T-B"])
prompts = st.sampled_from([mini.P1, mini.P2])
words = st.none() | st.sampled_from(["one", "two", "ünï"])
steps = st.one_of(
    st.builds(lambda task, title: lambda c: tasks.create(c, task, TaskFields(title=title)), tasks_, words),
    st.builds(lambda task, title: lambda c: tasks.amend(c, task, TaskFields(title=title), reason="r"), tasks_, words),
    st.builds(
        lambda prompt, task, shared: lambda c: bind.assign(c, prompt, task, Binding(shared=shared)),
        prompts, tasks_, st.booleans(),
    ),
    st.builds(lambda prompt, task: lambda c: bind.withdraw_prompt(c, prompt, task, reason="r"), prompts, tasks_),
    st.builds(
        lambda task: lambda c: bind.assign_sessions(c, mini.S, task, evidence="e", with_subagents=False), tasks_
    ),
    st.builds(lambda task: lambda c: bind.withdraw_session(c, mini.S, task, reason="r"), tasks_),
    st.builds(
        lambda task, state: lambda c: tasks.record_outcome(c, task, OutcomeFields(state)),
        tasks_, st.sampled_from(OUTCOME_STATES),
    ),
    st.builds(
        lambda prompt, text: lambda c: runs.dispatch(c, prompt, "codex:w", DispatchFields(purpose=text)), prompts, words
    ),
    st.builds(lambda prompt: lambda c: runs.withdraw_dispatch(c, prompt, "codex:w", reason="r"), prompts),
    st.builds(
        lambda task, turn, usable: lambda c: runs.attempt(c, task, turn, AttemptFields("worker", usable=usable)),
        tasks_, st.sampled_from("AB"), st.none() | st.booleans(),
    ),
)  # fmt: skip


def do(book: Book, step: Any) -> None:
    """One call of a coordinator; what contradicts earlier words is refused and changes nothing."""
    connection: Writer
    with writer(book.path) as connection:
        try:
            step(connection)
        except CaptureRefused:
            pass


@given(given_steps=st.lists(steps, max_size=12))
def test_a_ledger_that_takes_a_document_says_the_same_once(given_steps: list[Any]) -> None:
    with ledgers(2) as (one, other):
        with other.writer() as connection:
            connection.execute("DELETE FROM task_assertion")
        for step in given_steps:
            do(one, step)
        document = said(one)
        take(other, document)
        assert in_force(other) == in_force(one)
        assert rows(other) == rows(one)
        assert take(other, document) == 0
        assert take(one, said(other)) == 0
        assert said(one) == document


turns_ = st.lists(st.tuples(st.integers(0, 2), steps | st.none()), max_size=20)


@given(given_steps=turns_, order=st.permutations(range(3)), clock=st.sampled_from([0, 1]))
def test_ledgers_that_take_each_others_documents_agree(given_steps: list[Any], order: list[int], clock: int) -> None:
    """Whoever said what, at the same instant too, and in whatever order they are taken in."""
    with ledgers(3, step=clock) as books:
        for number, step in given_steps:
            if step is None:
                take(books[number], said(books[(number + 1) % 3]))
            else:
                do(books[number], step)
        for _ in range(2):
            for number in order:
                for other in order:
                    take(books[number], said(books[other]))
        assert in_force(books[0]) == in_force(books[1]) == in_force(books[2])


@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_what_is_no_document_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(CaptureRefused, match="no assertions of another ledger"):
        movement.decode(data)
