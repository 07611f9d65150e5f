"""Valid evidence out of a few words: rows of usage, priced and added up as an exporter does it.

`evidence(used(...), used(...), task="T-42")` is sealed and passes
`publish.evidence.read`; `document` and `encode` give its JSON form, `sealed`
makes the identity of a changed document again, as a forger would.
"""

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec

from observer.base import canon
from observer.base.text import decimal_text
from observer.pricing import schedule
from observer.pricing.scope import valuate
from observer.pricing.value import value
from observer.records import semantics, usage
from observer.records.evidence import (
    Counter,
    Coverage,
    Evidence,
    Measured,
    Outcome,
    Partitions,
    Subject,
    Target,
    Totals,
    UsageRow,
)
from observer.records.usage import TokenUsage
from observer.records.valuation import PriceSchedule, UsageGroup

CLAUDE = semantics.CLAUDE.label
CODEX = semantics.CODEX.label
CODEX_FALLBACK = semantics.CODEX_FALLBACK.label
LEDGER = "5eed" * 8
COUNTERS = tuple(name for name in usage.COUNTERS if name != "total")

# Rates as providers listed them on that day; `free-model` costs nothing.
SCHEDULE: dict[str, Any] = {
    "source_url": "https://platform.claude.com/docs/en/about-claude/pricing",
    "as_of": "2026-09-24",
    "models": {
        "claude-opus-5-5": {
            "semantics": [CLAUDE],
            "rates": {
                "input_tokens": 4,
                "cached_input_tokens": 0.2,
                "cache_write_input_tokens": {"5m": 5, "1h": 8},
                "output_tokens": 20,
                "reasoning_output_tokens": 20,
            },
            "web_search_usd_per_1000": 10,
        },
        "gpt-6-astra": {
            "semantics": [CODEX, CODEX_FALLBACK],
            "rates": {
                "input_tokens": 10,
                "cached_input_tokens": 1,
                "cache_write_input_tokens": 12.5,
                "output_tokens": 50,
                "reasoning_output_tokens": 50,
            },
            "long_context_threshold": 272000,
            "long_context_rates": {
                "input_tokens": 20,
                "cached_input_tokens": 2,
                "cache_write_input_tokens": 25,
                "output_tokens": 75,
                "reasoning_output_tokens": 75,
            },
            "source_url": "https://developers.openai.com/api/docs/models/gpt-6-astra",
        },
        "free-model": {
            "semantics": [CLAUDE],
            "rates": {
                "input_tokens": 0,
                "cached_input_tokens": 0,
                "cache_write_input_tokens": 0,
                "output_tokens": 0,
                "reasoning_output_tokens": 0,
            },
            "source_url": "https://prices.example.invalid/free",
        },
    },
}

_WHOLE = {"attributed": 0, "shared": 0}


class Used(msgspec.Struct, frozen=True):
    """Some responses of one kind; the counters are sums over them, None is unknown."""

    group: UsageGroup
    harness: str
    effort: str | None
    share: str
    day: str | None
    native_usd: str | None
    provider: str | None


def used(
    model: str | None = "claude-opus-5-5",
    *,
    responses: int = 1,
    harness: str = "",
    effort: str | None = "high",
    label: str = CLAUDE,
    share: str = "attributed",
    day: str | None = "2026-09-23",
    native_usd: str | None = None,
    provider: str | None = None,
    final: bool = True,
    service_tier: str | None = None,
    speed: str | None = None,
    web_search_requests: int = 0,
    prices: dict[str, Any] | None = None,
    **counters: int | None,
) -> Used:
    """Responses that are alike; counters that are not named are 0."""
    known = TokenUsage(**{**dict.fromkeys(usage.COUNTERS, 0), **counters})
    entry = schedule.parse(prices or SCHEDULE).find(model)
    tokens = usage.context_tokens(known, semantics.parse(label))
    group = UsageGroup(
        model=model,
        semantics=label,
        usage=known,
        shape=usage.shape(known, semantics.parse(label)),
        responses=responses,
        over=False if entry is None else entry.over(None if tokens is None else -(-tokens // responses)),
        final=final,
        service_tier=service_tier,
        speed=speed,
        web_search_requests=web_search_requests,
    )
    return Used(group, harness or label.partition(":")[0], effort, share, day, native_usd, provider)


def evidence(
    *uses: Used,
    task: str = "T-42",
    selection: bool = False,
    outcome: Outcome | None = None,
    unassigned: int = 0,
    overlap: int = 0,
    shared_with: int = 0,
    cutoff: str | None = "2026-09-24T10:02:11.000Z",
    snapshot: str = "4be1",
    target: Target | None = None,
    elapsed_ms: int | None = None,
    prices: dict[str, Any] | None = None,
    ledger: str = LEDGER,
    ids: str = "",
    **coverage: Any,
) -> Evidence:
    """Sealed evidence of one subject; keywords of Coverage change the coverage.

    Response ids are made from `ids` (the task, when not given), the row and
    the place in it: equal words give the same responses.
    """
    rates = schedule.parse(prices or SCHEDULE)
    kind, name = ("sessions", canon.digest([task])) if selection else ("task", task)
    counts = {share: sum(each.group.responses for each in uses if each.share == share) for share in _WHOLE}
    covered = _coverage(coverage)
    draft = Evidence(
        format="agent-observer/evidence",
        version=1,
        evidence_id="0" * 64,
        observer_version="0.1.0",
        ledger_id=ledger,
        producer=ledger,
        subject=Subject(kind, name, hashlib.sha256("\0".join((ledger, kind, name)).encode()).hexdigest()),
        target=target or Target(),
        cutoff=cutoff,
        snapshot_id=canon.digest(snapshot),
        price_schedule_id=rates.schedule_id,
        price_schedule=rates.document,
        outcome=None if selection else outcome,
        coverage=covered,
        partitions=Partitions(
            **counts, unassigned=unassigned, scope=sum(counts.values()) + unassigned, overlap=overlap
        ),
        usage=[_row(each, rates) for each in uses],
        attributed=_totals((each for each in uses if each.share == "attributed"), rates, covered),
        shared=_totals((each for each in uses if each.share == "shared"), rates, covered),
        measured=_measured(uses, unassigned, ids or task),
        shared_with=shared_with,
        elapsed_ms=elapsed_ms,
    )
    return msgspec.structs.replace(draft, evidence_id=canon.digest(_unsealed(msgspec.to_builtins(draft))))


def document(given: Evidence) -> dict[str, Any]:
    """The JSON form, as a value that a test may change."""
    fields: dict[str, Any] = msgspec.to_builtins(given)
    return {"evidence_id": given.evidence_id, **_unsealed(fields)}


def sealed(changed: dict[str, Any]) -> bytes:
    """The bytes of a changed document under the identity that fits it."""
    return canon.canonical({**changed, "evidence_id": canon.digest(_unsealed(changed))})


def encode(given: Evidence) -> bytes:
    """The bytes as they are exported."""
    return canon.canonical(document(given))


def _unsealed(fields: dict[str, Any]) -> dict[str, Any]:
    unmeasured = {"elapsed_ms", "elapsed_source", "detectors"}
    return {
        name: each
        for name, each in fields.items()
        if name != "evidence_id" and not (each is None and name in unmeasured)
    }


def _coverage(changes: dict[str, Any]) -> Coverage:
    whole = {
        "genuine_prompts": 3, "missing_assignments": 0, "conflicting_assignments": 0, "joint_assignments": 0,
        "sessions": 2, "missing_sessions": 0, "sessions_without_usage": 0, "conflicting_sessions": 0,
        "unbound_worker_sessions": 0, "unbound_responses": 0, "turns_without_usage": 0,
    }  # fmt: skip
    counts = whole | changes
    gaps = ("missing_assignments", "conflicting_assignments", "missing_sessions", "sessions_without_usage",
            "conflicting_sessions", "unbound_worker_sessions")  # fmt: skip
    complete = counts["sessions"] > 0 and not any(counts[name] for name in gaps)
    return Coverage(**{"complete": complete, "reconciles": True} | counts)


def _row(each: Used, rates: PriceSchedule) -> UsageRow:
    group, worth = each.group, value(each.group, rates)
    counters = {}
    for name in COUNTERS:
        tokens, part = getattr(group.usage, name), worth.parts.get(f"{name}_tokens")
        counters[name] = Counter(
            tokens=tokens or 0,
            unknown=group.responses if tokens is None else 0,
            usd=None if part is None else decimal_text(part),
        )
    return UsageRow(
        day=each.day,
        harness=each.harness,
        model=group.model,
        provider=each.provider,
        effort=each.effort,
        semantics=group.semantics,
        agentsmd=None,
        phase=None,
        share="shared" if each.share == "shared" else "attributed",
        tier="unknown" if group.over is None else ("long" if group.over else "base"),
        service_tier=group.service_tier,
        speed=group.speed,
        final=group.final,
        shape=group.shape,
        responses=group.responses,
        priced_responses=group.responses if worth.reason is None else 0,
        price_reason=worth.reason,
        usd=decimal_text(worth.amount),
        web_search_requests=group.web_search_requests,
        native_usd=each.native_usd,
        native_responses=0 if each.native_usd is None else group.responses,
        **counters,
    )


def _totals(uses: Iterable[Used], rates: PriceSchedule, coverage: Coverage) -> Totals:
    worth = valuate((each.group for each in uses), rates)
    there = coverage.sessions > 0 and not (
        coverage.missing_sessions
        or coverage.sessions_without_usage
        or coverage.conflicting_sessions
        or coverage.unbound_worker_sessions
    )
    total: Decimal | None = worth.total if there and worth.responses else None
    return Totals(
        responses=worth.responses,
        priced_responses=worth.priced_responses,
        subtotal_usd=decimal_text(worth.subtotal),
        total_usd=None if total is None else decimal_text(total),
        unpriced_reasons=worth.reasons,
    )


def _measured(uses: Iterable[Used], unassigned: int, ids: str) -> Measured:
    pairs: dict[str, list[tuple[str, int]]] = {"attributed": [], "shared": []}
    name = canon.digest(ids)[:8]
    for number, each in enumerate(uses):
        pairs[each.share] += [
            (f"{each.harness}:msg_{name}_{number:03d}_{place:05d}", number) for place in range(each.group.responses)
        ]
    return Measured(
        pairs["attributed"], pairs["shared"], [f"claude:other_{name}_{place:05d}" for place in range(unassigned)]
    )
