"""Laws of replays: under new versions, however often interrupted, the ledger is that of a clean import under them."""

import os
import shutil
import signal
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.adapters.protocol import Adapter
from observer.adapters.registry import HARNESSES, adapter
from observer.ledger import open as opening
from observer.records.source import RawBatch
from tests.builders.corpora import homes, lay
from tests.builders.imports import Machine, machine
from tests.builders.versions import adapter_version, privacy_version
from tests.builders.wholes import Whole
from tests.property.test_fuzz import STORES, states

_HOMES = sorted(homes())
_STATES = [(harness, state) for harness in sorted(STORES) for state in states(harness)]
# More statements than any of these syncs runs: it is not killed.
_NEVER = 10**9


class Program(NamedTuple):
    """A release: its versions, how much of a prompt it keeps, and whether its adapters tell less."""

    adapters: int
    privacy: int
    longest: int = 300
    thin: bool = False

    def install(self, patch: pytest.MonkeyPatch) -> None:
        privacy_version(patch, self.privacy, longest=self.longest)
        for harness in HARNESSES:
            found = adapter(harness)
            changed = {"read": _thinner(found)} if self.thin and isinstance(found, Adapter) else {}
            adapter_version(patch, harness, self.adapters, **changed)


programs = st.builds(
    lambda adapters, privacy: Program(90 + adapters, 70 + privacy, (300, 0, 9)[privacy], thin=adapters == 1),
    st.integers(0, 2),
    st.integers(0, 2),
)


def _thinner(found: Adapter) -> Any:
    """Reads the same lines and takes less for a response, a label or a target."""
    whole = found.reader.read

    def read(lines: Any, context: Any) -> RawBatch:
        batch = whole(lines, context)
        batch.responses = [each for each in batch.responses if sum(each.id.encode()) % 3]
        batch.sessions = [replace(each, branch=None, entry_point=None) for each in batch.sessions]
        batch.events = [replace(each, target=None, name=None) for each in batch.events]
        batch.turns = [replace(each, model=None, duration_ms=None) for each in batch.turns]
        batch.submissions = [replace(each, alias=None) for each in batch.submissions]
        return batch

    return read


def run(found: Machine, program: Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        program.install(patch)
        found.sync()


def killed(found: Machine, program: Program, statements: int) -> None:
    """A sync of that release whose process is killed after so many statements."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        left = [statements]
        real = opening._connect

        def count(_statement: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def connect(uri: str) -> sqlite3.Connection:
            connection = real(uri)
            connection.set_trace_callback(count)
            return connection

        opening._connect = connect
        run(found, program)
    finally:
        os._exit(0)


@cache
def clean(name: str, program: Program) -> Whole:
    with machine() as found:
        lay(found.home, homes()[name])
        run(found, program)
        return found.whole()


@pytest.mark.parametrize("name", _HOMES)
def test_a_replay_equals_a_clean_import(name: str) -> None:
    """E028, E029, E032, E074: from a release that told other things, and back."""
    with machine() as found:
        lay(found.home, homes()[name])
        for program in (Program(90, 70), Program(91, 70, thin=True), Program(92, 71, 9), Program(92, 72, 0)):
            run(found, program)
            assert found.whole() == clean(name, program)


@pytest.mark.parametrize(("harness", "state"), _STATES, ids=[f"{path.parent.name}/{path.name}" for _, path in _STATES])
def test_a_replay_of_a_store_equals_a_clean_import(harness: str, state: Path) -> None:
    """E028, E029, E032: units of stores and what a router tells."""
    with machine() as found, machine() as other:
        for each in (found, other):
            shutil.copytree(state, each.home / STORES[harness])
        run(found, Program(90, 70))
        run(found, Program(91, 71, 9))
        run(other, Program(91, 71, 9))
        assert stable(found.whole()) == stable(other.whole())


def stable(found: Whole) -> Whole:
    """Without what depends on where and when the copy of a store was made."""
    return found | {"source": sorted((row[:1] + row[-2:] for row in found["source"]), key=repr)}


_OLD, _NEW = Program(90, 70), Program(90, 71, 0)


@given(
    name=st.sampled_from(_HOMES),
    steps=st.lists(st.tuples(programs, st.integers(0, 900) | st.just(_NEVER)), min_size=1, max_size=4),
    last=programs,
)
@example(name="claude-code/synthetic-prompts", steps=[(_OLD, _NEVER), (_OLD, 280), (_NEW, 201)], last=_OLD)
@example(name="01-claude-stream-last-wins", steps=[(_NEW, _NEVER), (_OLD, 46)], last=_NEW)
def test_a_replay_may_be_killed_anywhere(name: str, steps: list[tuple[Program, int]], last: Program) -> None:
    """E027, §2.3, §23.1: between any two statements, under any releases one after another."""
    with machine() as found:
        lay(found.home, homes()[name])
        for program, statements in steps:
            killed(found, program, statements)
        run(found, last)
        assert found.whole() == clean(name, last)
        with sqlite3.connect(found.ledger) as connection:
            assert connection.execute("SELECT COUNT(*) FROM replay").fetchone() == (0,)
            assert connection.execute("SELECT COUNT(*) FROM retold").fetchone() == (0,)


@given(name=st.sampled_from(_HOMES), data=st.data())
def test_what_vanished_says_nothing_forbidden_and_denies_nothing(name: str, data: st.DataObject) -> None:
    """E028, E029: of files that are gone when the rules change, prompts and responses stay and excerpts shrink."""
    with machine() as found:
        sources = homes()[name]
        lay(found.home, sources)
        run(found, Program(90, 70))
        before = found.whole()
        for path in data.draw(st.lists(st.sampled_from(sorted(sources)), min_size=1, unique=True)):
            (found.home / path).unlink()
        run(found, Program(90, 71, 5))
        after = found.whole()
        assert [row[:1] for row in after["response"]] == [row[:1] for row in before["response"]]
        assert len(after["submission"]) == len(before["submission"])
        with sqlite3.connect(found.ledger) as connection:
            assert connection.execute("SELECT COUNT(*) FROM submission WHERE LENGTH(excerpt) > 5").fetchone() == (0,)
