"""Whose comment is it? Tokens of people and apps, markers of others, accounts that are gone: through the command."""

import pytest

from tests.builders.evidence import evidence, used
from tests.peers import faults
from tests.peers.exchange import answer, said
from tests.peers.fixtures import Post
from tests.peers.lab import OTHER_TOKEN, PLAIN_TOKEN, TOKEN, Lab

FIRST = evidence(used(input=1000, output=200))
SECOND = evidence(used(input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")
APPS = ["github-actions", "observer-app"]
MARKER = "<!-- agent-observer:comment:v1 target=pr:{pr} state=sha256:" + "a" * 64 + " made=2026-01-01T00:00:00.000Z -->"


def words(*answers: object) -> list[str]:
    """The result words of some calls."""
    return [each.json["result"] for each in answers]  # type: ignore[attr-defined]


@pytest.mark.parametrize("token", [TOKEN, PLAIN_TOKEN])
def test_a_person_is_recognised_again(github: Lab, post: Post, token: str) -> None:
    """P04: also with a token that does not look like a personal one."""
    assert words(post(FIRST, token=token), post(SECOND, token=token)) == ["created", "updated"]
    assert [each["user"]["login"] for each in github.comments()] == ["octocat"]


@pytest.mark.parametrize("slug", APPS)
def test_an_app_is_recognised_again_without_being_named(github: Lab, post: Post, slug: str) -> None:
    """P04: the server says which comments the token wrote; the workflow's own token and another app's alike."""
    token = github.app_tokens[slug]
    assert words(post(FIRST, token=token), post(SECOND, token=token)) == ["created", "updated"]
    assert [each["user"]["login"] for each in github.comments()] == [f"{slug}[bot]"]
    assert "GET /user" not in github.facade.log


@pytest.mark.parametrize("slug", APPS)
def test_where_graphql_does_not_tell_an_app_is_recognised_by_its_name(github: Lab, post: Post, slug: str) -> None:
    """P04: `<slug>[bot]` is what REST calls it."""
    github.facade.fail(faults.no_graphql, times=99)
    named = ("--app-slug", slug)
    token = github.app_tokens[slug]
    assert words(post(FIRST, *named, token=token), post(SECOND, *named, token=token)) == ["created", "updated"]


def test_where_graphql_does_not_tell_a_person_is_asked_for_the_name(github: Lab, post: Post) -> None:
    github.facade.fail(faults.no_graphql, times=99)
    assert words(post(FIRST, token=PLAIN_TOKEN), post(SECOND)) == ["created", "updated"]
    assert github.facade.log.count("GET /user") == 2


@pytest.mark.parametrize(
    "trouble", [faults.no_graphql, faults.graphql_is_forbidden, faults.on(faults.asking_authors, answer(200, {}))]
)
def test_without_an_identity_nothing_is_posted(github: Lab, post: Post, trouble: faults.Fault) -> None:
    """P04: a new comment at each run would be the alternative."""
    github.facade.fail(trouble, times=99)
    made = post(FIRST, token=github.app_tokens["observer-app"])
    assert (made.code, made.json["result"], made.json["reason"]) == (2, "refused", "identity_unknown")
    assert (github.writes, github.comments()) == ([], [])


def test_an_outage_while_asking_is_no_lack_of_identity(github: Lab, post: Post) -> None:
    """It is asked again, and if that does not help the outage is what is reported."""
    token = github.app_tokens["observer-app"]
    outage = faults.on(faults.asking_authors, said(502, "Bad Gateway"))
    github.facade.fail(outage, times=1)
    assert words(post(FIRST, token=token)) == ["created"]
    github.facade.fail(outage, times=99)
    made = post(SECOND, token=token)
    assert (made.code, made.json["result"], made.json["reason"]) == (1, "failed", "server_error")
    assert len(github.comments()) == 1


def test_a_limit_of_graphql_that_comes_with_status_200_is_a_limit(github: Lab, post: Post) -> None:
    github.facade.fail(faults.graphql_is_limited, times=99)
    made = post(FIRST, token=github.app_tokens["observer-app"])
    assert (made.code, made.json["reason"]) == (1, "rate_limited")


def test_a_wrong_app_name_leaves_no_comment_behind(github: Lab, post: Post) -> None:
    github.facade.fail(faults.no_graphql, times=99)
    made = post(FIRST, "--app-slug", "github-actions", token=github.app_tokens["observer-app"])
    assert (made.code, made.json["reason"]) == (2, "identity_mismatch")
    assert github.comments() == []


def test_two_identities_keep_two_comments(github: Lab, post: Post) -> None:
    """Each finds its own and reports the other's."""
    app = github.app_tokens["observer-app"]
    mine, theirs = post(FIRST).json, post(FIRST, token=app).json
    assert (mine["result"], theirs["result"]) == ("created", "created")
    assert theirs["foreign_markers"] == [mine["comment_id"]]
    again = post(SECOND, token=app).json
    assert (again["result"], again["comment_id"]) == ("updated", theirs["comment_id"])


@pytest.mark.parametrize("token", [TOKEN, "app"])
def test_markers_of_others_are_never_touched(github: Lab, post: Post, token: str) -> None:
    """E233, P03: pasted by somebody, quoted by somebody, left by an account that is gone; all stay as they are."""
    marker = MARKER.format(pr=github.pr)
    pasted = github.comment(f"{marker}\nfree money", token=OTHER_TOKEN)
    github.comment(f"> {marker}\n> quoted", token=OTHER_TOKEN)
    ghost = github.comment(f"{marker}\nwhose?", token=OTHER_TOKEN)
    github.facade.fail(faults.comments_without_author(ghost), times=99)
    before = [each["body"] for each in github.comments()]
    made = post(FIRST, token=github.app_tokens["observer-app"] if token == "app" else token)
    assert (made.json["result"], made.json["foreign_markers"]) == ("created", [pasted, ghost])
    assert [each["body"] for each in github.comments()][:3] == before


def test_hundreds_of_foreign_markers_are_asked_about_a_hundred_at_a_time(github: Lab, post: Post) -> None:
    """GraphQL takes no more; ours is among them all the same."""
    marker = MARKER.format(pr=github.pr)
    for _ in range(120):
        github.comment(f"{marker}\nfree money", token=OTHER_TOKEN)
    ours = github.comment(f"{marker}\nours")
    made = post(FIRST).json
    assert (made["result"], made["comment_id"], len(made["foreign_markers"])) == ("updated", ours, 120)
    assert github.facade.log.count("POST /graphql") == 2


def test_a_folded_comment_of_ours_is_updated_where_it_is(github: Lab, post: Post) -> None:
    """Somebody minimised it: it is still the one comment."""
    first = post(FIRST).json
    github.facade.minimized.add(first["comment_id"])
    second = post(SECOND).json
    assert (second["result"], second["comment_id"]) == ("updated", first["comment_id"])


def test_a_token_that_may_only_comment_updates_its_own_comment(github: Lab, post: Post) -> None:
    """Rights to one's own comments are enough; those of others are not even tried."""
    marker = MARKER.format(pr=github.pr)
    github.comment(f"{marker}\nby the owner")
    assert words(post(FIRST, token=OTHER_TOKEN), post(SECOND, token=OTHER_TOKEN)) == ["created", "updated"]
    assert github.comments()[0]["body"].endswith("by the owner")


def test_a_token_of_unknown_kind_says_who_it_is_before_anything_is_posted(github: Lab, post: Post) -> None:
    """A4: one question more than with a personal token, and it comes before the POST."""
    github.facade.log.clear()
    made = post(FIRST, token=PLAIN_TOKEN)
    assert made.json["result"] == "created"
    asked = [each.partition("?")[0].replace(f"/repos/{github.repo}", "") for each in github.facade.log]
    comments = f"/issues/{github.pr}/comments"
    assert asked == [f"GET {comments}", "GET /user", f"GET /pulls/{github.pr}", f"POST {comments}", f"GET {comments}"]
