"""Filters that every list and sum understands, as one WHERE clause."""

from typing import Any

from msgspec import Struct

# Statements that use the clause name these tables `response` and `session`.
_WHOLE = "session.key IN (SELECT session FROM session_assignment WHERE task = :task)"
TASK_SESSIONS = f"""({_WHOLE}
    OR EXISTS (SELECT 1 FROM submission JOIN assignment ON assignment.submission = submission.id
               WHERE assignment.task = :task AND submission.copied = 0 AND submission.session_id = session.id))"""
# A turn belongs to its first genuine prompt (rules.attribution).
_OWNER = """(
    SELECT id FROM submission
    WHERE session_id = {row}.session_id AND turn = {row}.turn AND kind = 'genuine' AND copied = 0
    ORDER BY at_ms IS NULL, at_ms, ordinal, id LIMIT 1)"""
_OWNED = f"""({_WHOLE}
    OR {_OWNER} IN (SELECT submission FROM assignment WHERE task = :task))"""
TURN_OWNER = _OWNER.format(row="response")
_TASK_RESPONSES = _OWNED.format(row="response")
# An event outside every turn belongs to its whole session, never to one of its prompts.
OWNED_EVENT = _OWNED.format(row="event")


class Filter(Struct, frozen=True):
    """None or empty: no limit. Times are milliseconds; `until_ms` is exclusive.

    `task` keeps the responses of the task's whole sessions and of the turns
    that its prompts own.
    """

    harnesses: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    task: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None


def of_responses(wanted: Filter) -> tuple[str, dict[str, Any]]:
    """The clause (starting with WHERE) and its parameters, for `response JOIN session`."""
    parts, given = _shared(wanted)
    _any_of(parts, given, "response.model", wanted.models)
    if wanted.task is not None:
        parts.append(_TASK_RESPONSES)
        given["task"] = wanted.task
    _between(parts, given, wanted, "response.at_ms", "response.at_ms")
    return "WHERE " + " AND ".join(parts or ["1"]), given


def of_sessions(wanted: Filter) -> tuple[str, dict[str, Any]]:
    """The clause for `session` alone: since its end, until its start."""
    parts, given = _shared(wanted)
    if wanted.models:
        holes = _names(given, "m", wanted.models)
        parts.append(f"EXISTS (SELECT 1 FROM response WHERE session_id = session.id AND model IN ({holes}))")
    if wanted.task is not None:
        parts.append(TASK_SESSIONS)
        given["task"] = wanted.task
    _between(
        parts,
        given,
        wanted,
        "COALESCE(session.ended_ms, session.started_ms)",
        "COALESCE(session.started_ms, session.ended_ms)",
    )
    return "WHERE " + " AND ".join(parts or ["1"]), given


def _shared(wanted: Filter) -> tuple[list[str], dict[str, Any]]:
    parts: list[str] = []
    given: dict[str, Any] = {}
    _any_of(parts, given, "session.harness", wanted.harnesses)
    _any_of(parts, given, "session.project", wanted.projects)
    _any_of(parts, given, "session.key", wanted.sessions)
    return parts, given


def _any_of(parts: list[str], given: dict[str, Any], column: str, values: tuple[str, ...]) -> None:
    if values:
        parts.append(f"{column} IN ({_names(given, column.rpartition('.')[2], values)})")


def _names(given: dict[str, Any], prefix: str, values: tuple[str, ...]) -> str:
    """Adds the values as parameters; their placeholders."""
    names = [f"{prefix}{number}" for number in range(len(values))]
    given.update(zip(names, values, strict=True))
    return ", ".join(f":{name}" for name in names)


def _between(parts: list[str], given: dict[str, Any], wanted: Filter, late: str, early: str) -> None:
    if wanted.since_ms is not None:
        parts.append(f"{late} >= :since_ms")
        given["since_ms"] = wanted.since_ms
    if wanted.until_ms is not None:
        parts.append(f"{early} < :until_ms")
        given["until_ms"] = wanted.until_ms
