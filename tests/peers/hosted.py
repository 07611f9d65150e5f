"""The `hosted` fixture: runners of GitHub Actions with our action checked out, its environment ready.

The environment borrows this interpreter's packages, so that nothing is
downloaded; that one is made for real is the launcher's test.
"""

import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.peers.actions import Machine
from tests.peers.lab import Lab
from tests.places import ROOT

_PARTS = ("action.yml", "bin", "observer", "prices", "publish", "requirements", "templates")


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The action as a runner has it: a copy of this checkout, in a folder with a space in its name."""
    root = tmp_path_factory.mktemp("action") / "agent observer"
    root.mkdir()
    for name in _PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root)
    environment = root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, capture_output=True)
    (packages,) = environment.glob("lib/python3*/site-packages")
    borrowed = "\n".join(sorted({str(root), sysconfig.get_path("purelib"), *site.getsitepackages()})) + "\n"
    (packages / "borrowed.pth").write_text(borrowed, encoding="utf-8")
    # What bin/environment goes by: the environment of exactly this list is there.
    shutil.copy(root / "requirements" / "run.txt", environment / "requirements.txt")
    return root


@pytest.fixture
def hosted(github: Lab, checkout: Path, tmp_path: Path) -> Callable[..., Machine]:
    """Makes runners: `hosted("push", {"after": …}).use(evidence="*.json")`."""
    made = []

    def machine(event_name: str = "pull_request", event: Any = None, **fields: Any) -> Machine:
        made.append(event_name)
        token = fields.pop("token", github.app_tokens["github-actions"])
        if event is None and event_name == "pull_request":
            event = {"pull_request": {"number": github.pr}}
        folder = tmp_path / f"runner {len(made)}"
        return Machine(folder, checkout, github, token, event_name, event or {}, **fields)

    return machine
