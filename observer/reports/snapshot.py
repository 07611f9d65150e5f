"""Snapshot identity: one digest over everything a task report is made of.

Same ledger and schedule → same id; any change of a figure, a binding, an
outcome or a price → another one. Import times are no part of it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from observer.base.canon import digest
from observer.facts.responses import ResponseRow
from observer.reports.model import Coverage, Routed, TaskReport
from observer.rules.attribution import Claim

_LATER = ("missing_prompts",)


def stamped(report: TaskReport, found: Sequence[ResponseRow], claims: Callable[[str, str | None], Claim]) -> TaskReport:
    """The report with its `snapshot_id`."""
    tuples = [
        (claims(each.session, each.turn).partition, *msgspec.to_builtins(msgspec.structs.astuple(each)))
        for each in found
    ]
    return msgspec.structs.replace(report, snapshot_id=digest({**_inputs(report), "responses": tuples}))


def _inputs(report: TaskReport) -> dict[str, Any]:
    scope, outcome = report.scope, report.outcome
    return {
        "task": report.task.id if report.task else None,
        "sessions": scope.sessions,
        "whole_sessions": msgspec.to_builtins(scope.whole),
        "prompts": sorted(msgspec.to_builtins(each) for each in map(msgspec.structs.astuple, scope.ownership.prompts)),
        "bindings": msgspec.to_builtins(scope.ownership.bindings),
        "session_tasks": msgspec.to_builtins(scope.ownership.session_tasks),
        "outcome": None if outcome is None else msgspec.structs.astuple(outcome)[:-1],  # not when it was recorded
        "attempts": msgspec.to_builtins(report.attempts),
        # Left out where there are none, so that a task without keeps the identity it had before they were known.
        **({"dispatches": msgspec.to_builtins(report.dispatches)} if report.dispatches else {}),
        **({"router": msgspec.to_builtins(report.router)} if report.router != Routed() else {}),
        "coverage": _coverage(report.coverage),
        "price_schedule": report.schedule.document,
        "source_cutoff": report.cutoff_ms,
    }


def _coverage(found: Coverage) -> dict[str, Any]:
    """What is missing; a kind of gap that came later is left out where there is none, as above."""
    fields: dict[str, Any] = msgspec.to_builtins(found)
    return {name: gap for name, gap in fields.items() if gap or name not in _LATER}
