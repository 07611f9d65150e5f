"""A router's ledger in ours: each source's rows as a whole, and which of them hold.

Settling is a function of the rows: the latest state of a job or run among
several ledgers, the sessions that were made for a task, and the copies of
counters that contradict a native session. It writes no usage.
"""

import json
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from observer.base.canon import canonical
from observer.ledger.open import Writer
from observer.records.router import RouterEvent, RouterInvocation, RouterJob, RouterReading, RouterRecords
from observer.records.usage import TokenUsage

_TABLES = ("router_job", "router_invocation", "router_event", "router_reading")
_MARK = "INSERT OR REPLACE INTO meta (name, value) VALUES ('router_unsettled', '1')"
_MARKED = "SELECT 1 FROM meta WHERE name = 'router_unsettled'"
_UNMARK = "DELETE FROM meta WHERE name = 'router_unsettled'"

# A later change wins, then a final state over an open one; the path only makes the choice certain.
_CURRENT_JOBS = """
    UPDATE router_job SET current = (source_id, request_id) IN (
      SELECT source_id, request_id FROM (
        SELECT job.source_id, job.request_id, ROW_NUMBER() OVER (
          PARTITION BY job.request_id
          ORDER BY COALESCE(job.updated_ms, -1) DESC,
            COALESCE(job.status, '') IN ('succeeded', 'failed', 'cancelled') DESC, source.path) AS place
        FROM router_job AS job JOIN source ON source.id = job.source_id)
      WHERE place = 1)"""
# A run that has ended does not open again; otherwise its job's later ledger wins.
_CURRENT_INVOCATIONS = """
    UPDATE router_invocation SET current = (source_id, id) IN (
      SELECT source_id, id FROM (
        SELECT run.source_id, run.id, ROW_NUMBER() OVER (
          PARTITION BY run.id
          ORDER BY run.state = 'active', COALESCE(job.current, 0) DESC, COALESCE(job.updated_ms, -1) DESC,
            source.path) AS place
        FROM router_invocation AS run
        JOIN source ON source.id = run.source_id
        LEFT JOIN router_job AS job ON job.source_id = run.source_id AND job.request_id = run.request_id)
      WHERE place = 1)"""
# The same reading in two ledgers: that of the ledger which went on longer.
_CURRENT_READINGS = """
    UPDATE router_reading SET current = (source_id, pool, model, window, observed_ms) IN (
      SELECT source_id, pool, model, window, observed_ms FROM (
        SELECT reading.*, ROW_NUMBER() OVER (
          PARTITION BY pool, model, window, observed_ms ORDER BY latest DESC, source.path) AS place
        FROM router_reading AS reading
        JOIN source ON source.id = reading.source_id
        JOIN (SELECT source_id, MAX(observed_ms) AS latest FROM router_reading GROUP BY 1) USING (source_id))
      WHERE place = 1)"""
_UNBIND = "DELETE FROM router_binding"
_BIND = """
    INSERT INTO router_binding (session, task, evidence)
    SELECT session, task, 'router:' || request_id || ':' || id FROM (
      SELECT run.session, job.task, run.request_id, run.id, ROW_NUMBER() OVER (
        PARTITION BY run.session, job.task ORDER BY run.started_ms IS NULL, run.started_ms, run.id) AS place
      FROM router_invocation AS run
      JOIN router_job AS job ON job.request_id = run.request_id AND job.current = 1
      WHERE run.current = 1 AND run.session IS NOT NULL)
    WHERE place = 1"""


_COUNTERS = ("input", "cached_input", "cache_write_input", "output", "reasoning_output", "total")
_IN = "(SELECT value FROM json_each(:sessions))"
_TOUCHED = """
    SELECT DISTINCT run.session FROM router_invocation AS run JOIN session ON session.key = run.session
    WHERE :everything OR session.id IN (SELECT value FROM json_each(:ids))"""
_FORGET_CONFLICTS = f"""
    DELETE FROM fault WHERE derived = 1 AND (source_id, ordinal) IN (
      SELECT source_id, ordinal FROM router_invocation WHERE session IN {_IN})"""
_CLAIMS = f"""
    SELECT session, source_id, ordinal, {", ".join(_COUNTERS)} FROM router_invocation
    WHERE current = 1 AND session IN {_IN}
    ORDER BY session, started_ms IS NOT NULL, started_ms, ordinal"""
# A counter that a response does not report is unknown as a whole.
_NATIVE = f"""
    SELECT session.key, {", ".join(f"CASE WHEN COUNT({name}) = COUNT(*) THEN SUM({name}) END" for name in _COUNTERS)}
    FROM response JOIN session ON session.id = response.session_id
    WHERE session.key IN {_IN} AND response.overlap = 0
    GROUP BY 1"""
_CONFLICT = (
    "INSERT OR IGNORE INTO fault (source_id, ordinal, category, keys, derived) VALUES (?, ?, 'usage_conflict', '', 1)"
)

Counters = tuple[int | None, ...]


def write(connection: Writer, source_id: int, records: RouterRecords) -> None:
    """Replaces what the source has said before."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE source_id = ?", (source_id,))
    _insert(connection, "router_job", [(source_id, *msgspec.structs.astuple(each)) for each in records.jobs])
    _insert(connection, "router_invocation", [(source_id, *_run(each)) for each in records.invocations])
    _insert(connection, "router_event", [(source_id, *_event(each)) for each in records.events])
    _insert(connection, "router_reading", [(source_id, *msgspec.structs.astuple(each)) for each in records.readings])
    connection.execute(_MARK)


def sources(connection: Writer) -> list[int]:
    """The sources that have told anything."""
    told = " UNION ".join(f"SELECT source_id FROM {table}" for table in _TABLES)
    return [row[0] for row in connection.execute(f"{told} ORDER BY 1")]


def clear_unreadable(connection: Writer) -> None:
    """Empties the fields of events that cannot be read: nobody can say what may be kept of them."""
    found = connection.execute("SELECT source_id, id, fields FROM router_event").fetchall()
    unreadable = [row[:2] for row in found if _fields(row[2]) is None]
    connection.executemany("UPDATE router_event SET fields = '{}' WHERE source_id = ? AND id = ?", unreadable)


def told(connection: Writer, source_id: int) -> RouterRecords:
    """What the source has said, as it was written."""
    jobs, runs, events, readings = (
        connection.execute(f"SELECT * FROM {table} WHERE source_id = ?", (source_id,)).fetchall() for table in _TABLES
    )
    return RouterRecords(
        tuple(RouterJob(*row[1:-1]) for row in jobs),
        tuple(RouterInvocation(*(*row[1:-7], _usage(row[-7:-1]))) for row in runs),
        tuple(RouterEvent(*(*row[1:-1], _fields(row[-1]) or {})) for row in events),
        tuple(RouterReading(*row[1:-1]) for row in readings),
    )


def is_unsettled(connection: Writer) -> bool:
    """Whether a router's ledger was written since the last settling."""
    return connection.execute(_MARKED).fetchone() is not None


def settle(connection: Writer, sessions: str) -> None:
    """Marks the rows that hold, binds sessions to tasks, and files contradictions as faults.

    `sessions`: JSON list of the sessions (row numbers) that have changed.
    """
    everything = is_unsettled(connection)
    if everything:
        for statement in (_CURRENT_JOBS, _CURRENT_INVOCATIONS, _CURRENT_READINGS, _UNBIND, _BIND, _UNMARK):
            connection.execute(statement)
    touched = [row[0] for row in connection.execute(_TOUCHED, {"everything": everything, "ids": sessions})]
    if touched:
        _compare(connection, {"sessions": json.dumps(touched)})


def _compare(connection: Writer, given: dict[str, str]) -> None:
    """One fault per session whose counters the router copied otherwise than the session tells them."""
    native: dict[str, Counters] = {row[0]: row[1:] for row in connection.execute(_NATIVE, given)}
    connection.execute(_FORGET_CONFLICTS, given)
    for session, rows in groupby(connection.execute(_CLAIMS, given).fetchall(), key=itemgetter(0)):
        runs = list(rows)
        told = [row[3:] for row in runs]
        if session in native and _contradicts(session, told, native[session]):
            connection.execute(_CONFLICT, runs[-1][1:3])


def _contradicts(session: str, told: list[Counters], native: Counters) -> bool:
    """Whether the copies cannot be the native total.

    A Codex thread's last copy is its total; OpenCode's copies tell one turn
    each. Other agents' copies were never measured. Where a run has no copy
    the others are a lower bound.
    """
    if session.startswith("codex:"):
        with_usage = [row for row in told if any(count is not None for count in row)]
        claimed, whole = (with_usage or told)[-1], [told[-1] in with_usage] * len(native)
    elif session.startswith("opencode:"):
        columns = list(zip(*told, strict=True))
        claimed = tuple(sum(filter(None, column)) for column in columns)
        whole = [None not in column for column in columns]
    else:
        return False
    return any(
        copied is not None and count is not None and (copied > count or (complete and copied < count))
        for copied, count, complete in zip(claimed, native, whole, strict=True)
    )


def _run(each: RouterInvocation) -> tuple[Any, ...]:
    fields = msgspec.structs.astuple(each)
    return (*fields[:-1], *(getattr(each.usage, name) for name in _COUNTERS))


def _fields(text: str) -> dict[str, int | str] | None:
    """What an event said; None where it cannot be read any more."""
    try:
        return msgspec.json.decode(text, type=dict[str, int | str])
    except (msgspec.DecodeError, RecursionError):
        return None


def _usage(counters: tuple[int | None, ...]) -> TokenUsage:
    return TokenUsage(**dict(zip(_COUNTERS, counters, strict=True)))


def _event(each: RouterEvent) -> tuple[Any, ...]:
    return each.id, each.request_id, each.kind, each.at_ms, canonical(each.fields).decode()


def _insert(connection: Writer, table: str, rows: list[tuple[Any, ...]]) -> None:
    """Rows in the order of the table's columns. Where it has a last one, `current`, settling sets that."""
    if rows:
        holes = ", ".join("?" * len(rows[0])) + ("" if table == "router_event" else ", 0")
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({holes})", rows)
