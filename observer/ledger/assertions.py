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
    "dispatch": (
        ("submission", "worker"),
        ("parent_turn", "worker_turn", "requested_model", "requested_effort", "policy_version", "purpose", "task_name"),
    ),
    "attempt": (
        ("task", "turn", "session"),
        ("role", "stage", "requested_model", "requested_effort", "state", "usable"),
    ),
}


def in_force(connection: Writer, kind: str, key: dict[str, Any]) -> dict[str, Any] | None:
    """The values of the newest row of a key; None when there is none or it was withdrawn."""
    names, fields = _TABLES[kind]
    where = " AND ".join(f"{name} = :{name}" for name in names)
    row = connection.execute(
        f"SELECT withdrawn, {', '.join(fields)} FROM {kind}_assertion WHERE {where} ORDER BY seq DESC LIMIT 1", key
    ).fetchone()
    return None if row is None or row[0] else dict(zip(fields, row[1:], strict=True))


def history(connection: Writer, kind: str) -> list[dict[str, Any]]:
    """Every row of a kind in the order they were made; with `recorded_ms`, `withdrawn` and `reason`."""
    names = _columns(kind)
    rows = connection.execute(f"SELECT {', '.join(names)} FROM {kind}_assertion ORDER BY seq")
    return [dict(zip(names, row, strict=True)) for row in rows]


def newest(connection: Writer, kind: str, row: dict[str, Any]) -> dict[str, Any] | None:
    """The newest row that has the same key as this one, withdrawn or not."""
    names = _columns(kind)
    where = " AND ".join(f"{name} = :{name}" for name in _TABLES[kind][0])
    found = connection.execute(
        f"SELECT {', '.join(names)} FROM {kind}_assertion WHERE {where} ORDER BY seq DESC LIMIT 1", row
    ).fetchone()
    return None if found is None else dict(zip(names, found, strict=True))


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


def add(connection: Writer, kind: str, row: dict[str, Any]) -> None:
    """Adds a row as another ledger has it, with the instant at which it was recorded there."""
    columns = [name for name in _columns(kind) if row.get(name) is not None]
    connection.execute(
        f"INSERT INTO {kind}_assertion ({', '.join(columns)}) VALUES ({', '.join(':' + name for name in columns)})", row
    )


def _add(connection: Writer, kind: str, row: dict[str, Any]) -> None:
    """Adds a row that is newer than every other of its key, also where the clock was set back."""
    before = newest(connection, kind, row)
    add(connection, kind, row | {"recorded_ms": max(now_ms(), before["recorded_ms"] + 1 if before else 0)})


def _columns(kind: str) -> tuple[str, ...]:
    names, fields = _TABLES[kind]
    return (*names, *fields, "recorded_ms", "withdrawn", "reason")
