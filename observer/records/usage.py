"""TokenUsage and its shape: counters of one response, and what is known of them.

The shape is a bit set that says which counters are unknown, which contradict
each other and which billable parts are positive. Responses of equal model,
semantics, tier and shape are valued alike, so their sums can be valued at
once and exactly (pricing), and a sum knows how much of it is unknown.
"""

from msgspec import Struct
from msgspec.structs import astuple

from observer.records.semantics import CounterSemantics

# SQLite's largest integer; a counter at or above 2**63 cannot be a count.
LARGEST = 2**63 - 1


class TokenUsage(Struct, frozen=True, gc=False):
    """The counters of one response, or sums over responses of one shape.

    `cache_write_5m` and `cache_write_1h` split `cache_write_input` by
    lifetime. None is unknown.
    """

    input: int | None = None
    cached_input: int | None = None
    cache_write_input: int | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    output: int | None = None
    reasoning_output: int | None = None
    total: int | None = None


def total(*parts: int | None) -> int | None:
    """The sum of all parts; unknown as soon as one of them is."""
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def lifetimes(short: int | None, long: int | None, whole: int | None) -> tuple[int | None, int | None, bool]:
    """Cache writes for 5 minutes and for 1 hour, and whether they can be a split of the whole.

    A split that exceeds or misses its whole is dropped. Two zeros beside a
    positive whole are dropped too, but contradict nothing: they stand where
    the answer had no split.
    """
    if whole is None:
        return short, long, True
    known = (short or 0) + (long or 0)
    fits = known <= whole if short is None or long is None else known in (0, whole)
    return (short, long, fits) if fits and (short or long or not whole) else (None, None, fits)


COUNTERS: tuple[str, ...] = TokenUsage.__struct_fields__


def filled(known: TokenUsage, later: TokenUsage) -> TokenUsage | None:
    """What is known with what a later telling adds; None when they contradict each other."""
    pairs = tuple(zip(astuple(known), astuple(later), strict=True))
    if any(before is not None and after is not None and before != after for before, after in pairs):
        return None
    return TokenUsage(*(after if before is None else before for before, after in pairs))


# Bits 0..7: the counter of that position in COUNTERS is unknown.
UNKNOWN = {name: 1 << place for place, name in enumerate(COUNTERS)}
_UNKNOWN_BITS = tuple(UNKNOWN.values())
# Contradictions inside one response.
CACHED_ABOVE_INPUT = 1 << 8
REASONING_ABOVE_OUTPUT = 1 << 9
SPLIT_MISMATCH = 1 << 10
# Billable parts that are positive (a part of 0 needs no rate).
POSITIVE_INPUT = 1 << 11
POSITIVE_CACHED = 1 << 12
POSITIVE_WRITE = 1 << 13
POSITIVE_WRITE_5M = 1 << 14
POSITIVE_WRITE_1H = 1 << 15
POSITIVE_OUTPUT = 1 << 16
POSITIVE_REASONING = 1 << 17

INCONSISTENT = CACHED_ABOVE_INPUT | REASONING_ABOVE_OUTPUT | SPLIT_MISMATCH


def plain_input(usage: TokenUsage, semantics: CounterSemantics) -> int | None:
    """Input billed at the plain rate: neither read from the cache nor written to it.

    Where the input counter contains both, they are taken out, because each is
    billed at its own rate (docs/decisions.md: no token is billed twice).
    """
    if semantics.cached != "inside":
        return usage.input
    if usage.input is None or usage.cached_input is None or usage.cache_write_input is None:
        return None
    return usage.input - usage.cached_input - usage.cache_write_input


def plain_output(usage: TokenUsage, semantics: CounterSemantics) -> int | None:
    """Output without reasoning, whichever way the harness counts it."""
    if semantics.reasoning != "inside":
        return usage.output
    if usage.output is None or usage.reasoning_output is None:
        return None
    return usage.output - usage.reasoning_output


def context_tokens(usage: TokenUsage, semantics: CounterSemantics) -> int | None:
    """All input of one request, cache included: what a long-context tier looks at."""
    if semantics.cached != "beside":
        return usage.input
    if usage.input is None or usage.cached_input is None or usage.cache_write_input is None:
        return None
    return usage.input + usage.cached_input + usage.cache_write_input


def shape(usage: TokenUsage, semantics: CounterSemantics) -> int:
    """The bit set of one response (constants of this module)."""
    bits = 0
    for count, bit in zip(astuple(usage), _UNKNOWN_BITS, strict=True):
        if count is None:
            bits |= bit
    if usage.cached_input:
        bits |= POSITIVE_CACHED
    if usage.cache_write_input:
        bits |= POSITIVE_WRITE
    if usage.cache_write_5m:
        bits |= POSITIVE_WRITE_5M
    if usage.cache_write_1h:
        bits |= POSITIVE_WRITE_1H
    if usage.reasoning_output:
        bits |= POSITIVE_REASONING
    if plain_input(usage, semantics):
        bits |= POSITIVE_INPUT
    if plain_output(usage, semantics):
        bits |= POSITIVE_OUTPUT
    return bits | _contradictions(usage, semantics)


def _contradictions(usage: TokenUsage, semantics: CounterSemantics) -> int:
    bits = 0
    from_cache = (usage.cached_input or 0) + (usage.cache_write_input or 0)
    if semantics.cached == "inside" and usage.input is not None and usage.input < from_cache:
        bits |= CACHED_ABOVE_INPUT
    if semantics.reasoning == "inside" and usage.output is not None and usage.output < (usage.reasoning_output or 0):
        bits |= REASONING_ABOVE_OUTPUT
    return bits | (SPLIT_MISMATCH if _split_differs(usage) else 0)


def _split_differs(usage: TokenUsage) -> bool:
    short, long, whole = usage.cache_write_5m, usage.cache_write_1h, usage.cache_write_input
    return short is not None and long is not None and whole is not None and short + long != whole
