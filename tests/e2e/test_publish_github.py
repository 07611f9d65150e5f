"""Publishing over real HTTP, to an emulator of GitHub behind a proxy that adds what it lacks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from observer.records.evidence import Evidence, Outcome
from publish import api, plan, target, wire
from publish.figures import Subject
from publish.ownership import Comment
from publish.result import Result
from tests.builders.evidence import evidence, used
from tests.peers import faults
from tests.peers.lab import OTHER_TOKEN, TOKEN, Lab

MARKER = "<!-- agent-observer:comment:v1 target=pr:{pr} state=sha256:" + "a" * 64 + " made=2026-01-01T00:00:00.000Z -->"


def post(github: Lab, given: Evidence, *, pr: object = None, commit: str | None = None, **options: Any) -> Result:
    """One publication, to the lab's pull request unless told otherwise."""
    chosen = target.parse(github.repo, pr=github.pr if pr is None and commit is None else pr, commit=commit)
    options = {"token": github.token, "api_url": github.api_url} | options
    return api.publish(api.prepare([given], chosen), **options)


def task(**changes: Any) -> Evidence:
    """Evidence of one task with two priced responses."""
    return evidence(used(responses=2, input=1000, output=200), outcome=Outcome("complete"), **changes)


def later(**changes: Any) -> Evidence:
    """A later snapshot of the same task."""
    return evidence(
        used(responses=3, input=2000, output=300),
        outcome=Outcome("complete"),
        cutoff="2026-09-24T11:00:00.000Z",
        snapshot="5c2d",
        **changes,
    )


def test_first_publication_creates_second_updates_third_changes_nothing(github: Lab) -> None:
    """E232: created, then updated under the same id, then unchanged without a write."""
    first, second = post(github, task()), post(github, later())
    assert (first.result, second.result) == ("created", "updated")
    assert first.comment_id == second.comment_id
    assert second.previous_state is not None
    github.facade.log.clear()
    third = post(github, later())
    assert (third.result, third.exit_code, third.comment_id) == ("unchanged", 0, first.comment_id)
    assert github.writes == []
    (comment,) = github.comments()
    assert "Since the snapshot before: 2 → 3 responses" in comment["body"]
    assert first.comment_url == comment["html_url"]
    assert first.target_state == "open"


def test_a_dry_run_makes_no_call(github: Lab) -> None:
    """E232: preparing a comment asks nobody."""
    prepared = api.prepare([task()], target.parse(github.repo, pr=github.pr))
    assert prepared.document()["body"] == prepared.body
    assert github.facade.log == []


@pytest.mark.parametrize("publication", ["first", "second", "same"])
def test_a_publication_makes_at_most_four_requests(github: Lab, publication: str) -> None:
    github.comment("hello", token=OTHER_TOKEN)
    if publication != "first":
        post(github, task())
    github.facade.log.clear()
    post(github, later() if publication == "second" else task())
    assert len(github.facade.log) <= 4, github.facade.log


def test_of_two_owned_comments_the_newest_is_updated_and_none_deleted(github: Lab) -> None:
    """E234: the other one is reported as a duplicate."""
    old = github.comment(MARKER.format(pr=github.pr) + "\nold")
    new = github.comment(MARKER.format(pr=github.pr) + "\nnew")
    made = post(github, task())
    assert (made.result, made.comment_id, made.duplicates) == ("updated", new, [old])
    assert made.state_discarded
    assert [each["id"] for each in github.comments()] == [old, new]
    assert github.comments()[0]["body"].endswith("old")


def test_a_commit_is_a_target_too_whether_named_short_or_in_full(github: Lab) -> None:
    made = post(github, task(), commit=github.commit[:8])
    again = post(github, later(), commit=github.commit)
    assert (made.result, again.result) == ("created", "updated")
    assert made.comment_id == again.comment_id
    assert made.target.commit == github.commit
    (comment,) = github.comments(commit=True)
    assert comment["body"].startswith(f"<!-- agent-observer:comment:v1 target=commit:{github.commit} ")
    assert github.comments() == []


def test_a_post_that_took_no_effect_is_made_again(github: Lab) -> None:
    github.facade.fail(faults.post_answers_502)
    made = post(github, task())
    assert (made.result, len(github.comments())) == ("created", 1)
    github.facade.calm()
    github.facade.fail(faults.post_answers_502, times=9)
    failed = post(github, evidence(used(input=5), task="other"), commit=github.commit)
    assert (failed.result, failed.reason, failed.exit_code) == ("failed", "server_error", 1)
    assert len([each for each in github.writes if each.startswith("POST")]) == 2


def test_a_body_that_the_server_finds_too_long_fails_by_name(github: Lab) -> None:
    """P10: if it is ever refused for its length in spite of the budget."""
    prepared = api.prepare([task()], target.parse(github.repo, pr=github.pr))
    text = prepared.body + "x" * 70_000
    long = api.Prepared(prepared.target, text, prepared.subjects, prepared.evidence, reviewed=True)
    made = api.publish(long, token=github.token, api_url=github.api_url)
    assert (made.result, made.reason) == ("failed", "too_long")


def test_older_evidence_never_replaces_newer(github: Lab) -> None:
    """P09: skipped with exit 0, unless it is forced."""
    post(github, later())
    body = github.comments()[0]["body"]
    made = post(github, task())
    assert (made.result, made.reason, made.exit_code) == ("skipped", "older", 0)
    assert github.comments()[0]["body"] == body
    assert post(github, task(), force=True).result == "updated"


def test_another_subject_joins_the_comment(github: Lab) -> None:
    """A2, P05: subjects are told apart by equality, never by likeness, and stay until --only drops them."""
    post(github, evidence(used(input=1), task="non-prod"))
    made = post(github, evidence(used(input=1), task="prod"))
    assert (made.result, len(made.other_subjects)) == ("updated", 1)
    (comment,) = github.comments()
    assert "Agent Observer · 2 tasks" in comment["body"]
    alone = post(github, evidence(used(input=1), task="prod"), only=True)
    assert (alone.result, alone.other_subjects) == ("updated", [])
    assert "non-prod" not in github.comments()[0]["body"]


def test_a_post_whose_answer_never_comes_is_looked_for(github: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """P08: stored, but the connection was given up: one comment, and its POST was not repeated."""
    monkeypatch.setattr(wire, "_SILENCE_S", 1)
    github.facade.fail(faults.slow(1.5, faults.posting))
    assert post(github, task()).result == "created"
    assert (len(github.comments()), len(github.writes)) == (1, 1)


def test_an_edit_whose_answer_never_comes_is_made_again(github: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the same text is once the same text; a list that stays away is asked for again, too."""
    post(github, task())
    monkeypatch.setattr(wire, "_SILENCE_S", 1)
    said: list[str] = []
    for spoils in (faults.reading, faults.editing):
        github.facade.fail(faults.slow(1.5, spoils))
    assert post(github, later(), announce=said.append).result == "updated"
    assert [each.partition(";")[0] for each in said] == ["GitHub did not answer: ReadTimeout"] * 2
    assert len(github.comments()) == 1


def test_line_ends_that_the_server_changed_are_no_change(github: Lab) -> None:
    body = api.prepare([task()], target.parse(github.repo, pr=github.pr)).body
    github.comment(body.replace("\n", "\r\n").rstrip())
    assert post(github, task()).result == "unchanged"


def test_the_library_writes_nothing_to_anybodys_terminal(github: Lab, capfd: pytest.CaptureFixture[str]) -> None:
    github.restrict(TOKEN, "read")
    post(github, task())
    assert capfd.readouterr() == ("", "")


def test_publishers_that_start_together_leave_one_comment_with_the_newest_text(
    github: Lab, race: Callable[[list[Evidence]], list[Result]]
) -> None:
    """P07: all list, then all create."""
    given = [
        evidence(used(input=number + 1), cutoff=f"2026-09-24T10:0{number}:00.000Z", snapshot=str(number))
        for number in (2, 5, 0, 4, 1, 3)
    ]
    results = race(given)
    (comment,) = github.comments()
    assert [each.snapshot_id for each in shown(comment)] == [given[1].snapshot_id]
    assert {each.comment_id for each in results} == {comment["id"]}
    assert {each.result for each in results} <= {"created", "updated", "skipped"}


def test_publishers_of_different_tasks_that_start_together_all_stay(
    github: Lab, race: Callable[[list[Evidence]], list[Result]]
) -> None:
    """P07, A2: one comment, and every task in it."""
    given = [evidence(used(input=number + 1), task=f"T-{number}") for number in range(6)]
    results = race(given)
    (comment,) = github.comments()
    assert {each.subject_id for each in shown(comment)} == {each.subject.subject_id for each in given}
    assert {each.result for each in results} <= {"created", "updated"}


def shown(comment: dict[str, Any]) -> tuple[Subject, ...]:
    """The subjects in a comment's memory."""
    return plan.remembered_by(Comment(comment["id"], comment["body"], None, None)) or ()


@pytest.fixture
def race(github: Lab) -> Callable[[list[Evidence]], list[Result]]:
    """Publishes all at once: every POST waits until all have listed, every answer until all have posted."""

    def run(given: list[Evidence]) -> list[Result]:
        together = Barrier(len(given))
        github.facade.around_post = lambda: together.wait(timeout=60)
        with ThreadPoolExecutor(len(given)) as pool:
            return list(pool.map(lambda each: post(github, each), given))

    return run


def test_two_machines_that_hold_the_same_responses_count_them_once(github: Lab) -> None:
    """A2: merged by response id, and said in the comment and in the result."""
    given = [task(), task(ledger="beef" * 8)]
    prepared = api.prepare(given, target.parse(github.repo, pr=github.pr))
    made = api.publish(prepared, token=github.token, api_url=github.api_url)
    assert (made.result, made.document()["overlap_responses"]) == ("created", 2)
    (comment,) = github.comments()
    assert "2 responses stood in more than one of the exports and are counted once." in comment["body"]
    assert "2 of 2 responses owned" in comment["body"]
