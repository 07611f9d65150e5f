"""Adding figures up: rows of one subject, and the subjects of one comment.

Every sum stays within one model, one counter semantics, one price table.
Never adds a part that is unknown as if it were 0: what is missing in one
addend is counted as missing in the sum.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

import msgspec

from observer.base.text import decimal_text
from observer.pricing import exact
from observer.records.evidence import Coverage, Partitions, Totals
from publish import audit
from publish.figures import COUNTERS, Figures, Known, ModelRow, RateRow, Subject, TokenRow, TokenTable, shown

T = TypeVar("T", Coverage, Partitions)


def models(rows: Iterable[ModelRow]) -> list[ModelRow]:
    """One row per model and effort: dearest first, then by responses and name."""
    groups: dict[tuple[str | None, str | None], list[ModelRow]] = {}
    for row in rows:
        groups.setdefault((row.model, row.effort), []).append(row)
    added = [
        ModelRow(
            model=model,
            effort=effort,
            responses=sum(row.responses for row in members),
            priced=sum(row.priced for row in members),
            usd=_usd(row.usd for row in members),
        )
        for (model, effort), members in groups.items()
    ]
    return sorted(added, key=lambda row: (-Decimal(row.usd), -row.responses, row.model or "", row.effort or ""))


def tables(parts: Iterable[TokenTable]) -> list[TokenTable]:
    """One table per counter semantics, in the order of the labels."""
    groups: dict[str, list[TokenTable]] = {}
    for part in parts:
        groups.setdefault(part.semantics, []).append(part)
    return [
        TokenTable(
            semantics=label,
            harnesses=sorted({harness for part in members for harness in part.harnesses}),
            rows=_by_model(row for part in members for row in part.rows),
        )
        for label, members in sorted(groups.items())
    ]


def every(rows: Sequence[TokenRow]) -> TokenRow:
    """All rows of one table added up."""
    return _added(None, rows)


def rates(rows: Iterable[RateRow]) -> list[RateRow]:
    """Each table of rates once, by model and tier; two rows of one model only where schedules differ."""
    return sorted(set(rows), key=lambda row: (row.model, row.tier, repr(row)))


def of(subjects: Sequence[Subject]) -> Figures:
    """The figures of all these subjects together; of one alone, its own.

    What is one subject's (its name, outcome, schedule) is the first one's:
    the caller shows those by subject.
    """
    each = [shown(subject) for subject in subjects]
    if len(each) == 1:
        return each[0]
    # A row or table that one of them had to leave out would make a sum that looks whole and is not.
    left_out = list(dict.fromkeys(section for figures in each for section in figures.left_out))
    more = any(figures.more_models for figures in each)
    native = [Decimal(figures.native_usd) for figures in each if figures.native_usd is not None]
    return msgspec.structs.replace(
        each[0],
        coverage=_coverage([figures.coverage for figures in each]),
        partitions=_counts([figures.partitions for figures in each]),
        priced=_totals([(figures.priced, figures.coverage) for figures in each]),
        shared=_totals([(figures.shared, figures.coverage) for figures in each]),
        shared_with=sum(figures.shared_with for figures in each),
        elsewhere=sum(figures.elsewhere for figures in each),
        outcome=None,
        # Time of tasks that ran beside each other adds up to nothing that anybody waited for.
        elapsed_ms=None,
        native_usd=decimal_text(exact.total(native)) if native else None,
        native_responses=sum(figures.native_responses for figures in each),
        web_searches=sum(figures.web_searches for figures in each),
        models=[] if more else models(row for figures in each for row in figures.models),
        more_models=sum(figures.more_models + len(figures.models) for figures in each) if more else 0,
        tokens=[] if "tokens" in left_out else tables(table for figures in each for table in figures.tokens),
        rates=[] if "rates" in left_out else rates(row for figures in each for row in figures.rates),
        left_out=left_out,
    )


def _by_model(rows: Iterable[TokenRow]) -> list[TokenRow]:
    groups: dict[str | None, list[TokenRow]] = {}
    for row in rows:
        groups.setdefault(row.model, []).append(row)
    added = [_added(model, members) for model, members in groups.items()]
    return sorted(added, key=lambda row: (-row.input.tokens - row.output.tokens, -row.responses, row.model or ""))


def _added(model: str | None, rows: Sequence[TokenRow]) -> TokenRow:
    sums = {name: _known([getattr(row, name) for row in rows]) for name in COUNTERS}
    return TokenRow(model=model, responses=sum(row.responses for row in rows), **sums)


def _known(parts: Sequence[Known]) -> Known:
    return Known(sum(part.tokens for part in parts), sum(part.unknown for part in parts))


def _totals(parts: Sequence[tuple[Totals, Coverage]]) -> Totals:
    """A total only where every part has one, or is known to be nothing at all."""
    reasons: dict[str, int] = {}
    for part, _ in parts:
        for reason, count in part.unpriced_reasons.items():
            reasons[reason] = reasons.get(reason, 0) + count
    subtotal = _usd(part.subtotal_usd for part, _ in parts)
    whole = all(
        part.total_usd is not None or (not part.responses and not audit.unavailable(coverage))
        for part, coverage in parts
    )
    responses = sum(part.responses for part, _ in parts)
    return Totals(
        responses=responses,
        priced_responses=sum(part.priced_responses for part, _ in parts),
        subtotal_usd=subtotal,
        total_usd=subtotal if whole and responses else None,
        unpriced_reasons=reasons,
    )


def _coverage(parts: Sequence[Coverage]) -> Coverage:
    both = {name: all(getattr(part, name) for part in parts) for name in ("complete", "reconciles")}
    return msgspec.structs.replace(_counts(parts), **both)


def _counts(parts: Sequence[T]) -> T:
    names = parts[0].__struct_fields__
    return msgspec.structs.replace(parts[0], **{name: sum(getattr(part, name) for part in parts) for name in names})


def _usd(amounts: Iterable[str]) -> str:
    return decimal_text(exact.total(map(Decimal, amounts)))
