"""Every way in which GitHub says no, through the command: its own word and exit code, never a second comment."""

import re

import pytest

from tests.builders.evidence import evidence, used
from tests.command_line import Answer
from tests.peers import faults
from tests.peers.exchange import Answer as Reply
from tests.peers.exchange import said
from tests.peers.fixtures import Post
from tests.peers.lab import OTHER_TOKEN, TOKEN, Lab

FIRST = evidence(used(input=1000, output=200))
SECOND = evidence(used(input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")


def outcome(made: Answer) -> tuple[int, str, str]:
    """Exit code, result, reason; and no traceback."""
    assert "Traceback" not in made.err
    return made.code, made.json["result"], made.json["reason"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--pr", 4711), "not_found"),
        (("--pr", "ISSUE"), "not_a_pull_request"),
        (("--commit", "0" * 40), "not_found"),
        (("--commit", "abcdef1"), "not_found"),
        (("--repo", "octocat/nowhere"), "not_found"),
    ],
)
def test_a_target_that_is_none_is_refused_before_any_write(
    github: Lab, post: Post, words: tuple[object, ...], reason: str
) -> None:
    """P42: a number of an issue, a number, a commit and a repository that are none."""
    made = post(FIRST, *(github.issue if each == "ISSUE" else each for each in words))
    assert outcome(made) == (2, "refused", reason)
    assert github.writes == []


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_a_pull_request_that_is_done_is_still_a_target(github: Lab, post: Post, state: str) -> None:
    """P42: its state is in the result."""
    pull = f"/repos/{github.repo}/pulls/{github.pr}"
    github.ask("PUT", f"{pull}/merge", merge_method="merge") if state == "merged" else github.ask(
        "PATCH", pull, state="closed"
    )
    made = post(FIRST).json
    assert (made["result"], made["target_state"]) == ("created", state)
    # An update does not ask for the pull request; the state comes with the question who wrote the comment.
    github.facade.log.clear()
    again = post(SECOND).json
    assert (again["result"], again["target_state"]) == ("updated", state)
    assert len(github.facade.log) <= 4


def test_a_locked_conversation_is_skipped(github: Lab, post: Post) -> None:
    """P26: one attempt, exit 0, and the reason in words."""
    github.lock()
    made = post(FIRST)
    assert outcome(made) == (0, "skipped", "locked")
    assert "locked" in made.json["message"]
    assert len(github.writes) == 1


@pytest.mark.parametrize("who", [TOKEN, "app"])
@pytest.mark.parametrize("commit", [False, True])
def test_a_token_that_may_only_read_fails_after_one_attempt(github: Lab, post: Post, who: str, commit: bool) -> None:
    """P15: the missing permission and the way out are named; no state is kept, so a run with more rights succeeds."""
    token = github.app_tokens["github-actions"] if who == "app" else who
    place = ("--commit", github.commit) if commit else ()
    github.restrict(token, "read")
    made = post(FIRST, *place, token=token)
    assert outcome(made) == (1, "failed", "forbidden")
    assert len(github.writes) == 1
    for word in ("two-stage", "pull-requests: write", "issues=write; pull_requests=write", "Resource not accessible"):
        assert word in made.json["message"]
    github.restrict(token, "write")
    assert outcome(post(FIRST, *place, token=token))[1] == "created"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (said(401, "Bad credentials"), (2, "refused", "bad_credentials")),
        (said(403, "Repository was archived so is read-only."), (1, "failed", "archived")),
        (said(404, "Not Found"), (1, "failed", "not_found")),
        (said(410, "This issue was deleted"), (1, "failed", "gone")),
        (said(422, "Validation Failed", errors=[{"code": "custom"}]), (1, "failed", "rejected")),
    ],
    ids=lambda each: str(each.status) if isinstance(each, Reply) else "",
)
def test_every_other_refusal_has_a_word_of_its_own(
    github: Lab, post: Post, reply: Reply, expected: tuple[int, str, str]
) -> None:
    github.facade.fail(faults.on(faults.posting, reply), times=9)
    assert outcome(post(FIRST)) == expected
    assert len(github.writes) == 1


@pytest.mark.parametrize("commit", [False, True])
def test_a_server_that_finds_the_body_too_long_is_understood(github: Lab, post: Post, commit: bool) -> None:
    """P10: pull requests and commits say it in two different forms."""
    place = ("--commit", github.commit) if commit else ()
    github.facade.fail(faults.longest_body(100), times=9)
    assert outcome(post(FIRST, *place)) == (1, "failed", "too_long")
    assert github.comments(commit=commit) == []


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize(("length", "status"), [(65_536, 201), (65_537, 422)])
def test_the_limit_counts_utf_16_units(github: Lab, commit: bool, length: int, status: int) -> None:
    """P10: as GitHub counts; a character beyond the first 65,536 of Unicode is two."""
    place = f"commits/{github.commit}" if commit else f"issues/{github.pr}"
    body = {"body": "𝄞" * (length // 2) + "x" * (length % 2)}
    assert github.through_facade("POST", f"/repos/{github.repo}/{place}/comments", body).status_code == status


def test_a_post_that_was_stored_but_answered_502_is_not_repeated(github: Lab, post: Post) -> None:
    """P08: list before anything else."""
    github.facade.fail(faults.post_is_stored_but_answers_502)
    made = post(FIRST)
    assert outcome(made) == (0, "created", None)
    assert [each["id"] for each in github.comments()] == [made.json["comment_id"]]
    assert len(github.writes) == 1


@pytest.mark.parametrize("token", [TOKEN, "app"])
def test_what_somebody_else_posted_meanwhile_is_not_taken_for_ours(github: Lab, post: Post, token: str) -> None:
    """P08: the same text by another author proves nothing."""
    body = post(FIRST, "--dry-run").json["body"]
    chosen = github.app_tokens["observer-app"] if token == "app" else token
    github.facade.fail(faults.somebody_posts(body, OTHER_TOKEN))
    made = post(FIRST, token=chosen)
    assert outcome(made) == (0, "created", None)
    assert [each["user"]["login"] for each in github.comments()] == [
        "mallory",
        "observer-app[bot]" if token == "app" else "octocat",
    ]


@pytest.mark.parametrize("status", [500, 502, 503])
def test_reading_survives_a_short_outage_and_says_so(github: Lab, post: Post, status: int) -> None:
    github.facade.fail(faults.on(faults.reading, said(status, "Server Error")), times=2)
    made = post(FIRST)
    assert outcome(made) == (0, "created", None)
    assert made.err.count("trying again") == 2


def test_a_lasting_outage_ends_in_words(github: Lab, post: Post) -> None:
    github.facade.fail(faults.get_answers_503, times=99)
    made = post(FIRST)
    assert outcome(made) == (1, "failed", "server_error")
    assert "503" in made.json["message"]
    assert len(github.facade.log) == 3


def test_nothing_listens(github: Lab, post: Post) -> None:
    assert outcome(post(FIRST, api_url="http://127.0.0.1:9")) == (1, "failed", "network")


def test_a_page_that_is_not_githubs_is_no_answer(github: Lab, post: Post) -> None:
    """A proxy's login page, a truncated document, a list where an object should be."""
    for body in (b"<html>log in</html>", b'{"number": 1', b"[]", b"", b'{"number": 4}', b"\xff"):
        github.facade.calm()
        github.facade.fail(faults.on(faults.reading, Reply(200, body, {"Content-Type": "text/html"})), times=99)
        assert outcome(post(FIRST)) == (1, "failed", "unexpected_answer"), body
    github.facade.violations.clear()  # nothing that GitHub would say


def test_a_comment_that_vanishes_is_created_again(github: Lab, post: Post) -> None:
    """P43: deleted between listing and writing."""
    first = post(FIRST).json["comment_id"]
    github.facade.fail(faults.comment_vanishes)
    made = post(SECOND)
    assert outcome(made) == (0, "created", None)
    assert [each["id"] for each in github.comments()] == [made.json["comment_id"]] != [first]


def test_a_comment_that_cannot_be_written_ends_without_a_loop(github: Lab, post: Post) -> None:
    """P43: the second 404 is the end."""
    post(FIRST)
    github.facade.fail(faults.edit_answers_404, times=99)
    github.facade.log.clear()
    assert outcome(post(SECOND)) == (1, "failed", "vanished")
    assert len(github.writes) == 2


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(faults.secondary_limit(2), "2"), (faults.too_many_requests(1), "1"), (faults.primary_limit(2), "[12]")],
    ids=["secondary", "429", "primary"],
)
def test_a_short_limit_is_waited_out_and_announced(github: Lab, post: Post, fault: faults.Fault, seconds: str) -> None:
    """P27: as long as the answer says, then one more try; said on stderr, in seconds and as a time."""
    github.facade.fail(fault)
    made = post(FIRST)
    assert outcome(made) == (0, "created", None)
    assert re.search(rf"wait {seconds} s \(until 20", made.err)
    assert len(github.comments()) == 1


@pytest.mark.parametrize(
    "fault",
    [
        faults.secondary_limit(None),
        faults.secondary_limit(3600),
        faults.too_many_requests(None),
        faults.primary_limit(855),
        faults.primary_limit(855, faults.editing),
    ],
    ids=["secondary-untold", "secondary-long", "429-untold", "primary", "primary-late"],
)
def test_a_long_limit_fails_at_once_and_says_until_when(github: Lab, post: Post, fault: faults.Fault) -> None:
    """P27: nobody sleeps longer than was allowed."""
    assert post(FIRST).code == 0
    github.facade.fail(fault, times=99)
    made = post(SECOND)
    assert outcome(made) == (1, "failed", "rate_limited")
    assert "until 20" in made.json["message"]
    assert made.err == "" or "wait" not in made.err


def test_all_waiting_together_stays_within_what_was_allowed(github: Lab, post: Post) -> None:
    """P27: three limits of two seconds each do not fit into five."""
    for spoils in (faults.reading, faults.reading, faults.posting):
        github.facade.fail(faults.secondary_limit(2, spoils))
    made = post(FIRST, "--max-wait", 5)
    assert outcome(made) == (1, "failed", "rate_limited")
    assert made.err.count("wait 2 s") == 2
    assert github.comments() == []


def test_without_waiting_a_limit_is_the_end(github: Lab, post: Post) -> None:
    github.facade.fail(faults.secondary_limit(1))
    made = post(FIRST, "--max-wait", 0)
    assert outcome(made) == (1, "failed", "rate_limited")


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "soon"])
def test_a_wait_that_is_no_time_is_refused(github: Lab, post: Post, value: str) -> None:
    made = post(FIRST, "--max-wait", value)
    assert (made.code, made.out, github.facade.log) == (2, "", [])


@pytest.mark.parametrize("place", [31, 101, 137])
def test_our_comment_is_found_on_every_page(github: Lab, post: Post, place: int) -> None:
    """P01: 137 comments; the server's pages are 30 by default and 100 at most."""
    marker = f"<!-- agent-observer:comment:v1 target=pr:{github.pr} state=sha256:{'a' * 64} made=unknown -->\nours"
    for number in range(1, 138):
        github.comment(marker if number == place else f"comment {number}")
    made = post(FIRST).json
    assert (made["result"], made["comment_id"]) == ("updated", github.comments()[place - 1]["id"])
    assert [each.partition(" ")[0] for each in github.writes] == ["PATCH"]
    assert sum("/comments?" in each for each in github.facade.log) == 4  # two pages, before and after writing
