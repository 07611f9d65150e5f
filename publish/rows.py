"""One usage row against itself: its shape, tier, price and parts, derived again from its counters.

The faults are texts that begin with the field's name within the row.
"""

from collections.abc import Iterator
from decimal import Decimal

from observer.base.text import decimal_text
from observer.pricing.value import value
from observer.records import semantics as labels
from observer.records import usage as shapes
from observer.records.evidence import Counter, UsageRow
from observer.records.usage import TokenUsage, context_tokens, plain_input, plain_output
from observer.records.valuation import ModelPrices, PriceSchedule, UsageGroup

COUNTERS = tuple(name for name in shapes.COUNTERS if name != "total")
# A counter's part of the price, by the name that pricing gives it.
_PARTS = {name: f"{name}_tokens" for name in COUNTERS}
_OVER = {"base": False, "long": True, "unknown": None}
# Rows carry no total, so whether it was known cannot be derived; a mismatch of the cache-write split can cancel out
# in a sum.
_UNDERIVABLE = shapes.UNKNOWN["total"]


def group(row: UsageRow) -> UsageGroup:
    """The row as pricing takes it: a counter that the shape calls unknown is None."""
    known = {
        name: None if row.shape & shapes.UNKNOWN[name] else counter.tokens for name, counter in _counters(row).items()
    }
    return UsageGroup(
        model=row.model,
        semantics=row.semantics,
        usage=TokenUsage(**known),
        shape=row.shape,
        responses=row.responses,
        over=_OVER[row.tier],
        final=row.final,
        service_tier=row.service_tier,
        speed=row.speed,
        web_search_requests=row.web_search_requests,
    )


def faults(row: UsageRow, group: UsageGroup, prices: PriceSchedule) -> Iterator[str]:
    """What the row says and its own counters, under these rates, do not."""
    yield from _unknowns(row)
    yield from _shape(row, group)
    yield from _tier(row, group, prices.find(row.model))
    yield from _price(row, group, prices)
    if row.native_responses > row.responses or (row.native_usd is None) != (row.native_responses == 0):
        yield f"native_responses: is {row.native_responses}, which fits neither native_usd nor responses"


def _counters(row: UsageRow) -> dict[str, Counter]:
    return {name: getattr(row, name) for name in COUNTERS}


def _unknowns(row: UsageRow) -> Iterator[str]:
    """Responses of one shape report a counter all together or not at all."""
    for name, counter in _counters(row).items():
        unknown = bool(row.shape & shapes.UNKNOWN[name])
        if counter.unknown != (row.responses if unknown else 0):
            yield f"{name}.unknown: is {counter.unknown}, the shape gives {row.responses if unknown else 0}"
        if unknown and counter.tokens:
            yield f"{name}.tokens: is {counter.tokens}, but no response reported it"


def _shape(row: UsageRow, group: UsageGroup) -> Iterator[str]:
    semantics = labels.parse(row.semantics)
    derived = shapes.shape(group.usage, semantics) | _UNDERIVABLE
    stated = row.shape | _UNDERIVABLE
    if row.responses > 1:
        derived |= stated & shapes.SPLIT_MISMATCH
    if stated != derived:
        yield f"shape: is {row.shape}, the counters give another"
    parts = (
        ("input", shapes.POSITIVE_INPUT, plain_input(group.usage, semantics)),
        ("cached_input", shapes.POSITIVE_CACHED, group.usage.cached_input),
        ("cache_write_input", shapes.POSITIVE_WRITE, group.usage.cache_write_input),
        ("cache_write_5m", shapes.POSITIVE_WRITE_5M, group.usage.cache_write_5m),
        ("cache_write_1h", shapes.POSITIVE_WRITE_1H, group.usage.cache_write_1h),
        ("output", shapes.POSITIVE_OUTPUT, plain_output(group.usage, semantics)),
        ("reasoning_output", shapes.POSITIVE_REASONING, group.usage.reasoning_output),
    )
    for name, bit, tokens in parts:
        # Each response of the row has at least one token of a part that the shape calls positive.
        if row.shape & bit and tokens is not None and abs(tokens) < row.responses:
            yield f"{name}.tokens: too few for {row.responses} responses that each had some"


def _tier(row: UsageRow, group: UsageGroup, entry: ModelPrices | None) -> Iterator[str]:
    """All responses of a row lie on one side of the model's threshold, and so does their average."""
    if entry is None or entry.long_context_threshold is None:
        if row.tier != "base":
            yield f"tier: is {row.tier}, but the model has no long-context tier"
        return
    tokens = context_tokens(group.usage, labels.parse(row.semantics))
    if (tokens is None) != (row.tier == "unknown"):
        yield f"tier: is {row.tier}, which does not fit what is known of the input"
    elif tokens is not None:
        # Rounded up: a whole number above the threshold stays above it, one at or below it stays there.
        average = -(-tokens // row.responses)
        if bool(entry.over(average)) != (row.tier == "long"):
            yield f"tier: is {row.tier}, the input gives {'base' if row.tier == 'long' else 'long'}"


def _price(row: UsageRow, group: UsageGroup, prices: PriceSchedule) -> Iterator[str]:
    worth = value(group, prices)
    if row.price_reason != worth.reason:
        yield f"price_reason: is {row.price_reason or 'null'}, the rates give {worth.reason or 'null'}"
    priced = row.responses if worth.reason is None else 0
    if row.priced_responses != priced:
        yield f"priced_responses: is {row.priced_responses}, the rates give {priced}"
    if Decimal(row.usd) != worth.amount:
        yield f"usd: is {row.usd}, the rates give {decimal_text(worth.amount)}"
    for name, counter in _counters(row).items():
        part = worth.parts.get(_PARTS[name])
        if Decimal(counter.usd or 0) != (part or 0):
            yield f"{name}.usd: is {counter.usd or 'null'}, the rates give {decimal_text(part or Decimal(0))}"
