"""The closed vocabularies of a comment: every word that is not a number or a code span.

Only data. A key that is not listed cannot be shown (publish.cells.Word, Counted).
"""

from types import MappingProxyType

ACCEPTANCE = MappingProxyType(
    {
        "complete": "Accepted",
        "active": "In progress",
        "cancelled": "Cancelled",
        "failed": "Failed",
        "quota_blocked": "Stopped by a quota",
        "crashed": "Crashed",
        "unknown": "Outcome unknown",
        "none": "No outcome recorded",
        "differ": "Outcomes differ",
        "selection": "Selection, no outcome",
    }
)

# What is counted in sentences: one, many.
THINGS = MappingProxyType(
    {
        "response": ("response", "responses"),
        "session": ("session", "sessions"),
        "subject": ("task", "tasks"),
        "selection": ("selection of sessions", "selections of sessions"),
        "schedule": ("price schedule", "price schedules"),
        "task": ("other task", "other tasks"),
        "flag": ("flag", "flags"),
        "copy": ("copied response", "copied responses"),
        "search": ("web search", "web searches"),
        "row": ("more row", "more rows"),
        "repair": ("repair", "repairs"),
        "correction": ("correction", "corrections"),
    }
)

# Gaps of the evidence, in the order shown: one, many.
FLAGS = MappingProxyType(
    {
        "not_reconciled": ("total that does not reconcile", "totals that do not reconcile"),
        "no_sessions": ("task without any session", "tasks without any session"),
        "still_active": ("outcome still open", "outcomes still open"),
        "missing_assignments": ("prompt without owner", "prompts without owner"),
        "conflicting_assignments": ("conflicting binding", "conflicting bindings"),
        "conflicting_sessions": ("session with conflicting owners", "sessions with conflicting owners"),
        "missing_sessions": ("missing session record", "missing session records"),
        "sessions_without_usage": ("session without usage", "sessions without usage"),
        "unbound_worker_sessions": ("worker session without owner", "worker sessions without owner"),
        "unbound_responses": ("response that no task owns", "responses that no task owns"),
        "unassigned": ("response owned elsewhere", "responses owned elsewhere"),
        "turns_without_usage": ("turn without usage", "turns without usage"),
        "withheld": ("reference withheld", "references withheld"),
        "schedules": ("price schedule", "price schedules side by side"),
    }
)
FLAGLESS = MappingProxyType({"": "none"})

# Reasons of observer.pricing by how they begin; what a reason quotes from records is left behind.
REASONS = MappingProxyType(
    {
        "unknown model": "of a model that the schedule does not list",
        "unsupported semantics": "with counters that the schedule has no rates for",
        "no rate for speed": "at a speed without a rate",
        "no rate for service tier": "in a service tier without a rate",
        "ambiguous long-context tier": "whose long-context tier cannot be told",
        "long-context tier unpriced": "in a long-context tier without a rate",
        "unknown counter": "without a counter that pricing needs",
        "invalid counter": "with an invalid counter",
        "inconsistent counters": "with contradictory counters",
        "unknown cache-write lifetime": "whose cache-write lifetime was not recorded",
        "inconsistent cache-write lifetime counters": "with contradictory cache-write counters",
        "missing cache-write rate": "with cache writes without a rate",
        "missing rate": "using something without a rate",
        "output not final": "whose closing figures never came",
        "partly counted": "that stand among responses counted under another subject",
        "": "for another reason",
    }
)

EFFORTS = MappingProxyType(
    {each: each for each in ("none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")}
)

# How the counters of a table stand to each other.
RELATIONS = MappingProxyType(
    {
        "inside": "cache counted inside input",
        "beside": "cache counted beside input",
        "unverified": "relation of the counters not verified",
    }
)
ORIGINS = MappingProxyType({"": "", "source=token_count": ", from running totals"})

HARNESSES = MappingProxyType(
    {"claude": "Claude Code", "codex": "Codex", "grok": "Grok Build", "opencode": "OpenCode", "router": "Model Router"}
)

SECTIONS = MappingProxyType(
    {
        "rates": "price table",
        "tokens": "token tables",
        "changes": "changes",
        "details": "provenance",
        "flags": "list of gaps",
    }
)

TIERS = MappingProxyType({"base": "", "long": ", long context"})
