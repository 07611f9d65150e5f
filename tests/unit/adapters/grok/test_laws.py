"""Laws of the store: any order, any repetition, any damage; never a crash, never a wrong number."""

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from observer.adapters.grok import ADAPTER
from observer.privacy.screen import screen
from observer.records.source import RawBatch, SourceFile
from tests.builders.imports import Machine, machine
from tests.builders.wholes import Whole
from tests.unit.adapters.grok.sessions import RECORDS, counted

UNITS = sorted(path.parent for path in RECORDS.glob("*/sessions/*/*/updates.jsonl"))
FILES = ("updates.jsonl", "events.jsonl", "chat_history.jsonl", "summary.json")
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**65) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


def place(folder: Path) -> Path:
    """Where a folder lies below a sessions folder."""
    return Path(folder.parent.name, folder.name)


def copy(machine: Machine, folder: Path) -> None:
    shutil.copytree(folder, machine.home / ".grok" / "sessions" / place(folder), dirs_exist_ok=True)


@cache
def at_once() -> tuple[Whole, dict[str, int]]:
    """What the ledger holds when all sessions were there from the beginning."""
    with machine() as one:
        for folder in UNITS:
            copy(one, folder)
        one.sync()
        return one.whole(), counted(one)


@settings(max_examples=12)
@given(st.permutations(UNITS), st.lists(st.booleans(), min_size=len(UNITS), max_size=len(UNITS)))
def test_any_order_of_sessions_and_syncs_ends_alike(order: list[Path], syncs: list[bool]) -> None:
    """E111, §23: with a sync after any of them, and everything read anew at the end."""
    with machine() as one:
        for folder, now in zip(order, syncs, strict=True):
            copy(one, folder)
            if now:
                one.sync()
        one.sync()
        assert counted(one) == at_once()[1]
        assert one.whole() == at_once()[0]
        one.sync(full=True)
        assert one.whole() == at_once()[0]


@settings(max_examples=25)
@given(st.data())
def test_a_session_read_while_it_is_written_ends_as_if_read_once(data: st.DataObject) -> None:
    """Every file cut anywhere, read, completed, read again."""
    folder = data.draw(st.sampled_from(UNITS))
    with machine() as one, machine() as other:
        copy(other, folder)
        other.sync()
        target = one.home / ".grok" / "sessions" / place(folder)
        target.mkdir(parents=True)
        sizes = {name: (folder / name).stat().st_size for name in FILES}
        for _ in range(data.draw(st.integers(1, 3))):
            for name, size in sizes.items():
                (target / name).write_bytes((folder / name).read_bytes()[: data.draw(st.integers(0, size))])
            answer = one.sync()["grok"]
            assert answer.failed == []
            assert counted(one).items() <= counted(other).items()
        copy(one, folder)
        one.sync()
        assert counted(one) == counted(other)
        assert one.whole() == other.whole()


def mutated(value: Any, data: st.DataObject) -> Any:
    """The value with one place in it replaced."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: mutated(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        index = data.draw(st.integers(0, len(value) - 1))
        return [*value[:index], mutated(value[index], data), *value[index + 1 :]]
    return data.draw(_JSON)


def read(folder: Path) -> RawBatch:
    (unit,) = ADAPTER.discover(folder)
    assert isinstance(unit, SourceFile)
    return ADAPTER.reader(unit)


def told(batch: RawBatch) -> list[tuple[Any, ...]]:
    """Turn and counters of every response."""
    return sorted((each.turn, repr(each.usage)) for each in batch.responses)


@settings(max_examples=150)
@given(st.data())
def test_damage_costs_what_is_damaged(data: st.DataObject) -> None:
    """Any value of any line replaced by any other: no crash, and every other turn keeps its figures."""
    folder = data.draw(st.sampled_from(UNITS))
    name = data.draw(st.sampled_from(FILES))
    with TemporaryDirectory() as base:
        target = Path(shutil.copytree(folder, Path(base, folder.name)))
        if name == "summary.json":
            text = (target / name).read_text()
            (target / name).write_text(json.dumps(mutated(json.loads(text), data)))
        else:
            lines = (target / name).read_bytes().splitlines()
            number = data.draw(st.integers(0, len(lines) - 1))
            text = lines[number].decode()
            lines[number] = json.dumps(mutated(json.loads(text), data)).encode()
            (target / name).write_bytes(b"\n".join(lines) + b"\n")
        batch = read(target)
    screen(batch)
    before, after = told(read(folder)), told(batch)
    if '"turn_completed"' in text:
        turn = json.loads(text)["params"]["update"]["prompt_id"]
        before = [each for each in before if each[0] != turn]
        assert set(before) <= set(after)
    else:
        assert after == before
