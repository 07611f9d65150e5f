"""What the Action asks GitHub before it publishes: pull requests of a commit, artifacts of a run.

Reading only. Answers in the types of publish.event and publish.artifact, and
ends in Stop when GitHub does not answer; decides nothing.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlencode

from msgspec import Struct

from publish import answers, download
from publish.answers import Refused
from publish.artifact import Artifact
from publish.event import Pull
from publish.patience import Patience
from publish.result import Stop
from publish.wire import Wire

T = TypeVar("T")
Found = TypeVar("Found")

_PAGE = 100
_MOST_PAGES = 10
# 422: a commit or an owner that the server has never seen; 409: an empty repository.
_MISSING = (404, 409, 422)
_READ_PULLS, _READ_ACTIONS = "pull-requests: read", "actions: read"


class _Artifacts(Struct, frozen=True):
    artifacts: list[Artifact]


class Lookup:
    """Questions about one repository: the Pulls of publish.event and the Store of publish.artifact.

    Every method may raise Stop. Use as a context manager: it holds
    connections once something was asked. `token` is called at the first
    question and may refuse.
    """

    def __init__(
        self, repo: str, token: Callable[[], str], *, api_url: str, ca_file: str | None, patience: Patience
    ) -> None:
        self._repo = repo
        self._token = token
        self._api_url = api_url
        self._ca_file = ca_file
        self._patience = patience
        self._wire: Wire | None = None

    def __enter__(self) -> "Lookup":
        return self

    def __exit__(self, *_: object) -> None:
        if self._wire is not None:
            self._wire.close()

    def of_commit(self, sha: str) -> list[Pull]:
        """Pull requests that contain the commit, open or not; none when the repository has no such commit."""
        return self._asked(lambda: self._pages(f"/commits/{sha}/pulls", {}, list[Pull], list), _READ_PULLS)

    def of_branch(self, owner: str, branch: str) -> list[Pull]:
        """Open pull requests from a branch of this owner, whichever repository of theirs it is in."""
        asked = {"state": "open", "head": f"{owner}:{branch}"}
        return self._asked(lambda: self._pages("/pulls", asked, list[Pull], list), _READ_PULLS)

    def get(self, number: int) -> Pull | None:
        """One pull request; None when there is none of that number."""
        found = self._asked(lambda: [self._answer(f"/pulls/{number}", Pull)], _READ_PULLS)
        return found[0] if found else None

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        """The artifacts of a run that have this name; none when there is no such run."""
        path = f"/actions/runs/{run}/artifacts"
        return self._asked(
            lambda: self._pages(path, {"name": name}, _Artifacts, lambda page: page.artifacts), _READ_ACTIONS
        )

    def archive(self, artifact: int, limit: int) -> bytes:
        """The zip of an artifact. Stop (bad_artifact) above `limit` bytes."""
        url = f"{self._api_url}/repos/{self._repo}/actions/artifacts/{artifact}/zip"

        def fetch() -> bytes:
            return download.archive(url, token=self._token(), ca_file=self._ca_file, limit=limit)

        return self._allowed(lambda: self._patience.repeatable(fetch), _READ_ACTIONS)

    def _pages(
        self, path: str, asked: Mapping[str, str], into: type[T], listed: Callable[[T], list[Found]]
    ) -> list[Found]:
        found: list[Found] = []
        for page in range(1, _MOST_PAGES + 1):
            query = urlencode({**asked, "per_page": str(_PAGE), "page": str(page)})
            more = listed(self._answer(f"{path}?{query}", into))
            found += more
            if len(more) < _PAGE:
                return found
        raise Stop("failed", "unexpected_answer", f"GitHub lists more than {_MOST_PAGES * _PAGE} things of one name")

    def _answer(self, path: str, into: type[T]) -> T:
        return self._patience.repeatable(lambda: self._connected().ask("GET", f"/repos/{self._repo}{path}", into))

    def _asked(self, request: Callable[[], list[T]], permission: str) -> list[T]:
        """The list, empty when what was asked about does not exist."""

        def unless_missing() -> list[T]:
            try:
                return request()
            except Refused as refused:
                if refused.status in _MISSING:
                    return []
                raise

        return self._allowed(unless_missing, permission)

    def _allowed(self, request: Callable[[], T], permission: str) -> T:
        """The answer, or the Stop that a refusal means; a refusal for lack of rights names the right."""
        try:
            return request()
        except Refused as refused:
            if refused.status == 403 and answers.limit(refused) is None:
                message = f"the token may not read what the target depends on; the job needs `{permission}`"
                raise Stop("failed", "forbidden", message) from refused
            raise answers.stop(refused) from refused

    def _connected(self) -> Wire:
        if self._wire is None:
            self._wire = Wire(self._token(), api_url=self._api_url, ca_file=self._ca_file)
        return self._wire
