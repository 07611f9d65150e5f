"""Writes session folders of Grok Build and reads them, through the adapter or through a whole sync."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from observer.adapters.grok import ADAPTER
from observer.records.event import RawEvent
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import RawSubmission
from tests import places
from tests.builders.imports import Machine

RECORDS = places.RECORDS / "grok-build"
SID = "01a22d9d-0000-7000-8000-000000000001"
OTHER = "01a22d9d-0000-7000-8000-000000000002"
CHILD = "01a22d9d-0000-7000-8000-00000000000c"
KEY, OTHER_KEY, CHILD_KEY = f"grok:{SID}", f"grok:{OTHER}", f"grok:{CHILD}"
START_MS = 1_790_150_400_000
FULL = {
    "inputTokens": 1000, "cachedReadTokens": 800, "cacheCreationTokens": 50, "outputTokens": 200,
    "reasoningTokens": 60, "totalTokens": 1200,
}  # fmt: skip
Json = dict[str, Any]


def usage(number: int, model: str = "grok-5", **more: Any) -> Json:
    """Usage of one model: `number` input tokens, a tenth of it cached, 10 output."""
    counters = {"inputTokens": number, "cachedReadTokens": number // 10, "outputTokens": 10,
                "reasoningTokens": 2, "totalTokens": number + 10}  # fmt: skip
    return {**counters, "modelUsage": {model: dict(counters)}, **more}


class Folder:
    """One session in the making. Every update is a second after the one before; nothing is written before `lay`."""

    def __init__(self, native: str = SID, **summary: Any) -> None:
        self.native = native
        self.updates: list[Any] = []
        self.events: list[Any] = []
        self.history: list[Any] | None = []
        self.summary: Json | None = {"info": {"id": native, "cwd": "/srv/kit"}, **summary}
        self.links: dict[str, Json] = {}
        self.tail = b""
        self.history_tail = b""

    @property
    def now_ms(self) -> int:
        """The time of the next update."""
        return START_MS + len(self.updates) * 1000

    def update(self, kind: str, /, *, prompt: str | None = None, by: str | None = None, **known: Any) -> "Folder":
        """A line; `by` is the session that made it."""
        meta: Json = {"eventId": f"{by or self.native}-{len(self.updates)}", "agentTimestampMs": self.now_ms}
        if prompt is not None:
            meta["promptId"] = prompt
        params = {"sessionId": self.native, "update": {"sessionUpdate": kind, **known}, "_meta": meta}
        self.updates.append({"timestamp": self.now_ms // 1000, "method": "_x.ai/session/update", "params": params})
        return self

    def asked(self, index: int | None, text: str = "Do it.", *, model: str | None = None, **more: Any) -> "Folder":
        """A prompt in the stream."""
        meta = {key: value for key, value in (("promptIndex", index), ("modelId", model)) if value is not None}
        return self.update("user_message_chunk", content={"type": "text", "text": text}, _meta=meta, **more)

    def typed(self, index: int | None, text: str = "Do it.", **more: Any) -> "Folder":
        """The same prompt in the history."""
        assert self.history is not None
        place = {} if index is None else {"prompt_index": index}
        content = [{"type": "text", "text": f"<user_query>\n{text}\n</user_query>"}]
        self.history.append({"type": "user", "content": content, **place, **more})
        return self

    def said(self, prompt: str, text: str = "Done.", **more: Any) -> "Folder":
        """A piece of an answer."""
        return self.update("agent_message_chunk", prompt=prompt, content={"type": "text", "text": text}, **more)

    def completed(self, prompt: str, used: Json | None = None, **more: Any) -> "Folder":
        """The end of a turn."""
        known = {} if used is None else {"usage": used}
        return self.update("turn_completed", prompt_id=prompt, **{"stop_reason": "end_turn", **known, **more})

    def turn(self, index: int, prompt: str, used: Json | None = None, *, by: str | None = None) -> "Folder":
        """A whole turn: a typed prompt, an answer, its usage."""
        return self.asked(index, by=by).typed(index).said(prompt, by=by).completed(prompt, used, by=by)

    def spawned(self, child: str, prompt: str, **more: Any) -> "Folder":
        """A subagent begins."""
        parent = {"parent_session_id": self.native, "parent_prompt_id": prompt, "child_session_id": child}
        return self.update("subagent_spawned", subagent_id=child, **{**parent, **more})

    def finished(self, child: str, **more: Any) -> "Folder":
        """A subagent ends."""
        return self.update("subagent_finished", child_session_id=child, status="completed", duration_ms=5, **more)

    def event(self, kind: str, at_ms: int | None = None, **known: Any) -> "Folder":
        """A line of the log."""
        at_ms = self.now_ms if at_ms is None else at_ms
        stamp = f"2026-09-23T{(at_ms // 3_600_000) % 24:02}:{(at_ms // 60_000) % 60:02}:{(at_ms // 1000) % 60:02}"
        self.events.append({"ts": f"{stamp}.{at_ms % 1000:03}Z", "type": kind, **known})
        return self

    def lay(self, home: Path) -> Path:
        """Writes it below a HOME as it is now; the folder."""
        folder = home / ".grok" / "sessions" / "%2Fsrv%2Fkit" / self.native
        folder.mkdir(parents=True, exist_ok=True)
        _lines(folder / "updates.jsonl", self.updates, self.tail)
        if self.events:
            _lines(folder / "events.jsonl", self.events)
        _absent_or(folder / "chat_history.jsonl", self.history, self.history_tail)
        if self.summary is None:
            (folder / "summary.json").unlink(missing_ok=True)
        else:
            (folder / "summary.json").write_text(json.dumps(self.summary, indent=2))
        for child, link in self.links.items():
            (folder / "subagents" / child).mkdir(parents=True, exist_ok=True)
            (folder / "subagents" / child / "meta.json").write_text(json.dumps(link, indent=2))
        return folder

    def read(self, base: Path) -> RawBatch:
        """What the adapter makes of it."""
        return read(self.lay(base))


def _lines(path: Path, lines: list[Any], tail: bytes = b"") -> None:
    """Lines are JSON values; bytes stand as they are."""
    data = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in data) + tail)


def _absent_or(path: Path, lines: list[Any] | None, tail: bytes) -> None:
    if lines is None:
        path.unlink(missing_ok=True)
    else:
        _lines(path, lines, tail)


def read(folder: Path) -> RawBatch:
    """One session folder through the adapter."""
    (unit,) = [each for each in ADAPTER.discover(folder) if isinstance(each, SourceFile)]
    return ADAPTER.reader(unit)


def of(batch: RawBatch, family: str) -> list[RawEvent]:
    """The events of a family."""
    return [event for event in batch.events if event.family == family]


def kinds(batch: RawBatch) -> dict[int, str]:
    """Kinds of prompts by index."""
    return {int(each.id.rsplit(":", 1)[1]): each.kind for each in batch.submissions}


def prompt(batch: RawBatch) -> RawSubmission:
    """The only prompt."""
    (found,) = batch.submissions
    return found


def categories(batch: RawBatch) -> list[tuple[int | None, str]]:
    """Places and categories of the faults."""
    return [(each.ordinal, each.category) for each in batch.faults]


def rows(machine: Machine, statement: str) -> list[tuple[Any, ...]]:
    """What the ledger holds."""
    connection = sqlite3.connect(machine.ledger)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def counted(machine: Machine) -> dict[str, int]:
    """Input of every response that counts, by id."""
    return dict(rows(machine, "SELECT id, input FROM response WHERE overlap = 0 ORDER BY id"))


def aged(folder: Path, by_ns: int = 1_000_000_000) -> None:
    """Makes all files of a folder look older, as if written in another run."""
    for path in folder.rglob("*"):
        if path.is_file():
            stamp = path.stat().st_mtime_ns - by_ns
            os.utime(path, ns=(stamp, stamp))
