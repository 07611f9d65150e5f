"""Writing assertions: append-only rows, checked and written under one lock.

A newer row of a key replaces an older one; nothing is updated or deleted.
Amending fills what the call leaves out from the row in force.
"""

from typing import Any

from observer.base.clock import now_ms
from observer.ledger.open import Writer

# Table → key columns, columns a coordinator may set.
_TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "task": (("task",), ("project", "family", "title", "issue_url", "origin")),
    "assignment": (("submission", "task"), ("attempt", "phase", "evidence", "shared")),
    "session": (("session", "task"), ("evidence",)),
    "outcome": (("task",), ("state", "candidate", "proof", "repairs", "corrections")),
}


def in_force(connection: Writer, kind: str, key: dict[str, Any]) -> dict[str, Any] | None:
    """The values of the newest row of a key; None when there is none or it was withdrawn."""
    names, fields = _TABLES[kind]
    where = " AND ".join(f"{name} = :{name}" for name in names)
    row = connection.execute(
        f"SELECT withdrawn, {', '.join(fields)} FROM {kind}_assertion WHERE {where} ORDER BY seq DESC LIMIT 1", key
    ).fetchone()
    return None if row is None or row[0] else dict(zip(fields, row[1:], strict=True))


def append(
    connection: Writer, kind: str, key: dict[str, Any], values: dict[str, Any], *, reason: str | None = None
) -> None:
    """Adds a row: the values in force, with those given (not None) replacing them."""
    known = in_force(connection, kind, key) or {}
    given = {name: value for name, value in values.items() if value is not None}
    _add(connection, kind, {**key, **known, **given, "reason": reason, "withdrawn": 0})


def withdraw(connection: Writer, kind: str, key: dict[str, Any], *, reason: str) -> None:
    """Adds a row that takes the assertion back; the history stays."""
    known = in_force(connection, kind, key) or {}
    _add(connection, kind, {**key, **known, "reason": reason, "withdrawn": 1})


def _add(connection: Writer, kind: str, row: dict[str, Any]) -> None:
    row["recorded_ms"] = now_ms()
    columns = [name for name, value in row.items() if value is not None]
    connection.execute(
        f"INSERT INTO {kind}_assertion ({', '.join(columns)}) VALUES ({', '.join(':' + name for name in columns)})", row
    )
