"""What one group of equal responses costs, or the one reason why that is unknown.

Owns the formulas of behaviour §15.3, chosen by where a semantics places cached
input and reasoning. Counters only, never a total; a counter that is unknown
never becomes 0; nothing is inherited from another tier.
"""

from decimal import Decimal

from observer.pricing import exact, reasons
from observer.records import semantics as labels
from observer.records import usage as shapes
from observer.records.semantics import CounterSemantics
from observer.records.usage import plain_input, plain_output
from observer.records.valuation import BUCKETS, ModelPrices, PriceSchedule, Rates, UsageGroup, Valued

# No word, and the words for the ordinary tier and speed. Every other word has rates of its own that no schedule states.
STANDARD = frozenset({None, "", "standard", "default"})
WEB_SEARCH = "web_search_requests"

_INPUT, _CACHED, _WRITE, _OUTPUT, _REASONING = BUCKETS
_WRITE_5M = "cache_write_5m_tokens"
_WRITE_1H = "cache_write_1h_tokens"
# Bucket of the schedule -> counter of TokenUsage.
_COUNTERS = dict(
    zip(BUCKETS, ("input", "cached_input", "cache_write_input", "output", "reasoning_output"), strict=True)
)

_UNKNOWN_SPLIT = shapes.UNKNOWN["cache_write_5m"] | shapes.UNKNOWN["cache_write_1h"]

# A bucket, how many of it, the rate if there is one, and what to say if there is none.
_Line = tuple[str, int, Decimal | None, str]


def value(group: UsageGroup, schedule: PriceSchedule) -> Valued:
    """Values a group as the sum of its responses, exactly.

    A reason comes with empty parts, except where the tokens are priced and
    only the whole is not known: output not final, search fee without a rate.
    """
    prices = schedule.find(group.model)
    if prices is None:
        return Valued({}, reasons.UNKNOWN_MODEL)
    semantics = labels.parse(group.semantics)
    rates = _uncovered(group, prices, semantics) or _rates_in_force(group, prices)
    if isinstance(rates, str):
        return Valued({}, rates)
    reason = _unusable(group, semantics, rates)
    if reason is not None:
        return Valued({}, reason)
    return _bill(group, prices, rates, _lines(group, semantics, rates))


def _uncovered(group: UsageGroup, prices: ModelPrices, semantics: CounterSemantics) -> str | None:
    """Why the entry as a whole says nothing about the group."""
    placed = "unverified" not in (semantics.cached, semantics.reasoning)
    if group.semantics not in prices.semantics or not placed:
        return reasons.unsupported_semantics(group.semantics)
    if group.speed is not None and group.speed not in STANDARD:
        return reasons.no_rate_for_speed(group.speed)
    if group.service_tier is not None and group.service_tier not in STANDARD:
        return reasons.no_rate_for_service_tier(group.service_tier)
    return None


def _rates_in_force(group: UsageGroup, prices: ModelPrices) -> Rates | str:
    if prices.long_context_threshold is None or group.over is False:
        return prices.rates
    if group.over is None:
        return reasons.AMBIGUOUS_LONG_CONTEXT
    return prices.long_context_rates or reasons.LONG_CONTEXT_UNPRICED


def _unusable(group: UsageGroup, semantics: CounterSemantics, rates: Rates) -> str | None:
    """What is wrong with the counters, if anything."""
    return (
        _unknown_or_invalid(group, semantics, rates)
        or _contradiction(group, semantics)
        or _lifetime_fault(group, rates)
    )


def _unknown_or_invalid(group: UsageGroup, semantics: CounterSemantics, rates: Rates) -> str | None:
    for bucket, counter in _COUNTERS.items():
        count = getattr(group.usage, counter)
        if count is None or group.shape & shapes.UNKNOWN[counter]:
            if bucket != _REASONING or not _reasoning_needless(semantics, rates):
                return reasons.unknown_counter(bucket)
        elif count < 0:
            return reasons.invalid_counter(bucket)
    return None


def _reasoning_needless(semantics: CounterSemantics, rates: Rates) -> bool:
    """Output that contains reasoning costs the same with or without the split when both rates are equal."""
    return semantics.reasoning == "inside" and rates.output is not None and rates.output == rates.reasoning_output


def _contradiction(group: UsageGroup, semantics: CounterSemantics) -> str | None:
    if group.shape & shapes.CACHED_ABOVE_INPUT or (plain_input(group.usage, semantics) or 0) < 0:
        return reasons.CACHED_ABOVE_INPUT
    if group.shape & shapes.REASONING_ABOVE_OUTPUT or (plain_output(group.usage, semantics) or 0) < 0:
        return reasons.REASONING_ABOVE_OUTPUT
    return None


def _lifetime_fault(group: UsageGroup, rates: Rates) -> str | None:
    """Whether the split of cache writes can be relied on, where the rate depends on it."""
    if rates.cache_write_by_lifetime is None:
        return None
    usage = group.usage
    short, long = usage.cache_write_5m, usage.cache_write_1h
    if group.shape & shapes.SPLIT_MISMATCH or min(short or 0, long or 0) < 0:
        return reasons.INCONSISTENT_LIFETIMES
    if group.shape & _UNKNOWN_SPLIT or short is None or long is None:
        if usage.cache_write_input:
            return reasons.UNKNOWN_LIFETIME
        return reasons.INCONSISTENT_LIFETIMES if short or long else None
    return None if short + long == usage.cache_write_input else reasons.INCONSISTENT_LIFETIMES


def _lines(group: UsageGroup, semantics: CounterSemantics, rates: Rates) -> list[_Line]:
    """The billable parts; the counters have been found usable."""
    usage = group.usage
    output = plain_output(usage, semantics)
    return [
        _line(_INPUT, plain_input(usage, semantics), rates.input),
        _line(_CACHED, usage.cached_input, rates.cached_input),
        *_write_lines(group, rates),
        # Without a count of reasoning all output is billed at the rate that both share.
        _line(_OUTPUT, usage.output if output is None else output, rates.output),
        _line(_REASONING, usage.reasoning_output, rates.reasoning_output),
    ]


def _write_lines(group: UsageGroup, rates: Rates) -> list[_Line]:
    usage, by_lifetime = group.usage, rates.cache_write_by_lifetime
    if by_lifetime is None:
        return [_line(_WRITE, usage.cache_write_input, rates.cache_write)]
    split = (("5m", _WRITE_5M, usage.cache_write_5m), ("1h", _WRITE_1H, usage.cache_write_1h))
    return [
        (bucket, count or 0, by_lifetime.get(lifetime), reasons.missing_cache_write_rate(lifetime))
        for lifetime, bucket, count in split
    ]


def _line(bucket: str, count: int | None, rate: Decimal | None) -> _Line:
    return bucket, count or 0, rate, reasons.missing_rate(bucket)


def _bill(group: UsageGroup, prices: ModelPrices, rates: Rates, lines: list[_Line]) -> Valued:
    """Adds up what was used; a part of 0 needs no rate, a positive one does."""
    parts: dict[str, Decimal] = {}
    for bucket, count, rate, complaint in lines:
        if count and rate is None:
            return Valued({}, complaint)
        if count and rate is not None:
            parts[bucket] = exact.per_million(count, rate)
    reason = None if group.final else reasons.OUTPUT_NOT_FINAL
    if group.web_search_requests:
        if prices.web_search_usd_per_1000 is None:
            reason = reason or reasons.missing_rate(WEB_SEARCH)
        else:
            parts[WEB_SEARCH] = exact.per_thousand(group.web_search_requests, prices.web_search_usd_per_1000)
    return Valued(parts, reason, rates)
