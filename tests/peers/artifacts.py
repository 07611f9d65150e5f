"""What a workflow run left behind: the list of its artifacts, and their bytes on a second host.

As on GitHub the download is a redirect to a store that is reached without the
token: a request that brings one along is refused there, and noted. Links hold
for a minute.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from observer.base import clock
from tests.peers.exchange import Answer, Request, answer, said
from tests.peers.listener import Listener

_RUN = re.compile(r"/repos/([^/]+/[^/]+)/actions/runs/([0-9]+)/artifacts")
_ONE = re.compile(r"/repos/([^/]+/[^/]+)/actions/artifacts/([0-9]+)(/zip)?")
_LINK_MS = 60_000
_LIFE = timedelta(days=90)


@dataclass(frozen=True)
class Artifact:
    """One archive of one run, and the commit that the run was about."""

    repo: str
    run: int
    name: str
    archive: bytes
    head_sha: str
    head_branch: str
    repository_id: int
    head_repository_id: int
    expired: bool = False
    digest: str | None = None

    def document(self, number: int, url: str) -> dict[str, object]:
        """Its JSON form, as GitHub's description has it; `url` is the repository's."""
        made = clock.now_ms()
        return {
            "id": number,
            "node_id": f"A_{number}",
            "name": self.name,
            "size_in_bytes": len(self.archive),
            "url": f"{url}/actions/artifacts/{number}",
            "archive_download_url": f"{url}/actions/artifacts/{number}/zip",
            "expired": self.expired,
            "digest": self.digest or f"sha256:{hashlib.sha256(self.archive).hexdigest()}",
            "created_at": clock.iso(made),
            "updated_at": clock.iso(made),
            "expires_at": clock.iso(made + int(_LIFE.total_seconds() * clock.MS)),
            "workflow_run": {
                "id": self.run,
                "repository_id": self.repository_id,
                "head_repository_id": self.head_repository_id,
                "head_branch": self.head_branch,
                "head_sha": self.head_sha,
            },
        }


class Artifacts:
    """All artifacts of all repositories. `asked_store` holds the requests that reached the second host."""

    def __init__(self) -> None:
        self.asked_store: list[Request] = []
        self._kept: dict[int, Artifact] = {}
        self._links: dict[str, tuple[int, int]] = {}
        self._next = 1
        self._store = Listener(self._hand_out)

    def close(self) -> None:
        """Stops the second host."""
        self._store.close()

    def calm(self) -> None:
        """Forgets who asked the second host; artifacts stay, their repository is of one test only."""
        self.asked_store.clear()

    def keep(self, artifact: Artifact) -> int:
        """Adds one; its id."""
        number, self._next = self._next, self._next + 1
        self._kept[number] = artifact
        return number

    def respond(self, request: Request, url: str) -> Answer | None:
        """The answer to a request about artifacts; None for any other. `url` is the API's address."""
        if found := _RUN.fullmatch(request.place):
            return self._list(found[1], int(found[2]), request.query, url)
        if found := _ONE.fullmatch(request.place):
            return self._one(found[1], int(found[2]), zipped=found[3] is not None, url=url)
        return None

    def _list(self, repo: str, run: int, query: Mapping[str, str], url: str) -> Answer:
        at = f"{url}/repos/{repo}"
        found = [
            each.document(number, at)
            for number, each in sorted(self._kept.items(), reverse=True)
            if (each.repo, each.run) == (repo, run) and query.get("name", each.name) == each.name
        ]
        size = min(100, int(query.get("per_page", 30)))
        first = size * (int(query.get("page", 1)) - 1)
        return answer(200, {"total_count": len(found), "artifacts": found[first : first + size]})

    def _one(self, repo: str, number: int, *, zipped: bool, url: str) -> Answer:
        kept = self._kept.get(number)
        if kept is None or kept.repo != repo:
            return said(404, "Not Found")
        if not zipped:
            return answer(200, kept.document(number, f"{url}/repos/{repo}"))
        if kept.expired:
            return said(410, "Artifact has expired")
        signature = hashlib.sha256(f"{number}:{len(self._links)}".encode()).hexdigest()
        self._links[signature] = number, clock.now_ms() + _LINK_MS
        return Answer(302, headers={"Location": f"http://localhost:{self._store.port}/store/{number}?sig={signature}"})

    def _hand_out(self, request: Request) -> Answer:
        self.asked_store.append(request)
        number, until = self._links.get(request.query.get("sig", ""), (0, 0))
        if "authorization" in request.headers:
            return Answer(400, b"<Error><Code>InvalidAuthenticationInfo</Code></Error>")
        if clock.now_ms() > until:
            return Answer(403, b"<Error><Code>AuthenticationFailed</Code></Error>")
        return Answer(200, self._kept[number].archive, {"Content-Type": "application/zip"})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive with these members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
