"""The documented workflows, run for real from their files: what they post, and that they ask for no right too many."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from observer.records.evidence import Evidence
from tests.builders.evidence import encode, evidence, used
from tests.peers.actions import RUN_ID, Ended, Machine
from tests.peers.enterprise import Enterprise
from tests.peers.lab import ForeignPull, Lab
from tests.places import ROOT

Hosted = Callable[..., Machine]
WORKFLOWS = ROOT / "docs" / "workflows"
FIRST = evidence(used(responses=2, input=1000, output=200))
LATER = evidence(used(responses=3, input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")
# Stands for the agent and what it exports: the second file is the evidence.
AGENT = b"#!/bin/sh\nset -eu\nmkdir -p agent-evidence\ncp exported.json agent-evidence/task.json\n"


def names() -> list[str]:
    """Every documented workflow."""
    return sorted(path.name for path in WORKFLOWS.glob("*.yml"))


class Scene:
    """What happens around each workflow: the event, the checkout, the run that came before."""

    def __init__(self, github: Lab, hosted: Hosted, enterprise: Enterprise, *, real: bool) -> None:
        self._github = github
        self._enterprise = enterprise
        self._hosted = hosted
        self._real = real
        self._theirs: ForeignPull | None = None

    @property
    def theirs(self) -> ForeignPull:
        """The pull request from a fork."""
        self._theirs = self._theirs or self._github.foreign_pull("patch-1")
        return self._theirs

    def play(self, name: str, given: Evidence, **options: Any) -> dict[str, Ended]:
        """Runs the workflow of this name; `fork-publish` includes the run that it waits for."""
        scene = getattr(self, name.removesuffix(".yml").replace("-", "_"))
        found: dict[str, Ended] = scene(given, **options)
        return found

    def pull_request(self, given: Evidence, *, file: str = "pull-request.yml", **options: Any) -> dict[str, Ended]:
        event = {"pull_request": {"number": self._github.pr, "head": {"repo": {"full_name": self._github.repo}}}}
        files = {f"agent-evidence/{self._github.pr}/task.json": encode(given)}
        return self._run(file, "pull_request", event, files=files, **options)

    def enterprise(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        return self.pull_request(given, file="enterprise.yml", **options)

    def fork_collect(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        theirs = self.theirs
        event = {"pull_request": {"number": theirs.number, "head": {"repo": {"full_name": "mallory/any"}}}}
        files = {f"agent-evidence/{theirs.number}/task.json": encode(given)}
        where = {"head_sha": theirs.head_sha, "head_branch": theirs.head_branch}
        origin = where | {"head_repository_id": theirs.head_repository_id}
        return self._run("fork-collect.yml", "pull_request", event, origin, files=files, **options)

    def fork_publish(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        self.fork_collect(given)
        theirs = self.theirs
        run = {
            "id": RUN_ID,
            "event": "pull_request",
            "head_sha": theirs.head_sha,
            "head_branch": theirs.head_branch,
            "head_repository": {"id": theirs.head_repository_id, "full_name": f"mallory/{self._github.name}"},
            "pull_requests": [],
        }
        return self._run("fork-publish.yml", "workflow_run", {"workflow_run": run}, **options)

    def push(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        files = {"agent.sh": AGENT, "exported.json": encode(given)}
        return self._run("push.yml", "push", {"after": self._github.commit}, files=files, **options)

    def merge_queue(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        ref = f"refs/heads/gh-readonly-queue/main/pr-{self._github.pr}-{self._github.commit}"
        files = {"agent.sh": AGENT, "exported.json": encode(given)}
        return self._run("merge-queue.yml", "merge_group", {"merge_group": {"head_ref": ref}}, files=files, **options)

    def by_hand(self, given: Evidence, **options: Any) -> dict[str, Ended]:
        self._github.artifact({"task.json": encode(given)}, run=9, name="agent-evidence")
        inputs = {"pr": str(self._github.pr), "run-id": "9", "dry-run": False} | options.pop("inputs", {})
        return self._run("by-hand.yml", "workflow_dispatch", {}, **options, **inputs)

    def _run(self, name: str, event_name: str, event: Any, origin: Any = None, **options: Any) -> dict[str, Ended]:
        machine = self._hosted(
            event_name,
            event,
            real=self._real,
            origin=origin or {},
            sha=self._github.commit if name == "push.yml" else "",
            enterprise=self._enterprise if name == "enterprise.yml" else None,
        )
        return machine.run(WORKFLOWS / name, **options)

    def comments(self, name: str) -> list[dict[str, Any]]:
        """What stands where the workflow writes."""
        if name == "push.yml":
            return self._github.comments(commit=True)
        number = self.theirs.number if name.startswith("fork") else self._github.pr
        found: list[dict[str, Any]] = self._github.ask("GET", f"/repos/{self._github.repo}/issues/{number}/comments")
        return found


@pytest.mark.parametrize("name", [each for each in names() if each != "fork-collect.yml"])
def test_a_documented_workflow_posts_one_comment(
    github: Lab, hosted: Hosted, enterprise: Enterprise, name: str
) -> None:
    """As real processes: scripts, expressions, files of the runner, the permissions that the file asks for."""
    scene = Scene(github, hosted, enterprise, real=True)
    ended = scene.play(name, FIRST)["publish"]
    assert ended.ok, ended.log
    assert ended.outputs["result"] == "created"
    (comment,) = scene.comments(name)
    assert comment["body"].strip() in ended.summary
    assert comment["user"]["login"] == "github-actions[bot]"


def test_the_first_stage_posts_nothing_and_asks_nothing(github: Lab, hosted: Hosted, enterprise: Enterprise) -> None:
    scene = Scene(github, hosted, enterprise, real=True)
    ended = scene.play("fork-collect.yml", FIRST)
    assert ended["collect"].ok
    assert github.facade.log == []


def granted() -> list[tuple[str, str]]:
    """Each permission that a publishing job asks for, with its workflow; a checkout's own is not asked of the API."""
    found: list[tuple[str, str]] = []
    for name in names():
        job = yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))["jobs"].get("publish")
        if job is not None:
            checks_out = any("checkout" in step["uses"] for step in job["steps"])
            found += [(name, each) for each in job["permissions"] if not (each == "contents" and checks_out)]
    return found


@pytest.mark.parametrize(("name", "permission"), granted())
def test_no_permission_is_asked_for_without_need(
    github: Lab, hosted: Hosted, enterprise: Enterprise, name: str, permission: str
) -> None:
    """With any one of them a level lower, a first comment or its update fails and says why."""
    scene = Scene(github, hosted, enterprise, real=False)
    scene.play(name, FIRST)
    ended = scene.play(name, LATER, without=permission)["publish"]
    assert (ended.code, ended.outputs["result"], ended.outputs["reason"]) == (1, "failed", "forbidden")
    assert scene.play(name, LATER)["publish"].outputs["result"] == "updated"


def test_nothing_but_the_enterprise_server_is_asked(github: Lab, hosted: Hosted, enterprise: Enterprise) -> None:
    """P24: over TLS with the authority that the workflow names, below /api/v3."""
    ended = Scene(github, hosted, enterprise, real=True).play("enterprise.yml", FIRST)["publish"]
    assert ended.outputs["comment-url"].startswith(f"{enterprise.url}/{github.repo}/")
    assert ended.outputs["over-budget"] == "false"
    assert len(enterprise.asked) == len(github.facade.log) > 0
    assert all(path.startswith(("/api/v3/", "/api/graphql")) for path in enterprise.asked)


@pytest.mark.parametrize("name", ["pull-request.yml", "enterprise.yml"])
def test_a_run_of_a_fork_is_left_to_the_two_stages(github: Lab, hosted: Hosted, name: str) -> None:
    event = {"pull_request": {"number": github.pr, "head": {"repo": {"full_name": "mallory/any"}}}}
    assert hosted("pull_request", event).run(WORKFLOWS / name) == {}


@pytest.mark.parametrize("name", ["pull-request.yml", "enterprise.yml"])
def test_a_branch_without_evidence_is_left_in_peace(github: Lab, hosted: Hosted, name: str) -> None:
    event = {"pull_request": {"number": github.pr, "head": {"repo": {"full_name": github.repo}}}}
    ended = hosted("pull_request", event).run(WORKFLOWS / name, files={"agent-evidence/4711/a.json": b"{}"})
    assert ended["publish"].ok
    assert github.facade.log == []


def test_a_first_stage_without_evidence_leads_to_a_skip(github: Lab, hosted: Hosted, enterprise: Enterprise) -> None:
    scene = Scene(github, hosted, enterprise, real=False)
    scene.fork_collect = lambda _given: {}  # type: ignore[method-assign]
    ended = scene.play("fork-publish.yml", FIRST)["publish"]
    assert (ended.ok, ended.outputs["reason"]) == (True, "no_artifact")


def test_the_second_stage_ignores_runs_that_are_none_of_a_pull_request(github: Lab, hosted: Hosted) -> None:
    event = {"workflow_run": {"id": 9, "event": "push", "head_sha": github.head_sha, "head_branch": "topic"}}
    assert hosted("workflow_run", event).run(WORKFLOWS / "fork-publish.yml") == {}


def test_a_run_by_hand_can_be_a_dry_run(github: Lab, hosted: Hosted, enterprise: Enterprise) -> None:
    scene = Scene(github, hosted, enterprise, real=False)
    ended = scene.play("by-hand.yml", FIRST, inputs={"dry-run": True})["publish"]
    assert ended.outputs["reason"] == "dry_run"
    assert scene.comments("by-hand.yml") == []


def test_a_job_that_fails_before_leaves_nothing_to_publish(github: Lab, hosted: Hosted) -> None:
    found = hosted("push", {"after": github.commit}).run(
        WORKFLOWS / "push.yml", files={"agent.sh": b"#!/bin/sh\nexit 0\n"}
    )
    assert list(found) == ["work"]
    assert not found["work"].ok


def test_evidence_is_in_no_environment_and_no_argument(
    github: Lab, hosted: Hosted, enterprise: Enterprise, tmp_path: Path
) -> None:
    """P13: files by name only; 300 kB would not even fit."""
    big = evidence(*(used(f"model-{number}", input=number) for number in range(150)))
    assert len(encode(big)) > 100_000
    ended = Scene(github, hosted, enterprise, real=True).play("push.yml", big)["publish"]
    assert ended.outputs["result"] == "created"
    for environment in ended.environments:
        assert big.evidence_id not in str(environment)
        assert sum(map(len, environment.values())) < 20_000
