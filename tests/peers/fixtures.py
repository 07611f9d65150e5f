"""The `github` fixture: a repository of its own per test, on an emulator that all tests share.

The emulator is started once, on loopback, behind tests.peers.proxy. Without
Node or without the installed package the tests are skipped, except in CI,
where that is a failure.
"""

import itertools
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from observer.base import clock
from tests.peers.proxy import Facade

FOLDER = Path(__file__).resolve().parent
_EMULATOR = FOLDER / "node_modules" / "emulate" / "dist" / "index.js"
_INSTALL = "npm ci --prefix tests/peers"
_START_TRIES = 200
_OWNER = "octocat"
# Two personal tokens that look like what they are, one that does not.
TOKEN = "_".join(("ghp", "octocat"))
OTHER_TOKEN = "_".join(("ghp", "mallory"))
PLAIN_TOKEN = "octocat-by-another-name"
_APPS = {"github-actions": (1, 11), "observer-app": (2, 22)}
_numbers = itertools.count(1)


@dataclass
class Lab:
    """One repository with a pull request, an issue and a commit, and ways to look at it from outside."""

    facade: Facade
    setup: httpx.Client
    name: str
    pr: int
    issue: int
    commit: str
    token: str = TOKEN
    app_tokens: dict[str, str] = field(default_factory=dict)

    @property
    def repo(self) -> str:
        """`owner/name`."""
        return f"{_OWNER}/{self.name}"

    @property
    def api_url(self) -> str:
        """What the publisher is told."""
        return self.facade.url

    @property
    def writes(self) -> list[str]:
        """The requests so far that change something."""
        return [each for each in self.facade.log if not each.startswith("GET ")]

    def comments(self, *, commit: bool = False) -> list[dict[str, Any]]:
        """All comments, as the server has them now."""
        found: list[dict[str, Any]] = []
        for page in itertools.count(1):
            listed = self._setup("GET", f"{self._place(commit)}?per_page=100&page={page}")
            found += listed
            if len(listed) < 100:
                return found
        raise AssertionError("unreachable")

    def comment(self, body: str, *, token: str = TOKEN, commit: bool = False) -> int:
        """A comment by somebody, behind the publisher's back; its id."""
        number: int = self._setup("POST", self._place(commit), token=token, body=body)["id"]
        return number

    def lock(self) -> None:
        """Closes the conversation."""
        self.facade.locked.add(self._place(commit=False))

    def _place(self, commit: bool) -> str:
        kind = f"commits/{self.commit}" if commit else f"issues/{self.pr}"
        return f"/repos/{self.repo}/{kind}/comments"

    def _setup(self, method: str, path: str, *, token: str = TOKEN, **fields: Any) -> Any:
        return _ask(self.setup, method, path, token=token, **fields)


@pytest.fixture(scope="session")
def _peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Facade, httpx.Client, dict[str, str]]]:
    """The emulator and the proxy, ready, with a token for each app."""
    node = shutil.which("node")
    if node is None or not _EMULATOR.is_file():
        missing = "no node" if node is None else f"no emulator (install it with: {_INSTALL})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("github")
    facade, port = Facade(), _free_port()
    facade.upstream = f"http://127.0.0.1:{port}"
    pem = _private_key()
    seed = folder / "seed.json"
    seed.write_text(json.dumps(_seed(pem)), encoding="utf-8")
    words = [node, str(_EMULATOR), "start", "--service", "github", "--port", str(port)]
    process = subprocess.Popen(
        [*words, "--base-url", facade.url, "--seed", str(seed)],
        env=os.environ | {"NODE_OPTIONS": f"--require {FOLDER / 'bind-loopback.cjs'}"},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with httpx.Client(base_url=facade.upstream, timeout=30) as setup:
            _wait_until_ready(setup, process)
            facade.tokens = dict.fromkeys((TOKEN, PLAIN_TOKEN), _OWNER) | {OTHER_TOKEN: "mallory"}
            app_tokens = {slug: _app_token(setup, slug, pem) for slug in _APPS}
            facade.app_tokens = set(app_tokens.values())
            yield facade, setup, app_tokens
    finally:
        process.terminate()
        process.wait(timeout=20)
        facade.close()


@pytest.fixture
def github(_peer: tuple[Facade, httpx.Client, dict[str, str]]) -> Iterator[Lab]:
    """A fresh repository on the emulator, and a proxy without faults."""
    facade, setup, app_tokens = _peer
    facade.calm()
    name = f"work-{next(_numbers)}"
    _ask(setup, "POST", "/user/repos", name=name, auto_init=True)
    repo = f"/repos/{_OWNER}/{name}"
    commit = _ask(setup, "GET", f"{repo}/git/ref/heads/main")["object"]["sha"]
    _ask(setup, "POST", f"{repo}/git/refs", ref="refs/heads/topic", sha=commit)
    _ask(setup, "PUT", f"{repo}/contents/file.txt", message="work", content="eA==", branch="topic")
    pull = _ask(setup, "POST", f"{repo}/pulls", title="work", head="topic", base="main")["number"]
    issue = _ask(setup, "POST", f"{repo}/issues", title="question")["number"]
    yield Lab(facade, setup, name, pull, issue, commit, app_tokens=app_tokens)
    facade.calm()


def _seed(pem: str) -> dict[str, Any]:
    apps = [
        {
            "app_id": app,
            "slug": slug,
            "name": slug,
            "private_key": pem,
            "installations": [
                {
                    "installation_id": installation,
                    "account": _OWNER,
                    "repository_selection": "all",
                    "permissions": {"issues": "write", "pull_requests": "write", "contents": "write"},
                }
            ],
        }
        for slug, (app, installation) in _APPS.items()
    ]
    logins = {TOKEN: _OWNER, PLAIN_TOKEN: _OWNER, OTHER_TOKEN: "mallory"}
    return {
        "tokens": {token: {"login": login, "scopes": ["repo"]} for token, login in logins.items()},
        "github": {"users": [{"login": _OWNER}, {"login": "mallory"}], "repos": [], "apps": apps},
    }


def _private_key() -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form).decode()


def _app_token(setup: httpx.Client, slug: str, pem: str) -> str:
    import jwt

    app, installation = _APPS[slug]
    now = clock.now_ms() // clock.MS
    signed = jwt.encode({"iat": now - 60, "exp": now + 540, "iss": str(app)}, pem, algorithm="RS256")
    token: str = _ask(setup, "POST", f"/app/installations/{installation}/access_tokens", token=signed)["token"]
    return token


def _ask(setup: httpx.Client, method: str, path: str, *, token: str = TOKEN, **fields: Any) -> Any:
    reply = setup.request(method, path, json=fields or None, headers={"Authorization": f"Bearer {token}"})
    reply.raise_for_status()
    return reply.json() if reply.content else None


def _wait_until_ready(setup: httpx.Client, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(_START_TRIES):
        if process.poll() is not None:
            pytest.fail(f"the emulator ended with {process.returncode}")
        try:
            _ask(setup, "GET", "/user")
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the emulator did not become ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
