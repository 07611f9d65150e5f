"""The target of a run in GitHub Actions, from the event that started it and nothing else.

Reads the few fields of an event that say where its work belongs, and asks the
server where the event does not say it. Never looks at evidence or artifacts:
whoever could write those would choose where the comment goes.
"""

import re
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from observer.base.errors import TargetRefused
from publish import target
from publish.result import Stop
from publish.target import Target

_SHA = re.compile(r"[0-9a-f]{40}")
_NOTHING = "0" * 40
_QUEUE = re.compile(r"refs/heads/gh-readonly-queue/(?P<base>.+)/pr-(?P<number>[1-9][0-9]{0,9})-[0-9a-f]{40}")


class Repository(Struct, frozen=True):
    """A repository as events name it."""

    id: int | None = None
    full_name: str | None = None


class Side(Struct, frozen=True):
    """One end of a pull request; the repository is null when it was deleted."""

    ref: str | None = None
    sha: str | None = None
    repo: Repository | None = None


class Pull(Struct, frozen=True):
    """A pull request, in an event or in an answer."""

    number: int
    state: str | None = None
    head: Side | None = None
    base: Side | None = None


class Run(Struct, frozen=True):
    """The run that a `workflow_run` event is about."""

    id: int
    head_sha: str = ""
    head_branch: str | None = None
    head_repository: Repository | None = None
    pull_requests: list[Pull] | None = None


class MergeGroup(Struct, frozen=True):
    """A group of the merge queue; its ref names the last pull request in it."""

    head_ref: str = ""


class Issue(Struct, frozen=True):
    """What was commented on; a pull request is one when `pull_request` is there."""

    number: int
    pull_request: dict[str, Any] | None = None


class Payload(Struct, frozen=True):
    """The fields of events that are read; everything else is ignored."""

    repository: Repository | None = None
    after: str | None = None
    pull_request: Pull | None = None
    issue: Issue | None = None
    merge_group: MergeGroup | None = None
    workflow_run: Run | None = None


class Event(Struct, frozen=True):
    """What started the run: the event's name, `owner/name`, the commit of the run, the payload."""

    name: str
    repo: str
    sha: str
    payload: Payload

    @property
    def run(self) -> Run | None:
        """The run that ended, for a `workflow_run` event."""
        return self.payload.workflow_run if self.name == "workflow_run" else None


class Pulls(Protocol):
    """What is asked of the server; each call may raise Stop."""

    def of_commit(self, sha: str) -> list[Pull]:
        """Pull requests that contain the commit."""

    def of_branch(self, owner: str, branch: str) -> list[Pull]:
        """Open pull requests from this branch of this owner."""

    def get(self, number: int) -> Pull | None:
        """One pull request; None when there is none of that number."""


def read(data: bytes, *, name: str, repo: str, sha: str) -> Event:
    """The event in the file that GITHUB_EVENT_PATH names. Stop (invalid_event) when it is none."""
    try:
        return Event(name, repo, sha, msgspec.json.decode(data, type=Payload))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Stop("refused", "invalid_event", f"the event file does not say what it must: {error}") from None


def resolve(event: Event, *, pr: str, commit: str, pulls: Pulls) -> Target:
    """Where to publish. `pr` and `commit` are the inputs as given, empty when not.

    An input holds for every event but `workflow_run`, where it must agree
    with what the event leads to. Stop: refused (invalid_target,
    target_mismatch, several_pull_requests), skipped (no_pull_request).
    """
    wished = _wished(event.repo, pr, commit)
    if event.run is not None:
        return _of_run(event, event.run, wished, pulls)
    if event.name == "workflow_run":
        raise Stop("refused", "invalid_event", "the event names no workflow run")
    return wished or _parsed(event.repo, pr=_number(event, pulls))


def _wished(repo: str, pr: str, commit: str) -> Target | None:
    if pr and commit:
        raise Stop("refused", "invalid_target", "the inputs `pr` and `commit` exclude each other")
    if not pr and not commit:
        return None
    return _parsed(repo, pr=pr or None, commit=commit or None)


def _parsed(repo: str, *, pr: str | int | None = None, commit: str | None = None) -> Target:
    try:
        return target.parse(repo, pr=pr, commit=commit)
    except TargetRefused as refused:
        raise Stop("refused", "invalid_target", refused.message) from refused


def _number(event: Event, pulls: Pulls) -> int:
    """The pull request that the event belongs to, when no input names one."""
    payload = event.payload
    if event.name.startswith("pull_request") and payload.pull_request is not None:
        return payload.pull_request.number
    if event.name == "issue_comment" and payload.issue is not None and payload.issue.pull_request is not None:
        return payload.issue.number
    if event.name == "merge_group" and payload.merge_group is not None:
        return _of_queue(payload.merge_group, pulls)
    if event.name == "push":
        return _of_push(event, pulls)
    raise _none(f"a {event.name} event names no pull request; the inputs `pr` and `commit` do")


def _of_push(event: Event, pulls: Pulls) -> int:
    sha = event.payload.after or event.sha
    if not _SHA.fullmatch(sha) or sha == _NOTHING:
        raise _none("the push left no commit behind")
    wanted = Wanted(base=_id(event.payload.repository), sha=sha)
    found = [each for each in pulls.of_commit(sha) if wanted.fits(each)]
    return _only(found, f"no open pull request has commit {sha} as its head")


def _of_queue(group: MergeGroup, pulls: Pulls) -> int:
    named = _QUEUE.fullmatch(group.head_ref)
    found = pulls.get(int(named["number"])) if named else None
    if named is None or found is None or found.base is None or found.base.ref != named["base"]:
        raise _none("the merge queue's ref leads to no pull request")
    return found.number


def _of_run(event: Event, run: Run, wished: Target | None, pulls: Pulls) -> Target:
    """The pull request whose head the run was about; an input may only repeat it."""
    if wished is not None and wished.commit is not None:
        if not _SHA.fullmatch(run.head_sha) or not run.head_sha.startswith(wished.commit):
            raise _mismatch(f"commit {wished.commit}", f"commit {run.head_sha}")
        return _parsed(event.repo, commit=run.head_sha)
    number = _number_of_run(event, run, pulls)
    if wished is not None and wished.pr != number:
        raise _mismatch(f"pull request {wished.pr}", f"pull request {number}")
    return _parsed(event.repo, pr=number)


def _number_of_run(event: Event, run: Run, pulls: Pulls) -> int:
    base, head = _id(event.payload.repository), run.head_repository or Repository()
    told = Wanted(base=base, repo=head.id, ref=run.head_branch)
    listed = [each for each in run.pull_requests or [] if told.fits(each)]
    if listed:
        return _only(listed, "")
    # Runs from forks come without their pull request, so the server is asked, and must prove every part of its answer.
    nothing = f"no open pull request has commit {run.head_sha or '?'} of {run.head_branch or '?'} as its head"
    if not _SHA.fullmatch(run.head_sha) or None in (base, head.id, run.head_branch):
        raise _none(nothing)
    wanted = Wanted(base=base, repo=head.id, ref=run.head_branch, sha=run.head_sha)
    found = [each for each in pulls.of_commit(run.head_sha) if wanted.proven(each)]
    if not found and head.full_name and run.head_branch:
        # The commit may be in the fork only, and then the base repository knows no pull request of it.
        owner = head.full_name.partition("/")[0]
        found = [each for each in pulls.of_branch(owner, run.head_branch) if wanted.proven(each)]
    return _only(found, nothing)


class Wanted(Struct, frozen=True):
    """What must be true of an open pull request: base repository id, head repository id, head ref, head sha."""

    base: int | None = None
    repo: int | None = None
    ref: str | None = None
    sha: str | None = None

    def fits(self, pull: Pull) -> bool:
        """Whether nothing that is known of it says otherwise."""
        pairs = zip(self._asked(), self._said(pull), strict=True)
        return pull.state in (None, "open") and all(None in pair or pair[0] == pair[1] for pair in pairs)

    def proven(self, pull: Pull) -> bool:
        """Whether all of it is said, and is so."""
        return pull.state == "open" and self._asked() == self._said(pull)

    def _asked(self) -> tuple[int | str | None, ...]:
        return self.base, self.repo, self.ref, self.sha

    def _said(self, pull: Pull) -> tuple[int | str | None, ...]:
        head, base = pull.head or Side(), pull.base or Side()
        return _id(base.repo), _id(head.repo), head.ref, head.sha


def _id(repository: Repository | None) -> int | None:
    return repository.id if repository is not None else None


def _only(found: list[Pull], nothing: str) -> int:
    numbers = sorted({each.number for each in found})
    if not numbers:
        raise _none(nothing)
    if len(numbers) > 1:
        listed = ", ".join(map(str, numbers))
        raise Stop("refused", "several_pull_requests", f"pull requests {listed} all fit; the input `pr` chooses one")
    return numbers[0]


def _none(message: str) -> Stop:
    return Stop("skipped", "no_pull_request", message)


def _mismatch(wished: str, trusted: str) -> Stop:
    return Stop("refused", "target_mismatch", f"the input names {wished}, the event leads to {trusted}")
