"""Laws of reading: cut anywhere it is the same, and nothing that is JSON makes it fail."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.codex import ADAPTER
from observer.native.decode import decode
from observer.records.source import RawBatch, SourceFile
from tests import places
from tests.unit.adapters.codex.rollouts import RECORDS, Rollout, batches, joined, read, read_file

FILES = [*sorted(RECORDS.rglob("rollout-*.jsonl")), *sorted(places.CASES.glob("2*/home/.codex/**/rollout-*.jsonl"))]
_LONGEST_CONTEXT = 4096


@cache
def _whole(path: Path) -> RawBatch:
    return read_file(path)


@cache
def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


@given(data=st.data())
def test_cut_anywhere_the_records_are_the_same(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(FILES))
    cuts = data.draw(st.lists(st.integers(0, len(_lines(path))), max_size=6))
    assert read_file(path, cuts) == _whole(path)


def test_cut_at_every_line_the_records_are_the_same() -> None:
    for path in FILES:
        assert read_file(path, range(1, len(_lines(path)))) == _whole(path)


@given(data=st.data())
def test_reading_again_adds_nothing(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(FILES))
    raw = _lines(path)
    assert joined([*batches(raw, str(path)), *batches(raw, str(path))]).responses == _whole(path).responses


def test_the_context_stays_small() -> None:
    rollout = Rollout().turn()
    for number in range(1, 200):
        rollout.count(10**12 + number * 1000, 1000)
    context = ADAPTER.reader.start(SourceFile("codex", "/x/rollout-x.jsonl"))
    lines = b"\n".join(json.dumps(line).encode() for line in rollout.lines)
    ADAPTER.reader.read(decode(lines, msgspec.json.Decoder(ADAPTER.reader.line), first=0), context)
    assert len(msgspec.json.encode(context)) < _LONGEST_CONTEXT


def test_the_context_holds_no_text() -> None:
    """It is stored as it is, beside the ledger's screened rows."""
    secret = "sk-never-to-be-kept"
    context = ADAPTER.reader.start(SourceFile("codex", "/x/rollout-x.jsonl"))
    rollout = Rollout(id=None).user(secret).event("user_message", message=secret).meta().user(secret)
    rollout.item("function_call", call_id="c1", name="x", arguments=json.dumps({"cmd": secret}))
    lines = b"\n".join(json.dumps(line).encode() for line in rollout.lines)
    ADAPTER.reader.read(decode(lines, msgspec.json.Decoder(ADAPTER.reader.line), first=0), context)
    assert secret.encode() not in msgspec.json.encode(context)


_SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5)
_JUNK = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def _spoiled(draw: Any, value: Any) -> Any:
    """The value with one place below it replaced by anything."""
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        name = draw(st.sampled_from(sorted(value)))
        return {**value, name: _spoiled(draw, value[name])}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], _spoiled(draw, value[place]), *value[place + 1 :]]
    return draw(_JUNK)


@given(data=st.data())
def test_no_value_in_any_place_makes_reading_fail(data: st.DataObject) -> None:
    """Whatever is wrong with a line, the others count and it costs one fault at most."""
    path = data.draw(st.sampled_from(FILES))
    raw = list(_lines(path))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = json.dumps(_spoiled(data.draw, json.loads(raw[place]))).encode()
    found = read(raw)
    ordinals = [fault.ordinal for fault in found.faults]
    assert len(set(ordinals)) == len(ordinals)
    for response in found.responses:
        assert all(count is None or 0 <= count < 2**63 for count in msgspec.structs.astuple(response.usage))
