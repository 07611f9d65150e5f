"""What a router tells as documents: how jobs ended, what it decided about them, quota levels.

A level is what a pool showed at an instant, never an amount a task spent.
"""

from collections.abc import Iterable
from typing import Any

from observer.base.clock import iso
from observer.facts.router import JobOutcome
from observer.records.router import RouterEvent, RouterReading
from observer.reports.model import TaskReport

_INTENTS = {0: "none", 1: "intentional", 2: "other"}


def sections(report: TaskReport) -> dict[str, Any]:
    """`job_outcomes`, `router_recovery` and `quota_readings`."""
    return {
        "job_outcomes": [_job(each) for each in report.router.jobs],
        "router_recovery": [_event(each) for each in report.router.events],
        "quota_readings": quotas(report.router.quotas),
    }


def quotas(found: Iterable[RouterReading]) -> list[dict[str, Any]]:
    """Levels, one for each pool, model ("": the whole pool) and window."""
    return [
        {
            "pool": each.pool,
            "model": each.model or None,
            "window": each.window,
            "used": each.used,
            "limit": each.limit,
            "observed": iso(each.observed_ms),
            "reset": iso(each.reset_ms),
            "source": each.source,
        }
        for each in found
    ]


def quota_line(level: dict[str, Any]) -> str:
    """A level as text."""
    model = f" {level['model']}" if level["model"] else ""
    limit = "" if level["limit"] is None else f" of {level['limit']:g}"
    reset = f", resets {level['reset']}" if level["reset"] else ""
    return f"Quota {level['pool']}{model} {level['window']}: {level['used']:g}{limit} at {level['observed']}{reset}"


def _job(each: JobOutcome) -> dict[str, Any]:
    return {
        "request": each.request,
        "status": each.status,
        "lane": each.lane,
        "kind": each.kind,
        "block_reason": each.block_reason,
        "cancel_requested": each.cancel_requested,
        "cancel_intent": _INTENTS.get(each.cancel_requested) if each.cancel_requested is not None else None,
        "created": iso(each.created_ms),
        "updated": iso(each.updated_ms),
    }


def _event(each: RouterEvent) -> dict[str, Any]:
    return {"request": each.request_id, "kind": each.kind, "time": iso(each.at_ms), "fields": each.fields}
