"""The inputs of the Action: what is accepted, and what is refused by name."""

import io
from decimal import Decimal
from typing import Any

import pytest

from publish import wishes
from publish.result import Stop
from publish.runner import Runner


def read(variables: dict[str, str] | None = None, **inputs: str) -> wishes.Wishes:
    """The inputs of a step; one path of evidence unless told otherwise."""
    given = {"evidence": "e.json"} | inputs
    named = {f"INPUT_{name.upper()}": text for name, text in given.items()}
    return wishes.read(Runner(named | (variables or {}), io.StringIO()))


def refused(**inputs: str) -> tuple[str, str]:
    """Reason and message of the refusal."""
    with pytest.raises(Stop) as caught:
        read(**inputs)
    assert caught.value.outcome == "refused"
    return caught.value.reason, caught.value.message


def test_nothing_but_evidence_is_needed() -> None:
    found = read()
    assert (found.dry_run, found.only, found.max_wait, found.budget, found.run_id) == (False, False, 50.0, None, None)
    assert (found.api_url, found.ca_file, found.app_slug) == ("https://api.github.com", None, None)
    assert not found.fails_over_budget


def test_evidence_is_one_path_per_line() -> None:
    assert read(evidence="\n a.json \n\n  b c.json\n").evidence == ("a.json", "b c.json")


@pytest.mark.parametrize("inputs", [{"evidence": "", "artifact_name": ""}, {"evidence": "a", "artifact_name": "b"}])
def test_exactly_one_source_is_wanted(inputs: dict[str, str]) -> None:
    reason, message = refused(**inputs)
    assert reason == "invalid_input"
    assert "`evidence`" in message


@pytest.mark.parametrize(
    ("text", "expected"), [("true", True), ("TRUE", True), ("false", False), ("", False), (" true ", True)]
)
def test_a_switch_is_true_or_false(text: str, expected: bool) -> None:
    assert read(dry_run=text).dry_run is expected
    assert read(only=text).only is expected


@pytest.mark.parametrize(
    "inputs",
    [
        {"dry_run": "yes"}, {"only": "1"}, {"job_summary": "maybe"}, {"max_wait": "-1"}, {"max_wait": "nan"},
        {"max_wait": "inf"}, {"max_wait": "soon"}, {"settle": "4000"}, {"budget_usd": "-1"}, {"budget_usd": "1e3"},
        {"budget_usd": "$5"}, {"budget_usd": "NaN"}, {"budget_usd": "1,5"}, {"budget_usd": "\u0663"},
        {"on_over_budget": "explode"}, {"run_id": "9; id"}, {"run_id": "0"}, {"run_id": "-9"},
        {"ca_file": "/nonexistent/ca.pem"},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(inputs: dict[str, str]) -> None:
    """P37: an input is data, whatever stands in it."""
    reason, message = refused(**inputs)
    assert reason == "invalid_input"
    assert f"`{next(iter(inputs)).replace('_', '-')}`" in message


def test_a_budget_is_exact() -> None:
    assert read(budget_usd="0.10").budget == Decimal("0.10")
    assert read(budget_usd="12", on_over_budget="fail").fails_over_budget


@pytest.mark.parametrize(
    ("inputs", "variables", "expected"),
    [
        ({}, {"GITHUB_API_URL": "https://ghes.example/api/v3"}, "https://ghes.example/api/v3"),
        ({}, {"GITHUB_API_URL": "https://ghes.example/api/v3/"}, "https://ghes.example/api/v3"),
        ({"api_url": "http://127.0.0.1:9"}, {"GITHUB_API_URL": "https://ghes.example"}, "http://127.0.0.1:9"),
    ],
)
def test_the_address_is_the_servers_own(inputs: dict[str, str], variables: dict[str, str], expected: str) -> None:
    """P24."""
    assert read(variables, **inputs).api_url == expected


@pytest.mark.parametrize("url", ["http://ghes.example/api/v3", "ftp://x", "https://user@ghes.example", "nonsense"])
def test_an_address_that_would_show_the_token_is_refused(url: str) -> None:
    """P24."""
    assert refused(api_url=url)[0] == "insecure_api_url"


@pytest.mark.parametrize(
    ("given", "expected"), [("false", False), ("FALSE", False), ("true", True), ("", True), ("x", True)]
)
def test_only_false_leaves_the_summary_alone(given: str, expected: bool) -> None:
    runner: Any = Runner({"INPUT_JOB_SUMMARY": given}, io.StringIO())
    assert wishes.wants_summary(runner) is expected
