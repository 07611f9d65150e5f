"""What has moved is followed on the same host, with method, query and body, and never to another host."""

import pytest

from tests.builders.evidence import evidence, used
from tests.peers import faults
from tests.peers.exchange import Answer, Request
from tests.peers.fixtures import Post
from tests.peers.lab import OTHER_TOKEN, Lab
from tests.peers.listener import Listener

FIRST = evidence(used(input=1000, output=200))
SECOND = evidence(used(input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")
OLD = "octocat/old-name"


@pytest.mark.parametrize("commit", [False, True])
def test_a_renamed_repository_is_written_under_its_new_name(github: Lab, post: Post, commit: bool) -> None:
    """The result says how it is called now; nothing is written under the old name."""
    github.facade.renamed[OLD] = github.repo
    place = ("--commit", github.commit[:9]) if commit else ("--pr", github.pr)
    first, second = (post(each, "--repo", OLD, *place) for each in (FIRST, SECOND))
    assert [first.json["result"], second.json["result"]] == ["created", "updated"]
    assert [first.json["target"]["repo"], second.json["target"]["repo"]] == [github.repo, github.repo]
    assert len(github.comments(commit=commit)) == 1
    assert not any(OLD in each for each in github.writes)


def test_a_rename_in_the_middle_of_a_publication_is_followed(github: Lab, post: Post) -> None:
    """Each of listing, posting, editing and removing keeps its method, its query and its body."""
    number = github.repository_id
    github.facade.repositories[str(number)] = github.repo
    for _ in range(137):
        github.comment("hello", token=OTHER_TOKEN)
    moved = f"{github.api_url}/repositories/{number}/issues/{github.pr}/comments"
    github.facade.fail(faults.redirect(307, faults.posting, moved))
    github.facade.fail(faults.redirect(307, _first_page, f"{moved}?per_page=100"))
    made = post(FIRST).json
    assert (made["result"], len(github.comments())) == ("created", 138)
    one = f"{github.api_url}/repositories/{number}/issues/comments/{made['comment_id']}"
    github.facade.fail(faults.redirect(308, faults.editing, one))
    again = post(SECOND).json
    assert (again["result"], again["comment_id"]) == ("updated", made["comment_id"])
    assert f"made={SECOND.cutoff} -->" in github.comments()[-1]["body"]


def test_a_list_that_is_redirected_without_its_query_is_still_complete(github: Lab, post: Post) -> None:
    """PyGithub leaves the query out when it follows 301: pages of thirty, nothing twice, nothing missed."""
    number = github.repository_id
    github.facade.repositories[str(number)] = github.repo
    for _ in range(137):
        github.comment("hello", token=OTHER_TOKEN)
    made = post(FIRST).json
    moved = f"{github.api_url}/repositories/{number}/issues/{github.pr}/comments"
    github.facade.fail(faults.redirect(301, _first_page, f"{moved}?per_page=100"))
    again = post(SECOND).json
    assert (again["result"], again["comment_id"], again["duplicates"]) == ("updated", made["comment_id"], [])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("spoils", [faults.reading, faults.writing], ids=["reading", "writing"])
def test_another_host_never_sees_the_token(github: Lab, post: Post, status: int, spoils: object) -> None:
    """Not followed: failed, with the address that the server names, and the other host is not even asked."""
    asked: list[Request] = []

    def elsewhere(request: Request) -> Answer:
        asked.append(request)
        return Answer(200, b"{}")

    other = Listener(elsewhere)
    try:
        github.facade.fail(faults.redirect(status, spoils, f"http://localhost:{other.port}/repos/x"), times=99)
        made = post(FIRST)
    finally:
        other.close()
    assert (made.code, made.json["result"], made.json["reason"]) == (1, "failed", "redirected")
    assert "localhost" in made.json["message"]
    assert (asked, github.comments()) == ([], [])


def test_a_server_that_moved_as_a_whole_is_named(github: Lab, post: Post) -> None:
    github.facade.moved_to = "http://localhost:1/api/v3"
    made = post(FIRST)
    assert (made.code, made.json["reason"]) == (1, "redirected")
    assert "localhost" in made.json["message"]


def test_redirects_in_a_circle_end(github: Lab, post: Post) -> None:
    here = f"{github.api_url}/repos/{github.repo}/pulls/{github.pr}"
    github.facade.fail(faults.redirect(307, faults.reading, here), times=99)
    made = post(FIRST)
    assert (made.code, made.json["reason"]) == (1, "redirected")
    assert len(github.facade.log) <= 3


def test_a_comment_that_is_redirected_to_nowhere_is_a_failure(github: Lab, post: Post) -> None:
    """A redirect without an address, an answer without an id: never taken for done."""
    made = post(FIRST)
    assert made.json["result"] == "created"
    github.facade.fail(faults.on(faults.editing, Answer(307, b"{}")), times=99)
    assert post(SECOND).json["reason"] == "redirected"
    github.facade.calm()
    github.facade.fail(faults.on(faults.editing, Answer(200, b'{"message": "Moved"}')), times=99)
    assert post(SECOND).json["reason"] == "unexpected_answer"
    github.facade.violations.clear()  # nothing that GitHub would say


def _first_page(request: Request) -> bool:
    return faults.reading(request) and request.place.endswith("/comments")
