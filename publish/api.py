"""The door of this package: prepare a comment, then publish it.

`prepare` makes everything that a dry run shows and touches no network;
`publish` posts exactly that. Raises before anything is sent, and answers with
a Result from then on.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from observer.base.errors import PublishRefused, TargetRefused, UsageError
from observer.records import evidence as records
from observer.records.evidence import Evidence
from publish import comment, figures, posting, result
from publish import evidence as reading
from publish.figures import Subject
from publish.github import API_URL, GitHub, checked_url
from publish.ownership import Proposal
from publish.patience import DEFAULT_WAIT_S, Patience
from publish.result import Result, Stop
from publish.target import Target

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,99})")


class Prepared(Struct, frozen=True):
    """A comment that is ready: its target, its body, and what it was made from."""

    target: Target
    body: str
    subjects: tuple[Subject, ...]
    evidence: tuple[Evidence, ...]

    @property
    def summary(self) -> dict[str, Any]:
        """The figures in the comment, as JSON values, by subject."""
        return {"subjects": [msgspec.to_builtins(each) for each in self.subjects]}

    def document(self) -> dict[str, Any]:
        """What `publish --dry-run --json` prints."""
        return {
            "dry_run": True,
            "target": result.target(self.target),
            "summary": self.summary,
            "evidence": [reading.document(each) for each in self.evidence],
            "body": self.body,
        }


def prepare(evidence: Sequence[Evidence], target: Target) -> Prepared:
    """The comment for this evidence on this target; needs no network and no token.

    TargetRefused when evidence names another target; UsageError for no
    evidence, or for several pieces as long as a comment shows one subject.
    """
    if not evidence:
        raise UsageError("there is no evidence to publish", "agent-observer export --task ID")
    for each in evidence:
        _agrees(each.target, target)
    subjects = tuple(figures.of(each) for each in evidence)
    return Prepared(target, _body(target, subjects), subjects, tuple(evidence))


def publish(
    prepared: Prepared,
    *,
    token: str,
    api_url: str = API_URL,
    ca_file: str | None = None,
    app_slug: str | None = None,
    max_wait: float = DEFAULT_WAIT_S,
    only: bool = False,
    force: bool = False,
    announce: Callable[[str], None] = lambda _line: None,
) -> Result:
    """Posts a prepared comment: one owned comment per target, whatever happened before.

    `only` replaces the other subjects of the comment, `force` also a newer
    snapshot. `max_wait` seconds bound all waiting for rate limits together;
    each wait is announced. PublishRefused for an address, certificate file or
    app that cannot be.
    """
    checked_url(api_url)
    if ca_file is not None and not Path(ca_file).is_file():
        raise PublishRefused(f"no certificate file {ca_file!r}", "--ca-file FILE.pem")
    if app_slug is not None and not _SLUG.fullmatch(app_slug):
        raise PublishRefused(f"not the name of an app: {app_slug!r}", "it is the last part of the app's address")
    patience = Patience(max_wait=max_wait, announce=announce)
    with GitHub(prepared.target, token, api_url=api_url, ca_file=ca_file, app_slug=app_slug) as server:
        try:
            place = posting.locate(server, patience)
        except Stop as stop:
            return _stopped(prepared, stop)
        proposal = Proposal(place.target.key, _at(prepared, place.target), prepared.subjects, only=only, force=force)
        return posting.Publication(server, proposal, patience).run(place)


def _at(prepared: Prepared, located: Target) -> str:
    """The body for the target as the server knows it: the marker names commits in full."""
    if located.key == prepared.target.key:
        return prepared.body
    return _body(located, prepared.subjects)


def _body(target: Target, subjects: Sequence[Subject]) -> str:
    return comment.compose(target.key, subjects)


def _stopped(prepared: Prepared, stop: Stop) -> Result:
    return Result(
        result=stop.outcome,
        target=prepared.target,
        subjects=[each.subject_id for each in prepared.subjects],
        reason=stop.reason,
        message=stop.message,
    )


def _agrees(named: records.Target, target: Target) -> None:
    """Evidence never chooses the target, but what it says of it must be true."""
    other = None
    if named.repo is not None and named.repo.lower() != target.repo.lower():
        other = named.repo
    elif named.pr is not None and target.pr is not None and named.pr != target.pr:
        other = f"pull request {named.pr}"
    elif named.commit is not None and target.commit is not None and not _same_commit(named.commit, target.commit):
        other = f"commit {named.commit}"
    if other is not None:
        raise TargetRefused(f"target mismatch: the evidence is about {other}, not about {target}", "export it again")


def _same_commit(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
