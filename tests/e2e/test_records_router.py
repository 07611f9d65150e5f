"""Real sessions that a model router started, whose bill is known, through the real command line."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.builders.answers import Row, Told, native
from tests.command_line import Cli, machine
from tests.places import RECORDS

SETS = sorted(path.parent for path in (RECORDS / "model-router").glob("*/expected.json"))
TWO_JOBS, LEGACY = RECORDS / "model-router" / "one-task-two-jobs", RECORDS / "model-router" / "legacy-incomplete"
# Folder of a set → its place in HOME.
PLACES = {
    "durable-runner": ".local/share/durable-runner",
    "model-router-legacy-v2": ".local/state/model-router",
    "codex-home": ".codex",
    "opencode": ".local/share/opencode",
}
# What stands in the ledgers beside what is read.
PRIVATE = (
    "LAB-FAKE-SECRET-0001",
    "the full worker prompt",
    "dispatch_fallback",
    "because I said so",
    "smoke_signals",
    "pigeon",
    "bogus-class",
    "Make add() add",
    "Look at calc.py",
    "calc.py only",
    "lease-lab",
    "FreeUsageLimitError",
    "python3 -m unittest",
)


class Run:
    """One set after its import, with what its bill says."""

    def __init__(self, folder: Path, base: Path) -> None:
        self.bill: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
        cli = lay(machine(base), folder, PLACES)
        synced = cli("sync", "--json")
        assert synced.code == 0, synced.err
        self.cli, self.told = cli, Told(cli, synced)

    def task(self, name: str) -> Row:
        found: Row = self.cli("task", "show", "--task", name, "--json").json
        return found


def lay(cli: Cli, folder: Path, places: dict[str, str]) -> Cli:
    """The parts of a set where their programs keep them."""
    for name, place in places.items():
        if (folder / name).exists():
            shutil.copytree(folder / name, cli.home / place, symlinks=True)
    return cli


@pytest.fixture(scope="module", params=SETS, ids=lambda folder: folder.name)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(request.param, tmp_path_factory.mktemp("set"))


@pytest.fixture(scope="module")
def two_jobs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(TWO_JOBS, tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def legacy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(LEGACY, tmp_path_factory.mktemp("legacy"))


def test_nothing_private_is_in_the_ledger_or_an_answer(run: Run) -> None:
    """E122, §23.5."""
    tasks = [row["task"] for row in run.cli("task", "list", "--json").json["tasks"]]
    said = json.dumps([run.task(name) for name in tasks]) + run.cli("faults", "list", "--json").out
    held = run.cli.ledger.read_bytes() + said.encode()
    assert [word for word in PRIVATE if word.encode() in held] == []


def test_one_task_owns_its_workers_and_dispatchers(two_jobs: Run) -> None:
    """E117, E127: two jobs, five sessions, no planner."""
    (listed,) = two_jobs.cli("task", "list", "--json").json["tasks"]
    assert (listed["task"], listed["origin"], listed["title"], listed["project"]) == (
        "T-LAB-7",
        "router",
        "dev/project#7",
        "project",
    )
    sessions = two_jobs.bill["sessions"]
    made = {f"{each['harness']}:{each['id']}" for each in (*sessions["dispatchers"], *sessions["workers"])}
    found = two_jobs.task("T-LAB-7")
    assert set(found["scope_sessions"]) == made
    evidence = {each["session"]: each["evidence"] for each in found["whole_session_assignments"]}
    assert set(evidence) == made
    first = sessions["dispatchers"][0]
    assert evidence[f"codex:{first['id']}"] == f"router:{first['job']}:{first['invocations'][0]}"
    assert found["reconciles"]
    assert found["outcome"]["router_status"] == "succeeded"
    assert found["acceptance_state"] == "unknown"


def test_the_tasks_usage_is_that_of_its_native_sessions(two_jobs: Run) -> None:
    """Running totals are not added up, and no copy contradicts its session."""
    truth = two_jobs.bill["codex_truth"]
    calls = [*truth["dispatcher a"], *truth["dispatcher b"]]
    (codex,) = (
        sums for label, sums in two_jobs.task("T-LAB-7")["attributed"]["by_semantics"].items() if "codex" in label
    )
    assert [codex["input_tokens"], codex["cached_input_tokens"], codex["output_tokens"]] == [
        sum(call[place] for call in calls) for place in range(3)
    ]
    assert two_jobs.cli("faults", "list", "--json").json == {"faults": []}


def test_every_run_is_an_attempt_with_its_copy(two_jobs: Run) -> None:
    """E123, E125."""
    attempts, counts = two_jobs.task("T-LAB-7")["attempts"], two_jobs.bill["attempts"]
    assert len(attempts) == counts["total_invocations"]
    assert sum(each["role"] == "proof" for each in attempts) == counts["proofs"]
    assert sum(each["proof_class"] == "failed" for each in attempts) == counts["failed_proofs"]
    assert sum(each["state"] == "quota_blocked" for each in attempts) == counts["quota"]
    assert sum(each["reason"] == "correction" for each in attempts) == counts["corrections"]
    for dispatcher in two_jobs.bill["sessions"]["dispatchers"]:
        copies = [
            {name: each["usage"][name] for name in told}
            for each, told in zip(
                (each for each in attempts if each["session"] == f"codex:{dispatcher['id']}"),
                dispatcher["usage_json_per_invocation"],
                strict=True,
            )
        ]
        assert copies == dispatcher["usage_json_per_invocation"]
        assert all(each["usage"]["running_total"] for each in attempts if each["harness"] == "codex")


def test_a_quota_stop_without_usage_is_unknown_not_zero(two_jobs: Run) -> None:
    (stopped,) = (each for each in two_jobs.bill["sessions"]["workers"] if not each["native_tokens"]["input"])
    assert two_jobs.task("T-LAB-7")["coverage"]["sessions_without_usage"] == [f"opencode:{stopped['id']}"]


def test_tasks_of_an_incomplete_ledger_are_told_as_far_as_they_go(legacy: Run) -> None:
    """What points nowhere binds nothing; a session that no store has is missing, and no total holds."""
    tasks = {row["task"] for row in legacy.cli("task", "list", "--json").json["tasks"]}
    assert tasks == set(legacy.bill["tasks"])
    for name, wanted in legacy.bill["tasks"].items():
        found = legacy.task(name)
        missing = wanted.get("missing_sessions", [])
        assert {native(key) for key in found["scope_sessions"]} == {*wanted["sessions"], *missing}
        assert [native(key) for key in found["coverage"]["missing_sessions"]] == missing
        assert {each["request"] for each in found["attempts"]} <= set(wanted["jobs"])
        assert found["complete"] is False
        assert found["total_cost"]["status"] != "complete"


def test_a_job_in_two_ledgers_is_one_job(legacy: Run) -> None:
    """Two runs, and one odd row of the newer ledger that is shown as unknown."""
    attempts = legacy.task("router:lab-0101")["attempts"]
    assert [each["turn"] for each in attempts if each["role"]] == [
        "router:aaaa000000000101",
        "router:bbbb000000000101",
    ]
    (odd,) = (each for each in attempts if not each["role"])
    assert (odd["state"], odd["session"], odd["stage"], odd["reason"], odd["terminal_class"]) == (
        "unknown",
        None,
        None,
        None,
        None,
    )


def test_running_crashed_and_cancelled_work_is_told_apart(legacy: Run) -> None:
    """E172, E173, E158."""
    found = legacy.task("T-LAB-9")
    assert (found["active_attempts"], found["has_active_work"]) == (["router:bbbb000000000103"], True)
    assert found["crashes_counted_separately"] == 1
    assert {each["state"] for each in found["attempts"]} == {"active", "cancelled", "complete", "crashed", "failed"}
    assert found["coverage"]["unbound_dispatches"] == [
        "router:cccc000000000103",
        "router:cccc000000000104",
        "router:dddd000000000104",
    ]
    assert found["outcome"]["router_status"] == "blocked, cancelled, running"


def test_what_is_wrong_in_a_ledger_is_filed_and_the_native_figures_count(legacy: Run) -> None:
    """E124: 1000 tokens too many in a copy are one contradiction."""
    faults = legacy.cli("faults", "list", "--json").json["faults"]
    assert [(each["category"], each["keys"]) for each in faults] == [
        ("malformed_json", "task_json"),
        ("usage_conflict", ""),
        ("malformed_json", "usage_json"),
        ("schema_error", "request_id"),
        ("unknown_record", "kind"),
    ]
    worker = legacy.bill["sessions"]["workers"][1]
    sums = legacy.task("T-LAB-9")["attributed"]
    assert (sums["input_tokens"], sums["output_tokens"], sums["cached_input_tokens"]) == (
        worker["native_tokens"]["input"],
        worker["native_tokens"]["output"],
        worker["native_tokens"]["cache_read"],
    )


def test_a_ledger_from_before_schema_version_is_refused_in_words(cli: Cli) -> None:
    """E116: exit 1, nothing of it is kept, and the others are imported."""
    lay(cli, LEGACY, PLACES | {"model-router-v1": "old"})
    shutil.rmtree(cli.home / ".local" / "state" / "model-router")
    answer = cli("sync", "--json", env={"DURABLE_RUNNER_STATE_DIR": str(cli.home / "old")})
    assert answer.code == 1
    (router,) = (row for row in answer.json["harnesses"] if row["harness"] == "router")
    (failure,) = router["failed"]
    assert failure["path"] == str(cli.home / "old" / "jobs.db")
    assert "schema_version" in failure["error"]
    assert router["sources"] == 2
    tasks = {row["task"] for row in cli("task", "list", "--json").json["tasks"]}
    assert tasks == {"T-LAB-9", "router:lab-0101", "router:lab-0105"}
    (fault,) = (each for each in cli("faults", "list", "--json").json["faults"] if each["path"] == failure["path"])
    assert fault["category"] == "unsupported_schema"


def test_a_routers_task_can_be_exported_and_published(two_jobs: Run) -> None:
    """The publisher recomputes every figure, and finds the task's gaps counted."""
    answer = two_jobs.cli(
        "publish", "--task", "T-LAB-7", "--repo", "octocat/hello-world", "--pr", "1", "--dry-run", "--json"
    )
    assert answer.code == 0, answer.err
    (evidence,) = answer.json["evidence"]
    assert evidence["coverage"]["complete"] is False


@pytest.mark.parametrize("task", ["T-LAB-9", "router:lab-0101", "router:lab-0105"])
def test_an_incomplete_task_can_be_exported_and_published(legacy: Run, task: str) -> None:
    answer = legacy.cli("publish", "--task", task, "--repo", "o/r", "--pr", "1", "--dry-run", "--json")
    assert answer.code == 0, answer.err


def test_a_coordinators_word_outlasts_every_sync(legacy: Run, tmp_path: Path) -> None:
    """E118, E119, E121."""
    cli = lay(machine(tmp_path), LEGACY, PLACES)
    capture = ("capture",)
    cli(*capture, "create-task", "--task", "T-LAB-9", "--title", "Mine")
    cli(*capture, "outcome", "--task", "T-LAB-9", "--state", "complete", "--candidate", "3f9d2c1")
    for words in ((), ("--full",)):
        cli("sync", *words)
        found = cli("task", "show", "--task", "T-LAB-9", "--json").json
        assert (found["task"]["title"], found["task"]["origin"]) == ("Mine", "capture")
        assert (found["acceptance_state"], found["outcome"]["candidate"]) == ("complete", "3f9d2c1")
        assert found["outcome"]["router_status"] is None
        assert found["has_active_work"] is True
