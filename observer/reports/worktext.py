"""The work of a task as text: runs, who handed work to whom, and what is out of sight with the way to close it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from observer.base.text import plural
from observer.reports import routerview

_CAPTURE = "agent-observer capture"
# What is missing of a dispatch, in words, and what closes it.
_GAPS = {
    "unknown_worker": ("Dispatch without worker, its session is not in the ledger", "agent-observer sync"),
    "ambiguous_worker": (
        "Dispatch without worker, several sessions answer to that name",
        f"{_CAPTURE} withdraw --submission {{submission}} --worker {{worker}} --reason …, then dispatch anew by key",
    ),
    "unbound_worker": (
        "Dispatch without worker, its session is bound to no task",
        f"{_CAPTURE} assign-session --session {{session}} --task {{task}} --exclusive --evidence …",
    ),
}


def lines(document: dict[str, Any]) -> Iterator[str]:
    """What ran and what was handed on; nothing where nothing is recorded."""
    attempts = document["attempts"]
    if attempts:
        yield f"Runs: {_states(attempts)}"
    if document["crashes_counted_separately"]:
        yield f"Crashed runs: {document['crashes_counted_separately']} (what they used counts)"
    dispatches = document["dispatches"]
    if dispatches:
        lost = sum(each["gap"] is not None for each in dispatches)
        yield f"Dispatches: {len(dispatches)}{f', {lost} without worker' if lost else ''}"
        by_turn: dict[str, list[dict[str, Any]]] = {}
        for each in attempts:
            by_turn.setdefault(each["turn"], []).append(each)
        for each in dispatches:
            yield f"  {_dispatch(each, [run for turn in each['attempts'] for run in by_turn.get(turn, ())])}"
    yield from _router(document)


def gaps(document: dict[str, Any]) -> Iterator[str]:
    """Runs and dispatches whose usage is out of sight, each with the command that leads on."""
    missed = {each["session"] or each["worker"]: each for each in document["dispatches"] if each["gap"]}
    turns = {each["turn"] for each in document["attempts"]}
    for name in document["coverage"]["unbound_dispatches"]:
        if name in turns:
            yield f"Run without a session that is bound and in the ledger: {name}"
            continue
        dispatch = missed[name]
        words, remedy = _GAPS[dispatch["gap"]]
        yield f"{words}: {name}"
        yield f"  → {remedy.format(**dispatch | {'task': document['task']['id']})}"


def _router(document: dict[str, Any]) -> Iterator[str]:
    """What a router tells of its jobs, where it is more than that they ran."""
    for each in document["job_outcomes"]:
        asked = {"intentional": "stopped on purpose", "other": "stopped, not on purpose"}.get(each["cancel_intent"])
        said = [word for word in (each["block_reason"], asked) if word]
        if said:
            yield f"Job {each['request']}: {each['status'] or 'unknown'}, {', '.join(said)}"
    decided = Counter(each["kind"] for each in document["router_recovery"])
    if decided:
        yield f"Router's decisions: {', '.join(f'{number} {kind}' for kind, number in sorted(decided.items()))}"
    for level in document["quota_readings"]:
        yield routerview.quota_line(level)


def _dispatch(each: dict[str, Any], runs: list[dict[str, Any]]) -> str:
    """From whom to whom, what was asked for, and what came of it."""
    giver = each["submission"] or f"job {each['request']}"
    asked = [each["requested_route"], each["requested_model"]]
    effort = f"effort {each['requested_effort']}" if each["requested_effort"] else None
    parts = [f"{giver} → {each['session'] or each['worker'] or 'no session recorded'}"]
    parts += [word for word in (*asked, effort, each["reason"]) if word]
    parts += [f"{plural(len(runs), 'run')}: {_states(runs)}"] if runs else []
    return " · ".join(parts)


def _states(attempts: list[dict[str, Any]]) -> str:
    states = Counter(each["state"] for each in attempts)
    return ", ".join(f"{number} {state}" for state, number in sorted(states.items()))
