"""The task report as a document: the sections of `task show --json`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec

from observer.base.clock import iso, now_ms
from observer.base.text import decimal_text, money
from observer.reports import attemptview, routerview, shapes
from observer.reports.model import Coverage, TaskReport
from observer.reports.rows import Row
from observer.rules.attribution import Conflict, Partition, Prompt

SCHEMA = "agent-observer/task-report/1"
SUBSCRIPTION_NOTE = "estimates are list prices; they are not what a subscription paid"
_PARTITIONS: dict[str, Partition] = {
    "attributed": "attributed",
    "shared_joint": "shared",
    "unassigned_in_scope": "unassigned",
}


def document(report: TaskReport) -> dict[str, Any]:
    """All sections, ready for JSON."""
    shared = report.part("shared")
    return {
        "schema": SCHEMA,
        "task": _task(report),
        **{name: _part(report.part(share)) for name, share in _PARTITIONS.items()},
        "scope": {**_part(list(report.rows)), "overlap_responses": report.overlap_responses},
        "models": models(report.part("attributed")),
        "shared_models": models(shared),
        "scope_sessions": list(report.scope.sessions),
        "scope_kind": _scope_kind(report),
        "whole_session_assignments": [
            {"session": each.session, "evidence": each.evidence} for each in report.scope.whole
        ],
        **_assignments(report.coverage),
        "outcome": _outcome(report),
        "acceptance_state": report.outcome.state if report.outcome else "unknown",
        **attemptview.sections(report),
        **routerview.sections(report),
        "estimated_cost": _estimate(report),
        "estimated_cost_shared": shapes.estimate(report.shared_valuation),
        "native_cost": _native(report, report.part("attributed")),
        "native_cost_shared": _native(report, shared),
        "total_cost": total_cost(report),
        "subscription_note": SUBSCRIPTION_NOTE,
        "coverage": coverage(report.coverage),
        "unbound_usage": _part(list(report.unbound)),
        "reconciles": report.coverage.reconciles,
        "complete": report.coverage.complete,
        "time": iso(now_ms()),
        "measured": _measured(report),
        "snapshot_id": report.snapshot_id,
        "price_schedule_id": report.schedule.schedule_id,
        "price_schedule": report.schedule.document,
        "source_cutoff": iso(report.cutoff_ms),
    }


def models(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One entry per harness, model, effort and semantics, with how its output was generated."""
    grouped: dict[tuple[str, str | None, str | None, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row.key.harness, row.key.model, row.key.effort, row.key.semantics), []).append(row)
    return [
        {
            "harness": harness,
            "model": model,
            "effort": effort,
            "semantics": semantics,
            **next(iter(shapes.by_semantics(row.usage for row in members).values())),
            "generation": shapes.generation([row.usage for row in members]),
        }
        for (harness, model, effort, semantics), members in sorted(
            grouped.items(), key=lambda item: tuple(map(str, item[0]))
        )
    ]


def total_cost(report: TaskReport) -> dict[str, Any]:
    """The one money figure of the task: own and shared usage, in words and as a decimal."""
    parts = (report.valuation, report.shared_valuation)
    responses = sum(part.responses for part in parts)
    priced = sum(part.priced_responses for part in parts)
    amount = sum((part.subtotal for part in parts), Decimal(0))
    complete = all(part.total is not None for part in parts) and not report.coverage.unavailable and bool(responses)
    known = amount if priced or amount else None
    return {
        "text": money(known, partial=not complete),
        "usd": None if known is None else decimal_text(known),
        "status": "complete" if complete else ("unknown" if known is None else "partial"),
        "responses": responses,
        "shared_responses": report.shared_valuation.responses,
        "shared_with_tasks": list(report.shared_with),
        "models": sorted({str(row.key.model) for row in report.rows if row.key.share != "unassigned"}),
        "estimate": True,
    }


def coverage(found: Coverage) -> dict[str, Any]:
    """Everything that is missing, by name."""
    return {
        "no_measured_sessions": found.no_measured_sessions,
        "unbound_usage": found.unbound_responses,
        "conflicting_sessions": list(found.conflicting_sessions),
        "missing_sessions": list(found.missing_sessions),
        "missing_prompts": list(found.missing_prompts),
        "sessions_without_usage": list(found.sessions_without_usage),
        "unbound_worker_sessions": list(found.unbound_worker_sessions),
        "unbound_dispatches": list(found.unbound_dispatches),
        "turns_without_usage": [{"session": session, "turn": turn} for session, turn in found.turns_without_usage],
        "missing": len(found.missing),
        "conflicting": len(found.conflicting),
        "joint": len(found.joint),
        "active_attempts": len(found.active_attempts),
        "crashes": len(found.crashed_attempts),
        "reconciles": found.reconciles,
        "complete": found.complete,
    }


def _task(report: TaskReport) -> dict[str, Any] | None:
    if report.task is None:
        return None
    task = report.task
    return {
        "id": task.id,
        "project": task.project,
        "family": task.family,
        "title": task.title,
        "issue_url": task.issue_url,
        "origin": task.origin,
        "created": iso(task.created_ms),
    }


def _part(rows: Sequence[Row]) -> dict[str, Any]:
    """A partition: counts, and sums per semantics; top-level sums only where there is one semantics."""
    sums = shapes.by_semantics(row.usage for row in rows)
    only = next(iter(sums.values())) if len(sums) == 1 else {}
    return {**only, "responses": sum(row.usage.responses for row in rows), "by_semantics": sums}


def _scope_kind(report: TaskReport) -> str:
    if report.scope.whole and report.scope.prompted:
        return "mixed"
    return "whole_sessions" if report.scope.whole or report.task is None else "submissions"


def _assignments(found: Coverage) -> dict[str, Any]:
    return {
        "missing_assignments": [_prompt(each) for each in found.missing],
        "conflicting_assignments": [_conflict(each) for each in found.conflicting],
        "joint_assignments": [_conflict(each) for each in found.joint],
    }


def _prompt(prompt: Prompt) -> dict[str, Any]:
    return {"submission": prompt.id, "session": prompt.session, "time": iso(prompt.at_ms)}


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {"submission": conflict.submission, "tasks": list(conflict.tasks), "all_shared": conflict.all_shared}


def _outcome(report: TaskReport) -> dict[str, Any] | None:
    if report.outcome is None:
        return None
    fields: dict[str, Any] = msgspec.to_builtins(report.outcome)
    kept = ("state", "candidate", "proof", "repairs", "corrections", "router_status")
    return {**{name: fields[name] for name in kept}, "updated": iso(report.outcome.recorded_ms)}


def _estimate(report: TaskReport) -> dict[str, Any]:
    """The estimate; unavailable usage makes its total unknown, however well the rest is priced."""
    found = shapes.estimate(report.valuation)
    if report.coverage.unavailable:
        found.update(estimated_cost_usd_total=None, complete=False)
        if report.coverage.no_measured_sessions:
            found.update(estimated_cost_usd_partial=None, status="unknown")
    return found


def _native(report: TaskReport, rows: Sequence[Row]) -> dict[str, Any]:
    """What agents recorded as cost; unavailable usage makes its total unknown too."""
    known = {True: 0, False: 0}
    for row in rows:
        known[row.key.native] += row.usage.responses
    found = shapes.native(known, sum((row.native_usd or Decimal(0) for row in rows), Decimal(0)))
    return found | {"total_usd": None} if report.coverage.unavailable else found


def _measured(report: TaskReport) -> dict[str, Any]:
    return {
        "task": report.task.id if report.task else None,
        "sessions": list(report.scope.sessions),
        **{share: sorted(name for row in report.part(share) for name in row.ids) for share in _PARTITIONS.values()},
        "source_cutoff": iso(report.cutoff_ms),
    }
