"""GitHub Enterprise: its own certificate, /api/v3 and /api/graphql, and `gh` as an independent reader and writer."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.builders.evidence import evidence, used
from tests.peers.enterprise import Enterprise
from tests.peers.fixtures import Post
from tests.peers.lab import TOKEN, Lab

FIRST = evidence(used(input=1000, output=200))
SECOND = evidence(used(input=2000, output=300), cutoff="2026-09-24T11:00:00.000Z", snapshot="5c2d")
# Whatever goes anywhere but to this machine ends there.
NOWHERE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "localhost"}


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("who", ["person", "app"])
def test_an_enterprise_server_is_all_that_is_asked(
    github: Lab, enterprise: Enterprise, post: Post, slash: str, who: str
) -> None:
    """P24: every request below /api/v3 or to /api/graphql, and the link in the result is the server's own."""
    token = TOKEN if who == "person" else github.app_tokens["observer-app"]
    words = ("--ca-file", enterprise.ca_file)
    made = [post(each, *words, token=token, api_url=enterprise.api_url + slash, **NOWHERE) for each in (FIRST, SECOND)]
    assert [each.json["result"] for each in made] == ["created", "updated"]
    assert made[0].json["comment_url"].startswith(f"{enterprise.url}/{github.repo}/")
    assert "/api/graphql" in enterprise.asked
    assert all(each.startswith("/api/v3/repos/") or each == "/api/graphql" for each in enterprise.asked)
    assert len(github.comments()) == 1


def test_the_address_can_be_given_as_an_option_and_graphql_by_the_environment(
    github: Lab, enterprise: Enterprise, post: Post
) -> None:
    """P24: --api-url wins over GITHUB_API_URL; a GITHUB_GRAPHQL_URL of another server is none of ours."""
    words = ("--api-url", enterprise.api_url, "--ca-file", enterprise.ca_file)
    for given, word in ((FIRST, "created"), (SECOND, "updated")):
        made = post(given, *words, GITHUB_GRAPHQL_URL="https://api.github.com/graphql", **NOWHERE)
        assert made.json["result"] == word
    assert enterprise.asked.count("/api/graphql") == 1


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(enterprise: Enterprise, post: Post) -> None:
    """Failed by name, with the way out; no request passes, so no token does."""
    made = post(FIRST, api_url=enterprise.api_url, **NOWHERE)
    assert (made.code, made.json["result"], made.json["reason"]) == (1, "failed", "untrusted")
    assert "--ca-file" in made.json["message"]
    assert enterprise.asked == []


def test_the_named_authority_wins_over_that_of_the_environment(
    enterprise: Enterprise, post: Post, tmp_path: Path
) -> None:
    nobody = tmp_path / "nobody.pem"
    nobody.write_text("", encoding="utf-8")
    words = ("--ca-file", enterprise.ca_file)
    made = post(FIRST, *words, api_url=enterprise.api_url, REQUESTS_CA_BUNDLE=str(nobody), **NOWHERE)
    assert made.json["result"] == "created"
    bundled = post(SECOND, api_url=enterprise.api_url, REQUESTS_CA_BUNDLE=str(enterprise.ca_file), **NOWHERE)
    assert bundled.json["result"] == "updated"


@pytest.mark.parametrize("content", ["", "no certificate", None])
def test_a_file_that_holds_no_certificate_is_refused(
    enterprise: Enterprise, post: Post, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "odd.pem"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    made = post(FIRST, "--ca-file", file, api_url=enterprise.api_url, **NOWHERE)
    assert made.code == 2
    assert "--ca-file" in made.err
    assert "Traceback" not in made.err
    assert enterprise.asked == []


@pytest.mark.parametrize("url", ["http://ghes.example/api/v3", "ftp://localhost/", "https://u:p@localhost/api/v3"])
def test_an_address_that_would_give_the_token_away_is_refused(post: Post, url: str) -> None:
    """P24: https, or this machine."""
    made = post(FIRST, api_url=url, **NOWHERE)
    assert (made.code, made.out) == (2, "")
    assert "https://HOST/api/v3" in made.err


def test_the_servers_page_instead_of_its_api_is_recognised(enterprise: Enterprise, post: Post) -> None:
    """Somebody left /api/v3 out."""
    made = post(FIRST, "--ca-file", enterprise.ca_file, api_url=enterprise.url, **NOWHERE)
    assert (made.code, made.json["reason"]) == (1, "unexpected_answer")
    assert "--api-url https://HOST/api/v3" in made.json["message"]


class Tool:
    """GitHub's own command line tool, logged in to the enterprise server."""

    def __init__(self, enterprise: Enterprise, home: Path) -> None:
        self._enterprise = enterprise
        self._home = home

    def __call__(self, *words: str, given: object = None) -> Any:
        """`gh api …`, with a JSON body if there is one; its answer as JSON."""
        body = ("--input", "-") if given is not None else ()
        done = subprocess.run(
            ["gh", "api", *words, *body],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self._home),
                "GH_HOST": self._enterprise.host,
                "GH_ENTERPRISE_TOKEN": TOKEN,
                "SSL_CERT_FILE": str(self._enterprise.ca_file),
                "GH_NO_UPDATE_NOTIFIER": "1",
            },
            input=json.dumps(given) if given is not None else "",
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def gh(enterprise: Enterprise, tmp_path: Path) -> Tool:
    """The tool; without it these tests are skipped, in CI they fail. On macOS it reads no certificate file."""
    if sys.platform != "linux":
        pytest.skip("gh takes a certificate from a file on Linux only")
    if shutil.which("gh") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no gh (apt-get install gh)")
        pytest.skip("no gh (apt-get install gh)")
    return Tool(enterprise, tmp_path)


def escaped(body: str) -> str:
    """In gh 2.23 the six characters of an escaped dash come out as a backslash and a dash; the server has all six."""
    return body.replace("\\-", "\\u002d")


def test_what_we_post_another_program_reads_back(github: Lab, enterprise: Enterprise, post: Post, gh: Tool) -> None:
    """The very bytes of the dry run."""
    words = ("--ca-file", enterprise.ca_file)
    made = post(FIRST, *words, api_url=enterprise.api_url, **NOWHERE).json
    found = gh(f"repos/{github.repo}/issues/comments/{made['comment_id']}")
    assert escaped(found["body"]) == post(FIRST, "--dry-run").json["body"]
    assert found["html_url"] == made["comment_url"]
    (listed,) = gh("--paginate", f"repos/{github.repo}/issues/{github.pr}/comments")
    assert listed["id"] == made["comment_id"]


def test_what_another_program_planted_in_our_name_is_ours(
    github: Lab, enterprise: Enterprise, post: Post, gh: Tool
) -> None:
    """The same account, another program: found and updated, not doubled."""
    body = post(FIRST, "--dry-run").json["body"]
    planted = gh(f"repos/{github.repo}/issues/{github.pr}/comments", given={"body": body})
    words = ("--ca-file", enterprise.ca_file)
    again = post(FIRST, *words, api_url=enterprise.api_url, **NOWHERE).json
    assert (again["result"], again["comment_id"]) == ("unchanged", planted["id"])
    newer = post(SECOND, *words, api_url=enterprise.api_url, **NOWHERE).json
    assert (newer["result"], newer["comment_id"]) == ("updated", planted["id"])
    (listed,) = gh(f"repos/{github.repo}/issues/{github.pr}/comments")
    assert escaped(listed["body"]) == github.comments()[0]["body"] != body


def test_a_comment_on_a_commit_is_read_back_too(github: Lab, enterprise: Enterprise, post: Post, gh: Tool) -> None:
    words = ("--commit", github.commit[:10], "--ca-file", enterprise.ca_file)
    made = post(FIRST, *words, api_url=enterprise.api_url, **NOWHERE).json
    (listed,) = gh(f"repos/{github.repo}/commits/{github.commit}/comments")
    assert (listed["id"], listed["html_url"]) == (made["comment_id"], made["comment_url"])
