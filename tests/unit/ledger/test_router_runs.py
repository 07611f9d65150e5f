"""Runs of a router's jobs: what their copied counters are worth, and what they say of completeness."""

from pathlib import Path

import pytest

from observer.capture import tasks
from observer.capture.tasks import OutcomeFields
from observer.records.usage import TokenUsage
from observer.reports import taskview
from tests.builders import routed
from tests.builders.batches import START_MS, response, session
from tests.builders.mini import report
from tests.builders.routed import NEW, OLD, Shelf, copied, job, run


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return routed.shelf(tmp_path)


def test_copied_usage_makes_no_response(shelf: Shelf) -> None:
    """E123: it stands with the attempt, and only there."""
    before = shelf.rows("SELECT * FROM response ORDER BY id")
    shelf.routed(NEW, job(), run(session="codex:never", usage=copied(900)))
    assert shelf.rows("SELECT * FROM response ORDER BY id") == before
    assert shelf.conflicts() == []
    document = taskview.document(report(shelf, "T-42"))
    (attempt,) = document["attempts"]
    assert (attempt["usage"]["input_tokens"], attempt["usage"]["running_total"]) == (810, True)
    assert document["scope"]["responses"] == 0


@pytest.mark.parametrize(
    ("totals", "differs"),
    [
        ((5500,), False),
        ((1100, 5500), False),
        ((1100,), True),
        ((5500, 5501), True),
        ((1100, None), False),
        ((5600, None), True),
        ((None,), False),
    ],
)
def test_a_codex_threads_last_copy_is_its_total(shelf: Shelf, totals: tuple[int | None, ...], differs: bool) -> None:
    """E124: never the sum of the copies; a run without one makes the others a lower bound."""
    runs = [
        run(f"run-{place}", ordinal=place, started_ms=START_MS + place,
            usage=TokenUsage() if total is None else copied(total))
        for place, total in enumerate(totals)
    ]  # fmt: skip
    shelf.routed(NEW, job(), *runs)
    assert shelf.conflicts() == ([(NEW, len(totals) - 1)] if differs else [])
    assert sum(row.usage.usage.total or 0 for row in report(shelf, "T-42").part("attributed")) == 5500


@pytest.mark.parametrize(
    ("totals", "differs"),
    [((60, 40), False), ((100,), False), ((60, 50), True), ((60,), True), ((60, None), False), ((160, None), True)],
)
def test_opencodes_copies_add_up(shelf: Shelf, totals: tuple[int | None, ...], differs: bool) -> None:
    """E124."""
    worker = "opencode:ses"
    shelf.told("/store#ses", session(worker), response("opencode:m1", worker, total=100))
    runs = [
        run(f"run-{place}", session=worker, kind="opencode_control", ordinal=place, started_ms=START_MS + place,
            usage=TokenUsage(total=total))
        for place, total in enumerate(totals)
    ]  # fmt: skip
    shelf.routed(NEW, job(), *runs)
    assert shelf.conflicts() == ([(NEW, len(totals) - 1)] if differs else [])


def test_a_contradiction_is_found_whoever_comes_first_and_goes_when_it_is_none(shelf: Shelf) -> None:
    """E124: found while settling, once, on the router's source."""
    worker = "codex:late"
    shelf.routed(NEW, job(), run(session=worker, usage=copied(200)))
    assert shelf.conflicts() == []
    shelf.told("/late", session(worker), response("codex:r9", worker, total=100))
    assert shelf.conflicts() == [(NEW, 1)]
    shelf.settle()
    shelf.routed(OLD, job(), run(session=worker, usage=copied(200)))
    assert len(shelf.conflicts()) == 1
    shelf.told("/late", response("codex:r10", worker, total=100))
    assert shelf.conflicts() == []


def test_unknown_counters_contradict_nothing(shelf: Shelf) -> None:
    worker = "codex:unknown"
    shelf.told("/unknown", session(worker), response("codex:r9", worker, total=None))
    shelf.routed(NEW, job(), run(session=worker, usage=copied(200)))
    assert shelf.conflicts() == []


def test_a_crash_before_settling_leaves_the_settling_to_the_next_time(shelf: Shelf) -> None:
    shelf.routed(NEW, job(), run(), settled=False)
    assert shelf.bindings() == []
    shelf.settle()
    assert [row[1] for row in shelf.bindings()] == ["T-42"]


def test_a_running_attempt_is_work_that_goes_on(shelf: Shelf) -> None:
    """E172: whatever a coordinator says of the outcome."""
    shelf.routed(NEW, job(), run(), run("run-2", state="active"))
    with shelf.writer() as connection:
        tasks.record_outcome(connection, "T-42", OutcomeFields(state="complete"))
    document = taskview.document(report(shelf, "T-42"))
    assert (document["has_active_work"], document["complete"]) == (True, False)
    assert (document["active_attempts"], document["coverage"]["active_attempts"]) == (["router:run-2"], 1)
    shelf.routed(NEW, job(), run(), run("run-2"))
    assert taskview.document(report(shelf, "T-42"))["complete"] is True


def test_a_crashed_attempt_is_counted_apart_and_its_usage_counts(shelf: Shelf) -> None:
    """E173."""
    shelf.routed(NEW, job(), run(state="crashed"))
    document = taskview.document(report(shelf, "T-42"))
    assert (document["crashes_counted_separately"], document["coverage"]["crashes"]) == (1, 1)
    assert document["attributed"]["total_tokens"] == 5500


@pytest.mark.parametrize("worker", [None, "opencode:never"])
def test_a_worker_that_was_never_imported_makes_the_task_incomplete(shelf: Shelf, worker: str | None) -> None:
    """E158: no total of money holds, and the run is named."""
    shelf.routed(NEW, job(), run(), run("run-2", session=worker, kind="opencode_control"))
    document = taskview.document(report(shelf, "T-42"))
    assert document["coverage"]["unbound_dispatches"] == ["router:run-2"]
    assert document["complete"] is False
    assert document["estimated_cost"]["estimated_cost_usd_total"] is None
    assert document["total_cost"]["status"] != "complete"


def test_proofs_and_a_planners_callbacks_need_no_session(shelf: Shelf) -> None:
    kinds = ("proof", "claude_callback", "claude_compact")
    shelf.routed(NEW, job(), run(), *(run(kind, session=None, kind=kind) for kind in kinds))
    found = report(shelf, "T-42").coverage
    assert (found.unbound_dispatches, found.complete) == ((), True)


def test_attempts_and_a_routers_status_are_part_of_the_snapshot(shelf: Shelf) -> None:
    """§13: states and jobs move it, a repeated import does not."""
    seen = set()
    for state, status in (("active", "running"), ("complete", "running"), ("complete", "succeeded")):
        shelf.routed(NEW, job(status=status), run(state=state))
        seen.add(report(shelf, "T-42").snapshot_id)
        shelf.routed(NEW, job(status=status), run(state=state))
        seen.add(report(shelf, "T-42").snapshot_id)
    assert len(seen) == 3
