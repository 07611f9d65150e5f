"""Ownership: what a coordinator asserts. Explicit; acceptance is never inferred."""

from typing import Literal

from msgspec import Struct

from observer.records.usage import TokenUsage

OutcomeState = Literal["complete", "active", "cancelled", "failed", "quota_blocked", "crashed", "unknown"]
OUTCOME_STATES: tuple[str, ...] = ("complete", "active", "cancelled", "failed", "quota_blocked", "crashed", "unknown")


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

    `session` is the one made for the run, None where none is recorded.
    `usage` is the router's copy of the counters, evidence only; in a Codex
    thread it is the thread's running total, which must not be added up.
    """

    turn: str
    request: str
    role: str | None
    session: str | None
    stage: str | None
    requested_route: str | None
    policy_version: str | None
    reason: str | None
    model: str | None
    effort: str | None
    started_ms: int | None
    ended_ms: int | None
    elapsed_ms: int | None
    state: OutcomeState
    terminal_class: str | None
    return_code: int | None
    proof_class: str | None
    seq: int | None
    usage: TokenUsage
