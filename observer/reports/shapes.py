"""The JSON shapes that several reports share: buckets, rates, estimates.

Money is a decimal text, unknown is None, and no figure crosses semantics.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from observer.base.text import decimal_text
from observer.records.semantics import parse
from observer.records.tally import Sums, tally
from observer.records.usage import COUNTERS, REASONING_ABOVE_OUTPUT, TokenUsage, plain_output
from observer.records.valuation import Rates, UsageGroup, Valuation

BASIS = "list-price estimate; a subscription is not billed this way"


def token_fields(usage: TokenUsage) -> dict[str, int | None]:
    """Counters under the names of reports (`input` → `input_tokens`)."""
    return {f"{name}_tokens": getattr(usage, name) for name in COUNTERS}


def by_semantics(groups: Iterable[UsageGroup]) -> dict[str, dict[str, Any]]:
    """Sums per semantics label."""
    return {label: buckets(sums) for label, sums in sorted(tally(groups).items())}


def buckets(sums: Sums) -> dict[str, Any]:
    """One semantics: known sums (lower bounds where `unknown_counts` names them)."""
    return {
        "responses": sums.responses,
        **{f"{name}_tokens": sums.value(name) for name in COUNTERS},
        "unknown_counts": {f"{name}_tokens": count for name, count in sums.unknown.items()},
    }


def estimate(valuation: Valuation) -> dict[str, Any]:
    """`estimated_cost` as every report shows it; the total only when all of it is priced."""
    return {
        "schedule_source": valuation.source_url,
        "schedule_as_of": valuation.as_of,
        "price_schedule_id": valuation.schedule_id,
        "basis": BASIS,
        "responses": valuation.responses,
        "priced_responses": valuation.priced_responses,
        "unpriced_responses": valuation.unpriced_responses,
        "estimated_cost_usd_partial": subtotal(valuation.subtotal, valuation.priced_responses, valuation.responses),
        "estimated_cost_usd_total": None if valuation.total is None else decimal_text(valuation.total),
        "complete": valuation.total is not None,
        "status": _status(valuation),
        "unpriced_reasons": dict(sorted(valuation.reasons.items())),
        "by_model": [
            {
                "model": each.model,
                "responses": each.responses,
                "priced_responses": each.priced_responses,
                "estimated_cost_usd_partial": subtotal(each.subtotal, each.priced_responses, each.responses),
                "rates": [rates(table) for table in each.rates],
                "reasons": dict(sorted(each.reasons.items())),
            }
            for each in valuation.by_model
        ],
    }


def subtotal(amount: Decimal, priced: int, responses: int) -> str | None:
    """A known subtotal as text; None when nothing of it is known."""
    return None if responses and not priced and not amount else decimal_text(amount)


def rates(table: Rates) -> dict[str, Any]:
    """Rates in USD per million tokens, under the bucket names of schedules."""
    write: Any = _text(table.cache_write)
    if table.cache_write_by_lifetime is not None:
        write = {lifetime: decimal_text(rate) for lifetime, rate in sorted(table.cache_write_by_lifetime.items())}
    return {
        "input_tokens": _text(table.input),
        "cached_input_tokens": _text(table.cached_input),
        "cache_write_input_tokens": write,
        "output_tokens": _text(table.output),
        "reasoning_output_tokens": _text(table.reasoning_output),
    }


def generation(groups: Sequence[UsageGroup]) -> dict[str, Any]:
    """How output came about: reasoning against the rest, over the responses that tell.

    A response that lacks either counter, contradicts itself, or whose
    semantics are unverified is unknown; with one such the share is unknown.
    """
    reasoning = other = measured = 0
    for group in groups:
        plain = plain_output(group.usage, parse(group.semantics))
        if _tells(group) and plain is not None and group.usage.reasoning_output is not None:
            reasoning, other = reasoning + group.usage.reasoning_output, other + plain
            measured += group.responses
    unknown = sum(group.responses for group in groups) - measured
    whole = reasoning + other
    return {
        "reasoning_tokens": reasoning if measured else None,
        "other_output_tokens": other if measured else None,
        "reasoning_share": decimal_text(round(Decimal(reasoning) / whole, 4)) if whole and not unknown else None,
        "measured_responses": measured,
        "unknown_responses": unknown,
    }


def native(costs: Mapping[bool, int], known: Decimal) -> dict[str, Any]:
    """`native_cost`: what the harness itself recorded. `costs`: known? → responses."""
    unknown = costs.get(False, 0)
    return {
        "known_responses": costs.get(True, 0),
        "unknown_responses": unknown,
        "subtotal_usd": decimal_text(known) if costs.get(True) else None,
        "total_usd": decimal_text(known) if costs.get(True) and not unknown else None,
        "note": "as recorded by the harness, never mixed with the estimate",
    }


def _tells(group: UsageGroup) -> bool:
    return parse(group.semantics).reasoning != "unverified" and not group.shape & REASONING_ABOVE_OUTPUT


def _status(valuation: Valuation) -> str:
    if not valuation.responses:
        return "nothing to price"
    if valuation.total is not None:
        return "complete"
    return "partial" if valuation.priced_responses or valuation.subtotal else "unknown"


def _text(rate: Decimal | None) -> str | None:
    return None if rate is None else decimal_text(rate)
