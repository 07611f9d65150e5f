"""A thread's file: lines in their turns, copies told by their own thread, responses under the thread that made them."""

from typing import Any

from msgspec import Struct

from observer.adapters.threads import ThreadContext, ThreadReading, own
from observer.native.decode import Lines
from observer.records.response import COPIED, RECORDED
from observer.records.session import Session
from observer.records.usage import TokenUsage


class _Payload(Struct):
    turn: str


class _Other(Struct):
    turn: str = ""


class _Line(Struct):
    payload: Any
    timestamp: str | None = None


def run(context: ThreadContext, *lines: _Line | None, ends_copy_at: int = 0) -> tuple[ThreadReading, list[Any]]:
    """Reads these lines; a copy ends with the line of that number. Also what was handled, with its spot."""
    reading = ThreadReading(Lines(5, list(lines)), context, harness="h", usage=(), keys=())
    seen, handled = [0], list[Any]()

    def see(_: Any, at_ms: int | None) -> None:
        seen[0] += 1
        if context.copy is not None and seen[0] == ends_copy_at:
            context.copy = None
            context.turn = None

    def handle(found: ThreadReading, payload: _Payload) -> None:
        handled.append((payload.turn, found.spot))
        context.enter(payload.turn)
        found.own_turn(started_ms=found.spot.at_ms)
        found.event("lifecycle", payload.turn)

    reading.run({_Payload: handle, _Other: own(handle)}, see)
    return reading, handled


def stamp(second: int) -> str:
    return f"2026-09-23T10:00:{second:02d}.000Z"


def test_a_line_stands_in_the_turn_before_it_and_at_its_ordinal() -> None:
    context = ThreadContext("t", turn="zero")
    lines = [_Line(_Payload("one"), stamp(1)), None, _Line(5), _Line(_Payload("two"), stamp(3))]
    reading, handled = run(context, *lines)
    assert [(turn, spot.session, spot.ordinal, spot.turn) for turn, spot in handled] == [
        ("one", "h:t", 5, "zero"),
        ("two", "h:t", 8, "one"),
    ]
    assert [each.id for each in reading.batch.turns] == ["one", "two"]


def test_copied_lines_are_no_events_and_tell_no_turns() -> None:
    context = ThreadContext("t")
    context.begin_copy("parent", None)
    lines = [_Line(_Other("a")), _Line(_Payload("b")), _Line(_Other("c"))]
    reading, handled = run(context, *lines, ends_copy_at=3)
    assert [turn for turn, _ in handled] == ["b", "c"]
    assert [each.id for each in reading.batch.turns] == ["c"]


def test_a_response_of_another_thread_is_a_copy_without_a_time() -> None:
    context = ThreadContext("t", provider="p", model="m", effort="low", service_tier="fast", turn="one")
    reading, _ = run(context, _Line(_Payload("one"), stamp(1)))
    for thread in ("t", "parent", None):
        reading.respond("r", thread, TokenUsage(total=3), semantics="h:x", origin=RECORDED, cumulative=9)
    mine, copy = reading.batch.responses
    assert (mine.session, mine.origin, mine.at_ms is None) == ("h:t", RECORDED, False)
    assert (copy.session, copy.origin, copy.at_ms, copy.turn) == ("h:parent", COPIED, None, "one")
    assert (copy.model, copy.provider, copy.effort, copy.service_tier, copy.cumulative) == ("m", "p", "low", "fast", 9)


def test_a_model_is_told_once_per_turn_and_whenever_it_changes() -> None:
    context = ThreadContext("t", turn="one")
    told = [context.choose(*each) for each in (("m", None), ("m", None), (None, "high"), ("m", "high"), ("n", None))]
    assert told == [True, False, False, True, True]
    context.enter("two")
    assert context.choose(None, None)


def test_the_session_has_its_lines_times_and_what_its_metadata_say() -> None:
    context = ThreadContext("t")
    reading, _ = run(context, _Line(5, stamp(9)), _Line(5, stamp(2)))
    batch = reading.finish(Session("h:t", "h", "t", project="/srv"), parent="up", role="subagent")
    [session] = batch.sessions
    assert (session.project, session.parent, session.role) == ("/srv", "h:up", "subagent")
    assert session.started_ms is not None
    assert session.ended_ms == session.started_ms + 7000
    silent, _ = run(context, _Line(5))
    assert silent.finish(None, parent=None, role=None).sessions == []
