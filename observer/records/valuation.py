"""PriceSchedule and what valuing usage under it gives.

Money is Decimal, exact; rates are USD per million tokens. A part that cannot
be priced is never 0: it carries a reason from a closed list (behaviour §15.2).
"""

from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct

from observer.records.usage import TokenUsage

Lifetime = Literal["5m", "1h"]
Comparison = Literal["over", "at_least"]
# The buckets a rate may be given for, in the order reports show them.
BUCKETS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


class Rates(Struct, frozen=True):
    """One complete table of rates. None: no rate for that bucket.

    A cache write has either one rate for every lifetime (`cache_write`) or
    one per lifetime (`cache_write_by_lifetime`), never both.
    """

    input: Decimal | None = None
    cached_input: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_by_lifetime: dict[str, Decimal] | None = None
    output: Decimal | None = None
    reasoning_output: Decimal | None = None


class ModelPrices(Struct, frozen=True):
    """One entry of a schedule: exact ids only, nothing inherited between tiers.

    Above the threshold (`comparison` says whether it counts as above) the
    long rates replace all base rates; a threshold without long rates leaves
    such responses unpriced. `valid_from`, `valid_until` and `basis` inform the
    reader and never select a rate.
    """

    model: str
    semantics: tuple[str, ...]
    rates: Rates
    aliases: tuple[str, ...] = ()
    long_context_threshold: int | None = None
    long_context_comparison: Comparison = "over"
    long_context_rates: Rates | None = None
    web_search_usd_per_1000: Decimal | None = None
    source_url: str | None = None
    basis: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None

    def over(self, context_tokens: int | None) -> bool | None:
        """Whether a request of that input is in the long tier; None: cannot be told."""
        if self.long_context_threshold is None:
            return False
        if context_tokens is None:
            return None
        if self.long_context_comparison == "at_least":
            return context_tokens >= self.long_context_threshold
        return context_tokens > self.long_context_threshold


class PriceSchedule(Struct, frozen=True):
    """A dated, sourced set of rates. `document` is its JSON form: known fields
    only, nothing added, so that `schedule_id` (SHA-256 of the canonical JSON
    of `document`) can be recomputed by whoever holds it.
    """

    schedule_id: str
    source_url: str
    as_of: str
    models: dict[str, ModelPrices]
    document: dict[str, Any]

    def find(self, model: str | None) -> ModelPrices | None:
        """The entry of exactly this id or alias; `models` is keyed by both."""
        return self.models.get(model) if model is not None else None


class UsageGroup(Struct, frozen=True):
    """Responses that are valued alike: equal model, semantics, tier and shape.

    `usage` holds the sums; a counter that the shape calls unknown is None.
    `shape`: records.usage. `over`: whether the responses lie above the model's
    long-context threshold (None: it cannot be told). `final` False: output is
    a lower bound. One response is a group of one.
    """

    model: str | None
    semantics: str
    usage: TokenUsage
    shape: int
    responses: int = 1
    over: bool | None = False
    final: bool = True
    service_tier: str | None = None
    speed: str | None = None
    web_search_requests: int = 0


class Valued(Struct, frozen=True):
    """What one group costs.

    `parts` maps a bucket (BUCKETS, with cache writes split as
    `cache_write_5m_tokens` / `cache_write_1h_tokens` where the rate depends on
    the lifetime, and `web_search_requests`) to its exact amount. Priced means
    `reason` is None: then the sum of `parts` is the whole cost. With a reason
    the group is unpriced; `parts` may still hold a known lower bound (output
    not final, search fee without a rate), which belongs to a subtotal only.
    """

    parts: dict[str, Decimal]
    reason: str | None = None
    rates: Rates | None = None

    @property
    def amount(self) -> Decimal:
        """The sum of the known parts."""
        return sum(self.parts.values(), Decimal(0))


class ModelValuation(Struct, frozen=True):
    """One model's share of a valuation; `rates` are those that were used."""

    model: str | None
    responses: int
    priced_responses: int
    subtotal: Decimal
    reasons: dict[str, int]
    rates: tuple[Rates, ...]


class Valuation(Struct, frozen=True):
    """Many groups valued together. `total` is None unless everything is priced."""

    schedule_id: str
    as_of: str
    source_url: str
    responses: int
    priced_responses: int
    subtotal: Decimal
    total: Decimal | None
    reasons: dict[str, int]
    by_model: tuple[ModelValuation, ...]

    @property
    def unpriced_responses(self) -> int:
        """Responses without a complete price."""
        return self.responses - self.priced_responses
