"""Real sessions of Grok Build, whose bill is known, through the real command line.

Compared by sums: a turn is a response per model, and a subagent inside its
parent's turn counts once, in either place.
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.builders.answers import Row, Told
from tests.command_line import Cli, machine
from tests.places import RECORDS

SETS = sorted(path.parent for path in RECORDS.glob("grok-build/*/expected.json"))


class Run:
    """One set after its import, with what its bill says."""

    def __init__(self, folder: Path, base: Path) -> None:
        self.bill: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
        self.cli = machine(base)
        self.cli.lay(folder)
        (self.cli.home / ".grok").mkdir()
        for name in ("sessions", "logs"):
            (self.cli.home / name).rename(self.cli.home / ".grok" / name)
        synced = self.cli("sync", "--json")
        assert synced.code == 0, synced.err
        self.told = Told(self.cli, synced)

    @property
    def rows(self) -> list[Row]:
        """The responses that count and know something."""
        return [row for row in self.told.rows if row["total_tokens"] is not None]


@pytest.fixture(scope="module", params=SETS, ids=lambda path: path.name)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(request.param, tmp_path_factory.mktemp("set"))


def test_every_session_is_a_source(run: Run) -> None:
    (answer,) = [row for row in run.told.synced.json["harnesses"] if row["harness"] == "grok"]
    assert answer["sources"] == len(run.bill["sessions"])


def test_what_no_record_tells_is_unknown(run: Run) -> None:
    assert run.rows
    assert all(row["cache_write_input_tokens"] is None for row in run.rows)


def test_recorded_costs_are_exact_and_never_made_up(run: Run) -> None:
    for model, each in run.bill["importable_per_model"].items():
        known = [row["native_cost_usd"] for row in run.rows if row["model"] == model]
        costs = [Decimal(cost) for cost in known if cost is not None]
        assert sum(costs, Decimal(0)) == Decimal(each["cost_ticks"]).scaleb(-10)
        assert (len(costs) < len(known)) == bool(each["calls_without_cost"])


def test_turns_without_usage_stay_unknown(run: Run) -> None:
    """Not zero: a response without counters, or for a killed turn none at all."""
    untold = {turn["prompt_id"] for turn in run.bill["turns"] if not turn["recorded_usage"]}
    assert {row["turn"] for row in run.told.rows if row["total_tokens"] is None} == untold
    killed = sum("killed turn" in gap["why"] for gap in run.bill["billed_but_in_no_turn"])
    assert sum(len(session["turns_without_usage"]) for session in run.told.shown) == killed


def test_subagents_and_forks_are_told_apart(run: Run) -> None:
    """A subagent has a parent and no prompts of a person's; a fork's copies are its source's."""
    children = {each["session"] for each in run.told.sessions if each["role"] == "subagent"}
    assert all(each["parent"] for each in run.told.sessions if each["session"] in children)
    copied = {(fork["fork"], 0) for fork in run.bill["notes"] if isinstance(fork, dict)}
    typed = [each for each in run.bill["prompts"] if f"grok:{each['session_id']}" not in children]
    own = [each for each in typed if (each["session_id"], each["prompt_index"]) not in copied]
    assert sum(each["genuine_prompts"] for each in run.told.sessions) == len(own)
    shown = [prompt["excerpt"] for session in run.told.shown for prompt in session["prompts"]]
    assert sorted(shown) == sorted(each["text"] for each in own)


def test_tools_are_counted(run: Run) -> None:
    assert run.told.events("tool_call") == run.told.events("tool_result") == len(run.bill["tool_calls"])


def test_it_is_unpriced_with_a_reason(run: Run) -> None:
    """E115: never zero."""
    (group,) = run.cli("usage", "--by", "harness", "--json").json["groups"]
    estimate = group["estimated_cost"]
    assert (estimate["priced_responses"], estimate["estimated_cost_usd_total"]) == (0, None)
    assert sum(estimate["unpriced_reasons"].values()) == len(run.told.rows)


def test_no_private_text_reaches_the_ledger(run: Run) -> None:
    """Titles, what a subagent was told or found, free-text reasons."""
    data = b"".join(path.read_bytes() for path in run.cli.ledger.parent.iterdir())
    for text in (b"MAP-TASK", b"TEST-TASK", b"Map the repo", b"slow down", b"model refused", b"Context window"):
        assert text not in data


def test_the_home_may_be_elsewhere(cli: Cli) -> None:
    """`GROK_HOME`, or a root that is named: the home or its sessions folder."""
    folder = SETS[0]
    for env, words in (
        ({"GROK_HOME": str(folder)}, ()),
        ({}, ("--harness", "grok", "--root", folder)),
        ({}, ("--harness", "grok", "--root", folder / "sessions")),
    ):
        cli.ledger.unlink(missing_ok=True)
        answer = cli("sync", *words, "--json", env=env)
        (grok,) = [row for row in answer.json["harnesses"] if row["harness"] == "grok"]
        assert (answer.code, grok["sources"], grok["responses_inserted"]) == (0, 1, 3)
