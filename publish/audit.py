"""Does evidence add up? Everything in it that follows from something else, derived again.

Rows are priced again from their counters and the embedded rates, totals added
again from the rows, identities made again. Never repairs: a fault is a line
that names the field, what it says, and what its parts give.
"""

import hashlib
from collections import Counter as Tally
from collections.abc import Iterable, Iterator
from decimal import Decimal

from observer.base.errors import EvidenceRefused, ScheduleError
from observer.base.text import decimal_text
from observer.pricing import schedule
from observer.pricing.scope import valuate
from observer.records.evidence import Coverage, Evidence, Totals, UsageRow
from observer.records.valuation import PriceSchedule, UsageGroup
from publish import rows
from publish.marker import is_instant


def faults(evidence: Evidence) -> list[str]:
    """Every place where the evidence contradicts itself; empty when it adds up.

    EvidenceRefused when its price schedule is none.
    """
    prices = _prices(evidence)
    groups = [rows.group(row) for row in evidence.usage]
    found = [*differs("price_schedule_id", evidence.price_schedule_id, "price_schedule", prices.schedule_id)]
    found += _subject(evidence)
    found += _dates(evidence)
    for number, (row, each) in enumerate(zip(evidence.usage, groups, strict=True)):
        found += (f"usage[{number}].{fault}" for fault in rows.faults(row, each, prices))
    found += _shares(evidence, groups, prices)
    found += _partitions(evidence)
    found += _measured(evidence)
    found += _coverage(evidence)
    return found


def differs(field: str, stated: object, source: str, derived: object) -> list[str]:
    """One fault, or none when both are equal."""
    if stated == derived:
        return []
    return [f"{field}: is {_said(stated)}, {source} gives {_said(derived)}"]


def _said(value: object) -> str:
    if value is None:
        return "null"
    return decimal_text(value) if isinstance(value, Decimal) else str(value)


def _prices(evidence: Evidence) -> PriceSchedule:
    try:
        return schedule.parse(evidence.price_schedule)
    except ScheduleError as error:
        raise EvidenceRefused(f"price_schedule: {' '.join(error.message.split())}") from None


def _subject(evidence: Evidence) -> list[str]:
    subject = evidence.subject
    named = "\0".join((evidence.ledger_id, subject.kind, subject.id))
    identity = hashlib.sha256(named.encode()).hexdigest()
    found = differs("subject.subject_id", subject.subject_id, "the ledger, kind and id", identity)
    if subject.kind == "sessions" and evidence.outcome is not None:
        found.append("outcome: a selection of sessions has none")
    return found


def _dates(evidence: Evidence) -> Iterator[str]:
    """What has the form of a date has to be one: the 31st of September orders nothing."""
    if evidence.cutoff is not None and not is_instant(evidence.cutoff):
        yield f"cutoff: {evidence.cutoff} is no instant"
    for number, row in enumerate(evidence.usage):
        if row.day is not None and not is_instant(f"{row.day}T00:00:00.000Z"):
            yield f"usage[{number}].day: {row.day} is no day"


def _shares(evidence: Evidence, groups: list[UsageGroup], prices: PriceSchedule) -> Iterator[str]:
    """The totals of both shares, from the same rows by the same valuation as the exporter's."""
    for share, stated in (("attributed", evidence.attributed), ("shared", evidence.shared)):
        own = [each for row, each in zip(evidence.usage, groups, strict=True) if row.share == share]
        derived = valuate(own, prices)
        pairs = (
            ("responses", stated.responses, derived.responses),
            ("priced_responses", stated.priced_responses, derived.priced_responses),
            ("subtotal_usd", Decimal(stated.subtotal_usd), derived.subtotal),
            ("unpriced_reasons", stated.unpriced_reasons, derived.reasons),
        )
        for field, one, other in pairs:
            yield from differs(f"{share}.{field}", one, "usage", other)
        yield from _total(share, stated, derived.total, evidence.coverage)


def _total(share: str, stated: Totals, derived: Decimal | None, coverage: Coverage) -> list[str]:
    """A total holds only for usage that is all priced and all there."""
    holds = derived is not None and stated.responses > 0 and not unavailable(coverage)
    if stated.total_usd is None:
        return differs(f"{share}.total_usd", None, "usage", derived if holds else None)
    if derived is None or unavailable(coverage):
        return [f"{share}.total_usd: is {stated.total_usd}, but not everything is known and priced"]
    return differs(f"{share}.total_usd", Decimal(stated.total_usd), "usage", derived)


def unavailable(coverage: Coverage) -> bool:
    """Whether usage is known to be missing, so that no total holds (behaviour §12.4)."""
    return coverage.sessions == 0 or bool(
        coverage.missing_sessions
        or coverage.sessions_without_usage
        or coverage.conflicting_sessions
        or coverage.unbound_worker_sessions
    )


def _partitions(evidence: Evidence) -> Iterator[str]:
    stated = evidence.partitions
    yield from differs("partitions.attributed", stated.attributed, "usage", _responses(evidence.usage, "attributed"))
    yield from differs("partitions.shared", stated.shared, "usage", _responses(evidence.usage, "shared"))
    yield from differs("partitions.unassigned", stated.unassigned, "measured", len(evidence.measured.unassigned))
    yield from differs(
        "partitions.scope", stated.scope, "partitions", stated.attributed + stated.shared + stated.unassigned
    )


def _responses(usage: Iterable[UsageRow], share: str) -> int:
    return sum(row.responses for row in usage if row.share == share)


def _measured(evidence: Evidence) -> Iterator[str]:
    """Every response once, in a row of its share, and as many as that row counts."""
    measured = evidence.measured
    pairs = (("attributed", measured.attributed), ("shared", measured.shared))
    names = [name for _, members in pairs for name, _ in members] + measured.unassigned
    repeated = len(names) - len(set(names))
    if repeated:
        yield f"measured: names {repeated} responses more than once"
    for share, members in pairs:
        counted = Tally(number for _, number in members)
        expected = {number: row.responses for number, row in enumerate(evidence.usage) if row.share == share}
        for number in sorted(counted.keys() | expected.keys()):
            given, wanted = counted[number], expected.get(number, 0)
            yield from differs(f"measured.{share}: responses of row {number}", given, "usage", wanted)


def _coverage(evidence: Evidence) -> list[str]:
    coverage, outcome = evidence.coverage, evidence.outcome
    active = outcome is not None and outcome.state == "active"
    missing = coverage.missing_assignments or coverage.conflicting_assignments
    if coverage.complete and (missing or unavailable(coverage) or active):
        return ["coverage.complete: is true, but gaps are counted beside it"]
    return []
