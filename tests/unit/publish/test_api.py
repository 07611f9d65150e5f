"""The door: what is prepared, what is refused before anything is sent, and what is loaded when."""

import json
import subprocess
import sys

import pytest

from observer.base.errors import PublishRefused, TargetRefused, UsageError
from observer.pricing import bundle
from observer.records.evidence import Outcome, Target
from publish import addresses, api, cells, extract, marker, target
from publish import evidence as reading
from publish.api import Prepared
from tests.builders.evidence import evidence, used
from tests.places import ROOT

GIVEN = evidence(used(input=1_000_000), outcome=Outcome("complete"))
PR = target.parse("octocat/hello-world", pr=7)


def test_a_dry_run_shows_target_summary_evidence_and_body() -> None:
    """E232: everything that would be posted, and no call for it."""
    document = api.prepare([GIVEN], PR).document()
    assert document.keys() == {"dry_run", "target", "summary", "evidence", "body"}
    assert document["target"] == {"repo": "octocat/hello-world", "pr": 7, "commit": None}
    assert document["evidence"][0]["evidence_id"] == GIVEN.evidence_id
    (subject,) = document["summary"]["subjects"]
    assert subject["figures"]["priced"]["total_usd"] == "4"
    assert reading.read(json.dumps(document["evidence"][0]).encode()) == GIVEN


def test_the_body_names_its_target() -> None:
    for chosen in (PR, target.parse("o/r", commit="3f9d2c")):
        found = marker.find(api.prepare([GIVEN], chosen).body)
        assert found is not None
        assert found.target == chosen.key


@pytest.mark.parametrize("named", [Target("other/repo"), Target(pr=8), Target("octocat/hello-world", 8)])
def test_evidence_about_another_target_is_refused(named: Target) -> None:
    """P19: the evidence never chooses the target, and a contradiction is posted nowhere."""
    with pytest.raises(TargetRefused, match="target mismatch"):
        api.prepare([evidence(used(input=1), target=named)], PR)


@pytest.mark.parametrize("named", [Target(), Target("Octocat/Hello-World", 7), Target(pr=7), Target(commit="abcdef0")])
def test_evidence_about_this_target_or_none_is_accepted(named: Target) -> None:
    assert api.prepare([evidence(used(input=1), target=named)], PR).target == PR


def test_commits_agree_when_one_is_the_beginning_of_the_other() -> None:
    full = evidence(used(input=1), target=Target(commit="3f9d2c1a" * 5))
    assert api.prepare([full], target.parse("o/r", commit="3f9d2c1")).body
    with pytest.raises(TargetRefused):
        api.prepare([full], target.parse("o/r", commit="4f9d2c1"))


def test_no_evidence_is_refused() -> None:
    with pytest.raises(UsageError):
        api.prepare([], PR)


@pytest.mark.parametrize(
    "url",
    ["http://ghes.example/api/v3", "ftp://h/", "https://", "api.github.com", "", "https://user@h/api", "https://h/?x=1",
     "http://127.0.0.1.evil.example/", "https://[", "https://h/#x"],
)  # fmt: skip
def test_an_address_that_would_give_the_token_away_is_refused(url: str) -> None:
    """P24: http only to this machine."""
    with pytest.raises(PublishRefused, match="not a safe API address"):
        api.publish(api.prepare([GIVEN], PR), token="t", api_url=url)


@pytest.mark.parametrize(
    ("url", "used_as"),
    [
        ("https://ghes.example/api/v3/", "https://ghes.example/api/v3"),
        ("https://ghes.example/api/v3", "https://ghes.example/api/v3"),
        ("http://127.0.0.1:4101", "http://127.0.0.1:4101"),
        ("http://[::1]:4101/", "http://[::1]:4101"),
        ("http://localhost:4101", "http://localhost:4101"),
    ],
)
def test_enterprise_and_loopback_addresses_are_taken_as_they_are(url: str, used_as: str) -> None:
    """P24: with or without a slash at the end."""
    assert addresses.checked_url(url) == used_as


@pytest.mark.parametrize("slug", ["", "App Name", "app[bot]", "../x", "A"])
def test_what_is_no_app_is_refused(slug: str) -> None:
    with pytest.raises(PublishRefused, match="not the name of an app"):
        api.publish(api.prepare([GIVEN], PR), token="t", app_slug=slug)


def test_a_certificate_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(PublishRefused, match="no certificate file"):
        api.publish(api.prepare([GIVEN], PR), token="t", ca_file="nowhere.pem")


def test_every_source_of_the_bundled_prices_can_be_linked() -> None:
    """A6: the reader can check every rate."""
    for prices in bundle.load(None).models.values():
        if prices.source_url is not None:
            assert str(cells.Source(prices.source_url)).startswith("[")


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    """Neither a template engine for the options nor a GitHub library for a dry run."""
    script = """
import sys
from publish import api, target, token
assert not {"jinja2", "github", "requests", "httpx"} & set(sys.modules)
from tests.builders.evidence import evidence, used
api.prepare([evidence(used(input=1))], target.parse("o/r", pr=7))
assert not {"github", "requests", "httpx"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_prepared_says_of_which_snapshot_it_is() -> None:
    """P40: the body names snapshot and candidate."""
    given = evidence(used(input=1), outcome=Outcome("complete", candidate="3f9d2c1a0b3f9d2c"))
    prepared: Prepared = api.prepare([given], PR)
    assert f"Snapshot `{given.snapshot_id[:12]}` · candidate `3f9d2c1a0b3f`" in prepared.body
    assert prepared.subjects == (extract.subject(given),)
