"""Ownership: what a coordinator asserts. Explicit; acceptance is never inferred."""

from typing import Literal

from msgspec import Struct

from observer.records.usage import TokenUsage

OutcomeState = Literal["complete", "active", "cancelled", "failed", "quota_blocked", "crashed", "unknown"]
OUTCOME_STATES: tuple[str, ...] = ("complete", "active", "cancelled", "failed", "quota_blocked", "crashed", "unknown")
ROLES = ("parent", "worker")
# What a run was for, as a coordinator may say it (behaviour §11).
PHASES = tuple(
    "research planning design implementation review correction recovery dispatch verification delivery mixed".split()
)


class Task(Struct, frozen=True):
    """A piece of work; `origin` says who made it known (capture, router)."""

    id: str
    project: str | None
    family: str | None
    title: str | None
    issue_url: str | None
    origin: str
    created_ms: int | None


class Assignment(Struct, frozen=True):
    """One prompt belongs to one task; several tasks are joint only if all are `shared`."""

    submission: str
    task: str
    attempt: str | None
    phase: str | None
    evidence: str | None
    shared: bool


class SessionAssignment(Struct, frozen=True):
    """A whole session belongs to a task, with the evidence for it."""

    session: str
    task: str
    evidence: str


class Outcome(Struct, frozen=True):
    """What the coordinator recorded about a task's end.

    Where nobody recorded anything and a router worked on the task, the state
    is unknown and `router_status` says how its jobs stand: no acceptance.
    """

    task: str
    state: OutcomeState
    candidate: str | None
    proof: str | None
    repairs: int | None
    corrections: int | None
    router_status: str | None
    recorded_ms: int | None


class Attempt(Struct, frozen=True):
    """One recorded run of work on a task; `turn` is its id.

    `origin`: capture where a coordinator said something of it, else router.
    `role` is a coordinator's word, else the router's `kind` of run. `session`
    is the one the turn is in or that was made for the run, None where none is
    recorded. `usable`: whether the output could be used, as a coordinator
    says. `usage` is the router's copy of the counters, evidence only; in a
    Codex thread it is the thread's running total, which must not be added up.
    """

    turn: str
    origin: str
    request: str | None
    role: str | None
    kind: str | None
    session: str | None
    stage: str | None
    requested_route: str | None
    requested_model: str | None
    requested_effort: str | None
    policy_version: str | None
    reason: str | None
    model: str | None
    effort: str | None
    started_ms: int | None
    ended_ms: int | None
    elapsed_ms: int | None
    state: OutcomeState
    usable: bool | None
    terminal_class: str | None
    return_code: int | None
    proof_class: str | None
    seq: int | None
    usage: TokenUsage


class Dispatch(Struct, frozen=True):
    """Work that was handed to another session.

    `origin`: capture (a prompt handed it on, a coordinator says) or router (a
    job made the session; `request` is the job). `worker` is the session as it
    was named; `session` its key, None while no session in the ledger, or more
    than one, answers to that name. `owned`: some task owns the session or a
    prompt in it. `attempts` are the turns of the task's runs in the session.
    """

    origin: str
    submission: str | None
    request: str | None
    worker: str | None
    session: str | None
    namesakes: int
    owned: bool
    parent_turn: str | None = None
    worker_turn: str | None = None
    requested_route: str | None = None
    requested_model: str | None = None
    requested_effort: str | None = None
    policy_version: str | None = None
    reason: str | None = None
    task_name: str | None = None
    attempts: tuple[str, ...] = ()
