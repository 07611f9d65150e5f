"""What of a router's ledger may be kept: words of closed lists, ids, numbers, references.

The ledger holds goals, prompts, reasons and block texts beside what is read;
none of it has a field here. A word outside its list becomes None (behaviour
§7, §9); an id that rows are joined by is replaced by its digest.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from observer.privacy import names
from observer.privacy.credentials import redact
from observer.privacy.names import identifier
from observer.records import router
from observer.records.ownership import OUTCOME_STATES
from observer.records.router import RouterEvent, RouterInvocation, RouterJob, RouterReading, RouterRecords
from observer.records.usage import COUNTERS, LARGEST, TokenUsage

Rule = Callable[[Any], Any]

_OWN_TASK = "router:"
# What a router takes for a task id, as far as a coordinator could have named it too.
_TASK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_ISSUE = re.compile(r"(?=[^#/]*[#/])[A-Za-z0-9._~:/?#@!&+,;=%-]{1,200}")
_ROUTE = re.compile(r"[a-z0-9][a-z0-9._/+-]{0,63}")
_CLASS = re.compile(r"[A-Z][A-Z0-9_]{1,63}")
_DIRECTORY = re.compile(r"[^/]{1,100}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_RETURN_CODE_LIMIT = 2**31


def screen_router(raw: RouterRecords) -> RouterRecords:
    """The same rows with what may be kept of them; a reading without a level is left out."""
    return RouterRecords(
        tuple([_job(each) for each in raw.jobs]),
        tuple([RouterInvocation(**_kept(each, _INVOCATION)) for each in raw.invocations]),
        tuple([_event(each) for each in raw.events if each.kind in router.EVENT_FIELDS]),
        tuple([RouterReading(**_kept(each, _READING)) for each in raw.readings if _amount(each.used) is not None]),
    )


def _kept(record: Any, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Every field by its own rule; a field without one is a bug, never a leak."""
    return {name: rules[name](getattr(record, name)) for name in record.__struct_fields__}


def _job(raw: RouterJob) -> RouterJob:
    kept = _kept(raw, _JOB)
    kept["task"] = kept["task"] or identifier(_OWN_TASK + raw.request_id)
    return RouterJob(**kept)


def _event(raw: RouterEvent) -> RouterEvent:
    rules = {name: _EVENT[name] for name in router.EVENT_FIELDS[raw.kind]}
    found = {name: rule(raw.fields.get(name)) for name, rule in rules.items()}
    fields = {name: value for name, value in found.items() if value is not None}
    return RouterEvent(raw.id, identifier(raw.request_id), raw.kind, _count(raw.at_ms), fields)


def _one_of(allowed: frozenset[Any]) -> Rule:
    return lambda value: value if type(value) in (str, int) and value in allowed else None


def _like(pattern: re.Pattern[str]) -> Rule:
    return lambda value: _matching(pattern, value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _matching(pattern: re.Pattern[str], text: str) -> str | None:
    """The text if it has the form and hides no secret."""
    return text if pattern.fullmatch(text) and redact(text) == text else None


def _task(value: object) -> str | None:
    found = _matching(_TASK, value) if isinstance(value, str) else None
    return found if found is not None and identifier(found) == found else None


def _reason(value: object) -> str | None:
    """A word of the list, which may say besides that another run was under way."""
    if not isinstance(value, str):
        return None
    known = router.REASONS | router.PROOF_CLASSES
    return value if value in known or value.removesuffix(router.CONCURRENT) in router.REASONS else None


def _line(value: object) -> str | None:
    """A name on one line: a model, or a directory."""
    return names.model(value) if isinstance(value, str) else None


def _project(value: object) -> str | None:
    return _line(_matching(_DIRECTORY, value)) if isinstance(value, str) else None


def _word(value: object) -> str | None:
    return names.word(value) if isinstance(value, str) else None


def _id(value: object) -> str | None:
    return identifier(value) if isinstance(value, str) else None


def _state(value: object) -> str:
    return value if isinstance(value, str) and value in OUTCOME_STATES else "unknown"


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST else None


def _return_code(value: object) -> int | None:
    return value if type(value) is int and abs(value) < _RETURN_CODE_LIMIT else None


def _amount(value: object) -> float | None:
    """A level: a finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _usage(value: TokenUsage) -> TokenUsage:
    return TokenUsage(**{name: _count(getattr(value, name)) for name in COUNTERS})


_JOB: dict[str, Rule] = {
    "request_id": identifier,
    "task": _task,
    "status": _one_of(router.JOB_STATES),
    "lane": _one_of(router.LANES),
    "kind": _one_of(router.JOB_KINDS),
    "replay_of": _id,
    "route": _like(_ROUTE),
    "model": _line,
    "effort": _word,
    "planner_session": _id,
    "planner_harness": _one_of(router.PLANNERS),
    "planner_model": _line,
    "planner_effort": _word,
    "issue": _like(_ISSUE),
    "project": _project,
    "base_commit": _like(_COMMIT),
    "head_commit": _like(_COMMIT),
    "block_reason": _one_of(router.BLOCK_REASONS),
    "error_class": _like(_CLASS),
    "cancel_requested": _one_of(router.CANCEL_REQUESTS),
    "created_ms": _count,
    "updated_ms": _count,
}
_INVOCATION: dict[str, Rule] = {
    "id": identifier,
    "request_id": identifier,
    "ordinal": _count,
    "state": _state,
    "kind": _one_of(router.RUN_KINDS),
    "session": _id,
    "stage": _one_of(router.STAGES),
    "requested_route": _like(_ROUTE),
    "policy_version": _word,
    "harness_version": _word,
    "model": _line,
    "effort": _word,
    "reason": _reason,
    "proof_class": _one_of(router.PROOF_CLASSES),
    "terminal_class": _one_of(router.TERMINAL_CLASSES),
    "return_code": _return_code,
    "seq": _count,
    "started_ms": _count,
    "ended_ms": _count,
    "elapsed_ms": _count,
    "kit_hash": _like(_DIGEST),
    "direction_supply": _one_of(router.DIRECTION_SUPPLIES),
    "direction_hash": _like(_DIGEST),
    "usage": _usage,
}
_READING: dict[str, Rule] = {
    "pool": identifier,
    "model": lambda value: identifier(value) if value else "",
    "window": identifier,
    "observed_ms": _count,
    "used": _amount,
    "limit": _amount,
    "reset_ms": _count,
    "source": _word,
}
_EVENT: dict[str, Rule] = {
    "failures": _count,
    "failed_seq": _count,
    "next_seq": _count,
    "seq": _count,
    "rc": _return_code,
    "rung": _reason,
    "reason": _reason,
    "target": _like(_ROUTE),
    "route": _like(_ROUTE),
    "from": _like(_ROUTE),
    "to": _like(_ROUTE),
    "scope": _one_of(frozenset(("worker", "dispatcher", "planner"))),
    "outcome": _one_of(frozenset(("ok", "failed"))),
    "proof_class": _one_of(router.PROOF_CLASSES),
    "qid": _id,
}
