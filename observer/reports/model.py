"""TaskReport and its coverage: the composed answer that text, JSON and evidence share."""

from msgspec import Struct

from observer.facts.ownership import Scope
from observer.facts.router import JobOutcome
from observer.records.ownership import Attempt, Dispatch, Outcome, Task
from observer.records.router import RouterEvent, RouterReading
from observer.records.valuation import PriceSchedule, Valuation
from observer.reports.rows import Row
from observer.rules.attribution import Conflict, Partition, Prompt


class Coverage(Struct, frozen=True):
    """What is missing. `complete` and `reconciles` follow from the rest."""

    no_measured_sessions: bool
    missing_sessions: tuple[str, ...]
    missing_prompts: tuple[str, ...]
    sessions_without_usage: tuple[str, ...]
    conflicting_sessions: tuple[str, ...]
    unbound_worker_sessions: tuple[str, ...]
    unbound_dispatches: tuple[str, ...]
    turns_without_usage: tuple[tuple[str, str], ...]
    unbound_responses: int
    missing: tuple[Prompt, ...]
    conflicting: tuple[Conflict, ...]
    joint: tuple[Conflict, ...]
    active_attempts: tuple[str, ...]
    crashed_attempts: tuple[str, ...]
    active: bool
    reconciles: bool

    @property
    def unavailable(self) -> bool:
        """Usage that is known to exist or to be unknown, so that no total holds."""
        return bool(
            self.no_measured_sessions
            or self.missing_sessions
            or self.missing_prompts
            or self.sessions_without_usage
            or self.conflicting_sessions
            or self.unbound_worker_sessions
            or self.unbound_dispatches
        )

    @property
    def has_gaps(self) -> bool:
        """Ownership has gaps or conflicts: exit status 3."""
        return bool(
            self.missing
            or self.conflicting
            or self.conflicting_sessions
            or self.unbound_responses
            or self.unbound_worker_sessions
        )

    @property
    def complete(self) -> bool:
        """Nothing missing, nothing in conflict, nothing unavailable, nothing running."""
        return not (self.missing or self.conflicting or self.unavailable or self.active)


class Routed(Struct, frozen=True):
    """What a router tells of a task besides its runs; `quotas` are the levels it had read by the last run's end."""

    jobs: tuple[JobOutcome, ...] = ()
    events: tuple[RouterEvent, ...] = ()
    quotas: tuple[RouterReading, ...] = ()


class TaskReport(Struct, frozen=True):
    """One moment of one task under one schedule; `task` is None for a session selection.

    `rows` are homogeneous; every response of the scope is in exactly one of
    them, by its partition. `unbound` are those of the unassigned that no task
    owns at all. `valuation` covers what is attributed, `shared_valuation`
    what several tasks share.
    """

    task: Task | None
    outcome: Outcome | None
    attempts: tuple[Attempt, ...]
    dispatches: tuple[Dispatch, ...]
    router: Routed
    scope: Scope
    rows: tuple[Row, ...]
    unbound: tuple[Row, ...]
    overlap_responses: int
    coverage: Coverage
    valuation: Valuation
    shared_valuation: Valuation
    shared_with: tuple[str, ...]
    cutoff_ms: int | None
    snapshot_id: str
    schedule: PriceSchedule

    def part(self, partition: Partition) -> list[Row]:
        """The rows of one partition."""
        return [row for row in self.rows if row.key.share == partition]
