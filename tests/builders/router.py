"""A model router's state directory in its own shape, so that a test states a situation in a few lines."""

import json
import sqlite3
from pathlib import Path
from typing import Any, Self

START = "2026-11-30T10:{minute:02d}:00+00:00"
COLUMNS = {
    "jobs": "request_id task_json workspace status route error_class cancel_requested created_at updated_at"
    " block_reason model effort planner_session_id planner_harness planner_model planner_effort lane job_kind replay_of"
    " base_commit head_commit",
    "invocations": "invocation_id request_id kind started_at ended_at state rc session_id session_kind meta_json stage"
    " requested_route policy_version reason terminal_class harness_version observed_model observed_variant elapsed_secs"
    " usage_json native_ids_json kit_hash direction_supply direction_hash schema_version",
    "events": "request_id ts kind payload_json schema_version",
    "readings": "pool model window used limit_value reset_at observed_at source",
}
_KINDS = {
    "codex_dispatch": "codex_task_id",
    "codex_resume": "codex_task_id",
    "opencode_control": "opencode_session_id",
    "grok_control": "grok_session_id",
    "claude_callback": "planner_session_id",
}


def minute(number: int) -> str:
    """An instant of the test's hour."""
    return START.format(minute=number)


class Ledger:
    """Rows of one `jobs.db`, by table. A value that is no text or number is written as JSON."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {table: [] for table in COLUMNS}

    def job(self, request: str = "job-1", *, task: Any = None, **fields: Any) -> Self:
        """A request that was made and has succeeded; `task` is its observer task id, `task_json` all of it."""
        prepared = {"goal": "make it work"} | ({"observer_task_id": task} if task is not None else {})
        return self.row("jobs", {"request_id": request, "task_json": prepared, "workspace": "/srv/kit",
                                 "status": "succeeded", "route": "luna/max", "cancel_requested": 0, "lane": None,
                                 "planner_session_id": "planner", "planner_harness": "claude", "job_kind": "ordinary",
                                 "created_at": minute(0), "updated_at": minute(9)} | fields)  # fmt: skip

    def run(self, name: str = "run-1", request: str = "job-1", *, session: str | None = None, **fields: Any) -> Self:
        """A run that has ended well, in the native session given."""
        kind = fields.get("kind", "codex_dispatch")
        return self.row("invocations", {"invocation_id": name, "request_id": request, "kind": kind,
                                        "started_at": minute(1), "ended_at": minute(2), "state": "completed", "rc": 0,
                                        "session_id": session, "session_kind": _KINDS.get(kind) if session else None,
                                        "stage": "implementation", "reason": "initial", "terminal_class": "completed",
                                        "elapsed_secs": 60.0, "schema_version": 2} | fields)  # fmt: skip

    def event(self, kind: str, payload: Any, request: str = "job-1", **fields: Any) -> Self:
        """A decision of the router."""
        return self.row("events", {"request_id": request, "ts": minute(3), "kind": kind, "payload_json": payload,
                                   "schema_version": 2} | fields)  # fmt: skip

    def reading(self, used: Any, **fields: Any) -> Self:
        """A quota level."""
        level = {"pool": "codex", "model": "gpt-5.6-luna", "window": "5h", "used": used, "limit_value": 100.0}
        return self.row("readings", level | {"observed_at": minute(4), "source": "provider"} | fields)

    def row(self, table: str, fields: dict[str, Any]) -> Self:
        """A row as it is."""
        self.rows[table].append({name: _written(value) for name, value in fields.items()})
        return self

    def write(self, folder: Path, *, without: tuple[str, ...] = (), wal: bool = False) -> Path:
        """The state directory, made anew; `without` names tables and `table.column`s that it lacks."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "jobs.db"
        for ending in ("", "-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        try:
            connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
            for table, columns in COLUMNS.items():
                kept = [name for name in columns.split() if f"{table}.{name}" not in without]
                if table not in without:
                    self._fill(connection, table, kept)
            connection.commit()
        finally:
            connection.close()
        return path

    def _fill(self, connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
        typed = (f'"{name}" {"REAL" if name in ("used", "limit_value", "elapsed_secs") else ""}' for name in columns)
        connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(typed)})")
        for row in self.rows[table]:
            kept = {name: value for name, value in row.items() if name in (*columns, "id")}
            names = ", ".join(f'"{name}"' for name in kept)
            holes = ", ".join("?" * len(kept))
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({holes})", list(kept.values()))


def codex(total: int, *, output: int = 0) -> dict[str, Any]:
    """What Codex tells after a turn: the thread's running total."""
    return {"source": "codex", "input_tokens": total - output, "cached_input_tokens": 0,
            "cache_write_input_tokens": 0, "output_tokens": output, "reasoning_output_tokens": 0}  # fmt: skip


def opencode(*totals: int) -> dict[str, Any]:
    """The messages of one turn of OpenCode."""
    return {"source": "opencode", "messages": [
        {"id": f"msg_{place}_{total}", "tokens": {"total": total, "input": total, "output": 0, "reasoning": 0,
                                                  "cache": {"read": 0, "write": 0}}}
        for place, total in enumerate(totals)]}  # fmt: skip


def _written(value: Any) -> Any:
    return value if value is None or isinstance(value, str | bytes | int | float) else json.dumps(value)
