"""Real records: the screen changes nothing that an honest harness writes, and keeps no prompt beyond its excerpt."""

from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from observer.adapters import claude, codex
from observer.adapters.protocol import Adapter
from observer.native.decode import decode
from observer.privacy.excerpt import SUBMISSION_LONGEST
from observer.privacy.screen import screen
from observer.records.source import RawBatch, SourceFile
from tests.places import FIXTURES

SETS = {"claude-code": (claude.ADAPTER, "projects/**/*.jsonl"), "codex": (codex.ADAPTER, "rollout-*.jsonl")}
WHOLE = ("sessions", "turns", "responses", "faults")
PARTS = {
    "submissions": ("id", "session", "kind", "ordinal", "at_ms", "turn", "alias"),
    "events": (
        *("session", "family", "native_id", "ordinal", "at_ms", "turn", "name", "target", "status", "duration_ms"),
        *("size_bytes", "truncated"),
    ),
}


def batches(harness: str) -> Iterator[RawBatch]:
    adapter, pattern = SETS[harness]
    for path in sorted((FIXTURES / "records" / harness).rglob(pattern)):
        yield _read(adapter, str(path))


@cache
def _read(adapter: Adapter, path: str) -> RawBatch:
    with open(path, "rb") as file:
        lines = decode(file.read(), msgspec.json.Decoder(adapter.reader.line), first=0)
    return adapter.reader.read(lines, adapter.reader.start(SourceFile(adapter.harness, path)))


@pytest.mark.parametrize("harness", SETS)
def test_what_an_honest_harness_writes_passes_unchanged(harness: str) -> None:
    seen = 0
    for raw in batches(harness):
        kept = screen(raw)
        for field in WHOLE:
            assert list(getattr(kept, field)) == getattr(raw, field)
        for field, parts in PARTS.items():
            for before, after in zip(getattr(raw, field), getattr(kept, field), strict=True):
                assert [getattr(after, part) for part in parts] == [getattr(before, part) for part in parts]
                seen += 1
    assert seen > 100


@pytest.mark.parametrize("harness", SETS)
def test_prompts_of_persons_have_excerpts_and_no_others(harness: str) -> None:
    excerpts = 0
    for raw in batches(harness):
        for before, after in zip(raw.submissions, screen(raw).submissions, strict=True):
            if before.kind != "genuine" or not before.main:
                assert after.excerpt == ""
            assert len(after.excerpt) <= SUBMISSION_LONGEST
            excerpts += bool(after.excerpt)
    assert excerpts > 10
