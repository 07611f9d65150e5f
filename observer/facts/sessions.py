"""Sessions and what happened in them, row by row."""

from typing import Any

from msgspec import Struct

from observer.facts.filters import Filter, of_sessions
from observer.ledger.open import Reader
from observer.records.usage import COUNTERS, UNKNOWN, TokenUsage
from observer.records.valuation import UsageGroup

_FIELDS = (
    "session.id, session.key, session.harness, session.role, session.parent, session.project, session.branch,"
    " session.client_version, session.started_ms, session.ended_ms, session.agentsmd_version"
)
_SESSIONS = f"""
    SELECT {_FIELDS},
      (SELECT COUNT(*) FROM submission WHERE session_id = session.id AND kind = 'genuine' AND copied = 0)
    FROM session {{where}}
    ORDER BY COALESCE(session.ended_ms, session.started_ms) DESC, session.key"""
_USAGE = f"""
    SELECT response.session_id, response.semantics, response.shape, COUNT(*),
      {", ".join(f"SUM(response.{name})" for name in COUNTERS)}
    FROM response JOIN session ON session.id = response.session_id
    {{where}} AND response.overlap = 0
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""
_MODELS = "SELECT model, COUNT(*) FROM response WHERE session_id = ? AND overlap = 0 GROUP BY 1 ORDER BY 1"
# A turn that was copied with another session's history counts there, not here.
_OWN_TURNS = """
    FROM turn JOIN session ON session.id = turn.session_id
    WHERE session.id = :id AND (COALESCE(turn.started_ms, turn.ended_ms) <= session.copied_until_ms) IS NOT TRUE"""
_TURNS = f"SELECT COALESCE(turn.state, 'unknown'), COUNT(*) {_OWN_TURNS} GROUP BY 1 ORDER BY 1"
_EMPTY_TURNS = f"""
    SELECT turn.id {_OWN_TURNS}
      AND NOT EXISTS (SELECT 1 FROM response WHERE session_id = :id AND turn = turn.id)
      AND NOT EXISTS (SELECT 1 FROM response_copy WHERE session_id = :id AND turn = turn.id)
    ORDER BY turn.started_ms IS NULL, turn.started_ms, turn.id"""
_EVENTS = "SELECT family, COUNT(*) FROM event WHERE session_id = ? AND copied = 0 GROUP BY 1 ORDER BY 1"
_API_ERRORS = (
    "SELECT COUNT(*) FROM event WHERE session_id = ? AND family = 'lifecycle' AND name = 'api_error' AND copied = 0"
)
_SUBMISSIONS = "SELECT kind, COUNT(*) FROM submission WHERE session_id = ? AND copied = 0 GROUP BY 1 ORDER BY 1"
_SOURCES = """
    SELECT DISTINCT source_id FROM response WHERE session_id = :id
    UNION SELECT source_id FROM response_copy WHERE session_id = :id"""
_FAULTS = f"SELECT category, COUNT(*) FROM fault WHERE source_id IN ({_SOURCES}) GROUP BY 1 ORDER BY 1"


class SessionRow(Struct, frozen=True):
    """One session with its usage by semantics (as homogeneous groups)."""

    number: int
    key: str
    harness: str
    role: str | None
    parent: str | None
    project: str | None
    branch: str | None
    client_version: str | None
    started_ms: int | None
    ended_ms: int | None
    agentsmd_version: str | None
    genuine_prompts: int
    usage: tuple[UsageGroup, ...]


class SessionDetail(Struct, frozen=True):
    """What `sessions show` adds: counts by model, state, family, kind and category."""

    models: dict[str, int]
    turns: dict[str, int]
    turns_without_usage: list[str]
    events: dict[str, int]
    submissions: dict[str, int]
    faults: dict[str, int]


def rows(reader: Reader, wanted: Filter) -> list[SessionRow]:
    """Sessions, the one that ended last first."""
    where, given = of_sessions(wanted)
    usage: dict[int, list[UsageGroup]] = {}
    for row in reader.execute(_USAGE.format(where=where), given):
        usage.setdefault(row[0], []).append(_group(row))
    found = reader.execute(_SESSIONS.format(where=where), given)
    return [SessionRow(*(*row, tuple(usage.get(row[0], ())))) for row in found]


def detail(reader: Reader, number: int) -> SessionDetail:
    """The counts of one session."""
    events = dict(reader.execute(_EVENTS, (number,)))
    errors = reader.execute(_API_ERRORS, (number,)).fetchone()[0]
    return SessionDetail(
        models={str(model): count for model, count in reader.execute(_MODELS, (number,))},
        turns=dict(reader.execute(_TURNS, {"id": number})),
        turns_without_usage=[row[0] for row in reader.execute(_EMPTY_TURNS, {"id": number})],
        events={**events, "api_error": errors} if errors else events,
        submissions=dict(reader.execute(_SUBMISSIONS, (number,))),
        faults=dict(reader.execute(_FAULTS, {"id": number})),
    )


def _group(row: tuple[Any, ...]) -> UsageGroup:
    _, semantics, shape, responses, *sums = row
    values = (None if shape & UNKNOWN[name] else total for name, total in zip(COUNTERS, sums, strict=True))
    return UsageGroup(model=None, semantics=semantics, usage=TokenUsage(*values), shape=shape, responses=responses)
