"""The task report as text: one block, the same figures as the document, no prompt text."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from observer.base.text import count, money, plural
from observer.reports import worktext

_CAPTURE = "agent-observer capture"
_COUNTERS = (
    ("input_tokens", "input"),
    ("cached_input_tokens", "cached"),
    ("cache_write_input_tokens", "cache write"),
    ("output_tokens", "output"),
    ("reasoning_output_tokens", "reasoning"),
)


def lines(document: dict[str, Any]) -> Iterator[str]:
    """The block, line by line."""
    task, cost = document["task"], document["total_cost"]
    title = f" · {task['title']}" if task and task["title"] else ""
    yield f"Task {task['id']}{title}" if task else "Session selection"
    others = ", ".join(cost["shared_with_tasks"])
    shared = f" (includes {plural(cost['shared_responses'], 'response')} shared with {others})"
    yield f"Estimated cost: {cost['text']}{shared if cost['shared_responses'] else ''}"
    yield from _prices(document["estimated_cost"])
    yield ""
    for name, words in (
        ("attributed", "own"),
        ("shared_joint", "shared"),
        ("unassigned_in_scope", "unassigned"),
        ("scope", "all in scope"),
    ):
        yield f"{words:14}{plural(document[name]['responses'], 'response'):>18}  {_total(document[name])}".rstrip()
    if document["scope"]["overlap_responses"]:
        yield f"{'':14}{document['scope']['overlap_responses']:>6} more are told twice by the records and left out"
    yield f"Totals reconcile: {'yes' if document['reconciles'] else 'NO'}"
    yield from _gaps(document)
    yield ""
    for model in [*document["models"], *document["shared_models"]]:
        yield from _model(model)
    yield from _work(document)
    yield f"Snapshot {document['snapshot_id'][:12]} · records up to {document['source_cutoff'] or 'unknown'}"
    yield f"Prices {document['price_schedule_id'][:12]} · {document['subscription_note']}"


def _work(document: dict[str, Any]) -> Iterator[str]:
    """What ran, and what somebody said of the result."""
    yield from worktext.lines(document)
    outcome = document["outcome"]
    router = f" · router: {outcome['router_status']}" if outcome and outcome["router_status"] else ""
    yield f"Acceptance: {document['acceptance_state']} (a finished process proves nothing){router}"


def _prices(estimate: dict[str, Any]) -> Iterator[str]:
    """What is priced, model by model, and why the rest is not."""
    priced = f"{estimate['priced_responses']:,} of {plural(estimate['responses'], 'response')}"
    yield f"Priced: {priced}, list prices of {estimate['schedule_as_of']}"
    for model in estimate["by_model"]:
        known = model["estimated_cost_usd_partial"]
        partial = model["priced_responses"] < model["responses"]
        amount = money(None if known is None else Decimal(known), partial=partial)
        yield f"  {model['model'] or 'unknown model'}: {amount}"
        for reason, number in model["reasons"].items():
            yield f"    {number:,} unpriced: {reason}"


def _total(part: dict[str, Any]) -> str:
    if not part["by_semantics"]:
        return ""
    if len(part["by_semantics"]) > 1:
        return "mixed semantics: see the models"
    return f"{count(part['total_tokens'], part['unknown_counts'].get('total_tokens', 0))} tokens"


def _gaps(document: dict[str, Any]) -> Iterator[str]:
    """What is missing, each with the command that closes it."""
    found = document["coverage"]
    if found["no_measured_sessions"]:
        yield "No session is bound to this task yet"
        yield f"  → {_CAPTURE} assign-session --help"
    for prompt in document["missing_assignments"]:
        yield f"Prompt without a task: {prompt['submission']}"
        yield f"  → {_CAPTURE} assign --submission {prompt['submission']} --task ID"
    for conflict in document["conflicting_assignments"]:
        yield f"Prompt claimed by {', '.join(conflict['tasks'])}: {conflict['submission']}"
        yield f"  → {_CAPTURE} amend --submission {conflict['submission']} --task ID --shared --reason …, or withdraw"
    for session in found["unbound_worker_sessions"]:
        yield f"Subagent bound to no task: {session}"
        yield f"  → {_CAPTURE} assign-session --session {session} --task ID --exclusive --evidence …"
    yield from worktext.gaps(document)
    for name, words in (
        ("missing_sessions", "Session not in the ledger"),
        ("missing_prompts", "Bound prompt not in the ledger"),
        ("sessions_without_usage", "Session without usage"),
        ("conflicting_sessions", "Session claimed by several tasks"),
    ):
        for session in found[name]:
            yield f"{words}: {session}"
    if found["unbound_usage"]:
        yield f"{plural(found['unbound_usage'], 'response')} in scope, bound to no task"
    if found["turns_without_usage"]:
        yield f"{plural(len(found['turns_without_usage']), 'turn')} without recorded usage: unknown, not zero"


def _model(model: dict[str, Any]) -> Iterator[str]:
    effort = f", effort {model['effort']}" if model["effort"] else ""
    yield f"{model['model'] or 'unknown model'} ({model['harness']}{effort}): {plural(model['responses'], 'response')}"
    unknown = model["unknown_counts"]
    yield "  " + " · ".join(f"{words} {count(model[name], unknown.get(name, 0))}" for name, words in _COUNTERS)
