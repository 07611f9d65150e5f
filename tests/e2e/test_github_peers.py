"""What the stand-in for GitHub itself must get right: the tests of the publisher and of the Action lean on it."""

import io
import zipfile
from collections.abc import Iterator

import httpx
import pytest

from tests.peers.lab import Lab


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
