"""Made-up records with faults that other readers got wrong, through the real command line.

`expected.json` of a case says what is right; every key of it is a law of its
own below, and a key without a law fails.
"""

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.builders import huge_snapshot
from tests.builders.answers import Row, Told, by_model, contents, inserted, native, sums
from tests.command_line import Cli
from tests.places import CASES
from tests.unit.pricing.examples import document

FOLDERS = sorted(path.parent for path in CASES.glob("*/expected.json"))

# Name in a case → counter of `sums`.
_COUNTERS = {
    "responses": "responses",
    "input_tokens": "input",
    "cache_creation_input_tokens": "write",
    "cache_write_input_tokens": "write",
    "cache_5m": "write_5m",
    "cache_1h": "write_1h",
    "cache_read_input_tokens": "cached",
    "cached_input_tokens": "cached",
    "output_tokens": "output",
    "reasoning_output_tokens": "reasoning",
    "total_tokens": "total",
    "input": "input",
    "output": "output",
    "reasoning": "reasoning",
    "cache_read": "cached",
    "cache_write": "write",
}
_GROK = {
    "responses": "responses",
    "inputTokens": "input",
    "cachedReadTokens": "cached",
    "outputTokens": "output",
    "reasoningTokens": "reasoning",
    "totalTokens": "total",
}
# What one response costs under the schedule of the cases: 1,000 input and 100 output.
_ONE = {"claude-opus-5-5": Decimal("0.006"), "claude-haiku-4-5": Decimal("0.0015")}
_WHOLE = ("capture", "assign-session", "--task", "T-1", "--exclusive", "--evidence", "the case's only work")


class Case:
    """One state of a case after its import."""

    def __init__(self, cli: Cli, told: Told, block: dict[str, Any]) -> None:
        self.cli, self.told, self.block = cli, told, block
        self._estimate: Row | None = None

    def of(self, harness: str) -> list[Row]:
        """The responses of one harness, in order of time."""
        return [row for row in self.told.rows if row["harness"] == harness]

    def compare(self, rows: list[Row], wanted: dict[str, int], holds: Callable[[int, int], bool]) -> None:
        """Every counter of the block against the sums of the rows."""
        found = sums(rows)
        wrong = {
            name: found[_COUNTERS[name]] for name, value in wanted.items() if not holds(found[_COUNTERS[name]], value)
        }
        assert wrong == {}, wanted

    @property
    def estimate(self) -> Row:
        """What all of it costs under the schedule that the cases name."""
        if self._estimate is None:
            prices = self.cli.ledger.parent / "prices.json"
            prices.write_text(json.dumps(document()))
            assert self.cli("capture", "create-task", "--task", "T-1").code == 0
            for session in self.told.sessions:
                if session["responses"]:
                    assert self.cli(*_WHOLE, "--session", session["session"]).code == 0
            answer = self.cli("task", "show", "--task", "T-1", "--prices", prices, "--json")
            assert answer.code in (0, 3), answer.err
            self._estimate = answer.json["estimated_cost"]
        return self._estimate

    def priced(self, model: str) -> Decimal | None:
        """What is known of one model's cost; None when none of it is priced."""
        (entry,) = [each for each in self.estimate["by_model"] if each["model"] == model]
        return Decimal(entry["estimated_cost_usd_partial"]) if entry["priced_responses"] else None


def _opencode(case: Case, wanted: dict[str, Any]) -> None:
    """Its cost is the one that was recorded."""
    counters = {name: value for name, value in wanted.items() if name != "cost_usd"}
    case.compare(case.of("opencode"), counters, int.__eq__)
    assert sum(Decimal(row["native_cost_usd"]) for row in case.of("opencode")) == Decimal(wanted["cost_usd"])


def _grok(case: Case, wanted: dict[str, Any]) -> None:
    """Its own names of counters; the cost is the one that was recorded."""
    found = sums(case.of("grok"))
    assert {name: found[_GROK[name]] for name in wanted.keys() & _GROK} == {
        name: value for name, value in wanted.items() if name in _GROK
    }
    assert sum(Decimal(row["native_cost_usd"]) for row in case.of("grok")) == Decimal(wanted["native_cost_usd"])


def _totals(harness: str, holds: Callable[[int, int], bool]) -> Callable[[Case, Any], None]:
    return lambda case, wanted: case.compare(case.of(harness), wanted, holds)


def _per_model(harness: str) -> Callable[[Case, Any], None]:
    def check(case: Case, wanted: dict[str, dict[str, int]]) -> None:
        found = by_model(case.of(harness))
        assert sorted(found) == sorted(wanted)
        for model, counters in wanted.items():
            case.compare(found[model], counters, int.__eq__)

    return check


def _by_session(case: Case, wanted: Any) -> None:
    def owner(row: Row) -> str:
        return native(case.told.root(row["session"]) if row["harness"] == "claude" else row["session"])

    assert Counter(map(owner, case.told.rows)) == wanted


def _by_project(case: Case, wanted: dict[str, int]) -> None:
    assert Counter(row["project"] for row in case.told.rows) == wanted
    assert {group["key"]: group["responses"] for group in case.told.usage("project")} == wanted
    for project, count in wanted.items():
        assert sum(group["responses"] for group in case.told.usage("model", "--project", project)) == count


def _days(case: Case, zone: str, *more: str) -> dict[str, int]:
    groups = case.told.usage("day", "--timezone", zone, *more)
    return {group["key"]: sum(part["output_tokens"] for part in group["by_semantics"].values()) for group in groups}


def _by_day(case: Case, wanted: dict[str, dict[str, int]]) -> None:
    assert {zone: _days(case, zone) for zone in wanted} == wanted


def _one_day(case: Case, wanted: dict[str, int]) -> None:
    day = "2026-09-24"
    found = {zone: _days(case, zone, "--since", day, "--until", day).get(day, 0) for zone in wanted}
    assert found == wanted


def _models(case: Case, wanted: list[str]) -> None:
    assert sorted(by_model(case.told.rows)) == sorted(wanted)
    assert sorted(group["key"] for group in case.told.usage("model")) == sorted(wanted)


def _parse_errors(case: Case, wanted: int) -> None:
    assert case.told.faults("malformed_json") == wanted
    assert not any(row["failed"] for row in case.told.synced.json["harnesses"])


def _priced_as(case: Case, wanted: dict[str, str]) -> None:
    assert {model: case.priced(model) for model in wanted} == {model: _ONE[like] for model, like in wanted.items()}


def _either(case: Case, wanted: dict[str, list[str | None]]) -> None:
    for model, likes in wanted.items():
        assert case.priced(model) in [_ONE[like] if like else None for like in likes]


def _unpriced(case: Case, wanted: list[str]) -> None:
    assert {model: case.priced(model) for model in wanted} == dict.fromkeys(wanted)


def _whole_cost(case: Case, wanted: str) -> None:
    assert case.estimate["estimated_cost_usd_total"] == wanted
    assert case.estimate["complete"] is True


def _subtotal(case: Case, wanted: str) -> None:
    assert Decimal(case.estimate["estimated_cost_usd_partial"]) == Decimal(wanted)
    assert case.estimate["estimated_cost_usd_total"] is None
    assert case.estimate["complete"] is False


def _long_requests(case: Case, wanted: int) -> None:
    """Rates that were used tell the tier: the long table stands beside the base one."""
    (entry,) = case.estimate["by_model"]
    tables = sorted(table["input_tokens"] for table in entry["rates"])
    assert tables == ["10", "20"]
    assert sum(row["input_tokens"] > 272_000 for row in case.told.rows) == wanted


def _tool_output(case: Case, wanted: int) -> None:
    """No command lists sizes of events yet: that the call and its answer were read is what can be seen."""
    assert wanted > 0
    assert case.told.events("tool_call") == case.told.events("tool_result") == 1


def _turns_without_usage(case: Case, wanted: list[str]) -> None:
    found = [turn for session in case.told.shown for turn in session["turns_without_usage"]]
    assert [turn.rpartition(":")[2] for turn in found] == wanted


def _nothing(_case: Case, _wanted: Any) -> None:
    """Said of a machine that this one is not."""


_AT_LEAST, _AT_MOST = int.__ge__, int.__le__
_LAWS: dict[str, Callable[[Case, Any], None]] = {
    "claude": _totals("claude", int.__eq__),
    "claude_at_least": _totals("claude", _AT_LEAST),
    "claude_at_most": _totals("claude", _AT_MOST),
    "claude_by_model": _per_model("claude"),
    "codex": _totals("codex", int.__eq__),
    "codex_by_model": _per_model("codex"),
    "opencode": _opencode,
    "grok": _grok,
    "native_total": lambda case, wanted: _same(sums(case.told.rows)["total"], wanted),
    "native_cost_known": lambda case, wanted: _same(
        all(row["native_cost_usd"] is not None for row in case.told.rows), wanted
    ),
    "codex_with_reader": _totals("codex", int.__eq__),
    "codex_without_reader": _nothing,
    "unread_sources_without_reader": _nothing,
    "responses": lambda case, wanted: _same(len(case.told.rows), wanted),
    "by_session": _by_session,
    "subagent_responses": lambda case, wanted: _same(
        sum(session["responses"] for session in case.told.sessions if session["role"] == "subagent"), wanted
    ),
    "by_project": _by_project,
    "tool_calls": lambda case, wanted: _same(case.told.events("tool_call"), wanted),
    "tool_output_bytes_at_least": _tool_output,
    "genuine_prompts": lambda case, wanted: _same(
        sum(session["genuine_prompts"] for session in case.told.sessions), wanted
    ),
    "models": _models,
    "response_ids": lambda case, wanted: _same([native(row["response_id"]) for row in case.told.rows], wanted),
    "response_turns": lambda case, wanted: _same([row["turn"].rpartition(":")[2] for row in case.told.rows], wanted),
    "no_write_counter": lambda case, _wanted: _same(
        {row["cache_write_input_tokens"] for row in case.told.rows}, {None}
    ),
    "by_day": _by_day,
    "output_on_2026_09_24": _one_day,
    "parse_errors": _parse_errors,
    "cost_usd": _whole_cost,
    "all_priced": lambda case, _wanted: _same(case.estimate["unpriced_responses"], 0),
    "known_subtotal_usd": _subtotal,
    "priced_responses": lambda case, wanted: _same(case.estimate["priced_responses"], wanted),
    "priced_as": _priced_as,
    "either": _either,
    "unpriced": _unpriced,
    "long_requests": _long_requests,
    "responses_without_final_count": lambda case, wanted: _same(
        sum(not row["final"] for row in case.told.rows), wanted
    ),
    "by_speed": lambda case, wanted: _same(Counter(row["speed"] or "standard" for row in case.told.rows), wanted),
    "tiers": lambda case, wanted: _same([row["service_tier"] or "default" for row in case.told.rows], wanted),
    "api_errors": lambda case, wanted: _same(case.told.events("api_error"), wanted),
    "sources_gone": lambda case, wanted: _same(sum(row["gone"] for row in case.told.synced.json["harnesses"]), wanted),
    "aborted_turns": lambda case, wanted: _same(
        sum(session["turns"].get("cancelled", 0) for session in case.told.shown), wanted
    ),
    "turns_without_usage": _turns_without_usage,
}


def _same(found: object, wanted: object) -> None:
    assert found == wanted


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_case_comes_out_right(folder: Path, cli: Cli) -> None:
    """Every state of the case, every key of its block; a second sync adds nothing and no record changes."""
    block = json.loads((folder / "expected.json").read_text("utf-8"))
    for home, wanted in _states(folder, block):
        roots = _lay(cli, home)
        before = contents(cli.home)
        synced = cli("sync", *roots, "--json")
        assert synced.code == 0, synced.err
        assert inserted(cli("sync", *roots, "--json")) == {}
        assert contents(cli.home) == before
        case = Case(cli, Told(cli, synced), wanted)
        ids = [row["response_id"] for row in case.told.rows]
        assert len(ids) == len(set(ids))
        for key, value in wanted.items():
            _LAWS[key](case, value)


def _states(folder: Path, block: dict[str, Any]) -> list[tuple[Path | None, dict[str, Any]]]:
    """The states of the machine with what holds after each; what names no state holds after the last."""
    steps = sorted(folder.glob("step*"))
    if not steps:
        home = folder / "home"
        return [(home if home.is_dir() else None, block)]
    last = {key: value for key, value in block.items() if not key.startswith("after_")}
    states = [(step / "home", block.get(f"after_{step.name}", {})) for step in steps]
    states[-1] = (states[-1][0], states[-1][1] | last)
    return states  # type: ignore[return-value]


def _lay(cli: Cli, home: Path | None) -> list[str]:
    """Lays the state; the roots to name when a home of an agent stands in a second place."""
    if home is None:
        huge_snapshot.write(cli.home)
        return []
    cli.lay(home)
    second = cli.home / ".claude2"
    return (
        ["--harness", "claude", "--root", str(cli.home / ".claude"), "--root", str(second)]
        if second.is_symlink()
        else []
    )
