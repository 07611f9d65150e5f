"""From figures to cells: fills a Summary, one field after another.

Chooses which words and which forms; computes nothing but sums that
publish.totals knows, and never converts a whole structure.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from observer.records.evidence import Totals
from publish import groups, tabulate, totals, words
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
    Ref,
    Word,
)
from publish.figures import Figures, Subject, shown
from publish.groups import Group
from publish.summary import Change, Cost, Line, Origin, Prices, Provenance, Reason, Shared, Summary

# Rows that stand open in the tables; of the others the comment says how many there are.
_OPEN_ROWS = 20


def of(subjects: Sequence[Subject]) -> Summary:
    """The summary of all subjects of a comment; those that are tasks make its figures.

    Selections of sessions have no cost: beside tasks they are lines of the
    table of subjects and in no sum, because they may hold the same responses.
    """
    found = groups.of(subjects)
    tasks = [each for each in found if each.is_task]
    counted = tasks or found
    members = [subject for group in counted for subject in group.subjects]
    figures = totals.of(members)
    if len(counted) == 1:
        figures = counted[0].figures
    flags = tuple(_flags(figures, counted))
    tables = tuple(tabulate.token_table(each) for each in figures.tokens)
    cells = [
        cell for table in tables for row in (*table.rows, table.every) if row for cell in tabulate.shown(table, row)
    ]
    return Summary(
        several=len(found) > 1,
        is_task=bool(tasks),
        mixed=0 < len(tasks) < len(found),
        name=_title(counted[0]),
        acceptance=_acceptance(counted[0]),
        accepted=Count(sum(each.acceptance == "complete" for each in tasks)),
        tasks=_counted("subject", len(tasks)),
        selections=_counted("selection", len(found) - len(tasks)),
        lines=tuple(_line(each) for each in found[:_OPEN_ROWS]) if len(found) > 1 else (),
        more_lines=_counted("row", max(0, len(found) - _OPEN_ROWS)),
        complete=figures.coverage.complete,
        reconciles=figures.coverage.reconciles,
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
        elsewhere=_counted("response", sum(shown(each).elsewhere for each in subjects)),
        changes=() if "changes" in figures.left_out else tuple(_changes(found)),
        models=tuple(tabulate.model_row(row) for row in figures.models),
        folded_models=_counted("row", max(0, len(figures.models) - _OPEN_ROWS)),
        more_models=_counted("row", figures.more_models),
        tables=tables,
        missing=any(not cell.reported for cell in cells),
        lower_bounds=any(cell.lower_bound for cell in cells),
        prices=_prices(figures, schedules=_schedules(members)),
        provenance=_provenance(found, figures),
        details="details" not in figures.left_out,
        names_flags="flags" not in figures.left_out,
        left_out=tuple(Word(words.SECTIONS, each) for each in words.SECTIONS if each in figures.left_out),
    )


def _counted(thing: str, number: int) -> Counted:
    return Counted(words.THINGS, thing, count=number)


def _title(group: Group) -> Cell:
    return Identifier(group.id) if group.is_task else _counted("session", group.figures.coverage.sessions)


def _name(group: Group) -> Cell:
    # A selection is called by the beginning of its digest, which is all that tells it from another one.
    return Identifier(group.id) if group.is_task else Digest(group.id)


def _acceptance(group: Group) -> Cell:
    return Word(words.ACCEPTANCE, group.acceptance if group.is_task else "selection")


def _schedules(members: Iterable[Subject]) -> int:
    return len({shown(each).price_schedule_id for each in members})


def _line(group: Group) -> Line:
    figures = group.figures
    flags = list(_flags(figures, [group]))
    return Line(
        name=_name(group),
        acceptance=_acceptance(group),
        flags=_counted("flag", len(flags)) if flags else Word(words.FLAGLESS, ""),
        responses=Count(figures.partitions.attributed),
        usd=_amount(figures.priced) if group.is_task else None,
        is_task=group.is_task,
    )


def _flags(figures: Figures, found: Sequence[Group]) -> Iterator[Counted]:
    """Gaps of the evidence behind these groups' figures, each counted, in the order of the vocabulary."""
    coverage, parts = figures.coverage, figures.partitions
    members = [subject for group in found for subject in group.subjects]
    outcomes = [outcome for each in members if (outcome := shown(each).outcome) is not None]
    schedules = _schedules(members)
    counts = {
        "not_reconciled": 0 if coverage.reconciles else 1,
        "no_sessions": 0 if coverage.sessions else 1,
        "still_active": sum(group.acceptance == "active" for group in found),
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
        "withheld": sum(each.withheld for each in outcomes),
        "schedules": schedules if schedules > 1 else 0,
    }
    for key in words.FLAGS:
        if counts[key]:
            yield Counted(words.FLAGS, key, count=counts[key])


def _cost(priced: Totals) -> Cost:
    whole = priced.total_usd is not None
    return Cost(
        amount=Money(Decimal(priced.subtotal_usd), complete=whole) if _is_known(priced) else None,
        whole=whole,
        responses=_counted("response", priced.responses),
        priced=Count(priced.priced_responses),
        unpriced=_counted("response", priced.responses - priced.priced_responses),
        reasons=tuple(_reasons(priced.unpriced_reasons)),
    )


def _is_known(priced: Totals) -> bool:
    # A subtotal of 0 with nothing priced is no cost of 0: nothing is known.
    return priced.priced_responses > 0 or Decimal(priced.subtotal_usd) > 0


def _amount(priced: Totals) -> Cell | None:
    whole = priced.total_usd is not None
    return Amount(Decimal(priced.subtotal_usd), complete=whole) if _is_known(priced) else None


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


def _changes(found: Sequence[Group]) -> Iterator[Change]:
    """What the last update of each subject changed of what the comment said."""
    for group in found:
        for subject in group.subjects:
            change = _change(group, subject)
            if change is not None:
                yield change


def _change(group: Group, subject: Subject) -> Change | None:
    before, now = subject.before, shown(subject)
    if before is None:
        return None
    state = None if now.outcome is None else now.outcome.state
    costs = (before.priced, Decimal(before.usd)), (now.priced.priced_responses, Decimal(now.priced.subtotal_usd))
    repriced = before.price_schedule_id != now.price_schedule_id
    spent = group.is_task and not repriced and costs[0] != costs[1]
    decided = group.is_task and before.acceptance != state
    if before.responses == now.priced.responses and not (spent or decided or repriced):
        return None
    return Change(
        name=_name(group),
        responses_before=Count(before.responses),
        responses=_counted("response", now.priced.responses),
        usd_before=_before(before.usd, priced=before.priced, responses=before.responses) if spent else None,
        usd=_cost(now.priced).amount if spent else None,
        acceptance_before=Word(words.ACCEPTANCE, before.acceptance or "none") if decided else None,
        acceptance=Word(words.ACCEPTANCE, state or "none") if decided else None,
        repriced=group.is_task and repriced,
    )


def _before(usd: str, *, priced: int, responses: int) -> Cell | None:
    known = priced > 0 or Decimal(usd) > 0
    return Money(Decimal(usd), complete=priced == responses) if known else None


def _prices(figures: Figures, *, schedules: int) -> Prices:
    return Prices(
        as_of=Day(figures.priced_as_of) if schedules == 1 else None,
        schedules=_counted("schedule", schedules),
        lines=tuple(tabulate.rate_line(row) for row in figures.rates),
        has_reasoning=any(row.reasoning_output not in (None, row.output) for row in figures.rates),
        searches=_counted("search", figures.web_searches),
    )


def _provenance(found: Sequence[Group], figures: Figures) -> Provenance:
    origins = [_origin(group, subject) for group in found for subject in group.subjects]
    return Provenance(
        origins=tuple(origins[:_OPEN_ROWS]),
        more_origins=_counted("row", max(0, len(origins) - _OPEN_ROWS)),
        native=None if figures.native_usd is None else Money(Decimal(figures.native_usd), complete=True),
        native_responses=_counted("response", figures.native_responses),
        copies=_counted("copy", figures.partitions.overlap),
    )


def _origin(group: Group, subject: Subject) -> Origin:
    figures = shown(subject)
    outcome = figures.outcome
    return Origin(
        name=_name(group),
        snapshot=Digest(subject.snapshot_id),
        evidence=Digest(subject.evidence_id),
        cutoff=None if subject.cutoff is None else Moment(subject.cutoff),
        schedule=Digest(figures.price_schedule_id),
        as_of=Day(figures.priced_as_of),
        version=Identifier(figures.observer_version),
        candidate=Ref(outcome.candidate) if outcome and outcome.candidate is not None else None,
        proof=Ref(outcome.proof) if outcome and outcome.proof is not None else None,
        repairs=_counted("repair", outcome.repairs) if outcome and outcome.repairs is not None else None,
        corrections=_counted("correction", outcome.corrections)
        if outcome and outcome.corrections is not None
        else None,
    )
