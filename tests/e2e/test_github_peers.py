"""What the stand-in for GitHub itself must get right: the tests of the publisher and of the Action lean on it."""

import io
import zipfile
from collections.abc import Iterator

import httpx
import pytest

from tests.peers import faults
from tests.peers.exchange import answer
from tests.peers.lab import OTHER_TOKEN, TOKEN, Lab


@pytest.fixture
def client(github: Lab) -> Iterator[httpx.Client]:
    """An ordinary HTTP client, with the owner's token."""
    with httpx.Client(base_url=github.api_url, headers={"Authorization": f"Bearer {github.token}"}) as opened:
        yield opened


def test_an_artifact_comes_from_a_second_host_that_refuses_the_token(github: Lab, client: httpx.Client) -> None:
    """P39: the token stays at the first host."""
    number = github.artifact({"evidence.json": b"{}"}, run=9)
    github.artifact({"evidence.json": b"{}"}, run=10)
    listed = client.get(f"/repos/{github.repo}/actions/runs/9/artifacts").json()
    assert [each["id"] for each in listed["artifacts"]] == [number]
    assert listed["artifacts"][0]["workflow_run"]["head_sha"] == github.head_sha
    moved = client.get(f"/repos/{github.repo}/actions/artifacts/{number}/zip")
    assert moved.status_code == 302
    link = moved.headers["Location"]
    assert httpx.URL(link).host != httpx.URL(github.api_url).host
    assert client.get(link).status_code == 400
    archive = zipfile.ZipFile(io.BytesIO(httpx.get(link).content))
    assert archive.namelist() == ["evidence.json"]
    assert ["authorization" in each.headers for each in github.facade.artifacts.asked_store] == [True, False]


def test_an_expired_artifact_is_gone(github: Lab, client: httpx.Client) -> None:
    number = github.artifact(b"", expired=True)
    assert client.get(f"/repos/{github.repo}/actions/artifacts/{number}/zip").status_code == 410
    assert client.get(f"/repos/{github.repo}/actions/artifacts/{number}").json()["expired"] is True


def test_the_pulls_of_a_commit_say_from_which_fork_they_come(github: Lab, client: httpx.Client) -> None:
    """P17: head repository, branch and commit, to be compared with the event."""
    theirs = github.foreign_pull("patch-1")
    (found,) = client.get(f"/repos/{github.repo}/commits/{theirs.head_sha}/pulls").json()
    assert found["number"] == theirs.number
    assert (found["head"]["repo"]["id"], found["head"]["ref"]) == (theirs.head_repository_id, "patch-1")
    assert found["base"]["repo"]["id"] == github.repository_id
    (own,) = client.get(f"/repos/{github.repo}/commits/{github.head_sha}/pulls").json()
    assert own["number"] == github.pr
    assert client.get(f"/repos/{github.repo}/commits/{github.commit}/pulls").json() == []


def test_what_is_not_as_github_describes_it_is_noticed(github: Lab) -> None:
    """The contract bites in both directions: a request without its body, an answer without its id, an unknown path."""
    place = f"/repos/{github.repo}/issues/{github.pr}/comments"
    good = github.through_facade("POST", place, {"body": "hello"})
    assert (good.status_code, github.facade.violations) == (201, [])
    github.through_facade("POST", place, {"text": "hello"})
    assert "request" in github.facade.violations.pop()
    github.facade.fail(faults.on(faults.reading, answer(200, [{"id": 1}])))
    github.through_facade("GET", place)
    assert "'user' is a required property" in github.facade.violations.pop()
    github.facade.fail(faults.on(faults.reading, answer(418, {"message": "no"})))
    github.through_facade("GET", place)
    assert "418" in github.facade.violations.pop()
    github.through_facade("GET", f"/repos/{github.repo}/stargazers")
    assert "stargazers" in " ".join(github.facade.violations)
    github.facade.violations.clear()


def test_a_pull_request_is_an_issue_too_and_an_unknown_commit_is_unprocessable(github: Lab) -> None:
    repo = f"/repos/{github.repo}"
    assert github.through_facade("GET", f"{repo}/issues/{github.pr}").json()["pull_request"]
    assert "pull_request" not in github.through_facade("GET", f"{repo}/issues/{github.issue}").json()
    assert github.through_facade("GET", f"{repo}/commits/{'0' * 40}").status_code == 422


def test_others_comments_are_protected_by_rights(github: Lab) -> None:
    owners, strangers = github.comment("mine"), github.comment("theirs", token=OTHER_TOKEN)
    place = f"/repos/{github.repo}/issues/comments"
    for number, token, status in ((owners, OTHER_TOKEN, 403), (strangers, OTHER_TOKEN, 200), (strangers, TOKEN, 200)):
        reply = github.through_facade("PATCH", f"{place}/{number}", {"body": "changed"}, token=token)
        assert reply.status_code == status


def test_pages_are_thirty_by_default_and_a_hundred_at_most(github: Lab) -> None:
    for _ in range(137):
        github.comment("hello")
    place = f"/repos/{github.repo}/issues/{github.pr}/comments"
    sizes = [len(github.through_facade("GET", place + query).json()) for query in ("", "?per_page=999", "?page=5")]
    assert sizes == [30, 100, 17]
    link = github.through_facade("GET", f"{place}?per_page=100").headers["Link"]
    assert 'rel="next"' in link
    assert github.api_url in link
