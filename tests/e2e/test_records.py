"""Records of real runs, whose bill is known, through the real command line.

What must hold for every agent's records stands in tests/contract.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.answers import Row, Told, native
from tests.command_line import machine
from tests.places import RECORDS

# Harnesses that write line files; those with a store have their own module, test_records_<harness>.py.
_HARNESSES = ("claude-code", "codex")
SETS = sorted(path.parent for name in _HARNESSES for path in RECORDS.glob(f"{name}/*/expected.json"))
_NAMES = [f"{path.parent.name}/{path.name}" for path in SETS]


class Run:
    """One set after its import, with what its bill says."""

    def __init__(self, folder: Path, base: Path) -> None:
        self.bill: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
        self.harness = "claude" if self.bill["harness"] == "claude-code" else "codex"
        cli = machine(base)
        cli.lay(folder)
        synced = cli("sync", "--json")
        assert synced.code == 0, synced.err
        self.told = Told(cli, synced)

    @property
    def billed(self) -> list[Row]:
        """The responses that were billed and that the records tell of.

        Releases without a record per response tell of all of them, without ids.
        """
        billed = [each for each in self.bill["billed"] if each["billed"] and each["usage"]]
        place = "lines" if self.harness == "claude" else "records"
        return [each for each in billed if each["in_records"][place]] or billed

    @property
    def has_ids(self) -> bool:
        """Whether the records name each response."""
        return self.harness == "claude" or any(each["in_records"]["records"] for each in self.billed)


@pytest.fixture(scope="module", params=SETS, ids=_NAMES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(request.param, tmp_path_factory.mktemp("set"))


def test_every_response_is_there_once_with_its_own_figures(run: Run) -> None:
    if not run.has_ids:
        assert len(run.told.rows) == len(run.billed)
        return
    wanted = {each["response_id"]: (each["model"], *_input_and_output(run, each)) for each in run.billed}
    found = [
        (native(row["response_id"]), row["model"], row["input_tokens"], row["output_tokens"]) for row in run.told.rows
    ]
    assert sorted(found) == sorted((name, *figures) for name, figures in wanted.items())


def test_a_persons_prompts_are_told_from_all_others(run: Run) -> None:
    """§4.2, §3.4."""
    assert sum(session["genuine_prompts"] for session in run.told.sessions) == run.bill["genuine_prompts"]
    shown = sum(len(session["prompts"]) for session in run.told.shown)
    assert shown == run.bill["genuine_prompts"]


def test_sessions_and_subagents_are_told_apart(run: Run) -> None:
    workers = [session for session in run.told.sessions if session["role"] == "subagent"]
    assert len(workers) == run.bill["subagents"]
    assert all(run.told.root(worker["session"]) != worker["session"] for worker in workers)
    wanted = run.bill.get("sessions", len(set(run.bill.get("session_ids", []))))
    if wanted:
        assert len({run.told.root(session["session"]) for session in run.told.sessions}) == wanted


def test_what_happened_is_counted(run: Run) -> None:
    """Calls, compactions and errors of the API, as far as the bill knows them."""
    if "tool_calls" in run.bill:
        assert run.told.events("tool_call") == run.bill["tool_calls"]
    if "compactions" in run.bill:
        assert run.told.events("compaction") == run.bill["compactions"]
    if "api_errors" in run.bill:
        assert run.told.events("api_error") == run.bill["api_errors"]


def _input_and_output(run: Run, billed: Row) -> tuple[int, int]:
    """What the records can tell at best: of a cut answer, the most output they ever saw."""
    usage = billed["usage"]
    seen = billed["in_records"].get("output_tokens_seen")
    return usage["input_tokens"], max(seen) if seen else usage["output_tokens"]
