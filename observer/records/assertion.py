"""Assertions on their way between machines: every row a coordinator made, in a form of its own.

Holds words that never leave as evidence (titles, reasons): a file of these is
as private as the ledger. Decode with `msgspec.json.decode(data,
type=Assertions)`; unknown fields are refused, because a row that was half
understood would say something else here.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from observer.records.evidence import IDENTIFIER, Count, Identifier, Instant, LedgerId
from observer.records.ownership import OutcomeState

FORMAT: Final = "agent-observer/assertions"
VERSION: Final = 1

TaskId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/+@-]{0,127}$(?!\n)")]
# A router's run has no session of its own to name.
SessionOrNone = Annotated[str, Meta(pattern=rf"^$(?!\n)|{IDENTIFIER}")]
Words = Annotated[str, Meta(max_length=2000)]
Role = Literal["parent", "worker"]
Phase = Literal[
    "research", "planning", "design", "implementation", "review", "correction", "recovery", "dispatch",
    "verification", "delivery", "mixed",
]  # fmt: skip


class _Said(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What every row has: when it was recorded, whether it takes the assertion back, and why it was made."""

    recorded: Instant
    withdrawn: bool = False
    reason: Words | None = None


class TaskSaid(_Said, frozen=True, kw_only=True, tag="task"):
    """What is said of a task."""

    task: TaskId
    project: Words | None = None
    family: Words | None = None
    title: Words | None = None
    issue_url: Words | None = None
    origin: Literal["capture", "router"] = "capture"


class AssignmentSaid(_Said, frozen=True, kw_only=True, tag="assignment"):
    """A prompt's binding."""

    submission: Identifier
    task: TaskId
    attempt: Words | None = None
    phase: Words | None = None
    evidence: Words | None = None
    shared: bool = False


class SessionSaid(_Said, frozen=True, kw_only=True, tag="session"):
    """A whole session's binding."""

    session: Identifier
    task: TaskId
    evidence: Words


class OutcomeSaid(_Said, frozen=True, kw_only=True, tag="outcome"):
    """How a task ended."""

    task: TaskId
    state: OutcomeState
    candidate: Words | None = None
    proof: Words | None = None
    repairs: Count | None = None
    corrections: Count | None = None


class DispatchSaid(_Said, frozen=True, kw_only=True, tag="dispatch"):
    """Handed-on work."""

    submission: Identifier
    worker: Identifier
    parent_turn: Identifier | None = None
    worker_turn: Identifier | None = None
    requested_model: Words | None = None
    requested_effort: Words | None = None
    policy_version: Words | None = None
    purpose: Words | None = None
    task_name: Words | None = None


class AttemptSaid(_Said, frozen=True, kw_only=True, tag="attempt"):
    """A run of a task."""

    task: TaskId
    turn: Identifier
    session: SessionOrNone
    role: Role
    stage: Phase | None = None
    requested_model: Words | None = None
    requested_effort: Words | None = None
    state: OutcomeState | None = None
    usable: bool | None = None


Said = TaskSaid | AssignmentSaid | SessionSaid | OutcomeSaid | DispatchSaid | AttemptSaid
KINDS: Final[dict[str, type[Said]]] = {
    "task": TaskSaid,
    "assignment": AssignmentSaid,
    "session": SessionSaid,
    "outcome": OutcomeSaid,
    "dispatch": DispatchSaid,
    "attempt": AttemptSaid,
}


class Assertions(Struct, frozen=True, forbid_unknown_fields=True):
    """All rows of some tasks, or of a ledger; those of one key in the order they were made."""

    format: Literal["agent-observer/assertions"]
    version: Literal[1]
    ledger_id: LedgerId
    assertions: list[Said]
