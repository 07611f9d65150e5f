"""Lab: one repository on the emulator, and ways to look at it and to act on it behind the publisher's back."""

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from tests.peers.artifacts import Artifact, zipped
from tests.peers.exchange import Request
from tests.peers.proxy import Facade

OWNER = "octocat"
STRANGER = "mallory"
# Two personal tokens that look like what they are, one that does not.
TOKEN = "_".join(("ghp", OWNER))
OTHER_TOKEN = "_".join(("ghp", STRANGER))
PLAIN_TOKEN = "octocat-by-another-name"


@dataclass(frozen=True)
class ForeignPull:
    """A pull request from somebody's fork."""

    number: int
    head_sha: str
    head_branch: str
    head_repository_id: int


@dataclass
class Lab:
    """One repository with a pull request, an issue and a commit."""

    facade: Facade
    setup: httpx.Client
    name: str
    repository_id: int
    pr: int
    issue: int
    commit: str
    head_sha: str
    token: str = TOKEN
    app_tokens: dict[str, str] = field(default_factory=dict)

    @property
    def repo(self) -> str:
        """`owner/name`."""
        return f"{OWNER}/{self.name}"

    @property
    def api_url(self) -> str:
        """What the publisher is told."""
        return self.facade.url

    @property
    def writes(self) -> list[str]:
        """The requests so far that change something."""
        return [each for each in self.facade.log if not each.startswith("GET ") and not each.endswith("/graphql")]

    def comments(self, *, commit: bool = False) -> list[dict[str, Any]]:
        """All comments, as the server has them now."""
        found: list[dict[str, Any]] = []
        for page in itertools.count(1):
            listed = self.facade.forward(
                Request("GET", f"{self._place(commit)}?per_page=100&page={page}", self.token)
            ).value
            found += listed
            if len(listed) < 100:
                return found
        raise AssertionError("unreachable")

    def comment(self, body: str, *, token: str = TOKEN, commit: bool = False) -> int:
        """A comment by somebody; its id."""
        number: int = self.ask("POST", self._place(commit), token=token, body=body)["id"]
        return number

    def lock(self) -> None:
        """Closes the conversation."""
        self.facade.locked.add(self._place(commit=False))

    def restrict(self, token: str, rights: Any) -> None:
        """From now on the token may do no more than that."""
        self.facade.accounts[token] = replace(self.facade.accounts[token], rights=rights)

    def artifact(self, files: dict[str, bytes] | bytes, *, run: int = 9, name: str = "evidence", **fields: Any) -> int:
        """An artifact of a workflow run (its files, or the bytes of its archive); its id.

        It is of this repository's own topic branch unless `fields` (of Artifact) say otherwise.
        """
        archive = files if isinstance(files, bytes) else zipped(files)
        given = {
            "head_sha": self.head_sha,
            "head_branch": "topic",
            "repository_id": self.repository_id,
            "head_repository_id": self.repository_id,
        } | fields
        return self.facade.artifacts.keep(Artifact(self.repo, run, name, archive, **given))

    def foreign_pull(self, branch: str = "patch-1") -> ForeignPull:
        """A pull request from a stranger's fork."""
        fork = self.ask("POST", f"/repos/{self.repo}/forks", token=OTHER_TOKEN, name=self.name)
        theirs = f"/repos/{fork['full_name']}"
        # A fork of the emulator begins with a commit of its own.
        start = self.ask("GET", f"{theirs}/git/ref/heads/main", token=OTHER_TOKEN)["object"]["sha"]
        self.ask("POST", f"{theirs}/git/refs", token=OTHER_TOKEN, ref=f"refs/heads/{branch}", sha=start)
        fields = {"message": "work", "content": "eA==", "branch": branch}
        self.ask("PUT", f"{theirs}/contents/{branch}.txt", token=OTHER_TOKEN, **fields)
        head = f"{STRANGER}:{branch}"
        pull = self.ask("POST", f"/repos/{self.repo}/pulls", title=branch, head=head, base="main")
        return ForeignPull(pull["number"], pull["head"]["sha"], branch, fork["id"])

    def ask(self, method: str, path: str, *, token: str = TOKEN, **fields: Any) -> Any:
        """A request to the emulator itself, past the facade."""
        return ask(self.setup, method, path, token=token, **fields)

    def through_facade(self, method: str, path: str, fields: object = None, *, token: str = TOKEN) -> httpx.Response:
        """A request as a publisher would make it."""
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.request(method, self.facade.url + path, json=fields, headers=headers, timeout=30)

    def _place(self, commit: bool) -> str:
        kind = f"commits/{self.commit}" if commit else f"issues/{self.pr}"
        return f"/repos/{self.repo}/{kind}/comments"


def ask(setup: httpx.Client, method: str, path: str, *, token: str = TOKEN, **fields: Any) -> Any:
    """A request to the emulator itself; its JSON."""
    reply = setup.request(method, path, json=fields or None, headers={"Authorization": f"Bearer {token}"})
    reply.raise_for_status()
    return reply.json() if reply.content else None


def plant(setup: httpx.Client, facade: Facade, name: str, app_tokens: dict[str, str]) -> Lab:
    """A fresh repository with a pull request, an issue and a commit."""
    made = ask(setup, "POST", "/user/repos", name=name, auto_init=True)
    repo = f"/repos/{OWNER}/{name}"
    commit = ask(setup, "GET", f"{repo}/git/ref/heads/main")["object"]["sha"]
    ask(setup, "POST", f"{repo}/git/refs", ref="refs/heads/topic", sha=commit)
    ask(setup, "PUT", f"{repo}/contents/file.txt", message="work", content="eA==", branch="topic")
    pull = ask(setup, "POST", f"{repo}/pulls", title="work", head="topic", base="main")
    issue = ask(setup, "POST", f"{repo}/issues", title="question")["number"]
    head_sha = pull["head"]["sha"]
    return Lab(facade, setup, name, made["id"], pull["number"], issue, commit, head_sha, app_tokens=app_tokens)
