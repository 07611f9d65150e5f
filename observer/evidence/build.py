"""TaskReport → Evidence: field by field, each through its own gate.

What does not pass a gate is withheld, never repaired: an identifier outside
the allow-list becomes `withheld-` and the first digits of its digest, so that
rows stay apart without saying what they are.
"""

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from observer import __version__
from observer.base.canon import canonical, digest
from observer.base.clock import iso
from observer.base.text import decimal_text
from observer.pricing.scope import valuate
from observer.pricing.value import value
from observer.records.evidence import (
    FORMAT,
    IDENTIFIER,
    REFERENCE,
    VERSION,
    Counter,
    Coverage,
    Evidence,
    Measured,
    Outcome,
    Partitions,
    Subject,
    Target,
    Totals,
    UsageRow,
)
from observer.records.usage import COUNTERS, UNKNOWN
from observer.records.valuation import PriceSchedule, UsageGroup
from observer.reports.model import TaskReport
from observer.reports.rows import Row

_IDENTIFIER = re.compile(IDENTIFIER)
_REFERENCE = re.compile(REFERENCE)
# Where each counter's cost stands among the parts of a valuation.
_PARTS = {
    "input": "input_tokens",
    "cached_input": "cached_input_tokens",
    "cache_write_input": "cache_write_input_tokens",
    "cache_write_5m": "cache_write_5m_tokens",
    "cache_write_1h": "cache_write_1h_tokens",
    "output": "output_tokens",
    "reasoning_output": "reasoning_output_tokens",
}


class Destination(Struct, frozen=True):
    """Where the work went and who says so, as far as the exporter was told."""

    repo: str | None = None
    pr: int | None = None
    commit: str | None = None
    producer: str | None = None


def build(report: TaskReport, *, ledger_id: str, destination: Destination) -> Evidence:
    """The sealed evidence of a report."""
    rows = [row for row in report.rows if row.key.share != "unassigned"]
    groups = [(row.key.share, _exported(row.usage)) for row in rows]
    draft = Evidence(
        format=FORMAT,
        version=VERSION,
        evidence_id="0" * 64,
        observer_version=__version__,
        ledger_id=ledger_id,
        producer=identifier(destination.producer) or ledger_id,
        subject=_subject(report, ledger_id),
        target=Target(destination.repo, destination.pr, destination.commit),
        cutoff=iso(report.cutoff_ms),
        snapshot_id=report.snapshot_id,
        price_schedule_id=report.schedule.schedule_id,
        price_schedule=report.schedule.document,
        outcome=_outcome(report),
        coverage=_coverage(report),
        partitions=Partitions(
            **{share: sum(row.usage.responses for row in report.rows if row.key.share == share)
               for share in ("attributed", "shared", "unassigned")},
            scope=sum(row.usage.responses for row in report.rows),
            overlap=report.overlap_responses,
        ),
        usage=[_row(row, group, report.schedule) for row, (_, group) in zip(rows, groups, strict=True)],
        attributed=_totals(report, [group for share, group in groups if share == "attributed"]),
        shared=_totals(report, [group for share, group in groups if share == "shared"]),
        measured=_measured(rows, report),
        shared_with=len(report.shared_with),
    )  # fmt: skip
    return seal(draft)


def seal(evidence: Evidence) -> Evidence:
    """The evidence under its identity: the digest of everything but the identity."""
    return msgspec.structs.replace(evidence, evidence_id=digest(unsealed(evidence)))


def unsealed(evidence: Evidence) -> dict[str, Any]:
    """The document without `evidence_id`; absent fields are left out."""
    fields: dict[str, Any] = msgspec.to_builtins(evidence)
    return {name: each for name, each in fields.items() if name != "evidence_id" and not _absent(name, each)}


def encode(evidence: Evidence) -> bytes:
    """The document as it is exported: canonical JSON with a newline at the end."""
    return canonical({**unsealed(evidence), "evidence_id": evidence.evidence_id}) + b"\n"


def identifier(text: str | None) -> str | None:
    """The text if it is an identifier, else a stand-in that says nothing."""
    if text is None or _IDENTIFIER.fullmatch(text):
        return text
    return "withheld-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _absent(name: str, field: Any) -> bool:
    """What nothing has measured is not said at all."""
    return field is None and name in ("elapsed_ms", "elapsed_source", "detectors")


def _subject(report: TaskReport, ledger_id: str) -> Subject:
    if report.task is not None:
        kind, name = "task", identifier(report.task.id) or ""
    else:
        kind, name = "sessions", digest(sorted(report.scope.sessions))
    subject_id = hashlib.sha256("\0".join((ledger_id, kind, name)).encode()).hexdigest()
    return Subject("task" if kind == "task" else "sessions", name, subject_id)


def _outcome(report: TaskReport) -> Outcome | None:
    found = report.outcome
    if found is None:
        return None
    candidate, proof = reference(found.candidate), reference(found.proof)
    return Outcome(
        state=found.state,
        candidate=candidate,
        proof=proof,
        repairs=found.repairs,
        corrections=found.corrections,
        withheld=sum(
            given is not None and shown is None for given, shown in ((found.candidate, candidate), (found.proof, proof))
        ),
    )


def reference(text: str | None) -> str | None:
    """The text if it is a reference that says nothing else, else None."""
    return text if text is not None and _REFERENCE.fullmatch(text) else None


def _coverage(report: TaskReport) -> Coverage:
    found = report.coverage
    return Coverage(
        complete=found.complete,
        reconciles=found.reconciles,
        genuine_prompts=len(report.scope.ownership.prompts),
        missing_assignments=len(found.missing),
        conflicting_assignments=len(found.conflicting),
        joint_assignments=len(found.joint),
        sessions=len(report.scope.sessions),
        # A prompt that is not here is in a session that is not here.
        missing_sessions=len(found.missing_sessions) + len(found.missing_prompts),
        sessions_without_usage=len(found.sessions_without_usage),
        conflicting_sessions=len(found.conflicting_sessions),
        # A run or dispatch whose session is out of sight is a worker without an owner too; a session counts once.
        unbound_worker_sessions=len({*found.unbound_worker_sessions, *found.unbound_dispatches}),
        unbound_responses=found.unbound_responses,
        turns_without_usage=len(found.turns_without_usage),
    )


def _exported(group: UsageGroup) -> UsageGroup:
    """The group under the names that leave, so that whoever receives it values the same thing."""
    return msgspec.structs.replace(
        group,
        model=identifier(group.model),
        service_tier=identifier(group.service_tier or None),
        speed=identifier(group.speed or None),
    )


def _row(row: Row, group: UsageGroup, schedule: PriceSchedule) -> UsageRow:
    key = row.key
    worth = value(group, schedule)
    counters = {
        name: Counter(
            tokens=getattr(group.usage, name) or 0,
            unknown=group.responses if group.shape & UNKNOWN[name] else 0,
            usd=_money(worth.parts.get(_PARTS[name])),
        )
        for name in COUNTERS
        if name != "total"
    }
    return UsageRow(
        day=key.day,
        harness=key.harness,
        model=group.model,
        provider=identifier(key.provider),
        effort=identifier(key.effort),
        semantics=key.semantics,
        agentsmd=identifier(key.agentsmd),
        phase=identifier(key.phase),
        share="shared" if key.share == "shared" else "attributed",
        tier="unknown" if key.over is None else ("long" if key.over else "base"),
        service_tier=group.service_tier,
        speed=group.speed,
        final=key.final,
        shape=key.shape,
        responses=group.responses,
        priced_responses=group.responses if worth.reason is None else 0,
        price_reason=worth.reason,
        usd=decimal_text(worth.amount),
        web_search_requests=group.web_search_requests,
        native_usd=_money(row.native_usd),
        native_responses=group.responses if key.native else 0,
        **counters,
    )


def _totals(report: TaskReport, groups: Sequence[UsageGroup]) -> Totals:
    """What the rows of one share are worth; unavailable usage makes the total unknown."""
    valuation = valuate(groups, report.schedule)
    complete = valuation.total is not None and not report.coverage.unavailable and bool(groups)
    return Totals(
        responses=valuation.responses,
        priced_responses=valuation.priced_responses,
        subtotal_usd=decimal_text(valuation.subtotal),
        total_usd=decimal_text(valuation.subtotal) if complete else None,
        unpriced_reasons=valuation.reasons,
    )


def _measured(rows: Sequence[Row], report: TaskReport) -> Measured:
    pairs: dict[str, list[tuple[str, int]]] = {"attributed": [], "shared": []}
    for number, row in enumerate(rows):
        pairs[row.key.share].extend((identifier(name) or "", number) for name in row.ids)
    return Measured(
        attributed=sorted(pairs["attributed"]),
        shared=sorted(pairs["shared"]),
        unassigned=sorted(identifier(name) or "" for row in report.part("unassigned") for name in row.ids),
    )


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else decimal_text(amount)
