"""Real rollouts against what the server that answered them charged."""

import json
from functools import cache
from typing import Any

import pytest

from observer.records.response import Response
from observer.records.source import RawBatch
from tests.unit.adapters.codex.rollouts import RECORDS, events, genuine, read_home

SETS = sorted(path.parent.name for path in RECORDS.glob("*/expected.json"))
# Releases that wrote no usage records.
OLDER = ("older-fork", "older-format")


@cache
def _truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDS / name / "expected.json").read_text())
    return found


@cache
def _found(name: str) -> RawBatch:
    return read_home(RECORDS / name / ".codex")


def _recorded(name: str) -> list[dict[str, Any]]:
    """The answers that left a record; a broken stream or an own title left none."""
    answers = [each for each in _truth(name)["billed"] if each.get("usage")]
    return [each for each in answers if name in OLDER or each["in_records"]["records"]]


def _charged(answer: dict[str, Any]) -> tuple[int, ...]:
    usage = answer["usage"]
    details, made = usage["input_tokens_details"], usage["output_tokens_details"]
    return (usage["input_tokens"], details["cached_tokens"], usage["output_tokens"], made["reasoning_tokens"],
            usage["total_tokens"])  # fmt: skip


def _counted(response: Response) -> tuple[int | None, ...]:
    usage = response.usage
    return usage.input, usage.cached_input, usage.output, usage.reasoning_output, usage.total


def test_there_are_sets() -> None:
    assert len(SETS) == 11


@pytest.mark.parametrize("name", SETS)
def test_every_recorded_answer_is_counted_once(name: str) -> None:
    found = [(each.session.removeprefix("codex:"), each.model, *_counted(each)) for each in _found(name).responses]
    expected = [(each["thread"], each["model"], *_charged(each)) for each in _recorded(name)]
    assert sorted(map(str, found)) == sorted(map(str, expected))


@pytest.mark.parametrize("name", [name for name in SETS if name not in OLDER])
def test_records_keep_their_ids(name: str) -> None:
    expected = {each["response_id"]: each["model"] for each in _recorded(name)}
    assert {each.id.removeprefix("codex:"): each.model for each in _found(name).responses} == expected


@pytest.mark.parametrize("name", SETS)
def test_the_effort_is_the_one_asked_for(name: str) -> None:
    """A compaction at the start of a turn still goes to the old model, but with the new turn's effort."""
    expected = {each["response_id"]: each["effort"] for each in _recorded(name) if each["lane"] == "main"}
    found = {each.id.removeprefix("codex:"): each.effort for each in _found(name).responses}
    assert {response: found[response] for response in expected if response in found} == {
        response: effort for response, effort in expected.items() if response in found
    }


@pytest.mark.parametrize("name", SETS)
def test_every_typed_prompt_is_genuine(name: str) -> None:
    typed = [each["text"] for each in _truth(name)["typed"] if each["genuine"]]
    found = [each.text for each in genuine(_found(name))]
    assert sorted(found) == sorted(typed)
    assert len(found) == _truth(name)["genuine_prompts"]


@pytest.mark.parametrize("name", SETS)
def test_every_line_is_understood(name: str) -> None:
    assert _found(name).faults == []


@pytest.mark.parametrize("name", SETS)
def test_sessions_subagents_and_interrupts(name: str) -> None:
    truth, found = _truth(name), _found(name)
    subagents = [each for each in found.sessions if each.role == "subagent"]
    assert len(subagents) == truth.get("subagents", 0)
    assert len(found.sessions) - len(subagents) == truth.get("sessions", 1)
    mains = {each.key for each in found.sessions if each.role != "subagent"}
    assert all(each.parent in mains for each in subagents)
    if "interrupts" in truth:
        assert len([each for each in found.turns if each.state == "cancelled"]) == truth["interrupts"]


@pytest.mark.parametrize("name", [name for name in SETS if "tool_calls" in _truth(name)])
def test_every_tool_call_is_an_event(name: str) -> None:
    assert len(events(_found(name), "tool_call")) == _truth(name)["tool_calls"]


@pytest.mark.parametrize("name", [name for name in SETS if "compactions" in _truth(name)])
def test_every_compaction_is_one_event(name: str) -> None:
    assert len(events(_found(name), "compaction")) == _truth(name)["compactions"]


@pytest.mark.parametrize("name", SETS)
def test_usage_is_owned_by_a_prompt_or_has_none(name: str) -> None:
    """Every response of a person's session is in a turn that one of its prompts began, but for a /compact."""
    found = _found(name)
    prompted = {(each.session, each.turn) for each in genuine(found)}
    subagents = {each.key for each in found.sessions if each.role == "subagent"}
    own = [each for each in found.responses if each.session not in subagents]
    unowned = [each for each in own if (each.session, each.turn) not in prompted]
    assert len(unowned) == (1 if name == "terminal-session" else 0)


@pytest.mark.parametrize("name", SETS)
def test_results_join_their_calls(name: str) -> None:
    """A nested command of a script has an id of its own."""
    calls = {(each.session, each.native_id) for each in events(_found(name), "tool_call")}
    unmatched = [each for each in events(_found(name), "tool_result") if (each.session, each.native_id) not in calls]
    assert [each.native_id.startswith("exec-") for each in unmatched] == [True] * (2 if name == "code-mode" else 0)


@pytest.mark.parametrize("name", SETS)
def test_events_are_unique_within_session_and_family(name: str) -> None:
    found = _found(name).events
    assert len({(each.session, each.family, each.native_id) for each in found}) == len(found)
