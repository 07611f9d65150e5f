"""Responses, row by row, in the order they were made."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from observer.facts.filters import Filter, of_responses
from observer.ledger.open import Reader
from observer.records.usage import TokenUsage

_COLUMNS = """
    response.id, session.key, session.harness, session.project, response.model, response.provider, response.effort,
    response.at_ms, response.turn, response.semantics, response.native_cost_usd, response.overlap, response.final,
    response.service_tier, response.speed, response.web_search_requests, response.shape, response.context_tokens,
    session.agentsmd_version, response.input, response.cached_input, response.cache_write_input,
    response.cache_write_5m, response.cache_write_1h, response.output, response.reasoning_output, response.total"""
_ROWS = f"""
    SELECT {_COLUMNS} FROM response JOIN session ON session.id = response.session_id
    {{where}}
    ORDER BY response.at_ms IS NULL, response.at_ms {{direction}}, response.id {{direction}} {{limit}}"""
_COUNT = "SELECT COUNT(*) FROM response JOIN session ON session.id = response.session_id {where}"
_OF_SESSIONS = f"""
    SELECT {_COLUMNS} FROM response JOIN session ON session.id = response.session_id
    WHERE session.key IN (SELECT value FROM json_each(:keys))
    ORDER BY response.id"""


class ResponseRow(Struct, frozen=True):
    """One response as the ledger holds it."""

    id: str
    session: str
    harness: str
    project: str | None
    model: str | None
    provider: str | None
    effort: str | None
    at_ms: int | None
    turn: str | None
    semantics: str
    native_cost_usd: str | None
    overlap: bool
    final: bool
    service_tier: str | None
    speed: str | None
    web_search_requests: int | None
    shape: int
    context_tokens: int | None
    agentsmd_version: str | None
    usage: TokenUsage


def rows(reader: Reader, wanted: Filter, *, newest: int | None = None) -> Iterator[ResponseRow]:
    """Oldest first; with `newest`, only that many, the newest first."""
    where, given = of_responses(wanted)
    direction, limit = ("ASC", "") if newest is None else ("DESC", f"LIMIT {newest:d}")
    return map(_row, reader.execute(_ROWS.format(where=where, direction=direction, limit=limit), given))


def count(reader: Reader, wanted: Filter) -> int:
    """How many `rows` would give."""
    where, given = of_responses(wanted)
    return int(reader.execute(_COUNT.format(where=where), given).fetchone()[0])


def of_sessions(reader: Reader, keys_json: str) -> list[ResponseRow]:
    """All responses of the sessions in a JSON list of keys, by id."""
    return [_row(row) for row in reader.execute(_OF_SESSIONS, {"keys": keys_json})]


def _row(row: tuple[Any, ...]) -> ResponseRow:
    return ResponseRow(*(*row[:11], bool(row[11]), bool(row[12]), *row[13:19], TokenUsage(*row[19:])))
