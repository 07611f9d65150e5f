"""A reviewed dry run: posted as it was seen, or refused with the difference."""

import json
from typing import Any

import msgspec
import pytest

from observer.base.errors import EvidenceRefused, ReviewRefused, TargetRefused
from observer.records.evidence import Outcome
from publish import api, reviewed, target
from tests.builders.evidence import evidence, used

PREPARED = api.prepare(
    [evidence(used(input=1_000_000), outcome=Outcome("complete")), evidence(used(input=5), task="T-43")],
    target.parse("octocat/hello-world", pr=7),
)


def file(**changes: Any) -> bytes:
    """The file of a dry run, with other fields."""
    return json.dumps(PREPARED.document() | changes, indent=2).encode()


def test_the_file_of_a_dry_run_gives_the_same_comment() -> None:
    assert reviewed.read(file()) == msgspec.structs.replace(PREPARED, reviewed=True)


def test_another_text_is_refused_with_the_difference() -> None:
    """A3: whoever changes the text after the review does not get it posted."""
    with pytest.raises(ReviewRefused) as caught:
        reviewed.read(file(body=PREPARED.body.replace("Accepted", "Ac\x1bcepted")))
    assert "-### " not in caught.value.message
    assert "-| `T-42` | Ac?cepted" in caught.value.message
    assert "+| `T-42` | Accepted" in caught.value.message


@pytest.mark.parametrize(
    "body", [None, 5, "", [PREPARED.body], PREPARED.body + "\n", PREPARED.body.replace("\n", "\r\n")]
)
def test_not_a_byte_may_differ(body: object) -> None:
    with pytest.raises(ReviewRefused):
        reviewed.read(file(body=body))


def test_another_target_gives_another_text() -> None:
    """The marker names the target, so a file whose target was changed is refused."""
    with pytest.raises(ReviewRefused, match=r"target=pr:8"):
        reviewed.read(file(target={"repo": "octocat/hello-world", "pr": 8, "commit": None}))
    with pytest.raises(TargetRefused):
        reviewed.read(file(target={"repo": "octocat", "pr": 7}))


def test_a_summary_that_says_something_else_is_refused() -> None:
    with pytest.raises(ReviewRefused, match="summary"):
        reviewed.read(file(summary=PREPARED.summary | {"overlap_responses": 1}))


def test_evidence_that_was_changed_is_refused_by_field() -> None:
    """A1: the file is as untrusted as any evidence."""
    document = json.loads(file())
    document["evidence"][0]["usage"][0]["responses"] = 2
    with pytest.raises(EvidenceRefused, match="evidence_id"):
        reviewed.read(json.dumps(document).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", file(dry_run=False), file(evidence={}), file(evidence=[1]), file(target=[]), b"\xff",
     b'{"dry_run": true, "dry_run": true}', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_dry_run_is_refused(data: bytes) -> None:
    with pytest.raises(EvidenceRefused):
        reviewed.read(data)
