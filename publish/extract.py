"""From verified evidence to figures, field by field.

Counts a response once: what `overlap` says belongs to another subject is left
out here. Never passes on a structure of the evidence that the comment has no
name for.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

import msgspec

from observer.base.text import decimal_text
from observer.pricing import exact, schedule
from observer.records.evidence import Counter, Evidence, Totals, UsageRow
from observer.records.valuation import ModelPrices, PriceSchedule, Rates
from publish import rows, totals
from publish.figures import COUNTERS, Figures, Known, ModelRow, RateRow, Subject, TokenRow, TokenTable

# Of a row that is partly another subject's, nobody can say which part of its sums remains.
PARTLY_ELSEWHERE = "partly counted under another subject"


def subject(evidence: Evidence, *, elsewhere: Mapping[int, int] | None = None) -> Subject:
    """The subject that verified evidence describes.

    `elsewhere`: row number → how many of its responses are counted under
    another subject. A row that is there as a whole is left out; of one that
    is there in part, the rest is counted, and its tokens and cost are unknown.
    """
    return Subject(
        subject_id=evidence.subject.subject_id,
        kind=evidence.subject.kind,
        snapshot_id=evidence.snapshot_id,
        evidence_id=evidence.evidence_id,
        cutoff=evidence.cutoff,
        figures=_figures(evidence, elsewhere or {}),
    )


def _figures(evidence: Evidence, elsewhere: Mapping[int, int]) -> Figures:
    prices = schedule.parse(evidence.price_schedule)
    own = list(_own(evidence, elsewhere))
    removed = sum(elsewhere.values())
    parts = evidence.partitions
    native = [Decimal(row.native_usd) for row in own if row.native_usd is not None]
    return Figures(
        id=evidence.subject.id,
        observer_version=evidence.observer_version,
        price_schedule_id=evidence.price_schedule_id,
        priced_as_of=prices.as_of,
        coverage=evidence.coverage,
        partitions=msgspec.structs.replace(parts, attributed=parts.attributed - removed, scope=parts.scope - removed),
        priced=_totals(evidence.attributed, own) if removed else evidence.attributed,
        shared=evidence.shared,
        shared_with=evidence.shared_with,
        elsewhere=removed,
        outcome=evidence.outcome,
        elapsed_ms=evidence.elapsed_ms,
        native_usd=decimal_text(exact.total(native)) if native else None,
        native_responses=sum(row.native_responses for row in own),
        web_searches=sum(row.web_search_requests for row in own),
        models=totals.models(map(_model, own)),
        tokens=totals.tables(map(_table, own)),
        rates=totals.rates(_rates(own, prices)),
    )


def _own(evidence: Evidence, elsewhere: Mapping[int, int]) -> Iterator[UsageRow]:
    """The attributed rows as far as they are counted here."""
    for number, row in enumerate(evidence.usage):
        gone = elsewhere.get(number, 0)
        if row.share != "attributed" or gone >= row.responses:
            continue
        yield _rest(row, row.responses - gone) if gone else row


def _rest(row: UsageRow, responses: int) -> UsageRow:
    return msgspec.structs.replace(
        row,
        responses=responses,
        priced_responses=0,
        price_reason=PARTLY_ELSEWHERE,
        usd="0",
        web_search_requests=0,
        native_usd=None,
        native_responses=0,
        **dict.fromkeys(rows.COUNTERS, Counter(0, unknown=responses)),
    )


def _totals(stated: Totals, own: list[UsageRow]) -> Totals:
    """The valuation again, of the rows that are left."""
    reasons: dict[str, int] = {}
    for row in own:
        if row.price_reason is not None:
            reasons[row.price_reason] = reasons.get(row.price_reason, 0) + row.responses - row.priced_responses
    responses, priced = sum(row.responses for row in own), sum(row.priced_responses for row in own)
    subtotal = decimal_text(exact.total(Decimal(row.usd) for row in own))
    whole = stated.total_usd is not None and responses == priced and responses > 0
    return Totals(responses, priced, subtotal, subtotal if whole else None, reasons)


def _model(row: UsageRow) -> ModelRow:
    return ModelRow(row.model, row.effort, row.responses, row.priced_responses, row.usd)


def _table(row: UsageRow) -> TokenTable:
    counters = {name: _known(getattr(row, name)) for name in COUNTERS}
    return TokenTable(row.semantics, [row.harness], [TokenRow(row.model, row.responses, **counters)])


def _known(counter: Counter) -> Known:
    return Known(counter.tokens, counter.unknown)


def _rates(own: Iterable[UsageRow], prices: PriceSchedule) -> Iterator[RateRow]:
    """The rates of every row of which something is priced."""
    for row in own:
        entry = prices.find(row.model)
        if entry is None or row.model is None or not (row.priced_responses or Decimal(row.usd)):
            continue
        table = entry.long_context_rates if row.tier == "long" else entry.rates
        if table is not None:
            yield _rate_row(row.model, entry, table, prices)


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
    return None if rate is None else decimal_text(rate)
