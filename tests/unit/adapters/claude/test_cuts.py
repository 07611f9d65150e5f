"""However a transcript is cut into imports, the result is that of one import."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.claude import ADAPTER
from observer.records.source import RawBatch
from tests.places import CASES, RECORDS
from tests.unit.adapters.claude import reading

FILES = sorted(
    str(path.relative_to(root))
    for root in (RECORDS / "claude-code", CASES)
    for path in root.rglob("*.jsonl")
    if "projects" in path.parts and "codex" not in str(path)
)
PROMPTS = ("Go on.", "continue", "Why?")


def place(name: str) -> Path:
    return next(path for path in (RECORDS / "claude-code" / name, CASES / name) if path.is_file())


@cache
def lines(name: str) -> list[bytes]:
    return [line for line in place(name).read_bytes().split(b"\n") if line.strip()]


def plain(batch: RawBatch) -> dict[str, Any]:
    """A batch without the order in which its parts became known."""
    whole = msgspec.to_builtins(batch)
    return {part: sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)) for part, rows in whole.items() if rows}


def cut(raw: list[bytes], path: str, cuts: list[int]) -> dict[str, Any]:
    return plain(reading.joined(reading.batches(raw, path, cuts)))


@pytest.mark.parametrize("name", FILES)
def test_a_batch_for_every_line_is_the_whole(name: str) -> None:
    """E022: real records, cut after every line."""
    raw = lines(name)
    assert cut(raw, name, list(range(1, len(raw)))) == cut(raw, name, [])


@given(data=st.data(), name=st.sampled_from(FILES))
def test_any_cuts_of_real_records_change_nothing(data: st.DataObject, name: str) -> None:
    """E022."""
    raw = lines(name)
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=8))
    assert cut(raw, name, cuts) == cut(raw, name, [])


def written(kind: str, text: str, prompt: str | None, answer: dict[str, Any], tool: str) -> dict[str, Any]:
    """One line of a conversation."""
    match kind:
        case "typed":
            return reading.typed(text, prompt or "p")
        case "old":
            return reading.user(text, promptId=prompt)
        case "enqueue":
            return reading.enqueue(text)
        case "queued":
            return reading.queued(text)
        case "answer":
            return reading.assistant(**answer)
        case "fork":
            return reading.assistant(**answer, requestSessionId="elsewhere")
        case "read":
            return reading.assistant("m", None, reading.call("Read", tool, offset=3))
        case "result":
            return reading.result("x", tool, promptId=prompt)
        case "end":
            return reading.line("system", subtype="turn_duration", durationMs=5)
        case _:
            return reading.user("[Request interrupted by user]", promptId=prompt)


# Prompts typed, queued and absorbed, answers in pieces, calls with and without results.
conversations = st.lists(
    st.builds(
        written,
        st.sampled_from(("typed", "old", "enqueue", "queued", "answer", "fork", "read", "result", "end", "stop")),
        text=st.sampled_from(PROMPTS),
        prompt=st.sampled_from((None, "p1", "p2")),
        answer=st.fixed_dictionaries(
            {
                "name": st.sampled_from(("msg_1", "msg_2", "chat-1")),
                "usage": st.integers(0, 3).map(lambda count: {**reading.USAGE, "output_tokens": count}),
                "stop": st.sampled_from((None, "end_turn")),
            }
        ),
        tool=st.sampled_from(("toolu_1", "toolu_2")),
    ),
    min_size=1,
    max_size=12,
)


@given(made=conversations, data=st.data())
def test_any_cuts_of_any_conversation_change_nothing(made: list[dict[str, Any]], data: st.DataObject) -> None:
    """E022, E081: also where a prompt stands in two records on either side of a cut."""
    raw = [json.dumps(each).encode() for each in made]
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=8))
    assert cut(raw, reading.PATH, cuts) == cut(raw, reading.PATH, [])


@given(made=conversations)
def test_the_context_is_small_and_holds_nothing_that_was_said(made: list[dict[str, Any]]) -> None:
    """It is stored beside the cursor without passing the privacy screen."""
    context = ADAPTER.reader.start(reading.SourceFile("claude", reading.PATH))
    raw = b"\n".join(json.dumps(each).encode() for each in made) + b"\n"
    ADAPTER.reader.read(reading.decode(raw, msgspec.json.Decoder(ADAPTER.reader.line), first=0), context)
    stored = msgspec.json.encode(context)
    assert msgspec.json.decode(stored, type=ADAPTER.reader.context) == context
    assert len(stored) < 4096
    assert not any(text.encode() in stored for text in PROMPTS)


def test_the_context_stays_small_whatever_is_never_answered() -> None:
    calls = [reading.assistant("m", None, reading.call("Read", f"toolu_{number}")) for number in range(400)]
    waiting = [reading.enqueue(f"prompt {number}") for number in range(100)]
    context = ADAPTER.reader.start(reading.SourceFile("claude", reading.PATH))
    raw = b"\n".join(json.dumps(each).encode() for each in calls + waiting) + b"\n"
    ADAPTER.reader.read(reading.decode(raw, msgspec.json.Decoder(ADAPTER.reader.line), first=0), context)
    assert len(msgspec.json.encode(context)) < 16_384
