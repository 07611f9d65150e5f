"""`bin/action`: what is told when not even the environment can be set up, and where a Python is looked for.

Tried on a small checkout whose environment is there; how one is made is the
launcher's test. In its place stands a program that notes how it was called.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT

_SET_UP = """
import json, os, pathlib, sys
root = pathlib.Path(__file__).parent.parent
seen = {"words": sys.argv[1:], "python": sys.executable, "env": dict(os.environ)}
(root / "called.json").write_text(json.dumps(seen))
sys.exit("no package index" if "BROKEN" in os.environ else 0)
"""
_MAIN = (
    "import os, sys\nsys.stdout.write(f\"{sys.argv[1:]} {os.environ['INPUT_GITHUB_TOKEN']} {sys.flags.isolated}\")\n"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment without any package."""
    folder = tmp_path_factory.mktemp("environment") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def checkout(environment: Path, tmp_path: Path) -> Path:
    """A checkout of the same shape, in a folder with spaces, whose program tells how it was called."""
    root = tmp_path / "the action"
    shutil.copytree(ROOT / "bin", root / "bin")
    (root / "bin" / "environment.py").write_text(_SET_UP, encoding="utf-8")
    shutil.copytree(environment, root / ".venv", symlinks=True)
    (packages,) = root.glob(".venv/lib/python3*/site-packages")
    (packages / "here.pth").write_text(f"{root}\n", encoding="utf-8")
    (root / "publish").mkdir()
    (root / "publish" / "__main__.py").write_text(_MAIN, encoding="utf-8")
    return root


def called(checkout: Path) -> dict[str, Any]:
    """How the environment's set-up was called."""
    found: dict[str, Any] = json.loads((checkout / "called.json").read_text(encoding="utf-8"))
    return found


def step(checkout: Path, **variables: str) -> tuple[subprocess.CompletedProcess[str], str, str]:
    """One step: how it ended, the outputs, the summary."""
    output, summary = checkout / "output", checkout / "summary"
    output.touch()
    summary.touch()
    own = {
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "INPUT_GITHUB_TOKEN": "token",
        "INPUT_JOB_SUMMARY": "true",
        "RUNNER_OS": "Linux",
    }
    kept = {name: text for name, text in os.environ.items() if name not in {"PYTHON", "RUNNER_TOOL_CACHE"}}
    done = subprocess.run(
        [checkout / "bin" / "action"],
        env=kept | own | variables,
        cwd=checkout.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done, output.read_text("utf-8"), summary.read_text("utf-8")


def test_it_sets_up_and_starts_the_publisher_apart_from_everything(checkout: Path) -> None:
    done, output, summary = step(checkout)
    assert (done.returncode, done.stdout, done.stderr, output, summary) == (0, "[] token 1", "", "", "")
    assert called(checkout)["words"] == [".venv", "requirements/run.txt"]


def test_the_token_is_not_there_while_packages_are_fetched(checkout: Path) -> None:
    step(checkout)
    seen = called(checkout)["env"]
    assert "INPUT_JOB_SUMMARY" in seen
    assert "token" not in seen.values()


@pytest.mark.parametrize(
    ("variables", "words"), [({"RUNNER_OS": "Windows"}, "Linux and macOS"), ({"BROKEN": "1"}, "Python 3.11 or newer")]
)
def test_what_keeps_it_from_starting_is_told_everywhere(checkout: Path, variables: dict[str, str], words: str) -> None:
    """The job summary is always written, and the outputs say failed."""
    done, output, summary = step(checkout, **variables)
    assert done.returncode == 1
    assert output.splitlines() == ["result=failed", "reason=set_up"]
    assert summary.startswith("### Agent Observer: failed(set_up)\n")
    assert words in summary
    assert done.stdout.startswith("::error title=Agent Observer::failed(set_up): ")
    assert step(checkout, INPUT_JOB_SUMMARY="false", **variables)[2] == summary


def test_the_runners_own_tool_cache_has_a_python(checkout: Path, tmp_path: Path) -> None:
    """An old image's python3 is too old, and newer ones lie beside it that are not on the PATH."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")
    cache = tmp_path / "tool cache" / "Python"
    for version, python in (("3.10.9", "/nonexistent"), ("3.12.1", sys.executable)):
        folder = cache / version / "x64" / "bin"
        folder.mkdir(parents=True)
        (folder / "python3").symlink_to(python)
    assert step(checkout, PATH=str(tools))[0].returncode == 1
    done, _, _ = step(checkout, PATH=str(tools), RUNNER_TOOL_CACHE=str(cache.parent))
    assert done.returncode == 0, done.stderr
    assert called(checkout)["python"].startswith(str(cache / "3.12.1"))
