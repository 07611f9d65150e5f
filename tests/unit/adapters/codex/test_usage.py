"""Usage records and running totals: which responses they tell of, and with which counters."""

from typing import Any

import pytest

from observer.records.response import PROVEN, RECORDED
from observer.records.semantics import CODEX, CODEX_FALLBACK
from observer.records.usage import LARGEST
from tests.unit.adapters.codex.rollouts import (
    KEY,
    OTHER,
    THREAD,
    Rollout,
    categories,
    events,
    read,
    totals,
    turn_of,
)

A = [1000, 500, 0, 100, 20, 1100]
B = [2000, 1000, 0, 250, 10, 2250]
C = [2000, 1000, 0, 150, 20, 2150]


def _three() -> Rollout:
    rollout = (
        Rollout().turn("a").record("r1", A, A, turn_id="a").record("r2", B, [3000, 1500, 0, 350, 30, 3350], turn_id="a")
    )
    return rollout.turn("b").record("r3", C, [5000, 2500, 0, 500, 50, 5500], turn_id="b")


def test_a_record_is_one_response() -> None:
    """E033: three responses, two turns."""
    found = read(_three())
    assert totals(found) == [1100, 2250, 2150]
    assert {each.turn for each in found.responses} == {"a", "b"}
    assert sum(each.usage.total or 0 for each in found.responses if each.turn == "a") == 3350
    assert sum(each.usage.cached_input or 0 for each in found.responses) == 2500
    assert sum(each.usage.reasoning_output or 0 for each in found.responses) == 50
    first = found.responses[0]
    assert (first.id, first.session, first.semantics, first.origin) == ("codex:r1", KEY, CODEX.label, PROVEN)
    assert (first.model, first.effort, first.provider) == ("gpt-6-astra", "high", "openai")


def test_running_totals_are_proof_and_never_added() -> None:
    """E034: totals in the same records."""
    found = read(_three())
    assert [each.cumulative for each in found.responses] == [1100, 3350, 5500]
    assert sum(total or 0 for total in totals(found)) == 5500


def test_a_record_without_its_thread_belongs_to_the_file() -> None:
    found = read(Rollout().turn().record("r1", A, thread_id=None))
    assert [(each.session, each.origin) for each in found.responses] == [(KEY, RECORDED)]


def test_an_aborted_turn_has_no_usage() -> None:
    """E035: state, lifecycle status, no invented tokens."""
    found = read(Rollout().turn("a").event("turn_aborted", turn_id="a", reason="interrupted", duration_ms=1793))
    assert found.responses == []
    turn = turn_of(found, "a")
    assert (turn.state, turn.duration_ms) == ("cancelled", 1793)
    assert [(each.name, each.status) for each in events(found, "lifecycle")] == [("turn_aborted", "cancelled")]


def test_turns_tell_when_they_ran_and_how_they_ended() -> None:
    rollout = Rollout().turn("a").event("task_complete", turn_id="a", duration_ms=192, last_agent_message="done")
    rollout.turn("b").event("task_complete", turn_id="b", error={"message": "no", "codex_error_info": "other"}).turn(
        "c"
    )
    found = read(rollout)
    assert [(each.id, each.state) for each in found.turns] == [("a", "complete"), ("b", "failed"), ("c", "active")]
    done = found.turns[0]
    assert done.ended_ms is not None
    assert done.started_ms is not None
    assert done.ended_ms - done.started_ms == 2000
    assert (done.duration_ms, done.model, done.effort) == (192, "gpt-6-astra", "high")


def test_each_rising_total_is_one_response() -> None:
    """E036: 450, 1120, then 2110 appended."""
    rollout = Rollout().turn("a").count(450, 450).count(1120, 670).count(2110, 990)
    found = read(rollout, cuts=[len(rollout.lines) - 1])
    assert totals(found) == [450, 670, 990]
    assert [each.id for each in found.responses] == [f"codex:{THREAD}:tc:0:{total}" for total in (450, 1120, 2110)]
    assert [each.cumulative for each in found.responses] == [450, 1120, 2110]
    assert {(each.semantics, each.turn) for each in found.responses} == {(CODEX_FALLBACK.label, "a")}


def test_records_and_the_totals_before_them_both_stay() -> None:
    """E037: the adapter keeps all; `cumulative` lets the ledger see which totals the records cover."""
    rollout = Rollout().turn().count(450, 450).count(1120, 670)
    rollout.record("r1", A, A).record("r2", B, [3000, 1500, 0, 350, 30, 3350])
    found = read(rollout.count(1120, 670).count(3350, B))
    assert totals(found) == [450, 670, 1100, 2250]
    records = [each for each in found.responses if each.semantics == CODEX.label]
    covered = [
        each.cumulative
        for each in found.responses
        if each.semantics != CODEX.label
        and any(
            (r.cumulative or 0) - (r.usage.total or 0) < (each.cumulative or 0) <= (r.cumulative or 0) for r in records
        )
    ]
    assert covered == [450, 1120]


def test_a_total_beyond_all_records_is_a_response() -> None:
    """A file that goes back to the older format half-way: both kinds stay where they cover different spans."""
    found = read(Rollout().turn().record("r1", A, A).count(1100, A).count(1600, 500))
    assert totals(found) == [1100, 500]


def test_an_identical_repeat_is_nothing() -> None:
    """E038."""
    found = read(Rollout().turn().count(450, 450).count(450, 450).count(450, 450))
    assert (totals(found), found.faults) == ([450], [])


def test_a_repeat_that_differs_is_a_conflict() -> None:
    """E039: other last usage before any compaction; the first is kept."""
    found = read(Rollout().turn().count(450, 450).count(450, [300, 0, 0, 40, 0, 340]))
    assert totals(found) == [450]
    assert categories(found) == ["usage_conflict"]


@pytest.mark.parametrize("cut", [(), (5,), (4, 5)])
def test_after_a_compaction_the_last_usage_is_an_estimate(cut: tuple[int, ...]) -> None:
    """E040: all six cumulative buckets equal; also when the import was split."""
    rollout = Rollout().turn().count(450, 450).add("compacted", {"message": "…"}).count(450, [0, 0, 0, 0, 0, 8343])
    found = read(rollout, cuts=cut)
    assert (totals(found), found.faults) == ([450], [])


def test_an_estimate_is_no_response_where_the_total_has_risen() -> None:
    """E040: the line that told the response was lost: the difference of the totals counts, not 0 in and 0 out."""
    rollout = Rollout().turn().count(450, 450).count(1120, [0, 0, 0, 0, 0, 8343])
    [_, found] = read(rollout).responses
    assert (found.usage.input, found.usage.output, found.usage.total) == (603, 67, 670)


def test_after_a_compaction_a_changed_bucket_is_a_conflict() -> None:
    """E041."""
    rollout = Rollout().turn().count([400, 100, 0, 50, 0, 450], 450).add("compacted", {})
    found = read(rollout.count([400, 300, 0, 50, 0, 450], [0, 0, 0, 0, 0, 8343]))
    assert totals(found) == [450]
    assert categories(found) == ["usage_conflict"]


def test_the_estimate_is_allowed_only_until_the_next_response() -> None:
    """E039: a repeat with other last usage after the total has risen again."""
    rollout = Rollout().turn().count(450, 450).add("compacted", {}).count(1120, 670)
    assert categories(read(rollout.count(1120, 600))) == ["usage_conflict"]


def test_the_same_response_twice_is_told_twice_in_order() -> None:
    """E042: cached 100, then 999, then a good record; the ledger keeps the first and files the conflict."""
    first, changed, good = [1000, 100, 0, 100, 0, 1100], [1000, 999, 0, 100, 0, 1100], [500, 0, 0, 50, 0, 550]
    rollout = (
        Rollout()
        .turn()
        .record("r1", first)
        .record("r1", changed, first)
        .record("r2", good, [1500, 100, 0, 150, 0, 1650])
    )
    found = read(rollout)
    assert [(each.id, each.usage.cached_input, each.usage.total) for each in found.responses] == [
        ("codex:r1", 100, 1100),
        ("codex:r2", 0, 550),
    ]


@pytest.mark.parametrize(
    "info", [None, {}, {"total_token_usage": None, "last_token_usage": None}, {"model_context_window": 1}]
)
def test_a_count_without_info_is_nothing(info: Any) -> None:
    """E043."""
    found = read(Rollout().turn().event("token_count", info=info, rate_limits={"primary": None}))
    assert (found.responses, found.faults) == ([], [])


@pytest.mark.parametrize(
    "broken",
    [
        {"usage": {"input_tokens": "100", "output_tokens": 5}},
        {"usage": {"input_tokens": True, "output_tokens": 5}},
        {"usage": {"input_tokens": None, "output_tokens": 5}},
        {"usage": {"input_tokens": 1.5, "output_tokens": 5}},
        {"usage": {"input_tokens": -1, "output_tokens": 5}},
        {"usage": {"input_tokens": LARGEST + 1, "output_tokens": 5}},
        {"usage": []},
        {"usage": ""},
        {"usage": None},
        {"turn_token_usage": {"total_tokens": "12"}},
        {"turn_token_usage": []},
        {"thread_token_usage": ""},
        {"thread_token_usage": 7},
    ],
)
def test_usage_of_a_wrong_type_is_malformed_and_no_response(broken: dict[str, Any]) -> None:
    """E044."""
    found = read(Rollout().turn().record("r1", A, **broken).record("r2", A, [2000, 1000, 0, 200, 40, 2200]))
    assert [each.id for each in found.responses] == ["codex:r2"]
    assert categories(found) == ["malformed_usage"]
    assert found.faults[0].keys == ("payload", "timestamp", "type")


@pytest.mark.parametrize("total", ["x", [], 3, {"total_tokens": "9"}, {"input_tokens": False, "total_tokens": 9}])
def test_a_total_of_a_wrong_type_is_malformed(total: Any) -> None:
    """E044: the same for running totals."""
    info = {"total_token_usage": total, "last_token_usage": {"total_tokens": 9}}
    found = read(Rollout().turn().event("token_count", info=info))
    assert (found.responses, categories(found)) == ([], ["malformed_usage"])


def test_a_missing_counter_is_unknown() -> None:
    """E045: never 0; the total is derived when input and output are known."""
    rollout = (
        Rollout().turn().record("r1", [1000, ..., ..., 100, ..., ...]).record("r2", [..., 5, ..., 100, ..., ...], A)
    )
    derived, unknown = (each.usage for each in read(rollout).responses)
    assert (derived.input, derived.cached_input, derived.cache_write_input, derived.total) == (1000, None, None, 1100)
    assert (unknown.input, unknown.cached_input, unknown.total) == (None, 5, None)
    assert (derived.cache_write_5m, derived.cache_write_1h) == (None, None)


def test_a_record_without_usage_is_a_response_of_unknown_size() -> None:
    payload = {"response_id": "r1", "thread_id": THREAD, "session_id": THREAD, "turn_id": "t1"}
    [response] = read(Rollout().turn().add("token_usage_record", payload)).responses
    assert (response.usage.total, response.usage.input, response.cumulative) == (None, None, None)


def test_a_derived_total_that_no_integer_holds_is_unknown() -> None:
    [response] = read(Rollout().turn().record("r1", [LARGEST, 0, 0, LARGEST, 0, ...], A)).responses
    assert (response.usage.input, response.usage.total) == (LARGEST, None)


@pytest.mark.parametrize("name", [None, "", 7])
def test_a_record_without_an_id_is_missing_it(name: Any) -> None:
    found = read(Rollout().turn().record(name, A))
    assert (found.responses, categories(found)) == ([], ["missing_id"])


def test_usage_that_a_compaction_repeats_is_not_read() -> None:
    """E046."""
    compacted = {"message": "…", "usage": {"total_tokens": 1100}, "response_id": "r1", "replacement_history": []}
    found = read(Rollout().turn().record("r1", A).add("compacted", compacted))
    assert totals(found) == [1100]


def test_half_a_count() -> None:
    """A cumulative half alone is the difference; a last half alone is malformed."""
    rollout = Rollout().turn().count([400, 100, 0, 50, 10, 450]).count([1000, 300, 0, 120, 20, 1120]).count(None, 30)
    found = read(rollout)
    assert totals(found) == [450, 670]
    assert (found.responses[1].usage.cached_input, found.responses[1].usage.reasoning_output) == (200, 10)
    assert categories(found) == ["malformed_usage"]


def test_a_difference_follows_the_last_record() -> None:
    found = read(Rollout().turn().record("r1", A, A).count([1500, 500, 0, 150, 20, 1650]))
    assert (totals(found), found.responses[1].usage.input) == ([1100, 550], 500)


def test_a_counter_that_went_down_has_no_difference() -> None:
    found = read(Rollout().turn().count([400, 100, 0, 50, 10, 450]).count([1000, 90, 0, 120, 20, 1120]))
    assert (found.responses[1].usage.cached_input, found.responses[1].usage.input) == (None, 600)


def test_totals_that_restart_from_zero_are_a_new_series() -> None:
    found = read(Rollout().turn().count(1000, 1000).count(2000, 1000).count(500, 500).count(1000, 500).count(1000, 500))
    assert totals(found) == [1000, 1000, 500, 500]
    assert [each.id.partition(":tc:")[2] for each in found.responses] == ["0:1000", "0:2000", "1:500", "1:1000"]
    assert found.faults == []


def test_a_step_back_is_a_repeat_however_far() -> None:
    rollout = Rollout().turn()
    for number in range(1, 41):
        rollout.count(number * 1000, 1000)
    found = read(rollout.count(1000, 1000).count(20_000, 1000).count(41_000, 1000))
    assert (len(found.responses), found.faults) == (41, [])


def test_a_total_of_nothing_is_no_response() -> None:
    found = read(Rollout().turn().count([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]))
    assert (found.responses, found.faults) == ([], [])


def test_a_later_context_relabels_nothing() -> None:
    """E047."""
    found = read(Rollout().turn().record("r1", A).context("gpt-5.6-luna", "low"))
    assert [(each.model, each.effort) for each in found.responses] == [("gpt-6-astra", "high")]


def test_each_response_has_the_model_of_its_own_place() -> None:
    """E048: imported in appends, one line at a time."""
    rollout = Rollout().turn().record("r1", A).context("gpt-5.6-luna").record("r2", B, [3000, 1500, 0, 350, 30, 3350])
    found = read(rollout, cuts=range(1, len(rollout.lines)))
    assert [each.model for each in found.responses] == ["gpt-6-astra", "gpt-5.6-luna"]


def test_a_repeated_record_keeps_its_first_model() -> None:
    """E049: append and full."""
    rollout = Rollout().turn().record("r1", A).context("gpt-5.6-luna").record("r1", A)
    for cuts in ((), (5,)):
        assert [each.model for each in read(rollout, cuts=cuts).responses] == ["gpt-6-astra"]


def test_totals_around_a_context_have_each_its_model() -> None:
    """E050."""
    found = read(Rollout().turn().count(450, 450).context("gpt-5.6-luna").count(1120, 670).count(450, 450))
    assert [each.model for each in found.responses] == ["gpt-6-astra", "gpt-5.6-luna"]


def test_settings_name_the_tier_but_no_model() -> None:
    settings = {"model": "gpt-5.6-luna", "service_tier": "priority", "model_provider_id": "azure"}
    rollout = Rollout().turn().event("thread_settings_applied", thread_settings=settings).record("r1", A)
    rollout.event("thread_settings_applied", thread_settings={"model": "x"}).record("r2", A, B)
    first, second = read(rollout).responses
    assert (first.model, first.service_tier, first.provider) == ("gpt-6-astra", "priority", "azure")
    assert second.service_tier is None


def test_before_any_context_the_model_is_unknown() -> None:
    assert [each.model for each in read(Rollout().record("r1", A)).responses] == [None]


def test_a_record_of_another_thread_is_a_copy() -> None:
    [response] = read(Rollout().turn().record("r1", A, thread_id=OTHER)).responses
    assert (response.session, response.origin, response.at_ms) == (f"codex:{OTHER}", 0, None)
