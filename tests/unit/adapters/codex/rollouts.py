"""Rollout lines as tests write them, read by the adapter and joined as the ledger joins them."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from observer.adapters.codex import ADAPTER
from observer.base.clock import iso, parse_iso
from observer.native.decode import decode
from observer.records.event import RawEvent
from observer.records.response import Response
from observer.records.session import Session, Turn
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import RawSubmission
from tests import places

THREAD = "01a22da9-4263-70d2-bf43-5af9b56c89a4"
OTHER = "01a22da9-0000-7aaa-8bbb-000000000002"
KEY = f"codex:{THREAD}"
RECORDS = places.RECORDS / "codex"
BEGIN_MS = parse_iso("2026-11-30T18:14:00.000Z") or 0
_DECODER = msgspec.json.Decoder(ADAPTER.reader.line)
_NAMES = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens",
          "reasoning_output_tokens", "total_tokens")  # fmt: skip


class Rollout:
    """Lines of one file; a second passes between two of them unless `at` says otherwise."""

    def __init__(self, **identity: Any) -> None:
        self.lines: list[dict[str, Any]] = []
        self.at_ms = BEGIN_MS
        if identity.get("id", THREAD) is not None:
            self.meta(**identity)

    def add(self, kind: str, payload: Any, *, after_ms: int = 1000, **beside: Any) -> "Rollout":
        self.at_ms += after_ms
        self.lines.append({"timestamp": iso(self.at_ms), "type": kind, "payload": payload, **beside})
        return self

    def meta(self, *, after_ms: int = 1000, **fields: Any) -> "Rollout":
        whole = {
            "id": THREAD, "session_id": fields.get("id", THREAD), "cwd": "/srv/kit", "originator": "codex_exec",
            "cli_version": "0.169.0", "source": "exec", "thread_source": "user", "model_provider": "openai",
            "git": {"branch": "main"}, **fields,
        }  # fmt: skip
        return self.add("session_meta", {name: each for name, each in whole.items() if each != ...}, after_ms=after_ms)

    def context(self, model: str = "gpt-6-astra", effort: str = "high", **fields: Any) -> "Rollout":
        after_ms = fields.pop("after_ms", 1000)
        return self.add("turn_context", {"model": model, "effort": effort, **fields}, after_ms=after_ms)

    def event(self, kind: str, /, *, after_ms: int = 1000, **fields: Any) -> "Rollout":
        return self.add("event_msg", {"type": kind, **fields}, after_ms=after_ms)

    def item(self, kind: str, /, *, after_ms: int = 1000, **fields: Any) -> "Rollout":
        return self.add("response_item", {"type": kind, **fields}, after_ms=after_ms)

    def done(self, kind: str, /, **fields: Any) -> "Rollout":
        """A completed item."""
        return self.event("item_completed", item={"type": kind, **fields})

    def turn(self, turn: str = "t1", **fields: Any) -> "Rollout":
        return self.event("task_started", turn_id=turn).context(turn_id=turn, **fields)

    def user(self, *texts: str, kinds: Any = ("user.text",), **fields: Any) -> "Rollout":
        """A user-role message; `kinds` None: without marks."""
        marks = (
            {"turn_id": fields.pop("turn_id", "t1"), "content_item_kinds": list(kinds)} if kinds is not None else None
        )
        content = [{"type": "input_text", "text": text} for text in texts]
        passed = {} if marks is None else {"internal_chat_message_metadata_passthrough": marks}
        return self.item("message", role="user", content=content, **passed, **fields)

    def record(self, name: Any, six: Any, total: Any = None, /, **fields: Any) -> "Rollout":
        """A usage record; `six` are its counters, `total` the thread's running total."""
        payload = {
            "response_id": name, "thread_id": THREAD, "session_id": THREAD, "turn_id": "t1",
            "usage": counters(six), "turn_token_usage": counters(six),
            "thread_token_usage": counters(total if total is not None else six), **fields,
        }  # fmt: skip
        return self.add("token_usage_record", payload)

    def count(self, total: Any, last: Any = None, **fields: Any) -> "Rollout":
        """A reading of the running total; a number is a total of which a tenth is output."""
        info = {"total_token_usage": counters(total), "last_token_usage": counters(last), "model_context_window": 1}
        return self.event("token_count", info=info, **fields)


def counters(given: Any) -> Any:
    """A usage object from six counters (... leaves one out) or from a total alone."""
    if isinstance(given, bool) or not isinstance(given, int | list | tuple):
        return given
    six = given if not isinstance(given, int) else [given - given // 10, 0, 0, given // 10, 0, given]
    return {name: each for name, each in zip(_NAMES, six, strict=True) if each != ...}


def read(rollout: Rollout | Sequence[Any], *, thread: str = THREAD, cuts: Sequence[int] = ()) -> RawBatch:
    """What the adapter makes of the lines, joined; `cuts` are line numbers where a batch ends."""
    lines = rollout.lines if isinstance(rollout, Rollout) else rollout
    raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    return joined(batches(raw, f"/home/dev/.codex/sessions/rollout-2026-11-30T18-14-00-{thread}.jsonl", cuts))


def read_file(path: Path, cuts: Sequence[int] = ()) -> RawBatch:
    return joined(batches(path.read_bytes().splitlines(), str(path), cuts))


def read_home(home: Path) -> RawBatch:
    """All rollouts of a home, joined: of a response that several hold, the surest version stays."""
    found = [read_file(Path(file.path)) for file in ADAPTER.discover(home) if not file.compressed]
    return joined(found)


def batches(raw: Sequence[bytes], path: str, cuts: Sequence[int] = ()) -> list[RawBatch]:
    """One batch per piece; between two of them the context survives only as JSON, as in the ledger."""
    context = ADAPTER.reader.start(SourceFile("codex", path))
    edges = [0, *sorted(cuts), len(raw)]
    found, ordinal = [], 0
    for begin, end in pairwise(edges):
        lines = decode(b"\n".join(raw[begin:end]) + b"\n", _DECODER, first=ordinal)
        found.append(ADAPTER.reader.read(lines, context))
        ordinal += len(lines.records)
        context = msgspec.json.decode(msgspec.json.encode(context), type=ADAPTER.reader.context)
    return found


def joined(found: Iterable[RawBatch]) -> RawBatch:
    """The batches by the ledger's rules: first wins within a source, the surest origin between sources."""
    whole = RawBatch()
    sessions: dict[str, Session] = {}
    turns: dict[tuple[str, str], Turn] = {}
    responses: dict[str, Response] = {}
    submissions: dict[str, RawSubmission] = {}
    events: dict[tuple[str, str, str], RawEvent] = {}
    for batch in found:
        whole.faults.extend(batch.faults)
        for session in batch.sessions:
            sessions[session.key] = _session(sessions.get(session.key, session), session)
        for turn in batch.turns:
            turns[turn.session, turn.id] = _turn(turns.get((turn.session, turn.id), turn), turn)
        for response in batch.responses:
            known = responses.get(response.id)
            if known is None or response.origin > known.origin:
                responses[response.id] = response
        for submission in batch.submissions:
            submissions.setdefault(submission.id, submission)
        for event in batch.events:
            events.setdefault((event.session, event.family, event.native_id), event)
    whole.sessions, whole.turns, whole.responses = [*sessions.values()], [*turns.values()], [*responses.values()]
    whole.submissions, whole.events = [*submissions.values()], [*events.values()]
    return whole


def _session(known: Session, more: Session) -> Session:
    starts = [each.started_ms for each in (known, more) if each.started_ms is not None]
    ends = [each.ended_ms for each in (known, more) if each.ended_ms is not None]
    role = "subagent" if "subagent" in (known.role, more.role) else known.role or more.role
    return msgspec.structs.replace(
        _filled(known, more), role=role, started_ms=min(starts, default=None), ended_ms=max(ends, default=None)
    )


def _turn(known: Turn, more: Turn) -> Turn:
    state = more.state or known.state if known.state in (None, "active") else known.state
    ended_ms = known.ended_ms if more.ended_ms is None else more.ended_ms
    return msgspec.structs.replace(_filled(known, more), state=state, ended_ms=ended_ms)


def _filled(known: Any, more: Any) -> Any:
    """`known` with what only `more` knows."""
    gaps = {name: getattr(more, name) for name in known.__struct_fields__ if getattr(known, name) is None}
    return msgspec.structs.replace(known, **gaps)


def totals(batch: RawBatch) -> list[int | None]:
    return [each.usage.total for each in batch.responses]


def session_of(batch: RawBatch, key: str = KEY) -> Session:
    return next(each for each in batch.sessions if each.key == key)


def turn_of(batch: RawBatch, turn: str) -> Turn:
    return next(each for each in batch.turns if each.id == turn)


def events(batch: RawBatch, family: str) -> list[RawEvent]:
    return [each for each in batch.events if each.family == family]


def genuine(batch: RawBatch) -> list[RawSubmission]:
    return [each for each in batch.submissions if each.kind == "genuine"]


def kinds(batch: RawBatch) -> list[str]:
    return [each.kind for each in batch.submissions]


def categories(batch: RawBatch) -> list[str]:
    return [each.category for each in batch.faults]
