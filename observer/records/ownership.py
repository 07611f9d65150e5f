"""Ownership: what a coordinator asserts. Explicit; acceptance is never inferred."""

from typing import Literal

from msgspec import Struct

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
    created_ms: int


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
    """What the coordinator recorded about a task's end."""

    task: str
    state: OutcomeState
    candidate: str | None
    proof: str | None
    repairs: int | None
    corrections: int | None
    recorded_ms: int
