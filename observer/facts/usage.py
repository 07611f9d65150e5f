"""How much was used: sums per group, exact per semantics, ready for valuation."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec import Struct

from observer.base.clock import DAY_MS
from observer.facts.filters import TURN_OWNER, Filter, of_responses
from observer.ledger.open import Reader
from observer.records.usage import COUNTERS, UNKNOWN, TokenUsage
from observer.records.valuation import UsageGroup

# What a group's key can be; NULL where a response has none.
_KEYS = {
    "model": "response.model",
    "project": "session.project",
    "session": "session.key",
    "harness": "session.harness",
    "agentsmd": "session.agentsmd_version",
    "all": "NULL",
}
_DAY = f"(response.at_ms + {{offset}}) / {DAY_MS}"
# A task owns the turns of its prompts, or a whole session; usage with several
# claims is its own group, so that no response is summed twice.
_TASK = f"""(
    SELECT CASE COUNT(DISTINCT task) WHEN 0 THEN NULL WHEN 1 THEN MIN(task) ELSE '(several tasks)' END FROM (
      SELECT task FROM session_assignment WHERE session = session.key
      UNION
      SELECT task FROM assignment WHERE submission = {TURN_OWNER}))"""
_SUMS = ", ".join(f"SUM(response.{name})" for name in COUNTERS)
# The tiers are made a table first: asked row by row, JSON costs as much as everything else. A context below
# every tier is over none of them, whatever the model, and most are: those rows ask no table at all.
_GROUPS = f"""
    WITH tier AS MATERIALIZED (SELECT key AS model, value FROM json_each(:thresholds))
    SELECT {{key}} AS key, response.model, response.semantics, response.shape,
      CASE WHEN response.context_tokens <= :lowest THEN 0
        WHEN NOT EXISTS (SELECT 1 FROM tier WHERE tier.model = response.model) THEN 0
        ELSE response.context_tokens > (SELECT value FROM tier WHERE tier.model = response.model) END AS over,
      response.final, response.service_tier, response.speed,
      COUNT(*), SUM(COALESCE(response.web_search_requests, 0)), COUNT(response.native_cost_usd),
      GROUP_CONCAT(response.native_cost_usd), {_SUMS}
    FROM response
    JOIN session ON session.id = response.session_id
    {{where}} AND response.overlap = 0
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8"""
_SPAN = """
    SELECT MIN(response.at_ms), MAX(response.at_ms) FROM response JOIN session ON session.id = response.session_id
    {where}"""


class Grouped(Struct, frozen=True):
    """One homogeneous part of a group; `key` is None where the responses have none.

    For days, `key` is the day number in the zone asked for.
    """

    key: str | int | None
    usage: UsageGroup
    native_usd: Decimal | None
    native_responses: int


def groups(
    reader: Reader, wanted: Filter, *, by: str, thresholds: Mapping[str, int], offsets: Sequence[tuple[int, int]] = ()
) -> list[Grouped]:
    """Sums by `day`, `task`, or a key of the session or response.

    `thresholds`: input above which a model's long tier applies. `offsets`:
    the zone's offsets (base.zones), for days.
    """
    where, given = of_responses(wanted)
    given["thresholds"], given["lowest"] = json.dumps(thresholds), min(thresholds.values(), default=0)
    statement = _GROUPS.format(key=_key(by, offsets, given), where=where)
    return [_grouped(row) for row in reader.execute(statement, given)]


def span(reader: Reader, wanted: Filter) -> tuple[int, int] | None:
    """Earliest and latest response time; None when nothing has a time."""
    where, given = of_responses(wanted)
    first, last = reader.execute(_SPAN.format(where=where), given).fetchone()
    return None if first is None else (first, last)


def _key(by: str, offsets: Sequence[tuple[int, int]], given: dict[str, Any]) -> str:
    if by == "task":
        return _TASK
    if by != "day":
        return _KEYS[by]
    cases = ""
    for number, (valid_from, offset) in enumerate(reversed(offsets)):
        given[f"from{number}"], given[f"offset{number}"] = valid_from, offset
        cases += f" WHEN response.at_ms >= :from{number} THEN :offset{number}"
    return _DAY.format(offset=f"CASE{cases} END") if cases else "NULL"


def _grouped(row: tuple[Any, ...]) -> Grouped:
    key, model, semantics, shape, over, final, tier, speed, responses, searches, natives, native_text, *sums = row
    return Grouped(
        key,
        UsageGroup(
            model=model,
            semantics=semantics,
            usage=TokenUsage(
                *(None if shape & UNKNOWN[name] else total for name, total in zip(COUNTERS, sums, strict=True))
            ),
            shape=shape,
            responses=responses,
            over=None if over is None else bool(over),
            final=bool(final),
            service_tier=tier,
            speed=speed,
            web_search_requests=searches,
        ),
        sum(map(Decimal, native_text.split(",")), Decimal(0)) if native_text else None,
        natives,
    )
