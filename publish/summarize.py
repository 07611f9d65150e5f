"""From figures to cells: fills a Summary, one field after another.

Chooses which words and which forms; computes nothing but sums within one
counter semantics, and never converts a whole structure.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from observer.records import semantics as labels
from observer.records.evidence import Totals
from publish import words
from publish.cells import (
    Amount,
    Cell,
    Count,
    Counted,
    Day,
    Digest,
    Duration,
    Identifier,
    Moment,
    Money,
    Rate,
    Ref,
    Source,
    Tokens,
    Word,
)
from publish.figures import Figures, Known, ModelRow, RateRow, Subject, TokenRow, TokenTable
from publish.summary import Cost, Model, Prices, Provenance, RateLine, Reason, Shared, Summary, Table, Usage

# Rows that stand open in the main table; the templates fold the others.
_OPEN_ROWS = 20


def of(subject: Subject, figures: Figures) -> Summary:
    """The summary of a subject's figures."""
    flags = tuple(_flags(figures))
    tables = tuple(_table(each) for each in figures.tokens)
    shown = [cell for table in tables for row in (*table.rows, table.every) if row for cell in _shown(table, row)]
    outcome = figures.outcome
    return Summary(
        is_task=subject.kind == "task",
        name=Identifier(figures.id),
        acceptance=Word(words.ACCEPTANCE, outcome.state if outcome else "none"),
        complete=figures.coverage.complete,
        reconciles=figures.coverage.reconciles,
        sessions=_counted("session", figures.coverage.sessions),
        scope=_counted("response", figures.partitions.scope),
        owned=Count(figures.partitions.attributed),
        unassigned=Count(figures.partitions.unassigned),
        flag_count=_counted("flag", len(flags)),
        flags=flags,
        elapsed=None if figures.elapsed_ms is None else Duration(figures.elapsed_ms),
        cost=_cost(figures.priced),
        shared=Shared(
            count=Count(figures.partitions.shared),
            responses=_counted("response", figures.partitions.shared),
            tasks=_counted("task", figures.shared_with),
            amount=_cost(figures.shared).amount,
        ),
        models=tuple(_model(row) for row in figures.models),
        folded_models=_counted("row", max(0, len(figures.models) - _OPEN_ROWS)),
        more_models=_counted("row", figures.more_models),
        tables=tables,
        missing=any(not cell.reported for cell in shown),
        lower_bounds=any(cell.lower_bound for cell in shown),
        prices=_prices(figures),
        provenance=_provenance(subject, figures),
        details="details" not in figures.left_out,
        names_flags="flags" not in figures.left_out,
        left_out=tuple(Word(words.SECTIONS, each) for each in figures.left_out),
    )


def _counted(thing: str, number: int) -> Counted:
    return Counted(words.THINGS, thing, count=number)


def _flags(figures: Figures) -> Iterator[Counted]:
    """Gaps of the evidence, each counted, in the order of the vocabulary."""
    coverage, parts, outcome = figures.coverage, figures.partitions, figures.outcome
    counts = {
        "not_reconciled": 0 if coverage.reconciles else 1,
        "no_sessions": 0 if coverage.sessions else 1,
        "still_active": 1 if outcome is not None and outcome.state == "active" else 0,
        "missing_assignments": coverage.missing_assignments,
        "conflicting_assignments": coverage.conflicting_assignments,
        "conflicting_sessions": coverage.conflicting_sessions,
        "missing_sessions": coverage.missing_sessions,
        "sessions_without_usage": coverage.sessions_without_usage,
        "unbound_worker_sessions": coverage.unbound_worker_sessions,
        "unbound_responses": coverage.unbound_responses,
        # Those that nobody owns are counted already; the others belong to another task.
        "unassigned": max(0, parts.unassigned - coverage.unbound_responses),
        "turns_without_usage": coverage.turns_without_usage,
        "withheld": outcome.withheld if outcome is not None else 0,
    }
    for key in words.FLAGS:
        if counts[key]:
            yield Counted(words.FLAGS, key, count=counts[key])


def _cost(totals: Totals) -> Cost:
    whole = totals.total_usd is not None
    # A subtotal of 0 with nothing priced is no cost of 0: nothing is known.
    known = totals.priced_responses > 0 or Decimal(totals.subtotal_usd) > 0
    return Cost(
        amount=Money(Decimal(totals.subtotal_usd), complete=whole) if known else None,
        whole=whole,
        responses=_counted("response", totals.responses),
        priced=Count(totals.priced_responses),
        unpriced=_counted("response", totals.responses - totals.priced_responses),
        reasons=tuple(_reasons(totals.unpriced_reasons)),
    )


def _reasons(counts: dict[str, int]) -> Iterator[Reason]:
    """Most frequent first; reasons with the same words are one."""
    merged: dict[str, int] = {}
    for reason, count in counts.items():
        # The longest beginning that fits: one reason's words may begin another's.
        fitting = [start for start in words.REASONS if reason.startswith(start)]
        key = max(fitting, key=len, default="")
        merged[key] = merged.get(key, 0) + count
    for key, count in sorted(merged.items(), key=lambda each: (-each[1], each[0])):
        yield Reason(Count(count), Word(words.REASONS, key))


def _model(row: ModelRow) -> Model:
    known = row.priced > 0 or Decimal(row.usd) > 0
    return Model(
        model=Identifier(row.model),
        effort=_effort(row.effort),
        responses=Count(row.responses),
        priced=Count(row.priced),
        usd=Amount(Decimal(row.usd), complete=row.priced == row.responses) if known else None,
    )


def _effort(name: str | None) -> Cell:
    return Word(words.EFFORTS, name) if name is not None and name in words.EFFORTS else Identifier(name)


def _table(table: TokenTable) -> Table:
    placed = labels.parse(table.semantics)
    origin = table.semantics.partition(";")[2]
    return Table(
        cached=Word(words.RELATIONS, placed.cached),
        origin=Word(words.ORIGINS, origin if origin in words.ORIGINS else ""),
        harnesses=tuple(_harness(each) for each in table.harnesses),
        cached_inside=placed.cached == "inside",
        reasoning_inside=placed.reasoning == "inside",
        has_writes=placed.cached != "inside" or any(row.cache_write_input.tokens for row in table.rows),
        has_reasoning=placed.reasoning != "inside" or any(_reported(row) for row in table.rows),
        rows=tuple(_usage(row) for row in table.rows),
        every=_usage(_sum(table.rows), adds_up=True) if len(table.rows) > 1 else None,
    )


def _harness(name: str) -> Cell:
    return Word(words.HARNESSES, name) if name in words.HARNESSES else Identifier(name)


def _reported(row: TokenRow) -> bool:
    return row.reasoning_output.unknown < row.responses


def _usage(row: TokenRow, *, adds_up: bool = False) -> Usage:
    def cell(known: Known) -> Tokens:
        return Tokens(known.tokens, unknown=known.unknown, responses=row.responses)

    return Usage(
        model=None if adds_up else Identifier(row.model),
        input=cell(row.input),
        cached=cell(row.cached_input),
        write=cell(row.cache_write_input),
        output=cell(row.output),
        reasoning=cell(row.reasoning_output),
    )


def _sum(rows: Sequence[TokenRow]) -> TokenRow:
    def add(parts: Iterable[Known]) -> Known:
        members = list(parts)
        return Known(sum(each.tokens for each in members), sum(each.unknown for each in members))

    return TokenRow(
        model=None,
        responses=sum(row.responses for row in rows),
        input=add(row.input for row in rows),
        cached_input=add(row.cached_input for row in rows),
        cache_write_input=add(row.cache_write_input for row in rows),
        output=add(row.output for row in rows),
        reasoning_output=add(row.reasoning_output for row in rows),
    )


def _shown(table: Table, row: Usage) -> Iterator[Tokens]:
    """The cells of a row that stand in a column of its table."""
    yield from (row.input, row.cached, row.output)
    if table.has_writes:
        yield row.write
    if table.has_reasoning:
        yield row.reasoning


def _prices(figures: Figures) -> Prices:
    return Prices(
        schedule=Digest(figures.price_schedule_id),
        as_of=Day(figures.priced_as_of),
        lines=tuple(_rate_line(row) for row in figures.rates),
        has_reasoning=any(row.reasoning_output not in (None, row.output) for row in figures.rates),
        searches=_counted("search", figures.web_searches),
    )


def _rate_line(row: RateRow) -> RateLine:
    def rate(text: str | None) -> Rate:
        return Rate(None if text is None else Decimal(text))

    return RateLine(
        model=Identifier(row.model),
        tier=Word(words.TIERS, row.tier),
        input=rate(row.input),
        cached=rate(row.cached_input),
        write_5m=rate(row.cache_write_5m),
        write_1h=rate(row.cache_write_1h),
        output=rate(row.output),
        reasoning=rate(row.reasoning_output),
        source=Source(row.source),
    )


def _provenance(subject: Subject, figures: Figures) -> Provenance:
    outcome = figures.outcome
    return Provenance(
        snapshot=Digest(subject.snapshot_id),
        evidence=Digest(subject.evidence_id),
        cutoff=None if subject.cutoff is None else Moment(subject.cutoff),
        version=Identifier(figures.observer_version),
        candidate=Ref(outcome.candidate) if outcome and outcome.candidate is not None else None,
        proof=Ref(outcome.proof) if outcome and outcome.proof is not None else None,
        repairs=_counted("repair", outcome.repairs) if outcome and outcome.repairs is not None else None,
        corrections=_counted("correction", outcome.corrections)
        if outcome and outcome.corrections is not None
        else None,
        native=None if figures.native_usd is None else Money(Decimal(figures.native_usd), complete=True),
        native_responses=_counted("response", figures.native_responses),
        copies=_counted("copy", figures.partitions.overlap),
    )
