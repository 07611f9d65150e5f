"""A prompt's completion → one response per model. Knows no file and no event.

The identity of a response is its prompt and its model, whatever session
repeats it. A total is never derived, an unknown cost never summed.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct, structs

from observer.adapters.grok.paths import HARNESS, plain
from observer.adapters.grok.shapes import Counters, Usage
from observer.base.text import decimal_text
from observer.records.response import Response
from observer.records.semantics import GROK
from observer.records.source import Category, Quarantine
from observer.records.spot import Spot
from observer.records.usage import COUNTERS, TokenUsage

_TICK = Decimal(1).scaleb(-10)


class Completion(Struct, frozen=True):
    """One `turn_completed`: where it stands, its usage (None: it told none), and what is known of its model.

    `asked_as`, the model named beside the prompt, is part of every copy of the
    lines and may therefore stand in an id. `started_as` is the model that the
    turn began with, by `until_ms` at the latest; `likely` the best other guess.
    """

    spot: Spot
    usage: Usage | None
    origin: int
    until_ms: int | None = None
    asked_as: str | None = None
    started_as: str | None = None
    likely: str | None = None
    effort: str | None = None


class Responses:
    """The responses of a session, each once, and the contradictions between completions of one prompt."""

    def __init__(self) -> None:
        self.faults: list[Quarantine] = []
        self._found: dict[str, Response] = {}

    def add(self, done: Completion) -> None:
        """Takes a completion; a later one of the same prompt fills what is unknown and contradicts nothing else."""
        for response in _told(done, self._fault):
            known = self._found.get(response.id)
            self._found[response.id] = response if known is None else self._joined(known, response)

    def all(self) -> list[Response]:
        """Without those that know no counter where another of the same prompt does."""
        known = {each.turn for each in self._found.values() if each.final}
        return [each for each in self._found.values() if each.final or each.turn not in known]

    def _joined(self, known: Response, later: Response) -> Response:
        counters = {}
        for name in COUNTERS:
            before, after = getattr(known.usage, name), getattr(later.usage, name)
            if None not in (before, after) and before != after:
                self._fault(later.ordinal, "usage_conflict")
                return known
            counters[name] = after if before is None else before
        cost = later.native_cost_usd if known.native_cost_usd is None else known.native_cost_usd
        return structs.replace(
            known, usage=TokenUsage(**counters), final=known.final or later.final, native_cost_usd=cost
        )

    def _fault(self, ordinal: int, category: Category) -> None:
        self.faults.append(Quarantine(ordinal, category, ("method", "params", "timestamp")))


def _told(done: Completion, fault: Any) -> Iterator[Response]:
    """What a completion says, a response per model; one without any counter when it says nothing."""
    usage = done.usage or Usage()
    table = usage.model_usage or {}
    if not table:
        yield _response(done, done.asked_as, usage, usage, model=done.started_as or done.likely)
    for key, entry in table.items():
        try:
            counters = msgspec.convert(entry, Counters)
        except msgspec.ValidationError:
            fault(done.spot.ordinal, "malformed_usage")
            continue
        alone = len(table) == 1
        partial = usage if alone else counters
        yield _response(done, key, counters, partial, model=done.started_as if alone and done.started_as else key)


def _response(done: Completion, key: str | None, found: Counters, whole: Counters, *, model: str | None) -> Response:
    """A response; its cost is known when neither it nor the `whole` it stands for lacks a part."""
    usage = TokenUsage(
        input=found.input_tokens,
        cached_input=found.cached_read_tokens,
        cache_write_input=found.cache_creation_tokens,
        output=found.output_tokens,
        reasoning_output=found.reasoning_tokens,
        total=found.total_tokens,
    )
    ticks, spot = found.cost_usd_ticks, done.spot
    incomplete = done.usage is None or done.usage.usage_is_incomplete or found.cost_is_partial or whole.cost_is_partial
    known = type(ticks) is int and ticks >= 0 and not incomplete
    return Response(
        id=":".join((HARNESS, spot.turn or "", *((plain(key),) if key else ()))),
        session=spot.session,
        semantics=GROK.label,
        usage=usage,
        ordinal=spot.ordinal,
        at_ms=spot.at_ms,
        turn=spot.turn,
        model=model or None,
        effort=done.effort,
        final=usage != TokenUsage(),
        origin=done.origin,
        native_cost_usd=decimal_text(ticks * _TICK) if known else None,
    )
