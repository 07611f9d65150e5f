"""Reading a router's ledger: what becomes of rows, which words pass, and what is dropped."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.router import ADAPTER
from observer.base.clock import parse_instant
from observer.native.sqlite_ro import StoreError
from observer.privacy.screen import screen
from observer.records.router import RouterInvocation, RouterJob, RouterRecords
from observer.records.source import Batch, SourceFile
from observer.records.usage import TokenUsage
from tests.builders.router import Ledger, codex, minute, opencode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def batch(ledger: Ledger, folder: Path, **how: Any) -> Batch:
    """What passes the screen."""
    return screen(ADAPTER.reader(SourceFile("router", str(ledger.write(folder, **how)))))


def records(ledger: Ledger, folder: Path, **how: Any) -> RouterRecords:
    found = batch(ledger, folder, **how).router
    assert found is not None
    return found


def job(folder: Path, **fields: Any) -> RouterJob:
    return records(Ledger().job(**fields), folder).jobs[0]


def run(folder: Path, **fields: Any) -> RouterInvocation:
    return records(Ledger().job().run(**fields), folder).invocations[0]


def faults(ledger: Ledger, folder: Path) -> list[tuple[int | None, str, str]]:
    return [(each.ordinal, each.category, ",".join(each.keys)) for each in batch(ledger, folder).faults]


def test_a_job_names_its_task_or_is_one_itself(folder: Path) -> None:
    """E117: a valid token is the task; anything else is not guessed at."""
    assert job(folder, task="T-42").task == "T-42"
    for odd in (None, 42, "", "two words", "-42", "T" * 129, ["T-42"], "ghp_" + "a" * 36):
        assert job(folder, task=odd).task == "router:job-1"


@pytest.mark.parametrize("prepared", ["no JSON", "[1]", '"T-42"', "null", None, b"\x00\xff", 42, "[" * 100_000])
def test_a_task_that_is_no_object_costs_its_text_only(folder: Path, prepared: Any) -> None:
    """The job stays, as a task of its own."""
    found = batch(Ledger().job(task_json=prepared), folder)
    assert found.router is not None
    assert [each.task for each in found.router.jobs] == ["router:job-1"]
    assert {each.keys for each in found.faults} <= {("task_json",)}
    assert len(found.faults) == (prepared is not None)


def test_free_text_and_unknown_words_are_not_kept(folder: Path) -> None:
    """E122: goal, reasons, lanes, block texts; words outside their lists are unknown."""
    ledger = Ledger().job(
        task_json={"goal": "SECRET goal", "scope": "SECRET scope", "issue": "SECRET words here"},
        status="SECRET-status",
        lane="SECRET-lane",
        job_kind="SECRET-kind",
        block_reason="quota_blocked: token=SECRET",
        error_class="SECRET words",
        route="SECRET route",
        planner_harness="SECRET",
        base_commit="SECRET",
        cancel_requested=7,
    )
    ledger.run(reason="SECRET said so", stage="SECRET", kind="SECRET", terminal_class="SECRET", rc="SECRET",
               meta_json={"prompt": "SECRET prompt", "seq": "SECRET", "proof_class": "SECRET"},
               direction_supply="SECRET", direction_hash="SECRET", kit_hash="SECRET",
               requested_route="SECRET")  # fmt: skip
    ledger.event("recovery_decision", {"reason": "SECRET", "target": "SECRET", "failures": 1, "note": "SECRET"})
    ledger.event("SECRET", {"reason": "SECRET"})
    found = records(ledger, folder)
    assert "SECRET" not in repr(found)
    first = found.jobs[0]
    assert (first.status, first.lane, first.kind, first.cancel_requested) == (None, None, None, None)
    assert first.block_reason == "quota_blocked"
    assert [each.fields for each in found.events] == [{"failures": 1}]


def test_known_words_are_kept(folder: Path) -> None:
    first = job(folder, status="blocked", lane="implementation_small", job_kind="replay", replay_of="job-0",
                block_reason="codex_auth_failed", error_class="ESCALATION_EXHAUSTED", cancel_requested=2,
                base_commit="a" * 40, head_commit="b" * 40, task_json={"issue": "dev/project#7"})  # fmt: skip
    assert (first.status, first.lane, first.kind, first.replay_of) == (
        "blocked", "implementation_small", "replay", "job-0")  # fmt: skip
    assert (first.block_reason, first.error_class, first.cancel_requested) == (
        "codex_auth_failed", "ESCALATION_EXHAUSTED", 2)  # fmt: skip
    assert (first.base_commit, first.head_commit, first.issue, first.project) == (
        "a" * 40, "b" * 40, "dev/project#7", "kit")  # fmt: skip
    assert (first.created_ms, first.updated_ms) == (parse_instant(minute(0)), parse_instant(minute(9)))


@pytest.mark.parametrize(
    ("issue", "kept"),
    [
        ("dev/project#7", True),
        ("#7", True),
        ("https://github.com/dev/project/issues/7", True),
        ("7", False),
        ("please fix a/b", False),
        ("a/<script>", False),
        ("a/\ud83d", False),
        ("x/" + "y" * 300, False),
        ("https://user:hunter2hunter2@host/a", False),
        (7, False),
        (None, False),
    ],
)
def test_an_issue_is_a_reference_or_nothing(folder: Path, issue: Any, kept: bool) -> None:
    """§7: no white space, and a `#` or `/`; half a surrogate pair or a password is neither."""
    assert job(folder, task_json={"issue": issue}).issue == (issue if kept else None)


@pytest.mark.parametrize(
    ("terminal", "state"),
    [
        ("completed", "complete"),
        ("quota", "quota_blocked"),
        ("timeout", "failed"),
        ("hard_error", "failed"),
        ("stalled", "failed"),
        ("crashed", "crashed"),
        ("cancelled", "cancelled"),
        (None, "active"),
        ("made-up", "unknown"),
        ("infrastructure", "unknown"),
        ("", "unknown"),
        (7, "unknown"),
    ],
)
def test_the_end_of_a_run_is_the_state_of_its_attempt(folder: Path, terminal: Any, state: str) -> None:
    """E125: only a missing end means that it still runs."""
    assert run(folder, terminal_class=terminal).state == state


@pytest.mark.parametrize(
    ("fields", "session"),
    [
        ({"kind": "codex_dispatch", "session_kind": "codex_task_id", "session": "t"}, "codex:t"),
        ({"kind": "codex_resume", "session_kind": None, "session": "t"}, "codex:t"),
        ({"kind": "opencode_control", "session_kind": "opencode_session_id", "session": "ses"}, "opencode:ses"),
        ({"kind": "grok_control", "session_kind": "grok_session_id", "session": "g"}, "grok:g"),
        ({"kind": "claude_control", "session_kind": "claude_session_id", "session": "c"}, "claude:c"),
        ({"kind": "codex_dispatch", "native_ids_json": {"thread_id": "t"}}, "codex:t"),
        ({"kind": "opencode_control", "native_ids_json": {"session_id": "ses"}}, "opencode:ses"),
        ({"kind": "opencode_control", "native_ids_json": {"session_id": 7}}, None),
        ({"kind": "claude_callback", "session_kind": "planner_session_id", "session": "p"}, None),
        ({"kind": "claude_callback", "session_kind": "claude_session_id", "session": "p"}, None),
        ({"kind": "opencode_control", "session_kind": "planner_session_id", "session": "p"}, None),
        ({"kind": "codex_dispatch", "session_kind": "codex_task_id", "session": "planner"}, None),
        ({"kind": "codex_dispatch", "session_kind": "opencode_session_id", "session": "ses"}, None),
        ({"kind": "smoke_signals", "session_kind": "pigeon", "session": "ses"}, None),
        ({"kind": "smoke_signals", "session_kind": None, "session": "ses"}, None),
        ({"kind": "proof", "session_kind": "codex_task_id", "session": "t"}, None),
        ({"kind": "codex_dispatch"}, None),
    ],
)
def test_a_session_is_the_jobs_only_where_that_is_certain(
    folder: Path, fields: dict[str, Any], session: str | None
) -> None:
    """§7: workers of every agent, Claude Code's as well; a planner's session never, whatever it is called."""
    assert run(folder, **fields).session == session


def test_runs_that_point_nowhere_or_are_of_an_unknown_kind_are_filed(folder: Path) -> None:
    """Places count the rows through all tables."""
    ledger = Ledger().job().run("a").run("b", "job-9").run("c", kind="smoke_signals")
    ledger.row("invocations", {"request_id": "job-1", "kind": "proof", "schema_version": 2})
    assert faults(ledger, folder) == [
        (2, "schema_error", "request_id"),
        (3, "unknown_record", "kind"),
        (4, "missing_id", "invocation_id"),
    ]


def test_copied_usage_is_numbers_or_nothing(folder: Path) -> None:
    """E123: per run; a counter that is no count costs the whole copy."""
    assert run(folder, usage_json=codex(110, output=10)).usage == TokenUsage(
        input=100, cached_input=0, cache_write_input=0, output=10, reasoning_output=0
    )
    assert run(folder, usage_json=opencode(5, 7)).usage == TokenUsage(
        input=12, cached_input=0, cache_write_input=0, output=0, reasoning_output=0, total=12
    )
    claude = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5, "total_cost_usd": 0.1}
    assert run(folder, usage_json=claude).usage == TokenUsage(input=3, cached_input=4, output=5)
    lacking = {"messages": [{"id": "a", "tokens": {"input": 1, "output": 2}}, {"id": "b", "tokens": {"input": 3}}]}
    assert run(folder, usage_json=lacking).usage == TokenUsage(input=4)
    twice = {"messages": [{"id": "a", "tokens": {"input": 1}}, {"id": "a", "tokens": {"input": 1}}]}
    assert run(folder, usage_json=twice).usage == TokenUsage(input=1)


@pytest.mark.parametrize(
    "copied",
    [
        {"input_tokens": "9"},
        {"input_tokens": -1},
        {"input_tokens": True},
        {"input_tokens": 1.0},
        {"input_tokens": None},
        {"input_tokens": 2**63},
        {"messages": {}},
        {"messages": [7]},
        {"messages": [{"tokens": []}]},
        {"messages": [{"tokens": {"cache": 7}}]},
    ],
)
def test_malformed_usage_is_filed_and_unknown(folder: Path, copied: Any) -> None:
    ledger = Ledger().job().run(usage_json=copied)
    assert records(ledger, folder).invocations[0].usage == TokenUsage()
    assert faults(ledger, folder) == [(1, "malformed_usage", "usage_json")]


def test_a_reading_without_a_level_is_dropped(folder: Path) -> None:
    """E126: text, infinity and negative numbers are none; a time that is none is unknown."""
    ledger = Ledger().reading(19.0, reset_at="soon").reading("much").reading(float("inf")).reading(-1).reading(None)
    ledger.reading(5.0, pool="").reading(5.0, observed_at="once").reading(5.0, limit_value="all", model="")
    ledger.reading(1.0, model="", limit_value=None)
    found = records(ledger, folder).readings
    assert [(each.model, each.used, each.limit, each.reset_ms) for each in found] == [
        ("gpt-5.6-luna", 19.0, 100.0, None),
        ("", 1.0, None, None),
    ]
    assert [category for _, category, _ in faults(ledger, folder)] == ["schema_error"] * 7


def test_only_allowed_fields_of_events_are_kept(folder: Path) -> None:
    """§7: numbers, and words of the router's own."""
    ledger = Ledger().event("route_switched", {"from": "luna/max", "to": "glm-5.3-flash-go", "reason": "pool_move",
                                               "scope": "worker", "evidence": "private"})  # fmt: skip
    ledger.event("recovery_attempt_result", {"failed_seq": 1, "next_seq": 2, "outcome": "ok", "proof": [1]})
    ledger.event("planner_route_rejected", {"why": "private"}).event("question_posted", {"qid": "q-1", "prompt": "?"})
    ledger.event("submitted", {}).event("verification_attempt", "no JSON")
    assert [(each.kind, each.fields) for each in records(ledger, folder).events] == [
        ("route_switched", {"from": "luna/max", "to": "glm-5.3-flash-go", "reason": "pool_move", "scope": "worker"}),
        ("recovery_attempt_result", {"failed_seq": 1, "next_seq": 2, "outcome": "ok"}),
        ("planner_route_rejected", {}),
        ("question_posted", {"qid": "q-1"}),
        ("verification_attempt", {}),
    ]


def test_columns_that_a_release_lacks_are_unknown(folder: Path) -> None:
    """Whether a job was stopped on purpose is not known without its column."""
    ledger = Ledger().job().run(usage_json=codex(5)).reading(1.0)
    lacking = ("jobs.cancel_requested", "jobs.lane", "invocations.usage_json", "readings")
    found = records(ledger, folder, without=lacking)
    assert (found.jobs[0].cancel_requested, found.jobs[0].lane) == (None, None)
    assert found.invocations[0].usage == TokenUsage()
    assert found.readings == ()


def test_a_ledger_that_changed_its_shape_after_it_was_found_is_not_read(folder: Path) -> None:
    path = Ledger().job().run(schema_version=3).write(folder)
    with pytest.raises(StoreError, match="schema_version"):
        ADAPTER.reader(SourceFile("router", str(path)))


_ANYTHING = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    st.binary(max_size=20),
    st.sampled_from(['{"a": 1}', '{"messages": [{"tokens": {"input": 5}}]}', '{"input_tokens": 7}', "[]", "codex"]),
)


@given(st.data())
def test_no_value_anywhere_breaks_the_reading(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in a column, every row with an id comes through, with counts that are counts."""
    ledger = Ledger().job().run(usage_json=codex(5)).event("recovery_decision", {"failures": 1}).reading(1.0)
    table = data.draw(st.sampled_from(["jobs", "invocations", "events", "readings"]))
    column = data.draw(st.sampled_from(sorted(ledger.rows[table][0].keys() - {"schema_version"})))
    ledger.rows[table][0][column] = data.draw(_ANYTHING)
    found = records(ledger, tmp_path_factory.mktemp("state"))
    for each in found.invocations:
        assert all(count is None or count >= 0 for count in (each.usage.input, each.usage.total, each.seq))
    if (table, column) != ("jobs", "request_id"):
        assert [each.request_id for each in found.jobs] == ["job-1"]
