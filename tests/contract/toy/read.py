"""Lines of the toy → records; `toy<defect>` has that one defect."""

from pathlib import Path

from msgspec import Struct

from observer.adapters.protocol import LineReader
from observer.base import clock
from observer.base.clock import parse_instant
from observer.native.decode import Lines, faults
from observer.records.event import RawEvent
from observer.records.response import Response
from observer.records.semantics import CODEX
from observer.records.session import Session
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import RawSubmission
from observer.records.usage import TokenUsage

HARNESS = Path(__file__).parent.name
DEFECT = HARNESS.removeprefix("toy")


class Usage(Struct, frozen=True):
    """Counters of an answer; an absent one is unknown."""

    given: int | None = None
    cached: int | None = None
    made: int | None = None


class Begun(Struct, tag="session"):
    """Where and for whom a session works."""

    id: str | None = None
    cwd: str | None = None
    parent: str | None = None
    at: str | None = None


class Prompt(Struct, tag="prompt"):
    """What a person typed."""

    id: str | None = None
    text: str = ""
    at: str | None = None


class Answer(Struct, tag="answer"):
    """What a model answered."""

    id: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    at: str | None = None


class Call(Struct, tag="call"):
    """A tool was called."""

    id: str | None = None
    tool: str | None = None
    command: str | None = None
    at: str | None = None


class Result(Struct, tag="result"):
    """How it ended."""

    id: str | None = None
    at: str | None = None


class Context(Struct):
    """Whose lines these are, and the prompt they answer."""

    session: str
    turn: str | None = None


def start(file: SourceFile) -> Context:
    """Before the first line."""
    return Context(Path(file.path).stem)


def read(lines: Lines, context: Context) -> RawBatch:
    """What the lines say."""
    batch = RawBatch(faults=faults(lines, usage=("$.usage",)))
    if DEFECT == "forgetful":
        context.turn = None
    for index, line in enumerate(lines.records):
        if line is not None and (line.id or isinstance(line, Begun)):
            _line(batch, line, context, lines.first + index, parse_instant(line.at))
    times = [each for line in lines.records if line is not None and (each := parse_instant(line.at)) is not None]
    if times:
        key, span = f"{HARNESS}:{context.session}", {"started_ms": min(times), "ended_ms": max(times)}
        batch.sessions.append(Session(key, HARNESS, context.session, **span))
    return batch


def _line(batch: RawBatch, line: object, context: Context, ordinal: int, at_ms: int | None) -> None:
    key, prefix = f"{HARNESS}:{context.session}", "" if DEFECT == "unprefixed" else f"{HARNESS}:"
    if isinstance(line, Begun):
        parent = f"{HARNESS}:{line.parent}" if line.parent else None
        parent = f"{HARNESS}:nobody" if DEFECT == "orphaned" else parent
        role = "subagent" if parent else "main"
        batch.sessions.append(Session(key, HARNESS, context.session, parent, role, line.cwd))
    elif isinstance(line, Prompt):
        context.turn = line.id
        name = f"{HARNESS}:{line.id}"
        batch.submissions.append(RawSubmission(name, key, "genuine", line.text, ordinal, at_ms, line.id, main=True))
    elif isinstance(line, Answer):
        batch.responses.append(_response(line, key, f"{prefix}{line.id}", context, ordinal, at_ms))
    elif isinstance(line, Call):
        if DEFECT == "fragile" and len(line.id or "") > 8:
            raise ValueError(line.id)
        event = RawEvent(key, "tool_call", line.id or "", ordinal, at_ms, context.turn, line.tool, line.command)
        batch.events.append(event)
    elif isinstance(line, Result):
        name = f"{line.id}:end" if DEFECT == "unjoined" else line.id or ""
        batch.events.append(RawEvent(key, "tool_result", name, ordinal, at_ms, context.turn, status="ok"))


def _response(line: Answer, key: str, name: str, context: Context, ordinal: int, at_ms: int | None) -> Response:
    usage = TokenUsage(input=line.usage.given, cached_input=line.usage.cached, output=line.usage.made)
    if DEFECT == "zeroing":
        usage = TokenUsage(input=line.usage.given or 0, cached_input=line.usage.cached, output=line.usage.made)
    if DEFECT == "miscounting" and line.usage.made is not None:
        usage = TokenUsage(input=line.usage.given, cached_input=line.usage.cached, output=line.usage.made + 1)
    return Response(
        id=f"{name}:{clock.now_ms()}" if DEFECT == "doubling" else name,
        session=key,
        semantics="toy:anything" if DEFECT == "meaningless" else CODEX.label,
        usage=usage,
        ordinal=ordinal,
        at_ms=clock.now_ms() if DEFECT == "clocked" else at_ms,
        turn=context.turn,
        model=line.model,
    )


READER = LineReader(Begun | Prompt | Answer | Call | Result, Context, start, read)
