"""What the Action asks GitHub before it publishes: pull requests of a commit, artifacts of a run.

Reading only, through httpx: the download of an artifact leads to a second
host, which must never see the token, and no library for GitHub's objects does
that. Importing httpx takes a tenth of a second, so it waits for the first
question.
"""

import ssl
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from observer import __version__
from publish import answers
from publish.answers import Refused, Unreachable
from publish.artifact import Artifact
from publish.event import Pull
from publish.patience import Patience
from publish.result import Stop

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

_PAGE = 100
_MOST_PAGES = 10
_TIMEOUT_S = 30.0
_REDIRECTS = (301, 302, 303, 307, 308)
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_AGENT = f"agent-observer/{__version__}"


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
        self._at = f"{api_url}/repos/{repo}"
        self._token = token
        self._ca_file = ca_file
        self._patience = patience
        self._client: httpx.Client | None = None

    def __enter__(self) -> "Lookup":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()

    def of_commit(self, sha: str) -> list[Pull]:
        """Pull requests that contain the commit, open or not; none when the repository has no such commit."""
        return self._unless_missing(lambda: self._pages(f"/commits/{sha}/pulls", {}, _pulls), "pull-requests: read")

    def of_branch(self, owner: str, branch: str) -> list[Pull]:
        """Open pull requests from a branch of this owner, whichever repository of theirs it is in."""
        asked = {"state": "open", "head": f"{owner}:{branch}"}
        return self._unless_missing(lambda: self._pages("/pulls", asked, _pulls), "pull-requests: read")

    def get(self, number: int) -> Pull | None:
        """One pull request; None when there is none of that number."""
        found = self._unless_missing(lambda: [self._answer(f"/pulls/{number}", {}, _pull)], "pull-requests: read")
        return found[0] if found else None

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        """The artifacts of a run that have this name; none when there is no such run."""
        path = f"/actions/runs/{run}/artifacts"
        return self._unless_missing(lambda: self._pages(path, {"name": name}, _listed), "actions: read")

    def archive(self, artifact: int, limit: int) -> bytes:
        """The zip of an artifact, from the host that the API points to. Stop (bad_artifact) above `limit` bytes."""
        url = f"{self._at}/actions/artifacts/{artifact}/zip"
        return self._allowed(lambda: self._patience.repeatable(lambda: self._download(url, limit)), "actions: read")

    def _pages(self, path: str, asked: dict[str, str], read: Callable[[bytes], list[T]]) -> list[T]:
        found: list[T] = []
        for page in range(1, _MOST_PAGES + 1):
            listed = self._answer(path, {**asked, "per_page": str(_PAGE), "page": str(page)}, read)
            found += listed
            if len(listed) < _PAGE:
                return found
        raise Stop("failed", "unexpected_answer", f"GitHub lists more than {_MOST_PAGES * _PAGE} things of one name")

    def _answer(self, path: str, asked: dict[str, str], read: Callable[[bytes], T]) -> T:
        data = self._patience.repeatable(lambda: self._request(path, asked))
        try:
            return read(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Stop("failed", "unexpected_answer", "GitHub's answer has another form than expected") from error

    def _unless_missing(self, request: Callable[[], list[T]], permission: str) -> list[T]:
        def asked() -> list[T]:
            try:
                return request()
            except Refused as refused:
                # 422: a commit or an owner that the server has never seen; 409: an empty repository.
                if refused.status in (404, 409, 422):
                    return []
                raise

        return self._allowed(asked, permission)

    def _allowed(self, request: Callable[[], T], permission: str) -> T:
        """The answer, or the Stop that a refusal means; a refusal for lack of rights names the right."""
        try:
            return request()
        except Refused as refused:
            if refused.status == 403 and answers.limit(refused) is None:
                message = f"the token may not read what the target depends on; the job needs `{permission}`"
                raise Stop("failed", "forbidden", message) from refused
            raise answers.stop(refused) from refused

    def _request(self, path: str, asked: dict[str, str]) -> bytes:
        import httpx

        try:
            reply = self._connected().get(self._at + path, params=asked)
        except httpx.HTTPError as error:
            raise Unreachable(type(error).__name__) from error
        if reply.status_code != 200:
            raise _refused(reply)
        return reply.content

    def _download(self, url: str, limit: int) -> bytes:
        """Follows the one redirect by hand, so that no header of the first request goes along."""
        import httpx

        try:
            reply = self._connected().get(url)
            if reply.status_code == 410:
                raise Stop("failed", "artifact_expired", "the artifact has expired")
            if reply.status_code not in _REDIRECTS:
                raise _refused(reply)
            place = self._second(url, reply.headers.get("location", ""))
            with (
                httpx.Client(verify=self._trust(), timeout=_TIMEOUT_S, headers=_plain()) as other,
                other.stream("GET", place) as stream,
            ):
                return _capped(stream, limit)
        except httpx.HTTPError as error:
            raise Unreachable(type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise answers.redirected() from error

    def _second(self, url: str, location: str) -> str:
        """The address that a download leads to; Stop unless it is as safe as the API's own."""
        try:
            place = urljoin(url, location)
            parts, own = urlsplit(place), urlsplit(self._at)
            on_this_machine = parts.hostname in _LOOPBACK and own.hostname in _LOOPBACK
        except ValueError as error:
            raise answers.redirected() from error
        if parts.scheme == "https" or (parts.scheme == "http" and on_this_machine):
            return place
        raise Stop("failed", "insecure_download", "GitHub points to a download that is not encrypted")

    def _connected(self) -> "httpx.Client":
        if self._client is None:
            import httpx

            token = self._token()
            self._client = httpx.Client(
                verify=self._trust(),
                timeout=_TIMEOUT_S,
                headers={
                    "Accept": "application/vnd.github+json",
                    "Authorization": f"Bearer {token}",
                    "User-Agent": _AGENT,
                    "X-GitHub-Api-Version": "2022-11-28",
                },
            )
        return self._client

    def _trust(self) -> ssl.SSLContext:
        if self._ca_file is None:
            import httpx

            return httpx.create_ssl_context()
        try:
            return ssl.create_default_context(cafile=self._ca_file)
        except OSError as error:
            raise Stop("refused", "invalid_input", "`ca-file` holds no certificates") from error


def _pulls(data: bytes) -> list[Pull]:
    return msgspec.json.decode(data, type=list[Pull])


def _pull(data: bytes) -> Pull:
    return msgspec.json.decode(data, type=Pull)


def _listed(data: bytes) -> list[Artifact]:
    return msgspec.json.decode(data, type=_Artifacts).artifacts


def _plain() -> dict[str, str]:
    """What the second host hears of us; bytes as they are, so that the limit counts what arrives."""
    return {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": _AGENT}


def _capped(stream: "httpx.Response", limit: int) -> bytes:
    if stream.status_code >= 500:
        raise Refused(stream.status_code, "")
    if stream.status_code != 200:
        raise Stop("failed", "download_failed", f"the store of artifacts answered {stream.status_code}")
    data = bytearray()
    for piece in stream.iter_raw():
        data += piece
        if len(data) > limit:
            raise Stop("failed", "bad_artifact", f"the artifact has more than {limit} bytes")
    return bytes(data)


def _refused(reply: "httpx.Response") -> Refused:
    """The refusal in an answer; a redirect is one, because no question is asked twice elsewhere."""
    try:
        message = reply.json().get("message", "")
    except (ValueError, AttributeError):
        message = ""
    headers = {name.lower(): text for name, text in reply.headers.items()}
    return Refused(reply.status_code, str(message)[:500], headers=headers)
