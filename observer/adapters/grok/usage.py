"""A prompt's completion → one response per model. Knows no file and no event.

The identity of a response is its prompt and its model, whatever session
repeats it. A total is never derived, an unknown cost never summed.
"""

from decimal import Decimal

import msgspec
from msgspec import Struct

from observer.adapters.grok.paths import HARNESS, plain
from observer.adapters.grok.shapes import Counters, Usage
from observer.adapters.making import Making
from observer.adapters.prompts import Asked
from observer.base.text import decimal_text
from observer.records.response import Response
from observer.records.semantics import GROK
from observer.records.spot import Spot
from observer.records.usage import TokenUsage

_TICK = Decimal(1).scaleb(-10)


class Completion(Struct, frozen=True):
    """One `turn_completed`: where it stands, its usage (None: it told none), by when it began at the latest.

    `asked_as`, the model named beside the prompt, is part of every copy of the
    lines and may therefore stand in an id.
    """

    spot: Spot
    usage: Usage | None
    origin: int
    until_ms: int | None
    asked_as: str | None
    prompt: Asked | None


def tell(making: Making, done: Completion, *, started_as: str | None, likely: str | None, effort: str | None) -> None:
    """Files what a completion says, a response per model; one without any counter when it says nothing.

    A later completion of the same prompt fills what is unknown and contradicts
    nothing else. `started_as` is the model that the turn began with, `likely`
    the best other guess.
    """
    making.spot, usage = done.spot, done.usage or Usage()
    table = usage.model_usage or {}
    if not table:
        making.filled_response(_response(done, done.asked_as, usage, usage, started_as or likely, effort))
    for key, entry in table.items():
        try:
            counters = msgspec.convert(entry, Counters)
        except msgspec.ValidationError:
            making.fault("malformed_usage")
            continue
        whole, model = (usage, started_as or key) if len(table) == 1 else (counters, key)
        making.filled_response(_response(done, key, counters, whole, model, effort))


def _response(
    done: Completion, key: str | None, found: Counters, whole: Counters, model: str | None, effort: str | None
) -> Response:
    """A response; its cost is known when neither it nor the `whole` it stands for lacks a part."""
    usage = TokenUsage(
        found.input_tokens, found.cached_read_tokens, found.cache_creation_tokens, None, None, found.output_tokens,
        found.reasoning_tokens, found.total_tokens,
    )  # fmt: skip
    ticks, spot = found.cost_usd_ticks, done.spot
    incomplete = done.usage is None or done.usage.usage_is_incomplete or found.cost_is_partial or whole.cost_is_partial
    known = type(ticks) is int and ticks >= 0 and not incomplete
    return spot.response(
        ":".join((HARNESS, spot.turn or "", *((plain(key),) if key else ()))),
        GROK.label,
        usage,
        model=model or None,
        effort=effort,
        final=usage != TokenUsage(),
        origin=done.origin,
        native_cost_usd=decimal_text(ticks * _TICK) if known else None,
    )
