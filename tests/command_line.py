"""The real command line as a subprocess, on a machine of its own.

Each `Cli` has a private HOME and a private ledger and sees none of the
developer's variables, so that a test never reads anybody's own records.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.places import ROOT

# Variables of the developer's shell that would change where records are looked for.
_FOREIGN = (
    "AGENT_OBSERVER_", "CLAUDE", "CODEX", "DURABLE_RUNNER_", "FORCE_COLOR", "GH_", "GITHUB_", "GROK_", "NO_COLOR",
    "OPENCODE", "PYTHON", "XDG_",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What one call said: exit code, both streams as text."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; fails with both streams when there is none."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"no JSON (exit {self.code}): {self.out[:400]!r} / {self.err[:2000]}") from error


@dataclass
class Cli:
    """One machine: calls follow each other on the same HOME and ledger."""

    home: Path
    ledger: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __call__(self, *words: object, env: Mapping[str, str] | None = None, given: str | None = None) -> Answer:
        """Runs one command to its end and returns what it said, whatever the exit code."""
        done = subprocess.run(
            [sys.executable, "-P", "-W", "error", "-m", "observer", *map(str, words)],
            env=self.environment() | dict(env or {}),
            cwd=self.home,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def environment(self) -> dict[str, str]:
        """The variables a call sees: the machine's own, without anything that points to real records."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        own = {
            "HOME": str(self.home),
            "AGENT_OBSERVER_DB": str(self.ledger),
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "TZ": "UTC",
        }
        return kept | own | self.variables

    def lay(self, folder: Path) -> None:
        """Makes HOME hold exactly what `folder` holds (a record set, a case's `home` or a step's)."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(folder, self.home, symlinks=True)


def machine(base: Path) -> Cli:
    """A fresh machine below `base`, an empty folder."""
    home = base / "home"
    home.mkdir()
    return Cli(home, base / "ledger" / "observer.db")
