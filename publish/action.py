"""The Action: from the event and the evidence of a run to one owned comment, told in the job summary.

Puts the other modules in order: inputs, target, evidence, comment, post,
report. The target is known before a byte of evidence is read, and the report
is written whatever happens.
"""

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import msgspec

from observer.base.errors import REFUSED, EvidenceRefused, ObserverError, TargetRefused
from observer.records.evidence import Evidence
from publish import api, artifact, budget, event, evidence, report, token, wishes
from publish.artifact import MOST_DOCUMENTS, Document
from publish.event import Event
from publish.lookup import Lookup
from publish.patience import Patience
from publish.report import Report
from publish.result import Result, Stop
from publish.runner import Runner
from publish.target import Target
from publish.wishes import Wishes

_FAULT = "a fault of Agent Observer itself: the log of this step has its traceback"


def main(variables: Mapping[str, str] | None = None, out: TextIO | None = None) -> int:
    """One run of the Action in the environment of a step; 0 as it should be, 1 failed, 2 refused."""
    runner = Runner(variables, out)
    told = Report("failed", "internal", _FAULT)
    try:
        told = Run(runner).report()
    finally:
        report.tell(told, runner, summary=wishes.wants_summary(runner))
    return told.exit_code


class Run:
    """One run; what is known so far stands in the report that a stop turns into the last one."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._so_far = Report("failed")
        self._patience = Patience()

    def report(self) -> Report:
        """Does it all, and says how it ended."""
        try:
            return self._publish(wishes.read(self._runner))
        except Stop as stop:
            return self._ended(result=stop.outcome, reason=stop.reason, message=stop.message)
        except ObserverError as error:
            refused = error.exit_code == REFUSED
            reason = error.slug.replace("-", "_")
            return self._ended(result="refused" if refused else "failed", reason=reason, message=error.message)

    def _publish(self, wished: Wishes) -> Report:
        self._patience = Patience(max_wait=wished.max_wait, announce=self._runner.say)
        started = self._event()
        with Lookup(
            started.repo,
            lambda: self._token(wished),
            api_url=wished.api_url,
            ca_file=wished.ca_file,
            patience=self._patience,
        ) as lookup:
            chosen = event.resolve(started, pr=wished.pr, commit=wished.commit, pulls=lookup)
            self._ended(target=chosen)
            documents = self._documents(wished, started, lookup)
        prepared = _prepared([_read(each) for each in documents], chosen)
        self._ended(**_known(prepared, wished))
        if wished.dry_run:
            return self._ended(result="skipped", reason="dry_run", message="a dry run posts nothing")
        posted = api.publish(
            prepared,
            token=self._token(wished),
            api_url=wished.api_url,
            ca_file=wished.ca_file,
            app_slug=wished.app_slug,
            max_wait=self._patience.left,
            settle=wished.settle,
            only=wished.only,
            announce=self._runner.say,
        )
        return self._ended(**self._posted(posted))

    def _ended(self, **known: object) -> Report:
        self._so_far = msgspec.structs.replace(self._so_far, **known)
        return self._so_far

    def _posted(self, posted: Result) -> dict[str, object]:
        """The result; the comment's text as it stands, which may show more than was published now."""
        return {
            "result": posted.result,
            "reason": posted.reason,
            "message": posted.message,
            "target": posted.target,
            "comment_id": posted.comment_id,
            "comment_url": posted.comment_url,
            "body": self._so_far.body if posted.body is None else posted.body,
            "notes": (*self._so_far.notes, *posted.notes),
        }

    def _event(self) -> Event:
        path = self._runner.file("GITHUB_EVENT_PATH")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Stop("refused", "invalid_event", f"the event file cannot be read: {error.strerror}") from error
        name, repo, sha = (self._runner.variable(f"GITHUB_{each}") for each in ("EVENT_NAME", "REPOSITORY", "SHA"))
        return event.read(data, name=name, repo=repo, sha=sha)

    def _token(self, wished: Wishes) -> str:
        """The input and nothing else: a token that lies about on the runner is not ours to use."""
        given = self._runner.input("github-token")
        if not given:
            raise Stop("refused", "no_token", "the input `github-token` is empty")
        return token.find(api_url=wished.api_url, variables={"GITHUB_TOKEN": given})

    def _documents(self, wished: Wishes, started: Event, lookup: Lookup) -> list[Document]:
        if wished.evidence:
            return _files(wished.evidence, self._runner.file("GITHUB_WORKSPACE"))
        return artifact.fetch(lookup, name=wished.artifact_name, run_id=self._run_id(wished, started), run=started.run)

    def _run_id(self, wished: Wishes, started: Event) -> int:
        """The run whose artifact is read: the event's, else the one that is asked for, else this one."""
        if started.run is not None:
            if wished.run_id not in (None, started.run.id):
                message = f"`run-id` is {wished.run_id}, the event is about run {started.run.id}"
                raise Stop("refused", "run_mismatch", message)
            return started.run.id
        own = self._runner.variable("GITHUB_RUN_ID")
        if wished.run_id is None and not own.isdecimal():
            raise Stop("refused", "no_runner", "GITHUB_RUN_ID is not set: this runs in GitHub Actions only")
        return wished.run_id or int(own)


def _files(patterns: tuple[str, ...], workspace: Path) -> list[Document]:
    """The files that paths and patterns lead to, below the workspace unless they are absolute."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        named = workspace / pattern
        matches = [named] if named.is_file() else sorted(map(Path, glob.glob(str(named), recursive=True)))
        files = [each for each in matches if each.is_file()]
        if not files:
            raise Stop("refused", "no_evidence", f"no file is called {pattern!r}")
        found.update(dict.fromkeys(files))
    if len(found) > MOST_DOCUMENTS:
        raise Stop("refused", "too_much_evidence", f"{len(found)} files, {MOST_DOCUMENTS} at most are read")
    return [_file(each) for each in found]


def _file(path: Path) -> Document:
    try:
        with path.open("rb") as opened:
            return Document(path.name, opened.read(evidence.LARGEST + 1))
    except OSError as error:
        raise Stop("refused", "no_evidence", f"{path.name} cannot be read: {error.strerror}") from error


def _read(document: Document) -> Evidence:
    try:
        return evidence.read(document.data)
    except EvidenceRefused as refused:
        raise EvidenceRefused(f"{document.name}: {refused.message}", refused.hint) from refused


def _prepared(given: list[Evidence], chosen: Target) -> api.Prepared:
    try:
        return api.prepare(given, chosen)
    except TargetRefused as refused:
        raise Stop("refused", "target_mismatch", refused.message) from refused


def _known(prepared: api.Prepared, wished: Wishes) -> dict[str, object]:
    """What is known once the comment is ready: its text, what it was made from, what that costs."""
    found = budget.estimate(prepared)
    return {
        "body": prepared.body,
        "evidence_ids": tuple(each.evidence_id for each in prepared.evidence),
        "estimate": found,
        "budget": wished.budget,
        "over_budget": budget.verdict(found, wished.budget),
        "fails_over_budget": wished.fails_over_budget,
        "notes": prepared.notes,
    }
