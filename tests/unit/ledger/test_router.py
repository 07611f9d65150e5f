"""A router's ledger in ours: tasks, sessions, outcomes, and what a coordinator's word does to them."""

import sqlite3
from pathlib import Path

import pytest

from observer.base.errors import CaptureRefused
from observer.capture import bind, tasks
from observer.capture.bind import Binding
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.facts import attempts, ownership
from observer.ledger import open as opening
from observer.records.ownership import Outcome, Task
from observer.reports import taskview
from tests.builders import mini, routed
from tests.builders.batches import START_MS, response, session, submission
from tests.builders.mini import P1, S, report
from tests.builders.routed import NEW, OLD, Shelf, job, reading, run


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return routed.shelf(tmp_path)


def test_sessions_made_for_a_task_are_its_own(shelf: Shelf) -> None:
    """E117: two jobs of one task, one evidence per session: the first run in it."""
    shelf.routed(
        NEW,
        job(),
        job("job-2"),
        run(started_ms=START_MS + 5),
        run("run-0", started_ms=START_MS),
        run("run-2", "job-2", session="opencode:ses", kind="opencode_control"),
        run("run-3", "job-2", session=None, kind="proof"),
    )
    assert shelf.bindings() == [
        (S, "T-42", "router:job-1:run-0"),
        ("opencode:ses", "T-42", "router:job-2:run-2"),
    ]
    assert mini.report(shelf, "T-42").scope.sessions == (S, "opencode:ses")
    assert shelf.task() == Task("T-42", "kit", None, "job-1", None, "router", START_MS)


def test_a_job_without_a_task_is_its_own(shelf: Shelf) -> None:
    shelf.routed(NEW, job(task=None), run())
    assert shelf.bindings() == [(S, "router:job-1", "router:job-1:run-1")]


def test_an_issue_is_the_title_of_the_first_job_that_has_one(shelf: Shelf) -> None:
    later = START_MS + 9
    shelf.routed(NEW, job(created_ms=None), job("job-2", created_ms=later, issue="dev/kit#2"), job("job-3", issue="#3"))
    assert shelf.task() == Task("T-42", "kit", None, "#3", None, "router", START_MS)
    url = "https://github.com/dev/kit/issues/7"
    shelf.routed(NEW, job(issue=url))
    assert shelf.task() == Task("T-42", "kit", None, url, url, "router", START_MS)


def test_a_captured_task_keeps_what_was_said_of_it(shelf: Shelf) -> None:
    """E118: title, project and outcome, whatever comes first."""
    for routed_first in (True, False):
        name = f"T-{routed_first}"
        if routed_first:
            shelf.routed(NEW, job(task=name, issue="dev/kit#7"), run())
        with shelf.writer() as connection:
            tasks.create(connection, name, TaskFields(project="mine", title="Mine"))
            tasks.record_outcome(connection, name, OutcomeFields(state="complete", candidate="3f9d2c1"))
        before = (shelf.task(name), shelf.outcome(name))
        shelf.routed(NEW, job(task=name, status="failed", issue="dev/kit#8"), run())
        assert (shelf.task(name), shelf.outcome(name)) == before
        assert before[0] is not None
        assert (before[0].title, before[0].project, before[0].origin) == ("Mine", "mine", "capture")


def test_capturing_a_routers_task_starts_from_what_is_known_of_it(shelf: Shelf) -> None:
    shelf.routed(NEW, job(issue="dev/kit#7"), run())
    with shelf.writer() as connection:
        tasks.amend(connection, "T-42", TaskFields(family="fixes"), reason="sorted")
        amended = ownership.task(connection, "T-42")
        assert amended is not None
        assert (amended.title, amended.family, amended.origin) == ("dev/kit#7", "fixes", "router")
        assert tasks.create(connection, "T-42", TaskFields()) is False
    shelf.routed(NEW, job("job-2", "T-43", issue="dev/kit#8"))
    with shelf.writer() as connection:
        assert tasks.create(connection, "T-43", TaskFields(project="mine")) is True
    known = shelf.task("T-43")
    assert known is not None
    assert (known.title, known.project, known.origin) == ("dev/kit#8", "mine", "capture")


def test_a_coordinators_outcome_stays_to_the_byte(shelf: Shelf) -> None:
    """E119: a router's later word changes nothing in it."""
    shelf.routed(NEW, job(status="running"), run())
    with shelf.writer() as connection:
        tasks.record_outcome(connection, "T-42", OutcomeFields(state="cancelled", repairs=2))
    rows = shelf.rows("SELECT * FROM outcome_assertion")
    before = shelf.outcome()
    for status in ("blocked", "succeeded"):
        shelf.routed(NEW, job(status=status, updated_ms=START_MS + 9), run())
        assert shelf.outcome() == before
        assert shelf.rows("SELECT * FROM outcome_assertion") == rows
    assert before is not None
    assert (before.state, before.repairs, before.router_status) == ("cancelled", 2, None)


def test_a_routers_word_on_the_outcome_follows_its_jobs_and_accepts_nothing(shelf: Shelf) -> None:
    """E120: unknown, with the states of the jobs."""
    for status in ("pending", "running", "succeeded"):
        shelf.routed(NEW, job(status=status), run())
        assert shelf.outcome() == Outcome("T-42", "unknown", None, None, None, None, status, START_MS)
    shelf.routed(NEW, job(status="failed"), job("job-2", status=None), job("job-3", status="failed"))
    found = shelf.outcome()
    assert found is not None
    assert found.router_status == "failed, unknown"
    assert taskview.document(report(shelf, "T-42"))["acceptance_state"] == "unknown"


def test_a_prompt_of_another_task_keeps_the_session_from_being_bound(shelf: Shelf) -> None:
    """E121: that task's 3350 tokens stay its own; here they are in scope, and nobody's gap."""
    mini.create(shelf, "T-mine")
    for order in ("before", "after"):
        if order == "before":
            mini.assign(shelf, P1, "T-mine")
        shelf.routed(NEW, job(), run())
        assert shelf.bindings() == []
        own, other = report(shelf, "T-mine"), report(shelf, "T-42")
        assert sum(row.usage.usage.total or 0 for row in own.part("attributed")) == 3350
        assert [row.usage.responses for row in other.part("attributed")] == []
        assert other.scope.sessions == (S,)
        assert other.coverage.unbound_dispatches == ("router:run-1",)
        assert not other.coverage.complete


def test_a_prompt_may_be_given_to_another_task_after_a_router_bound_its_session(shelf: Shelf) -> None:
    """§7: a router's binding is no obstacle to a coordinator, and gives way."""
    mini.create(shelf, "T-mine")
    shelf.routed(NEW, job(), run())
    assert [row[1] for row in shelf.bindings()] == ["T-42"]
    mini.assign(shelf, P1, "T-mine")
    assert shelf.bindings() == []


def test_a_session_may_be_given_to_another_task_or_taken_back(shelf: Shelf) -> None:
    """§7: explicit ownership wins; what a person took back stays so at every later sync."""
    mini.create(shelf, "T-mine")
    shelf.routed(NEW, job(), run())
    mini.whole(shelf, S, "T-mine")
    assert shelf.bindings() == [(S, "T-mine", "its only work")]
    with shelf.writer() as connection:
        bind.withdraw_session(connection, S, "T-mine", reason="mistaken")
    assert shelf.bindings() == [(S, "T-42", "router:job-1:run-1")]
    with shelf.writer() as connection:
        bind.withdraw_session(connection, S, "T-42", reason="not its work")
    shelf.routed(NEW, job(), run(), run("run-2"))
    assert shelf.bindings() == []
    with shelf.writer() as connection, pytest.raises(CaptureRefused, match="not bound"):
        bind.withdraw_session(connection, S, "T-42", reason="again")


def test_the_same_task_named_twice_is_one_owner(shelf: Shelf) -> None:
    shelf.routed(NEW, job(), run())
    mini.assign(shelf, P1, "T-42")
    mini.whole(shelf, S, "T-42")
    assert shelf.bindings() == [(S, "T-42", "its only work")]
    assert report(shelf, "T-42").coverage.conflicting_sessions == ()


def test_a_session_that_jobs_of_two_tasks_name_is_shared_and_a_conflict(shelf: Shelf) -> None:
    """Never silently one of them."""
    shelf.routed(NEW, job(), job("job-2", "T-43"), run(), run("run-2", "job-2"))
    for task in ("T-42", "T-43"):
        found = report(shelf, task)
        assert found.coverage.conflicting_sessions == (S,)
        assert (found.part("attributed"), sum(row.usage.responses for row in found.part("shared"))) == ([], 3)
        assert found.coverage.has_gaps
        assert taskview.total_cost(found)["status"] != "complete"


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_a_moved_ledger_counts_once_in_its_later_state(shelf: Shelf, order: tuple[str, str]) -> None:
    """Whatever is imported first; what only the older one knows stays."""
    later = START_MS + 60_000
    content = {
        OLD: (job(), run(state="active"), run("run-0", session="opencode:old"), reading(5.0)),
        NEW: (job(status="succeeded", updated_ms=later), run(), run("run-2", session=None, kind="proof"), reading(7.0),
              reading(9.0, observed_ms=later)),
    }  # fmt: skip
    for path in order:
        shelf.routed(path, *content[path])
    with shelf.reader() as reader:
        found = {each.turn: each.state for each in attempts.of_task(reader, "T-42")}
    assert found == {"router:run-0": "complete", "router:run-1": "complete", "router:run-2": "complete"}
    assert [row[0] for row in shelf.bindings()] == [S, "opencode:old"]
    told = shelf.outcome()
    assert told is not None
    assert told.router_status == "succeeded"
    assert shelf.rows("SELECT used FROM router_reading WHERE current = 1 ORDER BY 1") == [(7.0,), (9.0,)]


def test_what_a_ledger_no_longer_says_is_gone(shelf: Shelf) -> None:
    """No stale job, run, binding or reading."""
    shelf.routed(NEW, job(), run(), reading(1.0))
    shelf.routed(NEW)
    assert (shelf.bindings(), shelf.task(), shelf.outcome()) == ([], None, None)
    for table in ("router_job", "router_invocation", "router_reading", "router_binding", "attempt"):
        assert shelf.rows(f"SELECT * FROM {table}") == []


def test_a_reading_of_the_same_key_is_updated_in_place(shelf: Shelf) -> None:
    """E126: also when one ledger holds it twice: the later row."""
    shelf.routed(NEW, reading(1.0), reading(2.0))
    assert shelf.rows("SELECT used, current FROM router_reading") == [(2.0, 1)]
    shelf.routed(NEW, reading(3.0, limit=100.0))
    assert shelf.rows("SELECT used, limit_value FROM router_reading") == [(3.0, 100.0)]


def test_usage_by_task_and_its_filter_see_a_routers_bindings(shelf: Shelf) -> None:
    shelf.told("/other", session("codex:o"), submission("codex:o1", "codex:o"), response("codex:ro", "codex:o"))
    shelf.routed(NEW, job(), run())
    owned = shelf.rows(
        "SELECT COUNT(*) FROM response JOIN session ON session.id = session_id"
        " WHERE session.key IN (SELECT session FROM session_assignment WHERE task = 'T-42')"
    )
    assert owned == [(3,)]


def test_a_ledger_of_the_release_before_gets_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E006: tasks, bindings and outcomes of a coordinator are as they were; a router's join them."""
    scripts = opening._scripts()
    monkeypatch.setattr(opening, "_scripts", lambda: scripts[:2])
    old = Shelf(tmp_path)
    old.path.parent.mkdir()
    with sqlite3.connect(old.path) as connection:
        for _, script in scripts[:2]:
            connection.executescript(script.read_text("utf-8"))
        connection.execute(f"PRAGMA application_id = {opening.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 2")
        connection.execute("INSERT INTO meta VALUES ('ledger_id', 'f00d')")
        connection.execute(
            "INSERT INTO task_assertion (task, recorded_ms, title, origin) VALUES ('T', 5, 'Old', 'capture')"
        )
        connection.execute("INSERT INTO outcome_assertion (task, recorded_ms, state) VALUES ('T', 6, 'complete')")
        connection.execute(
            "INSERT INTO session_assertion (session, task, recorded_ms, evidence) VALUES (?, 'T', 7, 'e')", (S,)
        )
    connection.close()
    monkeypatch.undo()
    with old.writer():
        pass
    assert old.rows("PRAGMA user_version") == [(opening.latest(),)]
    assert old.task("T") == Task("T", None, None, "Old", None, "capture", 5)
    assert old.outcome("T") == Outcome("T", "complete", None, None, None, None, None, 6)
    old.told("/mini", *mini.records())
    old.routed(NEW, job(), run(), run("run-2", session="opencode:ses", kind="opencode_control"))
    assert old.bindings() == [(S, "T", "e"), ("opencode:ses", "T-42", "router:job-1:run-2")]


def test_a_binding_of_a_prompt_in_a_routers_session_is_kept_with_its_phase(shelf: Shelf) -> None:
    shelf.routed(NEW, job(), run())
    with shelf.writer() as connection:
        assert bind.assign(connection, P1, "T-42", Binding(phase="planning")) == P1
    assert [row[1] for row in shelf.bindings()] == ["T-42"]
    assert report(shelf, "T-42").coverage.complete
