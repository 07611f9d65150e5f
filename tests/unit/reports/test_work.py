"""Work in the task report: dispatches with and without worker, a person's word beside a router's, and what leaves."""

from pathlib import Path
from typing import Any

import pytest

from observer.capture import bind, runs
from observer.capture.runs import AttemptFields, DispatchFields
from observer.evidence import build
from observer.evidence.build import Destination
from observer.reports import tasktext, taskview
from tests.builders import mini, routed
from tests.builders.batches import START_MS, Book, response, session, submission
from tests.builders.mini import P1, P2, S, assign, create, report, whole
from tests.builders.routed import NEW, Shelf, job, reading, run

W, WP = "codex:w", "codex:wp1"
PRIVATE = ("because it is small", "tidy up the kit", "luna-asked", "effort-asked", "policy-7", "turn-of-w")


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """The mini rollout, both of its prompts bound to T-A."""
    found = mini.book(tmp_path)
    assign(found, P1)
    assign(found, P2)
    return found


def hand(book: Book, worker: str = W, submission: str = P1, **fields: str) -> None:
    with book.writer() as connection:
        runs.dispatch(connection, submission, worker, DispatchFields(**fields))


def say(book: Book, turn: str, task: str = "T-A", session: str | None = None, **fields: Any) -> None:
    with book.writer() as connection:
        runs.attempt(connection, task, turn, AttemptFields(**fields), session=session)


def child(book: Book, key: str = W) -> None:
    """A worker of 1650 tokens with one prompt."""
    book.told(
        f"/{key}",
        session(key),
        submission(WP, key, turn="C"),
        response("codex:w1", key, turn="C", total=1650),
    )


def document(book: Book, task: str = "T-A") -> dict[str, Any]:
    return taskview.document(report(book, task))


def text(book: Book, task: str = "T-A") -> str:
    return "\n".join(tasktext.lines(document(book, task)))


def test_a_worker_that_was_never_imported_is_a_gap(book: Book) -> None:
    """E158: incomplete, no total of money, the worker named."""
    assert document(book)["complete"] is True
    hand(book, "codex:never")
    found = document(book)
    (dispatch,) = found["dispatches"]
    assert (dispatch["worker"], dispatch["session"], dispatch["gap"]) == ("codex:never", None, "unknown_worker")
    assert found["coverage"]["unbound_dispatches"] == ["codex:never"]
    assert found["complete"] is False
    assert found["estimated_cost"]["estimated_cost_usd_total"] is None
    assert found["estimated_cost"]["estimated_cost_usd_partial"] is not None
    assert found["total_cost"]["status"] == "partial"


def test_the_agents_own_cost_is_no_total_either_where_a_worker_is_out_of_sight(book: Book) -> None:
    """§12.4: what is known stays as a subtotal."""
    book.told("/o", session("opencode:o"), response("opencode:m1", "opencode:o", native_cost_usd="0.25"))
    create(book, "T-B")
    whole(book, "opencode:o", "T-B")
    book.told("/o", submission("opencode:q1", "opencode:o"))
    assert document(book, "T-B")["native_cost"]["total_usd"] == "0.25"
    hand(book, "codex:never", "opencode:q1")
    found = document(book, "T-B")["native_cost"]
    assert (found["total_usd"], found["subtotal_usd"]) == (None, "0.25")


@pytest.mark.parametrize("name", [W, "w"])
def test_a_worker_that_the_task_owns_is_no_gap(book: Book, name: str) -> None:
    """E159: by its key, and by a native id that one session has, whichever came first."""
    hand(book, name)
    child(book)
    whole(book, W)
    found = document(book)
    assert [(each["session"], each["gap"]) for each in found["dispatches"]] == [(W, None)]
    assert found["coverage"]["unbound_dispatches"] == []
    assert found["complete"] is True


def test_a_name_that_several_sessions_have_is_a_gap(book: Book) -> None:
    """E159: whoever owns them."""
    child(book)
    whole(book, W)
    book.told("/other", session("opencode:w"), response("opencode:m1", "opencode:w", total=10))
    whole(book, "opencode:w")
    hand(book, "w")
    found = document(book)
    assert [each["gap"] for each in found["dispatches"]] == ["ambiguous_worker"]
    assert found["coverage"]["unbound_dispatches"] == ["w"]
    assert found["complete"] is False
    assert "capture withdraw --submission codex:p1 --worker w" in text(book)


def test_a_worker_that_no_task_owns_is_a_gap_and_one_of_another_task_is_not(book: Book) -> None:
    """§12.4: as with subagents and prompts, an owner elsewhere says whose the usage is."""
    child(book)
    hand(book)
    assert [each["gap"] for each in document(book)["dispatches"]] == ["unbound_worker"]
    assert f"capture assign-session --session {W} --task T-A" in text(book)
    create(book, "T-B")
    assign(book, WP, "T-B")
    found = document(book)
    assert [each["gap"] for each in found["dispatches"]] == [None]
    assert (found["complete"], found["attributed"]["total_tokens"]) == (True, 5500)


def test_a_dispatch_binds_nothing(tmp_path: Path) -> None:
    """E163: 4950 tokens over two rollouts only once both prompts are bound."""
    book = Book(tmp_path)
    parent = [
        session(S),
        submission(P1, S, turn="A"),
        response("codex:r1", S, turn="A", total=1100),
        response("codex:r2", S, turn="A", total=1100, minute=1),
        response("codex:r3", S, turn="A", total=1100, minute=2),
    ]
    book.told("/p", *parent)
    child(book)
    create(book, "T-A")
    assign(book, P1)
    hand(book)
    assert document(book)["attributed"]["total_tokens"] == 3300
    assign(book, WP)
    found = document(book)
    assert (found["attributed"]["total_tokens"], found["attributed"]["responses"]) == (4950, 4)
    assert found["complete"] is True


def test_a_dispatch_belongs_to_the_tasks_that_own_its_prompt(book: Book) -> None:
    """By the prompt itself, or with its whole session; to no other."""
    child(book)
    create(book, "T-B", "T-C")
    whole(book, W, "T-B")
    hand(book, "codex:x", P1)
    hand(book, "codex:y", WP)
    assert [each["worker"] for each in document(book)["dispatches"]] == ["codex:x"]
    assert [each["worker"] for each in document(book, "T-B")["dispatches"]] == ["codex:y"]
    assert document(book, "T-C")["dispatches"] == []


def test_the_session_of_a_run_comes_into_scope_and_must_be_bound(book: Book) -> None:
    """§12.1, §12.4: a run in a session that nobody bound leaves usage without an owner."""
    child(book)
    say(book, "C", role="worker", state="complete")
    found = document(book)
    assert found["scope_sessions"] == [S, W]
    assert found["coverage"]["unbound_dispatches"] == ["C"]
    assert (found["unassigned_in_scope"]["total_tokens"], found["unbound_usage"]["responses"]) == (1650, 1)
    assert [each["submission"] for each in found["missing_assignments"]] == [WP]
    assign(book, WP)
    assert document(book)["complete"] is True


def test_an_active_run_is_work_that_goes_on_and_a_crashed_one_is_counted_apart(book: Book) -> None:
    """E172, E173."""
    say(book, "A", role="worker")
    found = document(book)
    assert (found["has_active_work"], found["active_attempts"], found["complete"]) == (True, ["A"], False)
    say(book, "A", state="crashed")
    found = document(book)
    assert (found["crashes_counted_separately"], found["has_active_work"], found["complete"]) == (1, False, True)
    assert found["attributed"]["total_tokens"] == 5500
    assert "Crashed runs: 1" in text(book)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A job of two runs in the mini session, a proof, and a worker that is out of sight."""
    found = routed.shelf(tmp_path / "routed")
    found.routed(
        NEW,
        job(),
        run(requested_route="luna/max", reason="initial", policy_version="v3"),
        run("run-2", state="failed", reason="correction", ordinal=2),
        run("proof-1", session=None, kind="proof", ordinal=3),
        run("run-3", session="opencode:never", kind="opencode_control", ordinal=4),
    )
    return found


def test_what_a_router_made_stands_beside_what_a_person_said(shelf: Shelf) -> None:
    """One for each session of a job; a proof hands nothing on; a gap of a run is told once."""
    found = document(shelf, "T-42")
    assert [(each["origin"], each["request"], each["session"], each["attempts"]) for each in found["dispatches"]] == [
        ("router", "job-1", S, ["router:run-1", "router:run-2"]),
        ("router", "job-1", "opencode:never", ["router:run-3"]),
    ]
    assert [each["gap"] for each in found["dispatches"]] == [None, "unknown_worker"]
    assert found["coverage"]["unbound_dispatches"] == ["router:run-3"]
    hand(shelf, "opencode:never", requested_model="luna-asked")
    hand(shelf, S, policy_version="policy-7")
    found = document(shelf, "T-42")
    never, own = found["dispatches"]
    assert (never["origin"], never["requested_model"], never["gap"]) == ("capture", "luna-asked", "unknown_worker")
    assert never["attempts"] == ["router:run-3"]
    assert (own["policy_version"], own["requested_route"], own["reason"]) == ("policy-7", "luna/max", "initial")
    assert (own["submission"], own["request"]) == (P1, "job-1")
    assert own["attempts"] == ["router:run-1", "router:run-2"]


def test_a_session_that_is_missed_twice_is_one_worker_without_an_owner(book: Book) -> None:
    """Evidence counts sessions: a subagent nobody bound, also named by a dispatch."""
    book.told(
        "/sub",
        session("codex:sub", role="subagent", parent=S),
        response("codex:sub1", "codex:sub", total=10),
    )
    hand(book, "codex:sub")
    found = report(book)
    assert found.coverage.unbound_worker_sessions == found.coverage.unbound_dispatches == ("codex:sub",)
    assert evidence(found).coverage.unbound_worker_sessions == 1


def evidence(found: Any) -> Any:
    return build.build(found, ledger_id="0" * 32, destination=Destination())


def test_no_word_of_a_dispatch_or_a_run_leaves(book: Book) -> None:
    """§20.2: the document and its text may show them here; evidence has no field for them."""
    hand(
        book, purpose=PRIVATE[0], task_name=PRIVATE[1], requested_model=PRIVATE[2], requested_effort=PRIVATE[3],
        policy_version=PRIVATE[4], worker_turn=PRIVATE[5],
    )  # fmt: skip
    say(book, "A", role="worker", requested_model=PRIVATE[2], requested_effort=PRIVATE[3], usable=True)
    shown = repr(document(book))
    assert [word for word in PRIVATE if word not in shown] == []
    sealed = build.encode(evidence(report(book)))
    assert [word for word in (*PRIVATE, W, "usable", "dispatch") if word.encode() in sealed] == []


def test_whatever_is_said_of_work_moves_the_snapshot_and_nothing_else_does(book: Book) -> None:
    """§13: also a dispatch's own words; not a second time of saying the same."""
    plain = report(book).snapshot_id
    seen = [plain]
    for step in (
        lambda: hand(book),
        lambda: say(book, "A", role="worker"),
        lambda: say(book, "A", usable=False),
        lambda: child(book),
        lambda: whole(book, W),
    ):
        step()
        seen.append(report(book).snapshot_id)
        hand(book)
        assert report(book).snapshot_id == seen[-1]
    assert len(set(seen)) == len(seen)
    with book.writer() as connection:
        runs.withdraw_dispatch(connection, P1, W, reason="r")
        runs.withdraw_attempt(connection, "T-A", "A", session=None, reason="r")
        bind.withdraw_session(connection, W, "T-A", reason="r")
    assert report(book).snapshot_id == plain


def test_a_bound_prompt_that_is_in_no_session_here_is_missing(book: Book) -> None:
    """§12.4: an assertion may come from another machine; what is elsewhere is unknown, not nothing."""
    with book.writer() as connection:
        connection.execute(
            "INSERT INTO assignment_assertion (submission, task, recorded_ms) VALUES ('claude:elsewhere', 'T-A', 1)"
        )
    found = document(book)
    assert found["coverage"]["missing_prompts"] == ["claude:elsewhere"]
    assert (found["complete"], found["estimated_cost"]["estimated_cost_usd_total"]) == (False, None)
    assert evidence(report(book)).coverage.missing_sessions == 1
    assert evidence(report(book)).attributed.total_usd is None


def test_quota_levels_are_those_of_the_time_of_the_runs(shelf: Shelf) -> None:
    """§7: the newest level of each pool and window by the end of the last run; while one goes on, the newest."""
    ended = run(ended_ms=START_MS + 1000)
    levels = (
        reading(10),
        reading(20, observed_ms=START_MS + 900),
        reading(30, observed_ms=START_MS + 9000),
        reading(3.5, pool="go", limit=60.0),
    )
    shelf.routed(NEW, job(), ended, *levels)
    assert [(each["pool"], each["used"], each["limit"]) for each in document(shelf, "T-42")["quota_readings"]] == [
        ("codex", 20.0, None), ("go", 3.5, 60.0)
    ]  # fmt: skip
    shelf.routed(NEW, job(), ended, run("run-2", state="active"), *levels)
    found = document(shelf, "T-42")["quota_readings"]
    assert [each["used"] for each in found] == [30.0, 3.5]
    assert "Quota go 5h: 3.5 of 60 at " in text(shelf, "T-42")
    create(shelf, "T-A")
    assert document(shelf)["quota_readings"] == []


def test_how_jobs_stand_is_told_with_the_intent_behind_a_stop(shelf: Shelf) -> None:
    """§14.4: 1 on purpose, 2 otherwise, a missing column unknown."""
    shelf.routed(
        NEW,
        job("job-1", status="cancelled", cancel_requested=1),
        job("job-2", status="blocked", block_reason="quota_blocked", cancel_requested=0, created_ms=1),
        job("job-3", status="cancelled", cancel_requested=2),
        job("job-4", status=None),
    )
    found = {each["request"]: each for each in document(shelf, "T-42")["job_outcomes"]}
    assert [found[f"job-{place}"]["cancel_intent"] for place in range(1, 5)] == ["intentional", "none", "other", None]
    assert found["job-2"]["block_reason"] == "quota_blocked"
    said = text(shelf, "T-42")
    assert "Job job-1: cancelled, stopped on purpose" in said
    assert "Job job-2: blocked, quota_blocked" in said
    assert "job-4" not in said
