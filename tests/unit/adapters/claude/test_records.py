"""Real record sets against what was billed, typed and called while they were made."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from observer.adapters.claude import ADAPTER
from observer.records.response import Response
from observer.records.source import RawBatch
from observer.records.submission import RawSubmission
from tests.places import RECORDS
from tests.unit.adapters.claude.reading import events, genuine, read_file

HOME = RECORDS / "claude-code"
SETS = sorted(path.parent.name for path in HOME.glob("*/expected.json"))
PARTS = {
    "input": "input_tokens",
    "cached_input": "cache_read_input_tokens",
    "cache_write_input": "cache_creation_input_tokens",
    "output": "output_tokens",
}
by_set = pytest.mark.parametrize("name", SETS)


@cache
def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HOME / name / "expected.json").read_text())
    return found


@cache
def sources(name: str) -> dict[str, RawBatch]:
    """Every discovered transcript of a set, by its path, as one source each."""
    return {file.path: read_file(Path(file.path)) for file in ADAPTER.discover(HOME / name / ".claude")}


def owned(name: str) -> dict[str, Response]:
    """One response per id: of copies, the most certain origin; then the session that ended first."""
    ended = {each.key: each.ended_ms or 0 for batch in sources(name).values() for each in batch.sessions}
    found: dict[str, Response] = {}
    everything = [each for batch in sources(name).values() for each in batch.responses]
    for response in sorted(everything, key=lambda each: (-each.origin, ended.get(each.session, 0), each.session)):
        found.setdefault(response.id, response)
    return found


def prompts(name: str) -> list[RawSubmission]:
    """Genuine prompts that are no copies: later than the last response another session owns."""
    owners, kept = owned(name), []
    for batch in sources(name).values():
        copied = [each.at_ms or 0 for each in batch.responses if owners[each.id].session != each.session]
        kept += [each for each in genuine(batch) if (each.at_ms or 0) > max(copied, default=-1)]
    return kept


def recorded(name: str) -> list[dict[str, Any]]:
    return [each for each in expected(name)["billed"] if each["billed"] and each.get("in_records", {}).get("lines")]


def test_there_are_sets() -> None:
    assert len(SETS) >= 9


@by_set
def test_every_recorded_answer_is_one_response_with_what_was_billed(name: str) -> None:
    """And nothing else is one: neither errors, nor what never reached the transcript."""
    found = owned(name)
    assert set(found) == {f"claude:{each['response_id']}" for each in recorded(name)}
    for answer in recorded(name):
        response, usage = found[f"claude:{answer['response_id']}"], answer["usage"]
        assert {part: getattr(response.usage, part) for part in PARTS} == {
            part: usage[field] for part, field in PARTS.items()
        }
        assert response.usage.total == sum(usage[field] for field in PARTS.values())
        assert response.model == answer["model"]
        assert response.final == (answer.get("stop_reason") is not None)
        split = usage.get("cache_creation")
        assert (response.usage.cache_write_5m, response.usage.cache_write_1h) == (
            (split["ephemeral_5m_input_tokens"], split["ephemeral_1h_input_tokens"]) if split else (None, None)
        )


@by_set
def test_answers_belong_to_the_sessions_that_made_them(name: str) -> None:
    """E082: a subagent's answers in its own session below its parent's."""
    sessions = {each.key: each for batch in sources(name).values() for each in batch.sessions}
    for answer in recorded(name):
        session = sessions[owned(name)[f"claude:{answer['response_id']}"].session]
        is_agent = answer["lane"].startswith("agent")
        assert session.role == ("subagent" if is_agent else "main")
        assert (session.parent in sessions) == is_agent


@by_set
def test_every_genuine_prompt_is_found_once(name: str) -> None:
    found = prompts(name)
    assert len(found) == expected(name)["genuine_prompts"]
    assert len({each.id for each in found}) == len(found)
    assert all(each.main and each.at_ms for each in found)
    plain = sorted(each["text"] for each in expected(name)["typed"] if each["genuine"] and "<" not in each["text"])
    assert sorted(each.text for each in found if "<" not in each.text) == plain


@by_set
def test_every_answer_follows_the_prompt_that_asked_for_it(name: str) -> None:
    """Each answer's turn is the turn of something said, in its session or in its parent."""
    said = {(each.session, each.turn) for batch in sources(name).values() for each in batch.submissions}
    for response in owned(name).values():
        assert response.turn is not None
        assert (response.session.partition(":agent:")[0], response.turn) in said


@by_set
def test_every_tool_call_and_its_result_are_found(name: str) -> None:
    wanted = expected(name)
    ids = {each.native_id for batch in sources(name).values() for each in events(batch, "tool_call")}
    done = {each.native_id for batch in sources(name).values() for each in events(batch, "tool_result")}
    assert done <= ids
    if "tool_calls" in wanted:
        assert len(ids) == wanted["tool_calls"]
    statuses = [each.status for batch in sources(name).values() for each in events(batch, "tool_result")]
    assert statuses.count("denied") == wanted.get("tool_calls_refused", 0)
    if "failed_tool_calls" in wanted:
        assert statuses.count("error") == wanted["failed_tool_calls"]


@by_set
def test_interruptions_and_compactions_are_counted(name: str) -> None:
    wanted, batches = expected(name), sources(name).values()
    interrupts = [each for batch in batches for each in batch.submissions if each.kind == "interrupt"]
    assert len(interrupts) == wanted.get("interrupts", 0)
    assert len([each for batch in batches for each in batch.turns if each.state == "cancelled"]) == len(interrupts)
    assert sum(len(events(batch, "compaction")) for batch in batches) == wanted.get("compactions", 0)


@by_set
def test_sessions_and_subagents_are_counted(name: str) -> None:
    wanted = expected(name)
    roles = {each.key: each.role for batch in sources(name).values() for each in batch.sessions}
    assert list(roles.values()).count("subagent") == wanted.get("subagents", 0)
    if "sessions" in wanted:
        assert list(roles.values()).count("main") == wanted["sessions"]


@by_set
def test_healthy_records_have_no_faults(name: str) -> None:
    assert [each for batch in sources(name).values() for each in batch.faults] == []


def test_what_a_session_says_of_itself() -> None:
    [batch] = sources("single-prompt").values()
    [session] = batch.sessions
    assert (session.project, session.branch, session.entry_point) == ("/home/dev/project", "main", "sdk-cli")
    assert (session.client_version, session.role, session.parent) == ("2.1.328", "main", None)
    assert (session.copied_until_ms, session.forked_from) == (None, None)
    assert session.started_ms is not None
    assert session.ended_ms is not None
    assert session.started_ms < session.ended_ms


def test_effort_is_the_one_of_each_answer() -> None:
    efforts = [each.effort for each in owned("model-switch-compaction").values()]
    assert efforts == ["medium", "medium", "medium", "high"]


def test_a_refused_request_is_an_error_with_its_status() -> None:
    [batch] = sources("errors-interrupt").values()
    assert [each.status for each in events(batch, "lifecycle") if each.name == "api_error"] == ["403"]


def test_a_test_run_shows_its_exit_code() -> None:
    [batch] = sources("multi-turn-tools").values()
    assert [each.detail.exit_code for each in events(batch, "tool_result") if each.detail] == [1]
    assert [each.target for each in events(batch, "file_change")] == ["/home/dev/project/src/calc.py"]


def test_a_subagents_answers_work_in_its_parents_turn() -> None:
    found = sources("subagents").values()
    [prompt] = prompts("subagents")
    turns = {each.turn for batch in found for each in batch.responses if ":agent:" in each.session}
    assert turns == {prompt.turn}
