"""Real sessions against what the server that answered them charged, and case 34."""

import json
from collections import Counter
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from observer.adapters.grok import ADAPTER
from observer.records.response import COPIED
from observer.records.source import RawBatch, SourceFile
from tests import places
from tests.unit.adapters.grok.sessions import RECORDS, of

SETS = sorted(path.parent.name for path in RECORDS.glob("*/expected.json"))


@cache
def truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDS / name / "expected.json").read_text())
    return found


@cache
def found(name: str) -> dict[str, RawBatch]:
    """A batch per session id."""
    units = [each for each in ADAPTER.discover(RECORDS / name) if isinstance(each, SourceFile)]
    return {Path(unit.path.removesuffix("#session")).name: ADAPTER.reader(unit) for unit in units}


def test_there_are_sets() -> None:
    assert len(SETS) == 3


@pytest.mark.parametrize("name", SETS)
def test_every_session_is_found_with_what_it_says_of_itself(name: str) -> None:
    for each in truth(name)["sessions"]:
        own = found(name)[each["id"]].sessions[0]
        assert (own.key, own.project, own.branch) == (f"grok:{each['id']}", each["cwd"], each["head_branch"])
        assert own.forked_from == (f"grok:{each['parent_session_id']}" if each["parent_session_id"] else None)
        assert own.role == ("subagent" if "session_kind" in each["keys"] and not own.forked_from else "main")
    assert len(found(name)) == len(truth(name)["sessions"])


@pytest.mark.parametrize("name", SETS)
def test_every_turn_is_there_as_it_was_recorded(name: str) -> None:
    """A response per model and session that tells of it."""
    recorded = [
        (turn["prompt_id"], model, entry["inputTokens"], entry["cachedReadTokens"], entry["outputTokens"],
         entry["reasoningTokens"], entry["totalTokens"], entry.get("costUsdTicks"))
        for turn in truth(name)["turns"] if turn["recorded_usage"]
        for model, entry in turn["recorded_usage"]["modelUsage"].items()
    ]  # fmt: skip
    read = [
        (each.turn, each.model, each.usage.input, each.usage.cached_input, each.usage.output,
         each.usage.reasoning_output, each.usage.total,
         None if each.native_cost_usd is None else int(Decimal(each.native_cost_usd).scaleb(10)))
        for batch in found(name).values() for each in batch.responses if each.final
    ]  # fmt: skip
    assert Counter(read) == Counter(recorded)
    untold = {turn["prompt_id"] for turn in truth(name)["turns"] if not turn["recorded_usage"]}
    unknown = [each.turn for batch in found(name).values() for each in batch.responses if not each.final]
    assert Counter(unknown) == Counter(untold)


@pytest.mark.parametrize("name", SETS)
def test_every_prompt_is_there_once_and_of_the_right_kind(name: str) -> None:
    """What a fork copied is the source's; what a subagent was told is nobody's prompt."""
    read = Counter(
        (each.session, int(each.id.rsplit(":", 1)[1]), each.text, each.kind)
        for batch in found(name).values() for each in batch.submissions
    )  # fmt: skip
    copied = {each.turn for batch in found(name).values() for each in batch.responses if each.origin == COPIED}
    assert len(copied) == (name == "errors-aborts-fork")
    expected = Counter()
    for each in truth(name)["prompts"]:
        child = found(name)[each["session_id"]].sessions[0].role == "subagent"
        kind = "synthetic" if child else "genuine"
        expected[f"grok:{each['session_id']}", each["prompt_index"], each["text"], kind] += 1
    assert read == expected or (read <= expected and (expected - read).total() == len(copied))


@pytest.mark.parametrize("name", SETS)
def test_every_tool_call_is_there_under_its_name(name: str) -> None:
    read = [
        (event.session.removeprefix("grok:"), event.native_id, event.name)
        for batch in found(name).values() for event in of(batch, "tool_call")
    ]  # fmt: skip
    assert sorted(read) == sorted(
        (each["session_id"], each["tool_call_id"], each["tool"]) for each in truth(name)["tool_calls"]
    )
    for batch in found(name).values():
        calls = {event.native_id: event for event in of(batch, "tool_call")}
        results = of(batch, "tool_result")
        assert {event.native_id for event in results} == calls.keys()
        assert all(event.status and event.duration_ms is not None for event in results)
        assert len(of(batch, "permission")) == len(calls)


@pytest.mark.parametrize("name", SETS)
def test_real_records_have_no_faults(name: str) -> None:
    assert [fault for batch in found(name).values() for fault in batch.faults] == []


def test_what_failed_is_told_apart() -> None:
    batches = found("errors-aborts-fork")
    last = {native[-1]: batch for native, batch in batches.items()}
    assert [turn.state for number in "123457" for turn in last[number].turns] == [
        "failed", "complete", "active", "active", "complete", "complete",
    ]  # fmt: skip
    assert [(event.name, event.status) for number in "12" for event in of(last[number], "lifecycle")] == [
        ("api_error", "400"), ("retry", "429"),
    ]  # fmt: skip
    assert [(event.target, event.status) for event in of(last["7"], "read")] == [("missing.py", "error")]


def test_a_compaction_is_seen_and_its_prompts_stay() -> None:
    (batch,) = [each for each in found("subagents-compaction").values() if of(each, "compaction")]
    (event,) = of(batch, "compaction")
    assert (event.status, event.duration_ms, event.name) == ("ok", 982, "auto")
    assert [each.kind for each in batch.submissions] == ["genuine"] * 4


def test_case_34() -> None:
    """Context size is not usage."""
    (folder,) = places.CASES.glob("34-*")
    wanted = json.loads((folder / "expected.json").read_text())["grok"]
    (unit,) = ADAPTER.discover(folder / "home" / ".grok")
    assert isinstance(unit, SourceFile)
    responses = ADAPTER.reader(unit).responses
    assert len(responses) == wanted["responses"]
    assert sum(each.usage.total or 0 for each in responses) == wanted["totalTokens"]
    costs = [Decimal(each.native_cost_usd or "nan") for each in responses]
    assert sum(costs, Decimal(0)) == Decimal(wanted["native_cost_usd"])
