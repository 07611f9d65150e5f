"""The target of a publication: one pull request or one commit of one repository.

Validates before any network; never takes anything from evidence.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from observer.base.errors import TargetRefused

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_COMMIT = re.compile(r"[0-9a-f]{6,40}")
_LARGEST_NUMBER = 2**31 - 1


class Target(Struct, frozen=True):
    """Exactly one of `pr` and `commit` is set; `commit` is lower-case hex, 6 to 40 digits."""

    owner: str
    name: str
    pr: int | None = None
    commit: str | None = None

    @property
    def repo(self) -> str:
        """`owner/name`."""
        return f"{self.owner}/{self.name}"

    @property
    def key(self) -> str:
        """What the marker calls the target: `pr:7` or `commit:<hex>`."""
        return f"pr:{self.pr}" if self.pr is not None else f"commit:{self.commit}"

    def in_repo(self, repo: str) -> "Target":
        """The same target under the name that its repository has now; TargetRefused if that is no name."""
        owner, name = _repository(repo)
        return replace(self, owner=owner, name=name)

    def __str__(self) -> str:
        return f"{self.repo}#{self.pr}" if self.pr is not None else f"{self.repo}@{self.commit}"


def parse(repo: object, *, pr: object = None, commit: object = None) -> Target:
    """The target of a call; numbers may come as text.

    Raises TargetRefused for anything that is not one repository with either a
    pull request or a commit.
    """
    owner, name = _repository(repo)
    if (pr is None) == (commit is None):
        raise TargetRefused("name exactly one of a pull request and a commit", "--pr NUMBER or --commit SHA")
    if pr is not None:
        return Target(owner, name, pr=_pull_request(pr))
    return Target(owner, name, commit=_commit(commit))


def _repository(repo: object) -> tuple[str, str]:
    parts = repo.split("/") if isinstance(repo, str) else []
    if len(parts) == 2 and _OWNER.fullmatch(parts[0]) and _NAME.fullmatch(parts[1]) and parts[1] not in (".", ".."):
        return parts[0], parts[1]
    raise TargetRefused(f"not a repository: {repo!r}", "--repo OWNER/NAME")


def _pull_request(pr: object) -> int:
    # True is an integer to Python and no number to anybody else.
    text = str(pr) if isinstance(pr, int | str) and not isinstance(pr, bool) else ""
    if _NUMBER.fullmatch(text) and int(text) <= _LARGEST_NUMBER:
        return int(text)
    raise TargetRefused(f"not a pull request number: {pr!r}", "--pr NUMBER, a positive integer")


def _commit(commit: object) -> str:
    text = commit.lower() if isinstance(commit, str) else ""
    if _COMMIT.fullmatch(text):
        return text
    raise TargetRefused(f"not a commit: {commit!r}", "--commit SHA, 6 to 40 hexadecimal digits")
