"""Records → ledger → task → evidence → one comment, through the real command line and a GitHub stand-in.

tests/e2e/test_publish_github.py has the many ways in which GitHub can answer;
here stands what a person types and sees.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Answer, Cli
from tests.peers.lab import OTHER_TOKEN, TOKEN, Lab
from tests.places import RECORDS

TASK = "T-42"


@pytest.fixture
def worked(cli: Cli) -> Cli:
    """A machine with a task that owns a session of real records, its subagents included."""
    cli.lay(RECORDS / "claude-code" / "subagents")
    assert cli("sync").code == 0
    sessions = cli("sessions", "list", "--json").json["sessions"]
    (main,) = (each["session"] for each in sessions if each["role"] == "main")
    assert cli("capture", "create-task", "--task", TASK).code == 0
    words = ("capture", "assign-session", "--task", TASK, "--session", main, "--exclusive", "--with-subagents")
    assert cli(*words, "--evidence", "its only work").code == 0
    return cli


def publish(cli: Cli, github: Lab, *words: object, token: str = TOKEN) -> Answer:
    place = () if "--commit" in words or "--pr" in words else ("--pr", github.pr)
    subject = () if {"--evidence", "--task"} & set(words) else ("--task", TASK)
    return cli(
        "publish", *subject, "--repo", github.repo, *place, *words, "--api-url", github.api_url,
        env={"GITHUB_TOKEN": token, "NO_PROXY": "127.0.0.1"},
    )  # fmt: skip


def test_a_dry_run_shows_the_comment_and_asks_nobody(worked: Cli, github: Lab) -> None:
    """E232: no call at all, and what it shows is what is then posted, byte for byte."""
    before = list(github.facade.log)
    shown = publish(worked, github, "--dry-run", "--json").json
    assert github.facade.log == before
    assert shown["dry_run"] is True
    assert set(shown) == {"dry_run", "target", "summary", "evidence", "body"}
    assert publish(worked, github, "--dry-run").out == shown["body"] + "\n"
    assert publish(worked, github).code == 0
    assert [each["body"] for each in github.comments()] == [shown["body"]]


def test_created_then_unchanged_then_updated(worked: Cli, github: Lab) -> None:
    """E232: one comment through the life of a task; an equal body is not written again."""
    first = publish(worked, github, "--json")
    assert (first.code, first.json["result"]) == (0, "created")
    requests = len(github.facade.log)
    again = publish(worked, github, "--json").json
    assert (again["result"], again["comment_id"]) == ("unchanged", first.json["comment_id"])
    assert len(github.facade.log) - requests <= 4
    assert worked("capture", "outcome", "--task", TASK, "--state", "complete", "--candidate", "3f9d2c1").code == 0
    updated = publish(worked, github, "--json").json
    assert (updated["result"], updated["comment_id"]) == ("updated", first.json["comment_id"])
    (comment,) = github.comments()
    assert "Accepted" in comment["body"]
    assert first.json["comment_url"] in publish(worked, github).out


def test_a_marker_by_somebody_else_is_left_alone(worked: Cli, github: Lab) -> None:
    """E233: reported, never edited; ours is made beside it."""
    body = publish(worked, github, "--dry-run", "--json").json["body"]
    foreign = github.comment(body, token=OTHER_TOKEN)
    answer = publish(worked, github, "--json").json
    assert (answer["result"], answer["foreign_markers"]) == ("created", [foreign])
    assert [each["body"] for each in github.comments() if each["id"] == foreign] == [body]
    said = publish(worked, github)
    assert str(foreign) in said.err


def test_a_commit_is_a_target_too(worked: Cli, github: Lab) -> None:
    answer = publish(worked, github, "--commit", github.commit, "--json")
    assert (answer.code, answer.json["result"]) == (0, "created")
    assert len(github.comments(commit=True)) == 1
    assert not github.comments()


def test_a_wrong_token_is_refused_in_words(worked: Cli, github: Lab) -> None:
    """Without a known identity there is no owned comment: exit 2."""
    answer = publish(worked, github, token="_".join(("ghp", "nobody")))
    assert answer.code == 2
    assert answer.out.startswith("refused(bad_credentials)")
    assert "Traceback" not in answer.err
    assert not github.writes


def test_a_missing_pull_request_is_refused(worked: Cli, github: Lab) -> None:
    answer = publish(worked, github, "--pr", 999_999, "--json")
    assert (answer.code, answer.json["result"], answer.json["reason"]) == (2, "refused", "not_found")
    assert not github.writes
    issue = publish(worked, github, "--pr", github.issue, "--json")
    assert (issue.code, issue.json["result"], issue.json["reason"]) == (2, "refused", "not_a_pull_request")
    assert not github.writes


def test_without_a_token_nothing_is_asked(worked: Cli, github: Lab, tmp_path: Path) -> None:
    """E240: no token in the environment and no `gh` on the path."""
    words = ("publish", "--task", TASK, "--repo", github.repo, "--pr", github.pr, "--api-url", github.api_url)
    answer = worked(*words, env={"PATH": str(tmp_path)})
    assert (answer.code, answer.out) == (2, "")
    assert "GITHUB_TOKEN" in answer.err


def test_exported_evidence_gives_the_same_comment(worked: Cli, github: Lab, tmp_path: Path) -> None:
    """Export and publish are the two halves of publishing a task."""
    file = tmp_path / "evidence.json"
    assert worked("export", "--task", TASK, "-o", file).code == 0
    assert publish(worked, github, "--evidence", file, "--json").json["result"] == "created"
    piped = worked(
        "publish", "--evidence", "-", "--repo", github.repo, "--pr", github.pr, "--api-url", github.api_url, "--json",
        env={"GITHUB_TOKEN": TOKEN}, given=file.read_text("utf-8"),
    )  # fmt: skip
    assert piped.json["result"] == "unchanged"


@pytest.mark.parametrize("field", ["tokens", "usd", "responses"])
def test_evidence_with_one_changed_digit_is_refused(worked: Cli, github: Lab, tmp_path: Path, field: str) -> None:
    """A single digit of a counter, a price or a count: exit 2, the place is named, nothing is posted."""
    file = tmp_path / "evidence.json"
    assert worked("export", "--task", TASK, "-o", file).code == 0
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    row = document["usage"][0]
    if field == "tokens":
        row["input"]["tokens"] += 1
    elif field == "usd":
        row["usd"] = row["usd"][:-1] + str((int(row["usd"][-1]) + 1) % 10)
    else:
        row["responses"] += 1
    file.write_text(json.dumps(document), "utf-8")
    answer = publish(worked, github, "--evidence", file)
    assert (answer.code, answer.out) == (2, "")
    assert "usage[0]" in answer.err
    assert not github.writes


@pytest.mark.parametrize(
    "words",
    [
        ("--repo", "owner", "--pr", "1"),
        ("--repo", "o/r/x", "--pr", "1"),
        ("--repo", "o/r", "--pr", "0"),
        ("--repo", "o/r", "--pr", "-1"),
        ("--repo", "o/r", "--pr", "true"),
        ("--repo", "o/r", "--commit", "xyz"),
        ("--repo", "o/r", "--pr", "1", "--commit", "3f9d2c1"),
        ("--repo", "o/r"),
    ],
    ids=" ".join,
)
def test_a_target_that_cannot_be_is_refused_before_anything(worked: Cli, words: tuple[str, ...]) -> None:
    """E238, E239: also by a dry run."""
    answer = worked("publish", "--task", TASK, *words, "--dry-run")
    assert (answer.code, answer.out) == (2, "")


def test_an_unknown_task_is_refused(worked: Cli) -> None:
    """E239."""
    answer = worked("publish", "--task", "T-0", "--repo", "o/r", "--pr", "1", "--dry-run")
    assert (answer.code, answer.out) == (2, "")
    assert "T-0" in answer.err


def test_a_reviewed_dry_run_is_posted_byte_for_byte(worked: Cli, github: Lab, tmp_path: Path) -> None:
    """A3: `publish --dry-run --json > review.json`, look at it, `publish --reviewed review.json`."""
    file = tmp_path / "review.json"
    file.write_text(publish(worked, github, "--dry-run", "--json").out, "utf-8")
    where = {"env": {"GITHUB_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}}
    answer = worked("publish", "--reviewed", file, "--api-url", github.api_url, "--json", **where)
    assert (answer.code, answer.json["result"]) == (0, "created")
    (comment,) = github.comments()
    assert comment["body"] == json.loads(file.read_text("utf-8"))["body"]
    other = worked("publish", "--reviewed", file, "--repo", "octocat/other", "--api-url", github.api_url, **where)
    assert other.code == 2
    changed = json.loads(file.read_text("utf-8"))
    changed["body"] = changed["body"].replace("No outcome recorded", "Accepted")
    file.write_text(json.dumps(changed), "utf-8")
    refused = worked("publish", "--reviewed", file, "--api-url", github.api_url, **where)
    assert (refused.code, refused.out) == (2, "")
    assert "+**No outcome recorded**" in refused.err
    assert len(github.comments()) == 1


def test_several_tasks_and_exports_are_one_comment(worked: Cli, github: Lab, tmp_path: Path) -> None:
    """A2: --task and --evidence together and more than once; every response once."""
    assert worked("capture", "create-task", "--task", "T-43").code == 0
    file = tmp_path / "evidence.json"
    assert worked("export", "--task", TASK, "-o", file).code == 0
    answer = publish(worked, github, "--task", TASK, "T-43", "--evidence", file, file, "--json")
    assert (answer.code, answer.json["result"], len(answer.json["subjects"])) == (0, "created", 2)
    (comment,) = github.comments()
    assert "Agent Observer · 2 tasks" in comment["body"]
    alone = publish(worked, github, "--task", "T-43", "--only", "--json").json
    assert (alone["result"], alone["other_subjects"]) == ("updated", [])


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--reviewed", "x.json", "--task", TASK),
        ("--settle", "-1", "--task", TASK),
        ("--settle", "inf", "--task", TASK),
    ],
)
def test_what_is_to_be_published_has_to_be_said(worked: Cli, github: Lab, words: tuple[str, ...]) -> None:
    answer = worked("publish", *words, "--repo", github.repo, "--pr", github.pr)
    assert (answer.code, answer.out) == (2, "")
    assert "Traceback" not in answer.err
