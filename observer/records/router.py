"""The model router's ledger, normalised: jobs, runs, recovery events, quota readings.

Evidence of who worked on what and how a run ended. Never usage (the native
sessions are its source) and never acceptance. Words are of the closed lists
below or None; the privacy screen keeps it so (behaviour §7).
"""

from typing import Final

from msgspec import Struct

from observer.records.usage import TokenUsage

JOB_STATES = frozenset("pending running question_pending blocked cancelling succeeded failed cancelled".split())
JOB_KINDS = frozenset(("ordinary", "experiment", "replay"))
LANES = frozenset(("implementation_default", "implementation_small", "implementation_hard"))
BLOCK_REASONS = frozenset(("codex_auth_failed", "quota_blocked"))
PLANNERS = frozenset(("claude", "codex", "opencode", "grok"))
# 0: not asked for; 1: stopped on purpose; 2: drained after a timeout.
CANCEL_REQUESTS = frozenset((0, 1, 2))

# Kind of a run → the agent it starts. A planner's callback runs in a person's session.
DISPATCHERS: Final = {"codex_dispatch": "codex", "codex_resume": "codex"}
WORKERS: Final = {"opencode_control": "opencode", "opencode_serve": "opencode", "grok_control": "grok"}
CALLBACKS = frozenset(("claude_callback", "claude_compact"))
PROOF: Final = "proof"
RUN_KINDS = frozenset((*DISPATCHERS, *WORKERS, *CALLBACKS, PROOF))
# Runs whose usage is not the job's own: a person's session, or no model at all.
WITHOUT_SESSION = CALLBACKS | {PROOF}
STAGES = frozenset(("dispatch", "planning", "implementation", "verification"))
PROOF_CLASSES = frozenset(("pass", "failed", "timeout", "not_found", "error", "skipped", "none"))
REASONS = frozenset(
    "initial resume correction escalation pool_move lateral larger_context stalled_retry planner_question"
    " compact_after_submit dispatch_stalled dispatch_exhausted preflight_exhausted preflight_degraded"
    " preflight_one_turn preflight_concurrent".split()
)
CONCURRENT: Final = "_concurrent"
TERMINAL_CLASSES = frozenset(
    "completed failed crashed cancelled timeout quota overloaded stalled context hard_error infrastructure".split()
)
DIRECTION_SUPPLIES = frozenset(("hook", "runner", "none"))

# Kind of an event → what of its payload may be kept.
EVENT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "recovery_decision": ("failures", "rung", "target", "failed_seq", "reason", "qid"),
    "recovery_next_attempt": ("failed_seq", "next_seq", "route"),
    "recovery_attempt_result": ("failed_seq", "next_seq", "outcome"),
    "verification_attempt": ("seq", "route", "rc", "proof_class"),
    "route_switched": ("from", "to", "reason", "scope"),
    "planner_route_rejected": (),
    "question_posted": ("qid",),
}


class RouterJob(Struct, frozen=True):
    """One request. `task` is the task it names; after the screen `router:<request id>` where it names none.

    `planner_session` is the native id of the session that asked for the job;
    it belongs to a person and is never bound. `issue` is a reference, never
    text; `project` a directory's name; commits are 40 hex digits.
    """

    request_id: str
    task: str | None = None
    status: str | None = None
    lane: str | None = None
    kind: str | None = None
    replay_of: str | None = None
    route: str | None = None
    model: str | None = None
    effort: str | None = None
    planner_session: str | None = None
    planner_harness: str | None = None
    planner_model: str | None = None
    planner_effort: str | None = None
    issue: str | None = None
    project: str | None = None
    base_commit: str | None = None
    head_commit: str | None = None
    block_reason: str | None = None
    error_class: str | None = None
    cancel_requested: int | None = None
    created_ms: int | None = None
    updated_ms: int | None = None


class RouterInvocation(Struct, frozen=True):
    """One child process of a job: a model turn or a proof.

    `session` is the key of the session that was made for the job; None for
    proofs, for a planner's callbacks, and where none is recorded. `state` is
    that of an attempt (records.ownership): "active" while the run is open.
    `usage` is the router's copy of the counters. In a Codex thread it is the
    thread's running total, which must not be added up.
    """

    id: str
    request_id: str
    ordinal: int
    state: str
    kind: str | None = None
    session: str | None = None
    stage: str | None = None
    requested_route: str | None = None
    policy_version: str | None = None
    harness_version: str | None = None
    model: str | None = None
    effort: str | None = None
    reason: str | None = None
    proof_class: str | None = None
    terminal_class: str | None = None
    return_code: int | None = None
    seq: int | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    elapsed_ms: int | None = None
    kit_hash: str | None = None
    direction_supply: str | None = None
    direction_hash: str | None = None
    usage: TokenUsage = TokenUsage()


class RouterEvent(Struct, frozen=True):
    """A decision of the router about a job; `fields` are those of EVENT_FIELDS."""

    id: int
    request_id: str
    kind: str
    at_ms: int | None
    fields: dict[str, int | str]


class RouterReading(Struct, frozen=True):
    """A quota level, not an amount spent. Key: pool, model, window and instant."""

    pool: str
    model: str
    window: str
    observed_ms: int
    used: float
    limit: float | None = None
    reset_ms: int | None = None
    source: str | None = None


class RouterRecords(Struct, frozen=True):
    """Everything one router ledger says, in the order of its tables."""

    jobs: tuple[RouterJob, ...] = ()
    invocations: tuple[RouterInvocation, ...] = ()
    events: tuple[RouterEvent, ...] = ()
    readings: tuple[RouterReading, ...] = ()
