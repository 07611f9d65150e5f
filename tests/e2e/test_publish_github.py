"""Publishing over real HTTP, to an emulator of GitHub behind a proxy that adds what it lacks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from observer.records.evidence import Evidence, Outcome
from publish import api, plan, target
from publish.figures import Subject
from publish.ownership import Comment
from publish.result import Result
from tests.builders.evidence import evidence, used
from tests.peers import faults
from tests.peers.lab import OTHER_TOKEN, PLAIN_TOKEN, TOKEN, Lab
from tests.peers.proxy import Fault

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


def test_a_marker_of_somebody_else_is_left_alone_and_reported(github: Lab) -> None:
    """E233: a foreign comment with our marker is never edited; a new one is created beside it."""
    marker = MARKER.format(pr=github.pr)
    foreign = github.comment(f"{marker}\nfree money", token=OTHER_TOKEN)
    quoted = github.comment(f"> {marker}\n> quoted", token=OTHER_TOKEN)
    own_quote = github.comment(f"Look:\n{marker}")
    before = github.comments()
    made = post(github, task())
    assert (made.result, made.foreign_markers) == ("created", [foreign])
    assert made.comment_id not in (foreign, quoted, own_quote)
    assert github.comments()[:3] == before


def test_of_two_owned_comments_the_newest_is_updated_and_none_deleted(github: Lab) -> None:
    """E234: the other one is reported as a duplicate."""
    old = github.comment(MARKER.format(pr=github.pr) + "\nold")
    new = github.comment(MARKER.format(pr=github.pr) + "\nnew")
    made = post(github, task())
    assert (made.result, made.comment_id, made.duplicates) == ("updated", new, [old])
    assert made.state_discarded
    assert [each["id"] for each in github.comments()] == [old, new]
    assert github.comments()[0]["body"].endswith("old")


@pytest.mark.parametrize("place", [31, 101, 137])
def test_our_comment_is_found_on_every_page(github: Lab, place: int) -> None:
    """P01: 137 comments, ours beyond the first page of any size."""
    ours = 0
    for number in range(1, 138):
        if number == place:
            ours = github.comment(MARKER.format(pr=github.pr) + "\nours")
        else:
            github.comment(f"comment {number}", token=OTHER_TOKEN)
    made = post(github, task())
    assert (made.result, made.comment_id) == ("updated", ours)
    assert [each for each in github.writes if each.startswith("POST")] == []
    assert sum("/comments?" in each for each in github.facade.log) == 4  # two pages, before and after writing


def test_a_commit_is_a_target_too_whether_named_short_or_in_full(github: Lab) -> None:
    made = post(github, task(), commit=github.commit[:8])
    again = post(github, later(), commit=github.commit)
    assert (made.result, again.result) == ("created", "updated")
    assert made.comment_id == again.comment_id
    assert made.target.commit == github.commit
    (comment,) = github.comments(commit=True)
    assert comment["body"].startswith(f"<!-- agent-observer:comment:v1 target=commit:{github.commit} ")
    assert github.comments() == []


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [({"pr": 4711}, "not_found"), ({"commit": "0" * 40}, "not_found"), ({"pr": "issue"}, "not_a_pull_request")],
)
def test_a_target_that_is_none_is_refused_before_any_write(github: Lab, chosen: dict[str, Any], reason: str) -> None:
    """P42: a number that names an issue, and numbers and commits that name nothing."""
    if chosen.get("pr") == "issue":
        chosen = {"pr": github.issue}
    made = post(github, task(), **chosen)
    assert (made.result, made.reason, made.exit_code) == ("refused", reason, 2)
    assert github.writes == []


def test_an_unknown_token_is_refused(github: Lab) -> None:
    made = post(github, task(), token="nobody")
    assert (made.result, made.reason, made.exit_code) == ("refused", "bad_credentials", 2)
    assert github.comments() == []


def test_an_unnamed_personal_token_is_asked_for_its_name(github: Lab) -> None:
    made = [post(github, each, token=PLAIN_TOKEN).result for each in (task(), later())]
    assert made == ["created", "updated"]
    assert github.facade.log.count("GET /user") == 2


@pytest.mark.parametrize("slug", ["github-actions", "observer-app"])
def test_an_app_is_recognised_by_the_name_it_is_given(github: Lab, slug: str) -> None:
    """P04: app tokens may not ask who they are; their comments are by `<slug>[bot]`."""
    token = github.app_tokens[slug]
    made = [post(github, each, token=token, app_slug=slug) for each in (task(), later())]
    assert [each.result for each in made] == ["created", "updated"]
    assert github.comments()[0]["user"]["login"] == f"{slug}[bot]"


def test_an_app_without_a_name_is_recognised_where_the_server_tells_authors(github: Lab) -> None:
    """P04: the server says which comments the token wrote."""
    token = github.app_tokens["observer-app"]
    assert [post(github, each, token=token).result for each in (task(), later())] == ["created", "updated"]


def test_without_an_identity_nothing_is_posted(github: Lab) -> None:
    """P04: a new comment at each run would be the alternative."""
    github.facade.fail(faults.no_graphql, times=9)
    made = post(github, task(), token=github.app_tokens["observer-app"])
    assert (made.result, made.reason, made.exit_code) == ("refused", "identity_unknown", 2)
    github.facade.fail(faults.user_is_refused, times=9)
    assert post(github, task(), token=PLAIN_TOKEN).reason == "identity_unknown"
    assert github.comments() == []


def test_a_wrong_app_name_leaves_no_comment_behind(github: Lab) -> None:
    github.facade.fail(faults.no_graphql, times=9)
    made = post(github, task(), token=github.app_tokens["observer-app"], app_slug="github-actions")
    assert (made.result, made.reason) == ("refused", "identity_mismatch")
    assert github.comments() == []


def test_a_post_that_took_effect_but_answered_502_is_not_repeated(github: Lab) -> None:
    """P08: list before anything else; one comment, created."""
    github.facade.fail(faults.post_is_stored_but_answers_502)
    made = post(github, task())
    assert made.result == "created"
    assert [each["id"] for each in github.comments()] == [made.comment_id]


def test_a_post_that_took_no_effect_is_made_again(github: Lab) -> None:
    github.facade.fail(faults.post_answers_502)
    made = post(github, task())
    assert (made.result, len(github.comments())) == ("created", 1)
    github.facade.calm()
    github.facade.fail(faults.post_answers_502, times=9)
    failed = post(github, evidence(used(input=5), task="other"), commit=github.commit)
    assert (failed.result, failed.reason, failed.exit_code) == ("failed", "server_error", 1)
    assert len([each for each in github.writes if each.startswith("POST")]) == 2


def test_reading_survives_a_short_outage(github: Lab) -> None:
    github.facade.fail(faults.get_answers_503, times=2)
    assert post(github, task()).result == "created"


def test_a_comment_that_vanishes_is_created_again(github: Lab) -> None:
    """P43: deleted between listing and writing."""
    first = post(github, task())
    github.facade.fail(faults.comment_vanishes)
    made = post(github, later())
    assert made.result == "created"
    assert made.comment_id != first.comment_id
    assert [each["id"] for each in github.comments()] == [made.comment_id]


def test_a_comment_that_cannot_be_written_ends_without_a_loop(github: Lab) -> None:
    """P43: the second 404 is the end."""
    post(github, task())
    github.facade.fail(faults.edit_answers_404, times=9)
    made = post(github, later())
    assert (made.result, made.reason, made.exit_code) == ("failed", "vanished", 1)
    assert len([each for each in github.writes if each.startswith("PATCH")]) == 2


def test_a_locked_conversation_is_skipped(github: Lab) -> None:
    """P26: no retry, no failure."""
    github.lock()
    made = post(github, task())
    assert (made.result, made.reason, made.exit_code) == ("skipped", "locked", 0)
    assert len(github.writes) == 1


def test_a_read_only_token_fails_after_one_attempt(github: Lab) -> None:
    """P15: runs from forks may not write."""
    github.restrict(TOKEN, "read")
    made = post(github, task())
    assert (made.result, made.reason, made.exit_code) == ("failed", "forbidden", 1)
    assert "pull-requests: write" in made.message
    assert len(github.writes) == 1


@pytest.mark.parametrize("fault", [faults.secondary_limit(1), faults.too_many_requests(1)])
def test_a_short_limit_is_waited_out_and_announced(github: Lab, fault: Fault) -> None:
    """P27: wait as long as the answer says, then one more try."""
    said: list[str] = []
    github.facade.fail(fault)
    assert post(github, task(), announce=said.append).result == "created"
    assert len(said) == 1
    assert "wait 1 s" in said[0]
    assert len(github.comments()) == 1


@pytest.mark.parametrize(
    "fault", [faults.secondary_limit(None), faults.secondary_limit(3600), faults.primary_limit(855)]
)
def test_a_long_limit_fails_at_once_and_says_until_when(github: Lab, fault: Fault) -> None:
    """P27: never a wait beyond what was allowed."""
    said: list[str] = []
    github.facade.fail(fault, times=9)
    made = post(github, task(), announce=said.append)
    assert (made.result, made.reason, made.exit_code) == ("failed", "rate_limited", 1)
    assert "until 20" in made.message
    assert said == []


def test_a_body_that_the_server_finds_too_long_fails_by_name(github: Lab) -> None:
    """P10: if it is ever refused for its length in spite of the budget."""
    prepared = api.prepare([task()], target.parse(github.repo, pr=github.pr))
    text = prepared.body + "x" * 70_000
    long = api.Prepared(prepared.target, text, prepared.subjects, prepared.evidence, reviewed=True)
    made = api.publish(long, token=github.token, api_url=github.api_url)
    assert (made.result, made.reason) == ("failed", "too_long")


def test_a_renamed_repository_is_written_under_its_new_name(github: Lab) -> None:
    github.facade.renamed["octocat/old-name"] = github.repo
    results = []
    for given in (task(), later()):
        prepared = api.prepare([given], target.parse("octocat/old-name", pr=github.pr))
        results.append(api.publish(prepared, token=github.token, api_url=github.api_url).result)
    assert results == ["created", "updated"]
    assert len(github.comments()) == 1


def test_a_comment_without_an_author_is_nobodys(github: Lab) -> None:
    """P03: the account behind a marker may be gone."""
    ghost = github.comment(MARKER.format(pr=github.pr) + "\nwhose?")
    github.facade.fail(faults.comments_without_author(ghost), times=9)
    made = post(github, task())
    assert (made.result, made.foreign_markers) == ("created", [ghost])


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


def test_line_ends_that_the_server_changed_are_no_change(github: Lab) -> None:
    body = api.prepare([task()], target.parse(github.repo, pr=github.pr)).body
    github.comment(body.replace("\n", "\r\n").rstrip())
    assert post(github, task()).result == "unchanged"


def test_nothing_answers(github: Lab) -> None:
    made = post(github, task(), api_url="http://127.0.0.1:9")
    assert (made.result, made.reason, made.exit_code) == ("failed", "network", 1)


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
