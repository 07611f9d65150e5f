"""The router's tables: which columns are read, and whether a ledger is of a shape we know.

The statements of this store. Columns that a release lacks are NULL.
"""

from collections.abc import Iterator

from observer.native.sqlite_ro import Connection, Row, columns, select

SCHEMA = 2

_COLUMNS = {
    "jobs": (
        "request_id", "task_json", "workspace", "status", "lane", "route", "job_kind", "replay_of", "planner_harness",
        "planner_session_id", "planner_model", "planner_effort", "model", "effort", "base_commit", "head_commit",
        "block_reason", "cancel_requested", "error_class", "created_at", "updated_at",
    ),
    "invocations": (
        "invocation_id", "request_id", "kind", "stage", "requested_route", "policy_version", "harness_version",
        "observed_model", "observed_variant", "reason", "rc", "terminal_class", "session_id", "session_kind",
        "native_ids_json", "usage_json", "meta_json", "started_at", "ended_at", "elapsed_secs", "kit_hash",
        "direction_supply", "direction_hash",
    ),
    "events": ("id", "request_id", "ts", "kind", "payload_json"),
    "readings": ("pool", "model", "window", "used", "limit_value", "reset_at", "observed_at", "source"),
}  # fmt: skip
_NEEDED = {
    "jobs": ("request_id",),
    "invocations": ("invocation_id", "request_id", "kind", "terminal_class"),
    "events": ("request_id", "kind"),
}
_VERSIONED = ("invocations", "events")
_OTHER_SCHEMA = "SELECT COUNT(*) FROM {table} WHERE schema_version IS NOT ?"


def refusal(connection: Connection) -> str | None:
    """Why the whole ledger cannot be read; None when every run and every event is of schema 2."""
    for table in _VERSIONED:
        present = columns(connection, table)
        if present and "schema_version" not in present:
            return f"router ledger from before schema_version: its {table} do not tell their schema"
    for table, needed in _NEEDED.items():
        missing = sorted(set(needed) - columns(connection, table))
        if missing:
            return f"no router ledger of a known shape: {table} has no {', '.join(missing)}"
    for table in _VERSIONED:
        other = connection.execute(_OTHER_SCHEMA.format(table=table), (SCHEMA,)).fetchone()[0]
        if other:
            return f"unsupported router schema: {other} of the {table} are not of schema_version {SCHEMA}"
    return None


def rows(connection: Connection, table: str) -> Iterator[Row]:
    """The rows of one table, oldest first; none when there is no such table."""
    return select(connection, table, _COLUMNS[table])
