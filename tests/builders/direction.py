"""Project Direction blocks in both forms, and repositories whose tags are releases of the agent instructions."""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BEGIN = "<<<AGENTSMD_PROJECT_DIRECTION_V1>>>"
NONCE = "n0nce-7f"
HEAD = "a" * 40
# Before every session of the tests.
RELEASED = "2026-01-02T03:04:05+00:00"
TARGET = "/srv/agents/AGENTS.md"


def sha256(text: str) -> str:
    """The hex digest of the text's UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def payload(digest: str | None = "c" * 64, **changed: Any) -> dict[str, Any]:
    """The object of a block; `digest` is that of the instructions."""
    return {
        "status": "ready",
        "repository_root": "/srv/kit",
        "git": {"head": {"sha": HEAD}},
        "files": [{"name": "DIRECTION.md", "sha256": "d" * 64, "content": "# Where to go"}],
        "instructions": {"target_sha256": digest, "resolved_target": TARGET, "status": "ok"},
        "preferences": {"sha256": "e" * 64, "status": "ready", "content": "prefers tabs"},
        **changed,
    }


def block(said: Mapping[str, Any] | str | None = None) -> str:
    """The older form; a text stands in for the object as it is."""
    body = said if isinstance(said, str) else json.dumps(payload() if said is None else said)
    return f"{BEGIN}\n{body}\n<<<END_AGENTSMD_PROJECT_DIRECTION_V1>>>\n"


def sections(said: Mapping[str, Any] | None = None, content: str = "# Where to go\n", nonce: str = NONCE) -> str:
    """The newer form: a header, one section of `content`, and an end that carries the nonce."""
    header = json.dumps({**(payload() if said is None else said), "sections": nonce})
    return (
        f"{BEGIN}\n{header}\n<<<SECTION {nonce} DIRECTION.md>>>\n{content}\n"
        f"<<<END_AGENTSMD_PROJECT_DIRECTION_V1 {nonce}>>>\n"
    )


class Repository:
    """A repository of the agent instructions below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        folder.mkdir(parents=True)
        self._git("init", "--quiet")

    def release(self, tag: str, files: Mapping[str, str | bytes], *, annotated: bool = False) -> "Repository":
        """Commits exactly these files and tags them."""
        self._git("rm", "-r", "-q", "--cached", "--ignore-unmatch", ".")
        for name, content in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes(content.encode() if isinstance(content, str) else content)
            self._git("add", "--", name)
        self._git("commit", "--quiet", "--allow-empty", "-m", tag)
        self._git("tag", *(("-a", "-m", tag) if annotated else ()), tag)
        return self

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
        dated = os.environ | {"GIT_COMMITTER_DATE": RELEASED}
        subprocess.run(["git", "-C", str(self.path), *who, *words], env=dated, check=True, capture_output=True)
