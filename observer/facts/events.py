"""Events of a task, session or turn, in order, and the ids of its calls and results."""

from typing import Any

from msgspec import Struct

from observer.facts.filters import OWNED_EVENT, TASK_SESSIONS
from observer.ledger.open import Reader
from observer.records.event import Event, Family
from observer.rules.join import CallKey

# Sessions first: a scope is a few sessions, and the events of one lie together.
_FROM = "FROM session CROSS JOIN event ON event.session_id = session.id"
_WHERE = "WHERE event.copied = 0"
_COPIED = f"SELECT COUNT(*) {_FROM} WHERE event.copied = 1"
# Unknown times last; the rest makes the order the same every time.
_ORDER = (
    "ORDER BY event.at_ms IS NULL, event.at_ms, event.ordinal, event.native_id, session.key,"
    " event.family <> 'tool_call', event.family"
)
_FIELDS = (
    "session.key, event.family, event.native_id, event.ordinal, event.at_ms, event.turn, event.name, event.target,"
    " event.status, event.duration_ms, event.size_bytes, event.truncated, event.detail"
)
_FAMILIES = f"SELECT session.harness, event.family, COUNT(*) {_FROM} {_WHERE}"
_TURNS = """
    SELECT DISTINCT session.key FROM (
      SELECT session_id FROM turn WHERE id = :turn
      UNION SELECT session_id FROM event WHERE turn = :turn
      UNION SELECT session_id FROM response WHERE turn = :turn
      UNION SELECT session_id FROM submission WHERE turn = :turn)
    JOIN session ON session.id = session_id ORDER BY 1"""


class Scope(Struct, frozen=True):
    """What is looked at: a task's bound turns and whole sessions, or a session, a turn, or a turn of a session."""

    task: str | None = None
    session: str | None = None
    turn: str | None = None


def rows(reader: Reader, scope: Scope, *, family: Family | None, limit: int) -> list[Event]:
    """The first `limit` events by time, ordinal and id; copies of another session's history count there."""
    clause, given = _of(scope)
    if family is not None:
        clause += " AND event.family = :family"
    found = reader.execute(
        f"SELECT {_FIELDS} {_FROM} {_WHERE}{clause} {_ORDER} LIMIT :limit", {**given, "family": family, "limit": limit}
    )
    return [Event(*(*row[:11], bool(row[11]), row[12])) for row in found]


def families(reader: Reader, scope: Scope) -> dict[tuple[str, str], int]:
    """How many events the scope has, by harness and family."""
    clause, given = _of(scope)
    found = reader.execute(f"{_FAMILIES}{clause} GROUP BY 1, 2 ORDER BY 1, 2", given)
    return {(harness, family): count for harness, family, count in found}


def copied(reader: Reader, scope: Scope) -> int:
    """How many events of the scope are copies of another session's history."""
    clause, given = _of(scope)
    return int(reader.execute(_COPIED + clause, given).fetchone()[0])


def ids(reader: Reader, scope: Scope, family: Family) -> list[CallKey]:
    """Session and native id of every event of a family, in order."""
    clause, given = _of(scope)
    return reader.execute(
        f"SELECT session.key, event.native_id {_FROM} {_WHERE} AND event.family = :family{clause} {_ORDER}",
        {**given, "family": family},
    ).fetchall()


def sessions_of_turn(reader: Reader, turn: str) -> list[str]:
    """The sessions in which something belongs to that turn (a subagent works in its parent's)."""
    return [row[0] for row in reader.execute(_TURNS, {"turn": turn})]


def _of(scope: Scope) -> tuple[str, dict[str, Any]]:
    clause = ""
    if scope.task is not None:
        clause += f" AND {TASK_SESSIONS} AND {OWNED_EVENT}"
    if scope.session is not None:
        clause += " AND session.key = :session"
    if scope.turn is not None:
        clause += " AND event.turn = :turn"
    return clause, {"task": scope.task, "session": scope.session, "turn": scope.turn}
