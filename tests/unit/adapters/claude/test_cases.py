"""Faults that users of other programs reported: one folder of records each, exact results beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from observer.adapters.claude import ADAPTER
from observer.records.response import Response
from observer.records.source import RawBatch
from tests.places import CASES
from tests.unit.adapters.claude.reading import categories, events, genuine, read_file

COUNTERS = {
    "input_tokens": "input",
    "cache_creation_input_tokens": "cache_write_input",
    "cache_5m": "cache_write_5m",
    "cache_1h": "cache_write_1h",
    "cache_read_input_tokens": "cached_input",
    "output_tokens": "output",
}


def case(number: str) -> tuple[dict[str, Any], dict[Path, RawBatch]]:
    """What is right, and each transcript of the case as one source."""
    [folder] = CASES.glob(f"{number}-*")
    files = [Path(file.path) for file in ADAPTER.discover(folder / "home" / ".claude")]
    return json.loads((folder / "expected.json").read_text()), {path: read_file(path) for path in files}


def responses(batches: dict[Path, RawBatch]) -> dict[str, Response]:
    """One per id; of copies, the session that ended first keeps it."""
    ended = {each.key: each.ended_ms or 0 for batch in batches.values() for each in batch.sessions}
    found: dict[str, Response] = {}
    everything = [each for batch in batches.values() for each in batch.responses]
    for response in sorted(everything, key=lambda each: (-each.origin, ended[each.session])):
        found.setdefault(response.id, response)
    return found


def totals(found: dict[str, Response], model: str | None = None) -> dict[str, int]:
    chosen = [each for each in found.values() if model in (None, each.model)]
    sums = {name: sum(getattr(each.usage, field) or 0 for each in chosen) for name, field in COUNTERS.items()}
    return {"responses": len(chosen), **sums}


def by_session(found: dict[str, Response]) -> dict[str, int]:
    sessions = [each.session.split(":")[1] for each in found.values()]
    return {session: sessions.count(session) for session in sessions}


@pytest.mark.parametrize("number", ["01", "02", "03", "04", "05", "07", "08", "09", "12", "13", "16"])
def test_the_totals_are_right_and_nothing_is_at_fault(number: str) -> None:
    right, batches = case(number)
    assert totals(responses(batches)) == right["claude"]
    assert [fault for batch in batches.values() for fault in batch.faults] == []


def test_case_01_the_blocks_of_a_streamed_answer_all_belong_to_it() -> None:
    right, batches = case("01")
    assert sum(len(events(batch, "tool_call")) for batch in batches.values()) == right["tool_calls"]


@pytest.mark.parametrize("number", ["02", "03", "04"])
def test_each_session_has_its_own_responses(number: str) -> None:
    """Cases 02, 03 and 04: proxies repeat ids, resumed sessions repeat lines, subagents have files of their own."""
    right, batches = case(number)
    assert by_session(responses(batches)) == right["by_session"]


def test_case_03_copies_stay_visible_so_that_the_ledger_can_compare() -> None:
    _, batches = case("03")
    assert sum(len(batch.responses) for batch in batches.values()) > len(responses(batches))


def test_case_04_subagents_are_marked_at_every_depth() -> None:
    right, batches = case("04")
    inner = [each for each in responses(batches).values() if ":agent:" in each.session]
    assert len(inner) == right["subagent_responses"]
    roles = {each.key: (each.role, each.parent) for batch in batches.values() for each in batch.sessions}
    assert {roles[each.session] for each in inner} == {("subagent", f"claude:{next(iter(right['by_session']))}")}


def test_case_05_an_answer_that_never_ended_is_a_lower_bound() -> None:
    right, batches = case("05")
    open_ends = [each for each in responses(batches).values() if not each.final]
    assert len(open_ends) == right["responses_without_final_count"]
    assert [each.usage.output for each in open_ends] == [6]


def test_case_06_an_advisor_is_counted_beside_the_answer_and_the_answer_once() -> None:
    right, batches = case("06")
    found = responses(batches)
    assert {model: totals(found, model) for model in right["claude_by_model"]} == right["claude_by_model"]
    assert len(found) == 2


def test_case_08_speed_is_kept_as_recorded() -> None:
    right, batches = case("08")
    speeds = [each.speed for each in responses(batches).values()]
    assert {speed: speeds.count(speed) for speed in speeds} == right["by_speed"]


def test_case_09_a_placeholder_is_an_api_error_and_no_model() -> None:
    right, batches = case("09")
    assert [each.model for each in responses(batches).values()] == right["models"]
    failed = [each for batch in batches.values() for each in events(batch, "lifecycle")]
    assert [(each.name, each.status) for each in failed] == [("api_error", "529")] * right["api_errors"]


def test_case_12_half_an_emoji_is_replaced_and_loses_nothing() -> None:
    right, batches = case("12")
    [batch] = batches.values()
    assert len(genuine(batch)) == right["genuine_prompts"]
    for text in (batch.submissions[0].text, events(batch, "tool_call")[0].target):
        assert text is not None
        text.encode("utf-8")


def test_case_14_nul_padding_is_recovered_or_reported() -> None:
    right, batches = case("14")
    found = totals(responses(batches))
    assert all(right["claude_at_least"][name] <= found[name] <= right["claude_at_most"][name] for name in found)
    assert set(categories(next(iter(batches.values())))) <= {"malformed_json"}


def test_case_16_the_project_is_the_recorded_directory() -> None:
    right, batches = case("16")
    projects = [each.project for batch in batches.values() for each in batch.sessions]
    assert {project: projects.count(project) for project in projects} == right["by_project"]


def test_case_10_models_are_kept_as_recorded() -> None:
    _, batches = case("10")
    models = {each.model for each in responses(batches).values()}
    lines = [line for path in batches for line in path.read_text().splitlines()]
    recorded = {json.loads(line).get("message", {}).get("model") for line in lines} - {None}
    assert models == recorded
