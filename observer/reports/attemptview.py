"""Work as documents: what ran for a task, with the copies of counters that a router made, and what was handed on."""

from typing import Any

from observer.base.clock import iso
from observer.records.ownership import Attempt, Dispatch
from observer.records.usage import TokenUsage
from observer.reports import shapes
from observer.reports.model import TaskReport
from observer.rules.attempts import gap

_RUNNING_TOTAL = "codex"
_LIFETIMES = ("cache_write_5m_tokens", "cache_write_1h_tokens")


def sections(report: TaskReport) -> dict[str, Any]:
    """`attempts`, `dispatches`, and what follows from them."""
    return {
        "attempts": [_attempt(each) for each in report.attempts],
        "dispatches": [_dispatch(each) for each in report.dispatches],
        "active_attempts": list(report.coverage.active_attempts),
        "has_active_work": report.coverage.active,
        "crashes_counted_separately": len(report.coverage.crashed_attempts),
    }


def _attempt(each: Attempt) -> dict[str, Any]:
    harness = _harness(each.session)
    return {
        "turn": each.turn,
        "origin": each.origin,
        "request": each.request,
        "role": each.role,
        "kind": each.kind,
        "harness": harness,
        "session": each.session,
        "stage": each.stage,
        "requested_route": each.requested_route,
        "requested_model": each.requested_model,
        "requested_effort": each.requested_effort,
        "policy_version": each.policy_version,
        "reason": each.reason,
        "observed_model": each.model,
        "observed_effort": each.effort,
        "started": iso(each.started_ms),
        "ended": iso(each.ended_ms),
        "elapsed_ms": each.elapsed_ms,
        "state": each.state,
        "usable": each.usable,
        "terminal_class": each.terminal_class,
        "return_code": each.return_code,
        "proof_class": each.proof_class,
        "seq": each.seq,
        "usage": _usage(each.usage, running_total=harness == _RUNNING_TOTAL),
    }


def _dispatch(each: Dispatch) -> dict[str, Any]:
    return {
        "origin": each.origin,
        "submission": each.submission,
        "request": each.request,
        "worker": each.worker,
        "harness": _harness(each.session),
        "session": each.session,
        "parent_turn": each.parent_turn,
        "worker_turn": each.worker_turn,
        "requested_route": each.requested_route,
        "requested_model": each.requested_model,
        "requested_effort": each.requested_effort,
        "policy_version": each.policy_version,
        "reason": each.reason,
        "task_name": each.task_name,
        "attempts": list(each.attempts),
        "gap": gap(each),
    }


def _harness(session: str | None) -> str | None:
    return session.partition(":")[0] if session else None


def _usage(usage: TokenUsage, *, running_total: bool) -> dict[str, Any] | None:
    """The copied counters; a running total contains the thread's earlier runs. None: nothing was copied."""
    if usage == TokenUsage():
        return None
    counters = {name: count for name, count in shapes.token_fields(usage).items() if name not in _LIFETIMES}
    return {**counters, "running_total": running_total}
