"""A whole ledger in a form that does not depend on the order or the way it was written.

Row numbers are replaced by what they stand for, and rows are sorted. Import
times, file times and random ids are left out: they are no evidence.
"""

import sqlite3
from pathlib import Path
from typing import Any

Whole = dict[str, list[tuple[Any, ...]]]

_LEFT_OUT = {"id", "mtime_ns", "imported_ms", "gone_ms"}
# Whose version of a session holds is seen by what it says.
_VERSIONED = ("submission", "event")
_REFERENCES = {"session_id": "session", "source_id": "source"}
_DERIVED = (
    *("source", "session", "turn", "response", "response_copy", "submission", "event", "fault", "instruction"),
    *("router_job", "router_invocation", "router_event", "router_reading", "router_binding"),
)


def whole(ledger: Path, *, home: Path | None = None, without: tuple[str, ...] = ()) -> Whole:
    """All derived tables. Paths below `home` are relative to it; tables in `without` are left out.

    Where `source` is left out, rows do not tell which source they are from.
    """
    connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    try:
        names = {
            "session": dict(connection.execute("SELECT id, key FROM session")),
            "source": {
                number: _below(path, home) for number, path in connection.execute("SELECT id, path FROM source")
            },
        }
        return {
            table: sorted(_rows(connection, table, names, home, without), key=repr)
            for table in _DERIVED
            if table not in without
        }
    finally:
        connection.close()


def _rows(
    connection: sqlite3.Connection, table: str, names: dict[str, Any], home: Path | None, without: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    found = connection.execute(f"SELECT * FROM {table}")
    columns = [column[0] for column in found.description]
    own_key = table in ("session", "source")
    kept = [
        place
        for place, column in enumerate(columns)
        if not (column in _LEFT_OUT and (own_key or column != "id"))
        and not (column == "source_id" and ("source" in without or table in _VERSIONED))
    ]
    return [tuple(_shown(columns[place], row[place], names, home) for place in kept) for row in found]


def _shown(column: str, value: Any, names: dict[str, Any], home: Path | None) -> Any:
    if column in _REFERENCES:
        return names[_REFERENCES[column]].get(value)
    return _below(value, home) if column == "path" else value


def _below(path: str, home: Path | None) -> str:
    return path if home is None else path.removeprefix(f"{home.resolve()}/")
