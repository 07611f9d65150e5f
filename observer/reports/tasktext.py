"""The task report as text: one block, the same figures as the document, no prompt text."""

from collections.abc import Iterator
from typing import Any

from observer.base.text import count

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
    shared = f" (includes {cost['shared_responses']} responses shared with {', '.join(cost['shared_with_tasks'])})"
    yield f"Estimated cost: {cost['text']}{shared if cost['shared_responses'] else ''}"
    estimate = document["estimated_cost"]
    priced = f"{estimate['priced_responses']} of {estimate['responses']} responses"
    yield f"Priced: {priced}, list prices of {estimate['schedule_as_of']}"
    for reason, number in estimate["unpriced_reasons"].items():
        yield f"  {number} unpriced: {reason}"
    yield ""
    for name, words in (
        ("attributed", "own"),
        ("shared_joint", "shared"),
        ("unassigned_in_scope", "unassigned"),
        ("scope", "all in scope"),
    ):
        yield f"{words:14}{document[name]['responses']:>6} responses  {_total(document[name])}".rstrip()
    if document["scope"]["overlap_responses"]:
        yield f"{'':14}{document['scope']['overlap_responses']:>6} more are told twice by the records and left out"
    yield f"Totals reconcile: {'yes' if document['reconciles'] else 'NO'}"
    yield from _gaps(document)
    yield ""
    for model in [*document["models"], *document["shared_models"]]:
        yield from _model(model)
    yield f"Acceptance: {document['acceptance_state']} (a finished process proves nothing)"
    yield f"Snapshot {document['snapshot_id'][:12]} · records up to {document['source_cutoff'] or 'unknown'}"
    yield f"Prices {document['price_schedule_id'][:12]} · {document['subscription_note']}"


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
    for name, words in (
        ("missing_sessions", "Session not in the ledger"),
        ("sessions_without_usage", "Session without usage"),
        ("conflicting_sessions", "Session claimed by several tasks"),
    ):
        for session in found[name]:
            yield f"{words}: {session}"
    if found["unbound_usage"]:
        yield f"{found['unbound_usage']} responses in scope are bound to no task"
    if found["turns_without_usage"]:
        yield f"{len(found['turns_without_usage'])} turns have no recorded usage: unknown, not zero"


def _model(model: dict[str, Any]) -> Iterator[str]:
    effort = f", effort {model['effort']}" if model["effort"] else ""
    yield f"{model['model'] or 'unknown model'} ({model['harness']}{effort}): {model['responses']} responses"
    unknown = model["unknown_counts"]
    yield "  " + " · ".join(f"{words} {count(model[name], unknown.get(name, 0))}" for name, words in _COUNTERS)
