"""The door of this package: prepare a comment, then publish it.

`prepare` makes everything that a dry run shows and touches no network;
`publish` merges that into the comment that is there. Raises before anything
is sent, and answers with a Result from then on.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from observer.base.errors import PublishRefused, TargetRefused, UsageError
from observer.base.text import plural
from observer.records import evidence as records
from observer.records.evidence import Evidence
from publish import comment, extract, overlap, posting, result, totals
from publish import evidence as reading
from publish.addresses import API_URL, checked_url
from publish.figures import Subject
from publish.github import GitHub
from publish.patience import DEFAULT_WAIT_S, Patience
from publish.plan import Proposal
from publish.posting import Place
from publish.result import Result, Stop
from publish.target import Target

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,99})")


class Prepared(Struct, frozen=True):
    """A comment that is ready: its target, its body, and what it was made from.

    `overlap`: responses that stand in more than one of the given documents;
    `superseded`: documents that an equal or newer one of the same subject
    replaces. `reviewed`: the body is to be posted as it is, or not at all.
    """

    target: Target
    body: str
    subjects: tuple[Subject, ...]
    evidence: tuple[Evidence, ...]
    overlap: int = 0
    superseded: int = 0
    reviewed: bool = False

    @property
    def summary(self) -> dict[str, Any]:
        """The figures in the comment, as JSON values, by subject."""
        return {
            "subjects": [msgspec.to_builtins(each) for each in self.subjects],
            "overlap_responses": self.overlap,
            "superseded_documents": self.superseded,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the exports, each in one line."""
        found = []
        if self.overlap:
            found.append(f"in more than one export, and counted once: {plural(self.overlap, 'response')}")
        if self.superseded:
            text = "left out, because a newer one of the same subject is there"
            found.append(f"{text}: {plural(self.superseded, 'export')}")
        return tuple(found)

    @property
    def cost(self) -> tuple[Decimal, bool]:
        """The known cost of the tasks in USD, each response once, and whether it is all of it."""
        tasks = [each for each in self.subjects if each.kind == "task"]
        if not tasks:
            return Decimal(0), False
        priced = totals.of(tasks).priced
        return Decimal(priced.subtotal_usd), priced.total_usd is not None

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

    Of several snapshots of one subject the newest counts, and every response
    once. UsageError without any evidence, TargetRefused when evidence names
    another target, PublishRefused when the subjects do not fit into a comment.
    """
    if not evidence:
        raise UsageError("there is no evidence to publish", "agent-observer export --task ID")
    for each in evidence:
        _agrees(each.target, target)
    chosen = overlap.select(evidence)
    subjects = tuple(
        extract.subject(each, elsewhere=rows) for each, rows in zip(chosen.evidence, chosen.elsewhere, strict=True)
    )
    return Prepared(
        target,
        comment.compose(target.key, subjects),
        subjects,
        chosen.evidence,
        overlap=chosen.overlap,
        superseded=chosen.superseded,
    )


def publish(
    prepared: Prepared,
    *,
    token: str,
    api_url: str = API_URL,
    ca_file: str | None = None,
    app_slug: str | None = None,
    max_wait: float = DEFAULT_WAIT_S,
    settle: float = 0.0,
    only: bool = False,
    force: bool = False,
    announce: Callable[[str], None] = lambda _line: None,
) -> Result:
    """Publishes a prepared comment: one owned comment per target, whatever happened before.

    The comment's other subjects stay, unless `only` drops them; `force` also
    replaces newer snapshots. `max_wait` seconds bound all waiting for rate
    limits together; each wait is announced. After an update, waits `settle`
    seconds and looks whether another publisher has overwritten it.
    PublishRefused for an address, certificate file or app that cannot be.
    """
    checked_url(api_url)
    if ca_file is not None and not Path(ca_file).is_file():
        raise PublishRefused(f"no certificate file {ca_file!r}", "--ca-file FILE.pem")
    if app_slug is not None and not _SLUG.fullmatch(app_slug):
        raise PublishRefused(f"not the name of an app: {app_slug!r}", "it is the last part of the app's address")
    patience = Patience(max_wait=max_wait, announce=announce)
    with GitHub(prepared.target, token, api_url=api_url, ca_file=ca_file, app_slug=app_slug) as server:
        place = Place(prepared.target, checked=False)
        if prepared.target.commit is not None:
            # The marker names commits in full, which only the server knows.
            try:
                place = posting.locate(server, patience)
            except Stop as stop:
                return _stopped(prepared, stop)
        proposal = Proposal(
            place.target.key,
            prepared.subjects,
            only=only,
            force=force,
            reviewed=prepared.body if prepared.reviewed else None,
        )
        done = posting.Publication(server, proposal, patience, place=place, settle_s=settle).run()
        return msgspec.structs.replace(done, overlap_responses=prepared.overlap)


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
