"""Faults that users reported of other programs, at the level of the adapter."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests import places
from tests.unit.adapters.codex.rollouts import read_home, totals

_NAMES = ("input", "cached_input", "cache_write_input", "output", "reasoning_output", "total")


def _case(number: int) -> tuple[Path, dict[str, Any]]:
    [folder] = places.CASES.glob(f"{number}-*")
    return folder / "home" / ".codex", json.loads((folder / "expected.json").read_text())


def _sums(responses: Any) -> dict[str, int]:
    found = {f"{name}_tokens": sum(getattr(each.usage, name) or 0 for each in responses) for name in _NAMES}
    return {"responses": len(responses), **found}


@pytest.mark.parametrize("number", [20, 21, 22, 23, 24, 25, 27, 30, 31])
def test_responses_and_counters(number: int) -> None:
    home, expected = _case(number)
    found = read_home(home)
    assert _sums(found.responses) == expected["codex"]
    assert found.faults == []


@pytest.mark.parametrize("number", [22, 23, 25])
def test_responses_by_session(number: int) -> None:
    home, expected = _case(number)
    counts: dict[str, int] = {}
    for response in read_home(home).responses:
        thread = response.session.removeprefix("codex:")
        counts[thread] = counts.get(thread, 0) + 1
    assert counts == expected["by_session"]


@pytest.mark.parametrize("number", [28, 29])
def test_responses_by_model(number: int) -> None:
    home, expected = _case(number)
    found = read_home(home).responses
    models = {each.model for each in found}
    assert {model: _sums([each for each in found if each.model == model]) for model in models} == expected[
        "codex_by_model"
    ]


def test_a_counter_that_older_records_lack_is_unknown() -> None:
    """Case 20."""
    assert {each.usage.cache_write_input for each in read_home(_case(20)[0]).responses} == {None}


def test_records_are_known_by_their_own_ids() -> None:
    """Case 21."""
    home, expected = _case(21)
    assert [each.id.removeprefix("codex:") for each in read_home(home).responses] == expected["response_ids"]


def test_the_tier_of_each_turn_is_kept() -> None:
    """Case 30."""
    home, expected = _case(30)
    assert [each.service_tier for each in read_home(home).responses] == expected["tiers"]


def test_the_plain_copy_of_a_compressed_rollout_is_read() -> None:
    """Case 26, what is left of it without a decompressor."""
    home, expected = _case(26)
    assert _sums(read_home(home).responses) == expected["codex_without_reader"]


def test_an_interrupted_turn_has_no_response() -> None:
    """Case 31."""
    home, expected = _case(31)
    found = read_home(home)
    used = {each.turn for each in found.responses}
    assert sorted(used) == expected["response_turns"]
    assert [each.id for each in found.turns if each.id not in used] == expected["turns_without_usage"]
    assert [each.id for each in found.turns if each.state == "cancelled"] == ["t1"]


def test_long_requests_stay_single() -> None:
    """Case 27: one response for each request, so that its own input decides its price."""
    assert totals(read_home(_case(27)[0])) == [201_000, 201_000, 301_000]
