"""OpenCode's real stores, whose bill is known, through the real command line.

A set that holds several states of one store is imported state by state, alone
and one after another.
"""

import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.builders.answers import Row, Told, by_model, sums
from tests.command_line import Answer, Cli, machine
from tests.places import RECORDS
from tests.unit.adapters.opencode.stores import KEY, PLACE, Database, answer

_RECORDS = RECORDS / "opencode"
_CHAIN = "version-chain"
SETS = sorted(path.parent.name for path in _RECORDS.glob("*/expected.json"))
_BUCKETS = {
    "input": "input",
    "output": "output",
    "reasoning": "reasoning",
    "cached": "cache_read",
    "write": "cache_write",
}


class Run:
    """One set after the import of all its states, with what must come out."""

    def __init__(self, name: str, base: Path) -> None:
        self.name, folder = name, _RECORDS / name
        self.bill: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
        cli = machine(base)
        for state in _states(folder):
            self.synced = _import(cli, state)
            assert self.synced.code == 0, self.synced.err
        self.told = Told(cli, self.synced)

    @property
    def sessions(self) -> dict[str, Row]:
        """The shown sessions by native id."""
        return {session["session"].removeprefix("opencode:"): session for session in self.told.shown}


def _states(folder: Path) -> list[Path]:
    found = [path for path in folder.iterdir() if path.is_dir()]
    return sorted(found, key=lambda path: [int(part) for part in path.name[1:].split(".")]) or [folder]


def _import(cli: Cli, state: Path) -> Answer:
    """Makes the store hold exactly that state and imports it."""
    place = cli.home / ".local" / "share" / "opencode"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(state, place)
    return cli("sync", "--json")


@pytest.fixture(scope="module", params=SETS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(request.param, tmp_path_factory.mktemp("set"))


def figures(rows: list[Row]) -> dict[str, dict[str, Any]]:
    """Per model what the bill knows of it."""
    found = {}
    for model, of_model in by_model(rows).items():
        counted = sums(of_model)
        found[model] = {"responses": counted["responses"], **{_BUCKETS[name]: counted[name] for name in _BUCKETS}}
        assert not any(counted[f"{name}?"] for name in _BUCKETS)
        found[model]["recorded_cost_usd"] = sum((Decimal(row["native_cost_usd"]) for row in of_model), Decimal(0))
    return found


def exact(block: dict[str, Any]) -> dict[str, Any]:
    """A model's block with its cost as the decimal that was written."""
    return block | {"recorded_cost_usd": Decimal(str(block["recorded_cost_usd"]))}


def test_every_model_has_exactly_what_a_correct_reader_reports(run: Run) -> None:
    """§0 row 5: each call once, copies of a fork included, in the recorded buckets and at the recorded cost."""
    wanted = {model: exact(block) for model, block in run.bill["importable_per_model"].items()}
    assert figures(run.told.rows) == wanted


def test_sessions_have_their_directory_and_their_parent(run: Run) -> None:
    found = {name: (session["parent"], session["project"]) for name, session in run.sessions.items()}
    assert found == {
        each["id"]: (each["parent_id"] and f"opencode:{each['parent_id']}", each["directory"])
        for each in run.bill["sessions"]
    }
    assert {name for name, each in run.sessions.items() if each["role"] == "subagent"} == {
        each["id"] for each in run.bill["sessions"] if each["parent_id"]
    }


def test_typed_prompts_count_once_and_in_main_sessions_only(run: Run) -> None:
    children = {each["id"] for each in run.bill["sessions"] if each["parent_id"]}
    typed = {
        "\n".join(part["text"] for part in each["text_parts"] if not part["synthetic"]).strip().strip('"')
        for each in run.bill["user_messages"]
        if each["session_id"] not in children
    } - {""}
    prompts = [prompt["excerpt"] for session in run.told.shown for prompt in session["prompts"]]
    assert sorted(prompts) == sorted(typed)


def test_calls_count_once(run: Run) -> None:
    """Copied calls repeat message time and call id."""
    calls = {each["call_id"] for each in run.bill["tool_calls"]}
    assert run.told.events("tool_call") == len(calls)


def test_compactions_and_errors_are_told(run: Run) -> None:
    compactions = sum("compaction" in each["other_parts"] for each in run.bill["user_messages"])
    assert run.told.events("compaction") == compactions
    assert run.told.events("lifecycle") == sum(bool(each["error"]) for each in run.bill["assistant_messages"])


def test_one_sessions_rows_stay_one_kind(run: Run) -> None:
    """A release that puts reasoning inside the output is told by its total, also where a row has no reasoning."""
    inside = "opencode:input_excludes_cache,output_includes_reasoning"
    kinds = {row["semantics"] for row in run.told.rows}
    assert kinds == ({inside} if run.name == _CHAIN else {"opencode:input_excludes_cache,reasoning_separate"})


@pytest.mark.parametrize("state", ["v1.1", "v1.2", "v1.18"])
def test_each_state_of_a_store_tells_what_it_holds(state: str, tmp_path: Path) -> None:
    cli, folder = machine(tmp_path), _RECORDS / _CHAIN
    synced = _import(cli, folder / state)
    assert synced.code == 0, synced.err
    bill = json.loads((folder / "expected.json").read_text("utf-8"))
    held = {"v1.1": 2, "v1.2": 3, "v1.18": 4}[state]
    recorded = [each["recorded_tokens"] for each in bill["assistant_messages"][:held]]
    (found,) = figures(Told(cli, synced).rows).values()
    assert {name: found[name] for name in recorded[0]} == {
        name: sum(each[name] for each in recorded) for name in recorded[0]
    }
    assert found["responses"] == held


def test_states_may_come_in_any_order(tmp_path: Path) -> None:
    """An older copy of the store, imported after the newer one, takes nothing away and adds nothing."""
    cli, folder = machine(tmp_path), _RECORDS / _CHAIN
    for state in ("v1.18", "v1.1", "v1.2"):
        synced = _import(cli, folder / state)
    told = Told(cli, synced)
    bill = json.loads((folder / "expected.json").read_text("utf-8"))
    assert figures(told.rows) == {model: exact(block) for model, block in bill["importable_per_model"].items()}
    assert sum(session["genuine_prompts"] for session in told.sessions) == 3


def test_a_cost_that_one_response_lacks_leaves_the_total_unknown(tmp_path: Path) -> None:
    """E094: 0.5 on one response and none on another: the known part is 0.5, the total unknown."""
    cli = machine(tmp_path)
    with Database(cli.home / PLACE) as store:
        store.session().message("msg_1", answer(cost=0.5)).message("msg_2", answer(3000, cost=None))
    assert cli("sync").code == 0
    assert cli("capture", "create-task", "--task", "T-1").code == 0
    whole = ("--session", KEY, "--exclusive", "--evidence", "all of it")
    assert cli("capture", "assign-session", "--task", "T-1", *whole).code == 0
    cost = cli("task", "show", "--task", "T-1", "--json").json["native_cost"]
    assert (cost["subtotal_usd"], cost["total_usd"], cost["unknown_responses"]) == ("0.5", None, 1)
