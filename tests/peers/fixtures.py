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
from pathlib import Path
from typing import Any

import httpx
import pytest

from observer.base import clock
from observer.records.evidence import Evidence
from tests.builders.evidence import encode
from tests.command_line import Answer, Cli
from tests.peers.enterprise import Enterprise
from tests.peers.lab import OTHER_TOKEN, OWNER, PLAIN_TOKEN, STRANGER, TOKEN, Lab, ask, plant
from tests.peers.proxy import Account, Facade

FOLDER = Path(__file__).resolve().parent
_EMULATOR = FOLDER / "node_modules" / "emulate" / "dist" / "index.js"
_INSTALL = "npm ci --prefix tests/peers"
_START_TRIES = 200
_APPS = {"github-actions": (1, 11), "observer-app": (2, 22)}
_numbers = itertools.count(1)


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
            yield facade, setup, {slug: _app_token(setup, slug, pem) for slug in _APPS}
    finally:
        process.terminate()
        process.wait(timeout=20)
        facade.close()


@pytest.fixture
def github(_peer: tuple[Facade, httpx.Client, dict[str, str]]) -> Iterator[Lab]:
    """A fresh repository on the emulator, and a proxy without faults."""
    facade, setup, app_tokens = _peer
    facade.calm()
    facade.accounts = {
        TOKEN: Account(OWNER),
        PLAIN_TOKEN: Account(OWNER),
        OTHER_TOKEN: Account(STRANGER, rights="comment"),
    } | {token: Account(f"{slug}[bot]", "Bot") for slug, token in app_tokens.items()}
    yield plant(setup, facade, f"work-{next(_numbers)}", app_tokens)
    assert facade.violations == [], "not as GitHub describes its API"
    facade.calm()


@pytest.fixture(scope="session")
def _enterprise(
    _peer: tuple[Facade, httpx.Client, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Enterprise]:
    server = Enterprise(_peer[0], tmp_path_factory.mktemp("enterprise"))
    yield server
    server.close()


@pytest.fixture
def enterprise(_enterprise: Enterprise, github: Lab) -> Enterprise:
    """The lab's repository as an enterprise server shows it."""
    _enterprise.asked.clear()
    return _enterprise


class Post:
    """`agent-observer publish` as a process of its own, with evidence from a file, to the lab's pull request."""

    def __init__(self, cli: Cli, github: Lab, folder: Path) -> None:
        self._cli = cli
        self._github = github
        self._folder = folder

    def __call__(
        self, given: Evidence, *words: object, token: str = TOKEN, api_url: str | None = None, **variables: str
    ) -> Answer:
        """`words` may name another target; `variables` are added to the environment."""
        file = self._folder / f"{given.evidence_id}.json"
        file.write_bytes(encode(given))
        place = () if {"--pr", "--commit"} & set(words) else ("--pr", self._github.pr)
        repo = () if "--repo" in words else ("--repo", self._github.repo)
        server = {"GITHUB_API_URL": api_url or self._github.api_url, "GITHUB_TOKEN": token}
        return self._cli("publish", "--evidence", file, *repo, *place, "--json", *words, env=server | variables)


@pytest.fixture
def post(cli: Cli, github: Lab, tmp_path: Path) -> Post:
    """The publisher's command line."""
    return Post(cli, github, tmp_path)


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
                    "account": OWNER,
                    "repository_selection": "all",
                    "permissions": {"issues": "write", "pull_requests": "write", "contents": "write"},
                }
            ],
        }
        for slug, (app, installation) in _APPS.items()
    ]
    logins = {TOKEN: OWNER, PLAIN_TOKEN: OWNER, OTHER_TOKEN: STRANGER}
    return {
        "tokens": {token: {"login": login, "scopes": ["repo"]} for token, login in logins.items()},
        "github": {"users": [{"login": OWNER}, {"login": STRANGER}], "repos": [], "apps": apps},
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
    token: str = ask(setup, "POST", f"/app/installations/{installation}/access_tokens", token=signed)["token"]
    return token


def _wait_until_ready(setup: httpx.Client, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(_START_TRIES):
        if process.poll() is not None:
            pytest.fail(f"the emulator ended with {process.returncode}")
        try:
            ask(setup, "GET", "/user")
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
