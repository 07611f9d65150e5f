"""Figures: the allow-listed numbers of one subject, as plain data.

What a comment shows and what its state block remembers, and the only form in
which evidence goes on to the renderer. Taken from evidence field by field;
never holds a response id, and never anything that evidence cannot say.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta, Struct

from observer.pricing import exact, schedule
from observer.records.evidence import (
    Count,
    Counter,
    Coverage,
    Day,
    Digest,
    Evidence,
    Identifier,
    Instant,
    Money,
    Outcome,
    Partitions,
    Totals,
    UsageRow,
)
from observer.records.valuation import ModelPrices, PriceSchedule, Rates

Section = Literal["rates", "tokens", "details", "flags"]
COUNTERS = ("input", "cached_input", "cache_write_input", "output", "reasoning_output")


class ModelRow(Struct, frozen=True, omit_defaults=True):
    """A model at one effort, over all harnesses; `usd` is what is known of its cost."""

    model: Identifier | None
    effort: Identifier | None
    responses: Count
    priced: Count
    usd: Money


class Known(Struct, frozen=True, omit_defaults=True):
    """A sum, and how many responses did not report the counter."""

    tokens: Count
    unknown: Count = 0


class TokenRow(Struct, frozen=True, omit_defaults=True):
    """The counters of one model within one counter semantics."""

    model: Identifier | None
    responses: Count
    input: Known
    cached_input: Known
    cache_write_input: Known
    output: Known
    reasoning_output: Known


class TokenTable(Struct, frozen=True, omit_defaults=True):
    """All models of one semantics label, with the harnesses that reported them."""

    semantics: Annotated[str, Meta(pattern=r"^[a-z]+:[a-z_,;=]{1,100}$")]
    harnesses: list[Identifier]
    rows: list[TokenRow]


class RateRow(Struct, frozen=True, omit_defaults=True):
    """Rates that were used, USD per million tokens; None where there is none."""

    model: Identifier
    tier: Literal["base", "long"]
    input: Money | None = None
    cached_input: Money | None = None
    cache_write_5m: Money | None = None
    cache_write_1h: Money | None = None
    output: Money | None = None
    reasoning_output: Money | None = None
    source: Annotated[str, Meta(max_length=300)] | None = None


class Figures(Struct, frozen=True, omit_defaults=True):
    """Everything shown of one subject.

    `priced` is the valuation of its own usage, `shared` of what it shares
    with other tasks. `more_models` rows and the sections in `left_out` were
    dropped to keep the comment short.
    """

    id: Identifier
    observer_version: Identifier
    price_schedule_id: Digest
    priced_as_of: Day
    coverage: Coverage
    partitions: Partitions
    priced: Totals
    shared: Totals
    shared_with: Count = 0
    outcome: Outcome | None = None
    elapsed_ms: Count | None = None
    native_usd: Money | None = None
    native_responses: Count = 0
    web_searches: Count = 0
    models: list[ModelRow] = []
    more_models: Count = 0
    tokens: list[TokenTable] = []
    rates: list[RateRow] = []
    left_out: list[Section] = []


class Subject(Struct, frozen=True, omit_defaults=True):
    """One subject of a comment: which snapshot of it is shown, and its figures.

    `figures` is None where the comment had no room to remember them.
    """

    subject_id: Digest
    kind: Literal["task", "sessions"]
    snapshot_id: Digest
    evidence_id: Digest
    cutoff: Instant | None = None
    figures: Figures | None = None


def of(evidence: Evidence) -> Subject:
    """The subject that verified evidence describes."""
    return Subject(
        subject_id=evidence.subject.subject_id,
        kind=evidence.subject.kind,
        snapshot_id=evidence.snapshot_id,
        evidence_id=evidence.evidence_id,
        cutoff=evidence.cutoff,
        figures=_figures(evidence),
    )


def _figures(evidence: Evidence) -> Figures:
    prices = schedule.parse(evidence.price_schedule)
    own = [row for row in evidence.usage if row.share == "attributed"]
    native = [Decimal(row.native_usd) for row in own if row.native_usd is not None]
    return Figures(
        id=evidence.subject.id,
        observer_version=evidence.observer_version,
        price_schedule_id=evidence.price_schedule_id,
        priced_as_of=prices.as_of,
        coverage=evidence.coverage,
        partitions=evidence.partitions,
        priced=evidence.attributed,
        shared=evidence.shared,
        shared_with=evidence.shared_with,
        outcome=evidence.outcome,
        elapsed_ms=evidence.elapsed_ms,
        native_usd=_text(exact.total(native)) if native else None,
        native_responses=sum(row.native_responses for row in own),
        web_searches=sum(row.web_search_requests for row in own),
        models=_models(own),
        tokens=_tokens(own),
        rates=_rates(own, prices),
    )


def _models(rows: Iterable[UsageRow]) -> list[ModelRow]:
    """Dearest first, then by responses and name: the same figures always stand in the same order."""
    groups: dict[tuple[str | None, str | None], list[UsageRow]] = {}
    for row in rows:
        groups.setdefault((row.model, row.effort), []).append(row)
    found = [
        ModelRow(
            model=model,
            effort=effort,
            responses=sum(row.responses for row in members),
            priced=sum(row.priced_responses for row in members),
            usd=_text(exact.total(Decimal(row.usd) for row in members)),
        )
        for (model, effort), members in groups.items()
    ]
    return sorted(found, key=lambda row: (-Decimal(row.usd), -row.responses, row.model or "", row.effort or ""))


def _tokens(rows: Iterable[UsageRow]) -> list[TokenTable]:
    tables: dict[str, list[UsageRow]] = {}
    for row in rows:
        tables.setdefault(row.semantics, []).append(row)
    return [
        TokenTable(
            semantics=label,
            harnesses=sorted({row.harness for row in members}),
            rows=_token_rows(members),
        )
        for label, members in sorted(tables.items())
    ]


def _token_rows(rows: Iterable[UsageRow]) -> list[TokenRow]:
    models: dict[str | None, list[UsageRow]] = {}
    for row in rows:
        models.setdefault(row.model, []).append(row)
    found = [
        TokenRow(
            model=model,
            responses=sum(row.responses for row in members),
            **{name: _known(getattr(row, name) for row in members) for name in COUNTERS},
        )
        for model, members in models.items()
    ]
    return sorted(found, key=lambda row: (-row.input.tokens - row.output.tokens, -row.responses, row.model or ""))


def _known(counters: Iterable[Counter]) -> Known:
    members = list(counters)
    return Known(sum(each.tokens for each in members), sum(each.unknown for each in members))


def _rates(rows: Iterable[UsageRow], prices: PriceSchedule) -> list[RateRow]:
    """One row per model and tier of which something is priced."""
    found = {}
    for row in rows:
        entry = prices.find(row.model)
        if entry is None or row.model is None or not (row.priced_responses or Decimal(row.usd)):
            continue
        table = entry.long_context_rates if row.tier == "long" else entry.rates
        if table is not None:
            found[row.model, row.tier] = _rate_row(row.model, entry, table, prices)
    return [found[place] for place in sorted(found)]


def _rate_row(model: str, entry: ModelPrices, table: Rates, prices: PriceSchedule) -> RateRow:
    by_lifetime = table.cache_write_by_lifetime or {}
    source = entry.source_url or prices.source_url
    return RateRow(
        model=model,
        tier="base" if table is entry.rates else "long",
        input=_optional(table.input),
        cached_input=_optional(table.cached_input),
        cache_write_5m=_optional(by_lifetime.get("5m", table.cache_write)),
        cache_write_1h=_optional(by_lifetime.get("1h", table.cache_write)),
        output=_optional(table.output),
        reasoning_output=_optional(table.reasoning_output),
        source=source if len(source) <= 300 else None,
    )


def _optional(rate: Decimal | None) -> str | None:
    return None if rate is None else _text(rate)


def _text(amount: Decimal) -> str:
    return format(amount, "f")
