"""The Action against the stand-in for GitHub: results, outputs, the job summary, budgets, permissions."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from observer.records.evidence import Evidence
from publish.runner import LARGEST_SUMMARY
from tests.builders.evidence import document, encode, evidence, sealed, used
from tests.peers import faults
from tests.peers.actions import Machine
from tests.peers.lab import TOKEN, Lab

Hosted = Callable[..., Machine]
CHEAP = used(responses=2, input=1000, output=200)
UNKNOWN = used("acme-local-7b", responses=3, input=10, output=10)


def put(machine: Machine, *given: Evidence) -> str:
    """Lays evidence into the workspace; the pattern that finds it."""
    for number, each in enumerate(given or (evidence(CHEAP),)):
        (machine.workspace / f"evidence-{number}.json").write_bytes(encode(each))
    return "evidence-*.json"


def test_a_pull_request_gets_its_comment_and_the_next_run_updates_it(github: Lab, hosted: Hosted) -> None:
    """One comment, told in the outputs, in the job summary and in a file."""
    machine = hosted()
    first = machine.use(evidence=put(machine))
    (comment,) = github.comments()
    assert (first.code, first.outputs["result"], first.outputs["reason"]) == (0, "created", "")
    assert first.outputs["comment-id"] == str(comment["id"])
    assert first.outputs["comment-url"] == comment["html_url"]
    assert first.outputs["evidence-ids"] == evidence(CHEAP).evidence_id
    assert Path(first.outputs["body-path"]).read_text("utf-8") == comment["body"]
    assert comment["body"].strip() in first.summary
    assert first.summary.startswith("### Agent Observer: created\n")
    assert first.commands == []
    later = hosted()
    more = evidence(used(responses=3, input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")
    second = later.use(evidence=put(later, more))
    assert (second.outputs["result"], second.outputs["comment-id"]) == ("updated", first.outputs["comment-id"])


def test_a_commit_can_be_the_target_of_any_event(github: Lab, hosted: Hosted) -> None:
    """P22: a schedule names no pull request, an input names a commit."""
    machine = hosted("schedule")
    ended = machine.use(evidence=put(machine), commit=github.commit[:9])
    assert ended.outputs["result"] == "created"
    assert len(github.comments(commit=True)) == 1


def test_a_dry_run_shows_the_comment_and_needs_no_token(github: Lab, hosted: Hosted) -> None:
    machine = hosted()
    ended = machine.use(evidence=put(machine), dry_run="true", github_token="", job_summary="true")
    assert (ended.code, ended.outputs["result"], ended.outputs["reason"]) == (0, "skipped", "dry_run")
    assert "USD 0.01" in ended.summary
    assert "USD 0.01" in Path(ended.outputs["body-path"]).read_text("utf-8")
    assert github.facade.log == []


def test_the_job_summary_can_be_left_alone(github: Lab, hosted: Hosted) -> None:
    machine = hosted()
    assert machine.use(evidence=put(machine), job_summary="false").summary == ""
    assert len(github.comments()) == 1


def test_a_read_only_token_fails_once_and_the_summary_has_the_comment(github: Lab, hosted: Hosted) -> None:
    """P15: runs from forks and of dependency bots may not write; a person who reads the run still sees the figures."""
    github.restrict(github.app_tokens["github-actions"], "read")
    machine = hosted()
    ended = machine.use(evidence=put(machine), app_slug="github-actions")
    assert (ended.code, ended.outputs["result"], ended.outputs["reason"]) == (1, "failed", "forbidden")
    assert len(github.writes) == 1
    assert "### Agent Observer: failed(forbidden)" in ended.summary
    assert "pull-requests: write" in ended.summary
    assert "list-price estimate **USD 0.01**" in ended.summary
    assert Path(ended.outputs["body-path"]).is_file()
    assert ended.commands[0].startswith("::error title=Agent Observer::failed(forbidden)")
    github.restrict(github.app_tokens["github-actions"], "write")
    again = hosted()
    assert again.use(evidence=put(again)).outputs["result"] == "created"


def test_a_locked_conversation_is_a_warning(github: Lab, hosted: Hosted) -> None:
    """P26: told, not failed."""
    github.lock()
    machine = hosted()
    ended = machine.use(evidence=put(machine))
    assert (ended.code, ended.outputs["reason"]) == (0, "locked")
    assert ended.commands[0].startswith("::warning ")


def test_waits_share_one_allowance_and_are_announced(github: Lab, hosted: Hosted) -> None:
    """P27: what the look-up waited is not there for the post any more."""
    after = {"after": github.head_sha}
    github.facade.fail(faults.on(faults.reading, faults.said(429, "slow down", Retry_After="1")))
    github.facade.fail(faults.on(faults.posting, faults.said(429, "slow down", Retry_After="2")))
    machine = hosted("push", after)
    ended = machine.use(evidence=put(machine), max_wait="2.5")
    assert (ended.code, ended.outputs["reason"]) == (1, "rate_limited")
    assert "GitHub asks to wait 1 s" in ended.log


@pytest.mark.parametrize(
    ("given", "limit", "mode", "expected", "code"),
    [
        ([CHEAP], "1", "fail", "false", 0),
        ([CHEAP], "0.008", "fail", "false", 0),
        ([CHEAP], "0.0079", "warn", "true", 0),
        ([CHEAP], "0.0079", "fail", "true", 1),
        ([CHEAP, UNKNOWN], "1", "fail", "unknown", 0),
        ([CHEAP, UNKNOWN], "0.001", "fail", "true", 1),
    ],
)
def test_a_budget_is_held_against_what_is_known(
    github: Lab, hosted: Hosted, given: list[Any], limit: str, mode: str, expected: str, code: int
) -> None:
    """The comment is posted first, also when the step then fails; what is not priced is unknown, never free."""
    machine = hosted()
    ended = machine.use(evidence=put(machine, evidence(*given)), budget_usd=limit, on_over_budget=mode)
    assert (ended.outputs["over-budget"], ended.code, ended.outputs["result"]) == (expected, code, "created")
    assert ended.outputs["estimated-usd"] == "0.008"
    assert ended.outputs["total-usd"] == ("" if UNKNOWN in given else "0.008")
    levels = [line.partition(" ")[0] for line in ended.commands]
    assert levels == {"false": [], "unknown": ["::warning"]}.get(expected, ["::error" if code else "::warning"])
    assert ("budget" in ended.summary.partition("This is the comment")[0]) is True


def test_without_a_budget_nothing_is_said_of_one(github: Lab, hosted: Hosted) -> None:
    machine = hosted()
    assert machine.use(evidence=put(machine), on_over_budget="fail").outputs["over-budget"] == ""


def test_the_summary_stays_below_the_limit_of_the_service(github: Lab, hosted: Hosted) -> None:
    """P14: with a megabyte of others' text in it already, a short notice is written instead."""
    machine = hosted()
    there = "x" * (LARGEST_SUMMARY - 1500)
    (machine.temporary / "summary.md").write_text(there, encoding="utf-8")
    ended = machine.use(evidence=put(machine))
    assert len(ended.summary.encode()) < LARGEST_SUMMARY
    notice = ended.summary.removeprefix(there)
    assert "### Agent Observer: created" in notice
    assert "left out" in notice
    assert "| Model |" not in notice


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"evidence": "nothing-*.json"}, "no_evidence"),
        ({"evidence": "evidence-0.json\nother.json"}, "no_evidence"),
        ({"evidence": "evidence-0.json", "artifact_name": "evidence"}, "invalid_input"),
        ({"evidence": "evidence-0.json", "pr": "7; rm -rf /"}, "invalid_target"),
        ({"evidence": "evidence-0.json", "github_token": ""}, "no_token"),
        ({"evidence": "evidence-0.json", "github_token": "a b"}, "publish_refused"),
        ({"evidence": "evidence-0.json", "api_url": "http://ghes.example/api/v3"}, "insecure_api_url"),
        ({"evidence": "evidence-0.json", "app_slug": "Not A Slug"}, "publish_refused"),
        ({"evidence": "forged.json"}, "evidence_refused"),
        ({"evidence": "other-target.json"}, "target_mismatch"),
        ({"evidence": "huge.json"}, "evidence_refused"),
    ],
)
def test_a_refusal_is_told_everywhere(github: Lab, hosted: Hosted, inputs: dict[str, str], reason: str) -> None:
    """Exit 2, outputs, annotation and summary; nothing is posted."""
    machine = hosted()
    put(machine)
    forged = document(evidence(CHEAP)) | {"snapshot_id": "0" * 64}
    (machine.workspace / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    elsewhere = document(evidence(CHEAP)) | {"target": {"repo": github.repo, "pr": 4711, "commit": None}}
    (machine.workspace / "other-target.json").write_bytes(sealed(elsewhere))
    (machine.workspace / "huge.json").write_bytes(b" " * (9 * 2**20))
    ended = machine.use(**inputs)
    assert (ended.code, ended.outputs["result"], ended.outputs["reason"]) == (2, "refused", reason)
    assert f"### Agent Observer: refused({reason})\n" in ended.summary
    assert ended.commands[0].startswith(f"::error title=Agent Observer::refused({reason})")
    assert github.comments() == []


def test_special_files_and_folders_are_no_evidence(github: Lab, hosted: Hosted) -> None:
    """A pipe would keep the job waiting for ever."""
    machine = hosted()
    os.mkfifo(machine.workspace / "pipe.json")
    (machine.workspace / "folder.json").mkdir()
    assert machine.use(evidence="*.json").outputs["reason"] == "no_evidence"


def test_files_in_hidden_folders_and_with_odd_names_are_found(github: Lab, hosted: Hosted) -> None:
    results = []
    for place, pattern in ((".agent-observer/a.json", ".agent-observer/*.json"), ("[x] $y.json", "[x] $y.json")):
        machine = hosted()
        (machine.workspace / place).parent.mkdir(exist_ok=True)
        (machine.workspace / place).write_bytes(encode(evidence(CHEAP)))
        results.append(machine.use(evidence=pattern).outputs["result"])
    assert results == ["created", "unchanged"]


def test_a_fault_of_our_own_is_told_too(github: Lab, hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary is written whatever happens; the traceback is in the log, where a report needs it."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("publish.api.prepare", broken)
    machine = hosted()
    with pytest.raises(ZeroDivisionError):
        machine.use(evidence=put(machine))
    assert "failed(internal)" in (machine.temporary / "summary.md").read_text("utf-8")


def test_outside_of_github_actions_it_says_so(hosted: Hosted) -> None:
    machine = hosted(variables={"GITHUB_EVENT_PATH": ""})
    assert machine.use(evidence=put(machine)).outputs["reason"] == "no_runner"


def test_another_identity_is_used_when_its_app_is_named(github: Lab, hosted: Hosted) -> None:
    """P04: a custom app's token, on a server that does not say who wrote what."""
    github.facade.fail(faults.on(lambda request: request.place == "/graphql", faults.said(404, "Not Found")), times=9)
    results = []
    for _ in range(2):
        machine = hosted(token=github.app_tokens["observer-app"])
        results.append(machine.use(evidence=put(machine), app_slug="observer-app").outputs["result"])
    assert results == ["created", "unchanged"]
    assert github.comments()[0]["user"]["login"] == "observer-app[bot]"


def test_a_personal_token_works_as_well(github: Lab, hosted: Hosted) -> None:
    machine = hosted()
    assert machine.use(evidence=put(machine), github_token=TOKEN).outputs["result"] == "created"
