"""Lines of transcripts as tests write them, read by the adapter and joined as the ledger joins them."""

import itertools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from observer.adapters.claude import ADAPTER
from observer.base.clock import MS, iso
from observer.native.decode import decode
from observer.records.event import RawEvent
from observer.records.response import Response
from observer.records.session import Session, Turn
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import RawSubmission

SESSION = "5b1f0a10-1111-4aaa-8bbb-000000000001"
KEY = f"claude:{SESSION}"
PATH = f"/home/dev/.claude/projects/-srv-kit/{SESSION}.jsonl"
AGENT_PATH = f"/home/dev/.claude/projects/-srv-kit/{SESSION}/subagents/agent-a1.jsonl"
USAGE = {
    "input_tokens": 10,
    "cache_read_input_tokens": 1000,
    "cache_creation_input_tokens": 100,
    "output_tokens": 50,
    "output_tokens_details": {"thinking_tokens": 20},
}
_FIRST_MS = 1_790_157_600_000
_DECODER = msgspec.json.Decoder(ADAPTER.reader.line)


class Ids:
    """Counts up uuids and seconds, so that every line is its own and later than those before."""

    def __init__(self) -> None:
        self._count = 0

    def next(self) -> tuple[str, str | None]:
        self._count += 1
        return f"00000000-0000-4000-8000-{self._count:012d}", iso(_FIRST_MS + self._count * MS)


_IDS = Ids()


def line(kind: str, **fields: Any) -> dict[str, Any]:
    """A line of a main session; a field given as None is left out."""
    uuid, timestamp = _IDS.next()
    whole = {
        "type": kind, "uuid": uuid, "timestamp": timestamp, "sessionId": SESSION, "cwd": "/srv/kit",
        "gitBranch": "main", "version": "2.1.328", "entrypoint": "cli", "isSidechain": False, **fields,
    }  # fmt: skip
    return {name: value for name, value in whole.items() if value is not None}


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return line("user", message={"role": "user", "content": content}, **fields)


def typed(text: str, prompt: str, **fields: Any) -> dict[str, Any]:
    """A prompt with all the marks of a recent release."""
    marks = {"promptId": prompt, "origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
    return user(text, **{**marks, **fields})


def assistant(
    name: Any = "msg_01", usage: Any = USAGE, *blocks: Any, stop: str | None = "end_turn", **fields: Any
) -> dict[str, Any]:
    content = list(blocks) or [{"type": "text", "text": "ok"}]
    model = fields.pop("model", "claude-opus-5-5")
    message = {"id": name, "model": model, "content": content, "stop_reason": stop, "usage": usage}
    return line("assistant", message=message, **{"requestId": "req_01", **fields})


def call(tool: str, number: Any = "toolu_01", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": number, "name": tool, "input": arguments}


def result(
    content: Any = "done", number: Any = "toolu_01", *, failed: bool | None = False, **fields: Any
) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": number, "content": content, "is_error": failed}
    return user([block], **fields)


def enqueue(text: Any, **fields: Any) -> dict[str, Any]:
    given = line("queue-operation", operation="enqueue", content=text, uuid=None, cwd=None, **fields)
    return {name: given[name] for name in given if name not in ("isSidechain", "entrypoint", "gitBranch", "version")}


def queued(text: Any, **fields: Any) -> dict[str, Any]:
    """The attachment that gives a waiting prompt to the model."""
    marks = {"commandMode": "prompt", "origin": {"kind": "human"}, "humanTurn": True}
    return line("attachment", attachment={"type": "queued_command", "prompt": text, **marks, **fields})


def read(*lines: dict[str, Any] | bytes, path: str = PATH, cuts: Sequence[int] = ()) -> RawBatch:
    """What the adapter makes of the lines, joined; `cuts` are line numbers where a batch ends."""
    raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    return joined(batches(raw, path, cuts))


def read_file(path: Path, cuts: Sequence[int] = ()) -> RawBatch:
    return joined(batches(path.read_bytes().split(b"\n"), str(path), cuts))


def batches(raw: Sequence[bytes], path: str, cuts: Sequence[int] = ()) -> list[RawBatch]:
    """One batch per piece; between two of them the context survives only as JSON, as in the ledger."""
    context = ADAPTER.reader.start(SourceFile("claude", path))
    edges = [0, *sorted(cuts), len(raw)]
    found, ordinal = [], 0
    for begin, end in itertools.pairwise(edges):
        lines = decode(b"\n".join(raw[begin:end]) + b"\n", _DECODER, first=ordinal)
        found.append(ADAPTER.reader.read(lines, context))
        ordinal += len(lines.records)
        context = msgspec.json.decode(msgspec.json.encode(context), type=ADAPTER.reader.context)
    return found


def joined(found: Iterable[RawBatch]) -> RawBatch:
    """The batches of one source, by the ledger's rules for one source."""
    whole = RawBatch()
    sessions: dict[str, Session] = {}
    turns: dict[tuple[str, str], Turn] = {}
    responses: dict[str, Response] = {}
    submissions: dict[str, RawSubmission] = {}
    events: dict[tuple[str, str, str], RawEvent] = {}
    for batch in found:
        whole.faults.extend(batch.faults)
        for session in batch.sessions:
            sessions[session.key] = _session(sessions.get(session.key), session)
        for turn in batch.turns:
            turns[turn.session, turn.id] = _turn(turns.get((turn.session, turn.id)), turn)
        for response in batch.responses:
            known = responses.get(response.id)
            if known is None or (not known.final and _says_more(response, known)):
                responses[response.id] = response
        for submission in batch.submissions:
            submissions[submission.id] = _submission(submissions.get(submission.id), submission)
        for event in batch.events:
            events.setdefault((event.session, event.family, event.native_id), event)
    whole.sessions, whole.turns, whole.responses = [*sessions.values()], [*turns.values()], [*responses.values()]
    whole.submissions, whole.events = [*submissions.values()], [*events.values()]
    return whole


def _says_more(response: Response, known: Response) -> bool:
    return response.final or (response.usage.output or 0) > (known.usage.output or 0)


def _session(known: Session | None, more: Session) -> Session:
    if known is None:
        return more
    times = {
        "started_ms": min((each.started_ms for each in (known, more) if each.started_ms is not None), default=None),
        "ended_ms": max((each.ended_ms for each in (known, more) if each.ended_ms is not None), default=None),
        "copied_until_ms": max(
            (each.copied_until_ms for each in (known, more) if each.copied_until_ms is not None), default=None
        ),
    }
    return msgspec.structs.replace(_filled(known, more), **times)


def _turn(known: Turn | None, more: Turn) -> Turn:
    if known is None:
        return more
    ended = known.ended_ms if more.ended_ms is None else more.ended_ms
    return msgspec.structs.replace(_filled(known, more), ended_ms=ended)


def _submission(known: RawSubmission | None, more: RawSubmission) -> RawSubmission:
    if known is None:
        return more
    return msgspec.structs.replace(known, alias=known.alias or more.alias, turn=known.turn or more.turn)


def _filled(known: Any, more: Any) -> Any:
    """`known` with what only `more` knows."""
    gaps = {name: getattr(more, name) for name in known.__struct_fields__ if getattr(known, name) is None}
    return msgspec.structs.replace(known, **gaps)


def events(batch: RawBatch, family: str) -> list[RawEvent]:
    return [each for each in batch.events if each.family == family]


def genuine(batch: RawBatch) -> list[RawSubmission]:
    return [each for each in batch.submissions if each.kind == "genuine"]


def kinds(batch: RawBatch) -> list[str]:
    return [each.kind for each in batch.submissions]


def categories(batch: RawBatch) -> list[str]:
    return [each.category for each in batch.faults]
