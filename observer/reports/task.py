"""The task report: what a task cost, and how much of that is proven to be its own.

A selection of sessions can be reported in the same form: everything in them
is then attributed, because nobody else was asked.
"""

import json
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from observer.facts import attempts, ownership, responses, router
from observer.facts.ownership import Scope
from observer.facts.responses import ResponseRow
from observer.ledger.open import Reader
from observer.pricing.scope import valuate
from observer.records.ownership import Attempt, Dispatch, Outcome, Task
from observer.records.valuation import PriceSchedule
from observer.reports import named, snapshot
from observer.reports.model import Coverage, Routed, TaskReport
from observer.reports.rows import Member, Row, rows
from observer.rules.attempts import in_state, joined, out_of_sight, without_worker
from observer.rules.attribution import Attribution, Claim, contested_sessions, joint, missing, partners

Claims = Callable[[str, str | None], Claim]


class Work(Struct, frozen=True):
    """What is recorded of a task's work besides its sessions."""

    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()
    dispatches: tuple[Dispatch, ...] = ()
    router: Routed = Routed()


def of_task(reader: Reader, name: str, schedule: PriceSchedule) -> TaskReport:
    """The report of a task. UnknownTask when nobody created it."""
    task = named.task(reader, name)
    scope = ownership.scope(reader, name)
    attribution = Attribution(name, scope.ownership)
    work = _work(reader, name, scope)
    return _report(reader, scope, attribution.claim, schedule, task=task, work=work)


def of_sessions(reader: Reader, names: Sequence[str], schedule: PriceSchedule) -> TaskReport:
    """The report of a session selection. UnknownSession when one is not in the ledger."""
    scope = ownership.of_sessions(reader, {named.session(reader, name) for name in names})
    everything = Claim("attributed", owned=True)
    return _report(reader, scope, lambda _session, _turn: everything, schedule, task=None, work=Work())


def _work(reader: Reader, name: str, scope: Scope) -> Work:
    """The outcome, the runs, and who handed work to whom."""
    runs = attempts.of_task(reader, name)
    present = frozenset(scope.sessions) - frozenset(scope.missing_sessions)
    handed = joined(attempts.dispatches(reader, name), runs, present=present, owned=scope.measured)
    return Work(ownership.outcome(reader, name), runs, handed, _routed(reader, name, runs))


def _routed(reader: Reader, name: str, runs: Sequence[Attempt]) -> Routed:
    jobs = router.jobs(reader, name)
    if not jobs:
        return Routed()
    ends = [each.ended_ms for each in runs if each.request is not None]
    # While a run goes on, or nobody knows when it ended, the newest levels are those of its time.
    until_ms = None if None in ends else max((end for end in ends if end is not None), default=None)
    return Routed(jobs, router.events(reader, name), router.quotas(reader, until_ms=until_ms))


def _report(
    reader: Reader, scope: Scope, claims: Claims, schedule: PriceSchedule, *, task: Task | None, work: Work
) -> TaskReport:
    found = responses.of_sessions(reader, json.dumps(scope.sessions))
    counted = [(each, claims(each.session, each.turn)) for each in found if not each.overlap]
    grouped = tuple(rows((Member(each, claim.partition) for each, claim in counted), schedule))
    unbound = tuple(rows((Member(each, claim.partition) for each, claim in counted if not claim.owned), schedule))
    report = TaskReport(
        task=task,
        outcome=work.outcome,
        attempts=work.attempts,
        dispatches=work.dispatches,
        router=work.router,
        scope=scope,
        rows=grouped,
        unbound=unbound,
        overlap_responses=len(found) - len(counted),
        coverage=_coverage(scope, task, work, [each for each, _ in counted], grouped, unbound),
        valuation=valuate((row.usage for row in grouped if row.key.share == "attributed"), schedule),
        shared_valuation=valuate((row.usage for row in grouped if row.key.share == "shared"), schedule),
        shared_with=tuple(sorted(partners(task.id, scope.ownership))) if task else (),
        cutoff_ms=ownership.cutoff_ms(reader, scope.sessions),
        snapshot_id="",
        schedule=schedule,
    )
    return snapshot.stamped(report, found, claims)


def _coverage(
    scope: Scope,
    task: Task | None,
    work: Work,
    counted: Sequence[ResponseRow],
    grouped: Iterable[Row],
    unbound: Iterable[Row],
) -> Coverage:
    used = {each.session for each in counted}
    conflicts = joint(scope.ownership)
    mine = task is not None
    active, outcome = in_state(work.attempts, "active"), work.outcome
    unseen = out_of_sight(work.attempts, scope.measured)
    return Coverage(
        no_measured_sessions=not scope.sessions,
        missing_sessions=scope.missing_sessions,
        missing_prompts=scope.missing_prompts,
        sessions_without_usage=tuple(sorted(set(scope.sessions) - used - set(scope.missing_sessions))),
        conflicting_sessions=tuple(sorted(contested_sessions(scope.ownership))) if mine else (),
        unbound_worker_sessions=scope.unbound_workers,
        unbound_dispatches=(*(each.turn for each in unseen), *without_worker(work.dispatches, unseen)),
        turns_without_usage=scope.empty_turns,
        unbound_responses=sum(row.usage.responses for row in unbound),
        missing=tuple(missing(scope.ownership)) if mine else (),
        conflicting=tuple(each for each in conflicts if not each.all_shared) if mine else (),
        joint=tuple(each for each in conflicts if each.all_shared) if mine else (),
        active_attempts=active,
        crashed_attempts=in_state(work.attempts, "crashed"),
        active=bool(active) or (outcome is not None and outcome.state == "active"),
        reconciles=sorted(name for row in grouped for name in row.ids) == sorted(each.id for each in counted),
    )
