"""Dispatches, runs and moved assertions through the real command line, and how the report of a task shows them."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.builders import small
from tests.builders.small import refused
from tests.command_line import Cli, machine
from tests.e2e.test_records_router import PLACES, TWO_JOBS, lay
from tests.golden_files import Golden, names
from tests.unit.pricing.examples import document

AGENT = "claude:s1:agent:a1"
SECRET = "ghp_" + "q7Wm2Kx9Zt4Rb6Yn3Lp8Vd5"


def capture(cli: Cli, *words: str) -> Any:
    """An assertion that is accepted; what the command answers."""
    answer = cli("capture", *words, "--json")
    assert answer.code == 0, answer.err
    return answer.json


def task(cli: Cli, name: str = "T-1") -> Any:
    return cli("task", "show", "--task", name, "--json").json


@pytest.fixture
def worked(filled: Cli) -> Cli:
    """A task whose session handed work to its subagent, to a Codex thread nobody bound, and to one never seen."""
    hand, run = ("dispatch", "--submission", "p1", "--worker"), ("attempt", "--task", "T-1", "--turn")
    (response,) = filled("responses", "list", "--session", AGENT, "--json").json["responses"]
    for words in (
        (*hand, AGENT, "--requested-model", "small-1", "--reason", "it is small"),
        (*hand, "t-1", "--requested-effort", "high", "--policy", "v7"),
        (*hand, "grok:never", "--task-name", "tidy"),
        (*run, "p1", "--role", "parent", "--state", "complete", "--usable"),
        (*run, response["turn"], "--role", "worker", "--state", "crashed"),
    ):
        capture(filled, *words)
    return filled


def agents_run(cli: Cli) -> Any:
    """What the report tells of the subagent's run."""
    (found,) = (each for each in task(cli)["attempts"] if each["session"] == AGENT)
    return found


def test_an_assertion_answers_with_the_keys_it_was_kept_under(filled: Cli) -> None:
    """§11: a bare id becomes a key; a worker need not be there yet."""
    said = capture(filled, "dispatch", "--submission", "p1", "--worker", "t-1")
    assert said == {"ok": True, "submission": "claude:p1", "worker": "codex:t-1"}
    said = capture(filled, "attempt", "--task", "T-1", "--turn", "A", "--role", "worker")
    assert said == {"ok": True, "task": "T-1", "turn": "A", "session": "codex:t-1"}
    assert filled("capture", "dispatch", "--submission", "p1", "--worker", "w").out == "dispatch: claude:p1, w\n"


REFUSED = (
    ("dispatch", "--submission", "nowhere", "--worker", "w"),
    ("dispatch", "--submission", "p1", "--worker", "two words"),
    ("attempt", "--task", "T-9", "--turn", "p1", "--role", "parent"),
    ("attempt", "--task", "T-1", "--turn", "nowhere", "--role", "parent"),
    ("attempt", "--task", "T-1", "--turn", "p1", "--role", "boss"),
    ("attempt", "--task", "T-1", "--turn", "p1", "--role", "parent", "--state", "done"),
    ("attempt", "--task", "T-1", "--turn", "p1", "--role", "parent", "--phase", "followup"),
    ("attempt", "--task", "T-1", "--turn", "p1", "--role", "parent", "--model", f"x {SECRET}"),
    ("amend", "--task", "T-1", "--reason", "r"),
    ("amend", "--task", "T-1", "--phase", "design", "--reason", "r"),
    ("amend", "--task", "T-1", "--usable", "--reason", "r"),
    ("amend", "--task", "T-1", "--requested-model", "x", "--reason", "r"),
    ("amend", "--task", "T-1", "--turn", "p1", "--session", "s1", "--state", "failed", "--reason", "r"),
    ("amend", "--worker", "w", "--reason", "r"),
    ("amend", "--submission", "p1", "--worker", "w", "--task-name", "x", "--reason", "r"),
    ("amend", "--task", "T-1", "--session", "s1", "--title", "x", "--reason", "r"),
    ("amend", "--submission", "p1", "--worker", "w", "--title", "x", "--reason", "r"),
    ("withdraw", "--task", "T-1", "--turn", "p1", "--reason", "r"),
    ("withdraw", "--turn", "p1", "--reason", "r"),
    ("withdraw", "--submission", "p1", "--worker", "w", "--reason", "r"),
    ("withdraw", "--worker", "w", "--reason", "r"),
    ("withdraw", "--task", "T-1", "--reason", "r"),
    ("export", "--task", "T-9"),
    ("import", "/nowhere"),
)


@pytest.mark.parametrize("words", REFUSED, ids=small.named)
def test_what_does_not_fit_is_refused_and_nothing_is_kept(filled: Cli, words: tuple[str, ...]) -> None:
    """§11: exit 2, in words, with the next step."""
    before = filled("capture", "export").out
    answer = filled("capture", *words)
    refused(answer)
    assert SECRET not in answer.err
    assert filled("capture", "export").out == before


def test_what_was_said_of_work_can_be_corrected_and_taken_back(worked: Cli) -> None:
    """One thing at a time; `--state` is a run's where a run is named."""
    turn = ("--task", "T-1", "--turn", agents_run(worked)["turn"], "--reason", "it ended")
    capture(worked, "amend", *turn, "--state", "failed", "--not-usable", "--phase", "review")
    capture(worked, "amend", "--submission", "p1", "--worker", "t-1", "--requested-model", "luna", "--reason", "forgot")
    found = task(worked)
    run = agents_run(worked)
    assert (run["state"], run["usable"], run["stage"], run["role"]) == ("failed", False, "review", "worker")
    (handed,) = (each for each in found["dispatches"] if each["session"] == "codex:t-1")
    assert (handed["requested_model"], handed["requested_effort"]) == ("luna", "high")
    assert found["acceptance_state"] == "unknown"
    capture(worked, "withdraw", *turn)
    for worker in ("t-1", "grok:never"):
        capture(worked, "withdraw", "--submission", "p1", "--worker", worker, "--reason", "r")
    found = task(worked)
    assert [each["session"] for each in found["attempts"]] == ["claude:s1"]
    assert [each["session"] for each in found["dispatches"]] == [AGENT]
    assert found["complete"] is True


def test_the_report_of_a_coordinators_words(worked: Cli, golden: Golden) -> None:
    """§12.5: each gap with the command that closes it; a run that crashed is told apart."""
    (worked.home / "prices.json").write_text(json.dumps(document()), "utf-8")
    answer = worked("task", "show", "--task", "T-1", "--prices", str(worked.home / "prices.json"))
    assert answer.code == 0
    golden("work/asserted.txt", answer.out)


def test_the_report_of_a_routers_task(tmp_path: Path, golden: Golden) -> None:
    """§7, §14.4: a person's word beside what the router made, its decisions, and quota levels."""
    cli = lay(machine(tmp_path), TWO_JOBS, PLACES)
    cli("sync")
    (cli.home / "prices.json").write_text(json.dumps(document()), "utf-8")
    first = next(each for each in task(cli, "T-LAB-7")["attempts"] if each["kind"] == "codex_dispatch")
    capture(cli, "attempt", "--task", "T-LAB-7", "--turn", first["turn"], "--role", "worker", "--not-usable")
    words = ("--task", "T-LAB-7", "--prices", str(cli.home / "prices.json"))
    golden("work/router.txt", cli("task", "show", *words).out)
    found = task(cli, "T-LAB-7")
    said = next(each for each in found["attempts"] if each["turn"] == first["turn"])
    assert said == first | {"origin": "capture", "role": "worker", "usable": False}
    assert {each["request"] for each in found["job_outcomes"]} == {each["request"] for each in found["attempts"]}
    assert [each["fields"]["outcome"] for each in found["router_recovery"] if "outcome" in each["fields"]] == ["ok"]
    assert found["quota_readings"] == cli("health", "--json").json["quota_readings"] != []


def test_no_golden_text_is_left_over() -> None:
    assert names("work") == {"asserted.txt", "router.txt"}


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A second machine, without any records."""
    return machine(tmp_path_factory.mktemp("other"))


def test_assertions_move_to_another_machine(worked: Cli, other: Cli) -> None:
    """The same records and the other's words give the same report; the file is private; once is enough."""
    small.fill(other)
    path = worked.home / "said.json"
    written = worked("capture", "export", "-o", str(path))
    assert (written.code, written.out) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert other("capture", "import", str(path), "--json").json == {
        "ok": True,
        "taken": 7,
        "known": 1,
        "tasks": ["T-1"],
    }
    same = ("dispatches", "attempts", "coverage", "attributed", "whole_session_assignments", "snapshot_id")
    mine, theirs = task(worked), task(other)
    assert {name: theirs[name] for name in same} == {name: mine[name] for name in same}
    again = other("capture", "import", "-", given=path.read_text("utf-8"))
    assert again.out == "import: 0 assertions new, 8 known or older than what is said here\n"


def test_a_machine_without_the_records_knows_that_it_knows_nothing(worked: Cli, other: Cli) -> None:
    """§12.4: what was bound elsewhere is missing here, never 0."""
    capture(worked, "assign", "--task", "T-1", "--submission", "p1")
    assert other("capture", "import", "-", given=worked("capture", "export").out).code == 0
    found = task(other)
    assert found["coverage"]["missing_sessions"] == ["claude:s1", AGENT]
    assert found["coverage"]["missing_prompts"] == ["claude:p1"]
    assert (found["complete"], found["total_cost"]["usd"]) == (False, None)
    assert other("export", "--task", "T-1").code == 0


def test_what_is_no_document_of_assertions_is_refused(filled: Cli) -> None:
    for text in ("", "{}", json.dumps({"format": "agent-observer/evidence"}), filled("export", "--task", "T-1").out):
        answer = filled("capture", "import", "-", given=text)
        refused(answer)
        assert "Traceback" not in answer.err


def test_no_word_of_a_coordinator_is_in_evidence_or_a_comment(worked: Cli) -> None:
    """§20.2: nor which session took the work."""
    shown = worked("task", "show", "--task", "T-1", "--json").out
    words = ("it is small", "small-1", "tidy", "grok:never", "codex:t-1", AGENT)
    assert [word for word in words if word not in shown] == []
    target = ("--repo", "octocat/hello-world", "--pr", "1", "--dry-run", "--json")
    left = worked("export", "--task", "T-1").out + worked("publish", "--task", "T-1", *target).out
    assert "octocat" in left
    assert [word for word in words if word in left] == []
