"""Counters: what one response is, and what no response is."""

import json
from typing import Any

import pytest

from observer.records.response import COPIED, PROVEN, RECORDED
from observer.records.semantics import CLAUDE
from tests.unit.adapters.claude.reading import (
    KEY,
    PATH,
    SESSION,
    USAGE,
    assistant,
    batches,
    categories,
    events,
    read,
    user,
)

OTHER = "6c2f0a20-2222-4aaa-8bbb-000000000002"


def test_blocks_of_one_message_are_one_response() -> None:
    """E065: three lines of one id; the total is the sum of the four parts, thinking inside output."""
    batch = read(assistant(), assistant(), assistant())
    [response] = batch.responses
    usage = response.usage
    assert (response.id, response.session, response.semantics) == ("claude:msg_01", KEY, CLAUDE.label)
    assert (usage.input, usage.cached_input, usage.cache_write_input, usage.output) == (10, 1000, 100, 50)
    assert (usage.reasoning_output, usage.total) == (20, 1160)
    assert response.final


def test_the_final_line_wins_over_provisional_ones_even_with_less_output() -> None:
    """E066: provisional lines are placeholders."""
    low, high = {**USAGE, "output_tokens": 1}, {**USAGE, "output_tokens": 99}
    [response] = read(assistant(usage=low, stop=None), assistant(usage=high, stop=None), assistant()).responses
    assert (response.usage.output, response.final, response.ordinal) == (50, True, 2)


def test_without_a_final_line_the_largest_output_is_a_lower_bound() -> None:
    low, high = {**USAGE, "output_tokens": 1}, {**USAGE, "output_tokens": 6}
    batch = read(assistant(usage=high, stop=None), assistant(usage=low, stop=None))
    [response] = batch.responses
    assert (response.usage.output, response.final) == (6, False)


def test_a_stale_partial_copy_does_not_reopen_a_finished_message() -> None:
    """E067: here the copy says nothing at all; the reference filed a conflict, which only final figures deserve."""
    batch = read(assistant(), assistant(usage={**USAGE, "output_tokens": 7}, stop=None))
    assert [(each.usage.output, each.final) for each in batch.responses] == [(50, True)]


def test_final_lines_that_disagree_are_both_handed_on() -> None:
    """E067, E068: identical repeats say nothing, other final figures are for the ledger to judge."""
    lines = [assistant(), assistant(), assistant(usage={**USAGE, "output_tokens": 7})]
    [batch] = batches([json.dumps(each).encode() for each in lines], PATH)
    assert [each.usage.output for each in batch.responses] == [50, 7]


def test_a_missing_counter_stays_unknown_and_so_does_the_total() -> None:
    """E069: never a zero that was not recorded."""
    usage = {"input_tokens": 4, "cache_read_input_tokens": 5, "output_tokens": 6}
    [response] = read(assistant(usage=usage)).responses
    assert (response.usage.input, response.usage.cached_input, response.usage.output) == (4, 5, 6)
    assert response.usage.cache_write_input is None
    assert response.usage.total is None
    assert (response.usage.cache_write_5m, response.usage.reasoning_output) == (None, None)


def test_usage_without_any_counter_is_malformed_and_does_not_finish_the_message() -> None:
    """E070: a later good record still counts."""
    batch = read(assistant(usage={"service_tier": "standard"}), assistant())
    assert categories(batch) == ["malformed_usage"]
    assert [each.usage.output for each in batch.responses] == [50]


@pytest.mark.parametrize(
    "usage",
    [
        {**USAGE, "input_tokens": "10"},
        {**USAGE, "output_tokens": True},
        {**USAGE, "cache_read_input_tokens": [1]},
        "",
        {**USAGE, "output_tokens_details": "none"},
        {**USAGE, "output_tokens_details": {"thinking_tokens": False}},
        {**USAGE, "output_tokens": 1.5},
        {**USAGE, "output_tokens": -1},
        {**USAGE, "output_tokens": 2**63},
        [],
    ],
)
def test_a_counter_of_a_wrong_type_makes_no_row(usage: Any) -> None:
    """E071: one fault each, the lines around it count."""
    batch = read(assistant("msg_before"), assistant(usage=usage), assistant("msg_after"))
    assert categories(batch) == ["malformed_usage"]
    assert batch.faults[0].ordinal == 1
    assert [each.id for each in batch.responses] == ["claude:msg_before", "claude:msg_after"]


def test_absent_or_empty_usage_is_no_response_and_no_fault() -> None:
    batch = read(assistant(usage=None), assistant(usage={}))
    assert (batch.responses, batch.faults) == ([], [])


def test_synthetic_messages_are_no_responses() -> None:
    """E072: neither the error nor the filler, and neither says anything in the model's name."""
    batch = read(assistant(model="<synthetic>"), assistant(model="<synthetic>", isApiErrorMessage=False))
    assert batch.responses == []
    assert events(batch, "assistant_message") == []


def test_cache_writes_are_split_by_lifetime() -> None:
    """E073: both parts stored when they add up."""
    split = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 70}
    [response] = read(assistant(usage={**USAGE, "cache_creation": split})).responses
    assert (response.usage.cache_write_5m, response.usage.cache_write_1h) == (30, 70)


def test_a_split_that_does_not_add_up_is_dropped_and_filed() -> None:
    """E073, as amended: the row and its total stay, the lifetime becomes unknown."""
    split = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 71}
    usage = {**USAGE, "cache_creation": split}
    batch = read(assistant(usage=usage, stop=None), assistant(usage=usage))
    [response] = batch.responses
    assert (response.usage.cache_write_5m, response.usage.cache_write_1h) == (None, None)
    assert (response.usage.cache_write_input, response.usage.total) == (100, 1160)
    assert [(each.ordinal, each.category) for each in batch.faults] == [(1, "malformed_usage")]


def test_a_split_that_the_client_filled_in_with_zeros_is_unknown_and_no_fault() -> None:
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}
    batch = read(assistant(usage={**USAGE, "cache_creation": split}))
    assert batch.responses[0].usage.cache_write_5m is None
    assert batch.faults == []


def test_no_write_has_a_split_of_zeros() -> None:
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}
    usage = {**USAGE, "cache_creation_input_tokens": 0, "cache_creation": split}
    assert read(assistant(usage=usage)).responses[0].usage.cache_write_1h == 0


def test_ids_of_the_api_are_global_and_others_belong_to_their_session() -> None:
    batch = read(assistant("chatcmpl-1"), assistant("msg_9"), assistant("chatcmpl-1", sessionId=OTHER))
    assert [each.id for each in batch.responses] == [f"{KEY}:chatcmpl-1", "claude:msg_9", f"claude:{OTHER}:chatcmpl-1"]


@pytest.mark.parametrize("name", [None, "", 7])
def test_usage_without_a_usable_message_id_is_filed(name: Any) -> None:
    batch = read(assistant(name))
    assert (batch.responses, categories(batch)) == ([], ["missing_id"])


def test_what_else_a_response_carries() -> None:
    usage = {**USAGE, "service_tier": "standard", "speed": "fast", "server_tool_use": {"web_search_requests": 2}}
    [response] = read(assistant(usage=usage, effort="high", perTurnEffort="low", costUSD=0.0000125)).responses
    assert (response.model, response.effort, response.provider) == ("claude-opus-5-5", "high", None)
    assert (response.service_tier, response.speed, response.web_search_requests) == ("standard", "fast", 2)
    assert response.native_cost_usd == "0.0000125"
    assert response.cumulative is None


def test_what_is_not_recorded_is_not_filled_in() -> None:
    [response] = read(assistant(usage={**USAGE, "service_tier": "", "speed": None}, model="")).responses
    assert (response.model, response.effort, response.service_tier, response.speed) == (None,) * 4
    assert (response.web_search_requests, response.native_cost_usd) == (None, None)


def test_how_surely_a_response_was_made_here() -> None:
    """A named request session proves it; a line without any request is a copy of older releases."""
    batch = read(
        assistant("msg_a", requestSessionId=SESSION),
        assistant("msg_b"),
        assistant("msg_c", requestId=None),
        assistant("msg_d", requestSessionId=OTHER),
    )
    assert [each.origin for each in batch.responses] == [PROVEN, RECORDED, COPIED, COPIED]


def test_copied_lines_of_a_fork_belong_to_the_session_they_were_made_in() -> None:
    """The session learns how far it is a copy; the copy's turn is not the original's."""
    first = assistant("chat-1", requestSessionId=OTHER)
    batch = read(user("before", promptId="p"), first, assistant("msg_d", requestSessionId=OTHER), assistant("msg_e"))
    assert [each.session for each in batch.responses] == [f"claude:{OTHER}", f"claude:{OTHER}", KEY]
    assert batch.responses[0].id == f"claude:{OTHER}:chat-1"
    assert [each.turn for each in batch.responses] == [None, None, "p"]
    [session] = batch.sessions
    assert session.forked_from == f"claude:{OTHER}"
    assert session.copied_until_ms == batch.responses[1].at_ms


def test_an_advisor_is_a_response_of_its_own_model() -> None:
    advice = {"type": "advisor_message", "model": "claude-fable-5-1", "input_tokens": 9, "output_tokens": 2}
    own = {"type": "message", "input_tokens": 10, "output_tokens": 50}
    batch = read(
        assistant(usage={**USAGE, "iterations": [own, advice]}), assistant(usage={**USAGE, "iterations": [own, advice]})
    )
    assert [(each.id, each.model, each.usage.input) for each in batch.responses] == [
        ("claude:msg_01", "claude-opus-5-5", 10),
        ("claude:msg_01:advisor:1", "claude-fable-5-1", 9),
    ]


def test_an_odd_iteration_costs_only_itself() -> None:
    advice = {"type": "advisor_message", "model": "claude-fable-5-1", "input_tokens": "many"}
    batch = read(assistant(usage={**USAGE, "iterations": [advice]}))
    assert [each.id for each in batch.responses] == ["claude:msg_01"]
    assert categories(batch) == ["malformed_usage"]


def test_a_block_of_an_unknown_type_loses_no_usage() -> None:
    strange = {"type": "hologram", "id": 3, "text": {"a": 1}, "input": "x", "content": {"b": [2]}, "is_error": "no"}
    batch = read(assistant("msg_01", USAGE, strange, 5, "bare", {"type": "text", "text": "seen"}))
    assert [each.usage.total for each in batch.responses] == [1160]
    assert [each.detail.text for each in events(batch, "assistant_message") if each.detail] == ["seen"]
    assert batch.faults == []
