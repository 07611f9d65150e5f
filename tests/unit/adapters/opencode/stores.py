"""OpenCode stores made for a test: a database with the columns of a release, or JSON files.

Times are milliseconds after START_MS; every record has the fields that the
agent writes unless a test says otherwise.
"""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from observer.adapters.opencode import ADAPTER
from observer.records.source import RawBatch, SourceFile

START_MS = 1_790_150_000_000
PLACE = Path(".local") / "share" / "opencode"
SESSION, PROMPT = "ses_1", "msg_u1"
KEY = f"opencode:{SESSION}"
TOKENS: dict[str, Any] = {
    "total": 21,
    "input": 10,
    "output": 5,
    "reasoning": 3,
    "cache": {"read": 2, "write": 1},
}
_SCHEMA = """
    CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text,
      version text, time_created integer, time_updated integer, time_compacting integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
      time_updated integer, data text);
    CREATE TABLE credential (id text PRIMARY KEY, value text);
    CREATE INDEX part_session_idx ON part (session_id);"""


def user(at: int = 0, **more: Any) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "time": {"created": START_MS + at}, "agent": "build"} | more


def answer(at: int = 1000, **more: Any) -> dict[str, Any]:
    """A completed assistant message that took half a second; `completed=None`: it is running."""
    ended = more.pop("completed", at + 500)
    time = {"created": START_MS + at} | ({} if ended is None else {"completed": START_MS + ended})
    return {
        "role": "assistant",
        "parentID": PROMPT,
        "modelID": "alpha-1",
        "providerID": "lab",
        "cost": 0.01,
        "tokens": TOKENS,
        "time": time,
        "finish": "stop",
    } | more


def text(words: Any = "do it", **more: Any) -> dict[str, Any]:
    """A text part."""
    return {"type": "text", "text": words} | more


def tool(name: str, given: dict[str, Any] | None = None, **state: Any) -> dict[str, Any]:
    """A tool part; completed unless the state says otherwise."""
    time = {"start": START_MS + 1100, "end": START_MS + 1350}
    whole = {"status": "completed", "input": given or {}, "output": "four", "time": time} | state
    return {"type": "tool", "tool": name, "callID": "call_1", "state": whole}


class Database:
    """A database of that place; `with` closes what was written."""

    def __init__(self, folder: Path, name: str = "opencode.db") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name
        fresh = not self.path.exists()
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        if fresh:
            self._connection.executescript(_SCHEMA)
        self._parts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def run(self, statement: str, *given: Any) -> Self:
        """Any statement."""
        self._connection.execute(statement, given)
        return self

    def session(
        self, name: str = SESSION, *, parent: str | None = None, at: int = 0, directory: str = "/srv/kit"
    ) -> Self:
        """A session made at that time."""
        moment = START_MS + at
        row = (name, "prj", parent, directory, "A title", "1.18.33", moment, moment, None)
        return self.run("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def message(self, name: str, data: Any, *parts: Any, session: str = SESSION, updated: int | None = None) -> Self:
        """A message with its parts; what is given as text is stored as it is."""
        created = data["time"]["created"] if isinstance(data, dict) and "time" in data else START_MS
        row = (name, session, created, created if updated is None else START_MS + updated, _json(data))
        self.run("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", *row)
        for part in parts:
            self._parts += 1
            self.part(f"prt_{name}_{self._parts}", name, part, session=session)
        return self

    def part(self, name: str | None, message: str, data: Any, *, session: str = SESSION) -> Self:
        """One part."""
        row = (name, message, session, START_MS, START_MS, _json(data))
        return self.run("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", *row)

    def batch(self, session: str = SESSION) -> RawBatch:
        """What the adapter makes of one session."""
        return read(self.path, session)


def files(storage: Path, messages: dict[str, dict[str, Any]], *, session: str = SESSION, head: Any = None) -> None:
    """The JSON files of one session; a message's `parts` are its own files."""
    for name, message in messages.items():
        parts = message.get("parts", [])
        inner = {key: value for key, value in message.items() if key != "parts"}
        _write(storage / "message" / session / f"{name}.json", {"id": name, "sessionID": session} | inner)
        for number, part in enumerate(parts):
            _write(storage / "part" / name / f"prt_{name}_{number}.json", part)
    if head is not None:
        _write(storage / "session" / "prj" / f"{session}.json", {"id": session} | head)


def read(store: Path, session: str = SESSION) -> RawBatch:
    """One unit through the adapter."""
    return ADAPTER.reader(SourceFile("opencode", f"{store}#{session}", fingerprint="x"))


def categories(batch: RawBatch) -> list[str]:
    """Categories of the faults, sorted."""
    return sorted(fault.category for fault in batch.faults)


def fingerprints(root: Path) -> dict[str, str | None]:
    """Unit → fingerprint."""
    found: Iterable[Any] = ADAPTER.discover(root)
    return {each.path: each.fingerprint for each in found}


def _json(data: Any) -> Any:
    return json.dumps(data) if isinstance(data, dict | list) else data


def _write(path: Path, data: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2), encoding="utf-8")
