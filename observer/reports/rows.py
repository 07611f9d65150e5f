"""Homogeneous rows: a task's responses in groups that one rate fits.

The same rows carry the report's sums, the valuation and the exported
evidence, so that they cannot disagree.
"""

from collections.abc import Iterable
from decimal import Decimal

from msgspec import Struct

from observer.base.clock import DAY_MS
from observer.base.zones import day_name
from observer.facts.responses import ResponseRow
from observer.records.usage import COUNTERS, UNKNOWN, TokenUsage
from observer.records.valuation import PriceSchedule, UsageGroup
from observer.rules.attribution import Partition


class RowKey(Struct, frozen=True):
    """Everything the responses of one row have in common. `day` is UTC."""

    share: Partition
    day: str | None
    harness: str
    model: str | None
    provider: str | None
    effort: str | None
    semantics: str
    agentsmd: str | None
    phase: str | None
    over: bool | None
    shape: int
    final: bool
    service_tier: str | None
    speed: str | None
    native: bool


class Row(Struct):
    """One row: its key, the summed usage, and the ids that were counted."""

    key: RowKey
    usage: UsageGroup
    native_usd: Decimal | None
    ids: list[str]


class Member(Struct, frozen=True):
    """A response with its place in the task."""

    response: ResponseRow
    share: Partition
    phase: str | None = None


def rows(members: Iterable[Member], schedule: PriceSchedule) -> list[Row]:
    """The members grouped, in a stable order."""
    grouped: dict[RowKey, list[ResponseRow]] = {}
    for member in members:
        grouped.setdefault(_key(member, schedule), []).append(member.response)
    return [_row(key, grouped[key]) for key in sorted(grouped, key=_order)]


def _key(member: Member, schedule: PriceSchedule) -> RowKey:
    response = member.response
    entry = schedule.find(response.model)
    return RowKey(
        share=member.share,
        day=None if response.at_ms is None else day_name(response.at_ms // DAY_MS),
        harness=response.harness,
        model=response.model,
        provider=response.provider,
        effort=response.effort,
        semantics=response.semantics,
        agentsmd=response.agentsmd_version,
        phase=member.phase,
        over=False if entry is None else entry.over(response.context_tokens),
        shape=response.shape,
        final=response.final,
        service_tier=response.service_tier,
        speed=response.speed,
        native=response.native_cost_usd is not None,
    )


def _row(key: RowKey, responses: list[ResponseRow]) -> Row:
    sums = (
        None if key.shape & UNKNOWN[name] else sum(getattr(each.usage, name) for each in responses) for name in COUNTERS
    )
    return Row(
        key=key,
        usage=UsageGroup(
            model=key.model,
            semantics=key.semantics,
            usage=TokenUsage(*sums),
            shape=key.shape,
            responses=len(responses),
            over=key.over,
            final=key.final,
            service_tier=key.service_tier,
            speed=key.speed,
            web_search_requests=sum(each.web_search_requests or 0 for each in responses),
        ),
        native_usd=sum((Decimal(each.native_cost_usd or 0) for each in responses), Decimal(0)) if key.native else None,
        ids=[each.id for each in responses],
    )


def _order(key: RowKey) -> tuple[str, ...]:
    return tuple(str(getattr(key, name)) for name in RowKey.__struct_fields__)
