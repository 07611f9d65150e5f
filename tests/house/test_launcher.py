"""`bin/agent-observer`: sets itself up once, then stays out of the way.

Tried on a small checkout of the same shape whose requirements are empty, so
that nothing is downloaded.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.places import ROOT

_MAIN = """
import json, os, sys
def main():
    sys.stdout.write(json.dumps({"words": sys.argv[1:], "cwd": os.getcwd(), "file": __file__}))
    return 3
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in a folder with spaces, with a command line that tells how it was called."""
    root = tmp_path_factory.mktemp("launcher") / "a check out"
    shutil.copytree(ROOT / "bin", root / "bin")
    (root / "requirements").mkdir()
    (root / "requirements" / "run.txt").write_text("# nothing\n", encoding="utf-8")
    (root / "observer" / "cli").mkdir(parents=True)
    shutil.copy(ROOT / "observer" / "__main__.py", root / "observer")
    (root / "observer" / "cli" / "main.py").write_text(_MAIN, encoding="utf-8")
    return root


def call(command: Path, *words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON"} | env
    return subprocess.run(
        [command, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_concurrent_first_calls_all_answer(checkout: Path) -> None:
    command = checkout / "bin" / "agent-observer"
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda word: call(command, word, cwd=checkout), "abc"))
    assert [answer.returncode for answer in answers] == [3, 3, 3], answers
    said = "".join(answer.stderr for answer in answers)
    assert said.count("setting up .venv") == 1
    assert said.count(".venv is ready") == 1


@pytest.mark.usefixtures("_ready")
def test_a_ready_checkout_says_nothing_of_its_own(checkout: Path, tmp_path: Path) -> None:
    answer = call(checkout / "bin" / "agent-observer", "usage", "--by", "a b", cwd=tmp_path)
    assert answer.stderr == ""
    assert answer.returncode == 3
    assert f'"words": ["usage", "--by", "a b"], "cwd": "{tmp_path.resolve()}"' in answer.stdout


@pytest.mark.usefixtures("_ready")
def test_it_works_through_links_and_without_a_folder_in_its_name(checkout: Path, tmp_path: Path) -> None:
    absolute, relative = tmp_path / "absolute", tmp_path / "relative"
    absolute.symlink_to(checkout / "bin" / "agent-observer")
    relative.symlink_to(os.path.relpath(checkout / "bin" / "agent-observer", tmp_path))
    chained = tmp_path / "chained"
    chained.symlink_to("relative")
    for link in (absolute, relative, chained):
        assert call(link, cwd=tmp_path).returncode == 3
    plain = subprocess.run(["sh", "agent-observer"], cwd=checkout / "bin", capture_output=True, check=False)
    assert plain.returncode == 3


@pytest.mark.usefixtures("_ready")
def test_neither_the_current_folder_nor_pythonpath_can_take_its_place(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "observer").mkdir()
    (tmp_path / "observer" / "__main__.py").write_text("raise SystemExit(99)\n", encoding="utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit(98)\n", encoding="utf-8")
    answer = call(checkout / "bin" / "agent-observer", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert answer.returncode == 3, answer


@pytest.mark.usefixtures("_ready")
def test_changed_requirements_are_noticed_whatever_the_clock_says(checkout: Path) -> None:
    locked = checkout / "requirements" / "run.txt"
    before = locked.stat()
    locked.write_text("# another\n", encoding="utf-8")
    os.utime(locked, ns=(before.st_atime_ns, before.st_mtime_ns))
    command = checkout / "bin" / "agent-observer"
    assert "setting up .venv" in call(command, cwd=checkout).stderr
    assert call(command, cwd=checkout).stderr == ""


@pytest.mark.usefixtures("_ready")
def test_a_checkout_may_be_moved(checkout: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(checkout, moved, symlinks=True)
    answer = call(moved / "bin" / "agent-observer", cwd=tmp_path)
    assert (answer.returncode, answer.stderr) == (3, "")
    assert str(moved.resolve()) in answer.stdout


def test_without_a_fitting_python_it_says_what_to_install(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cmp", "readlink"):
        (tools / name).symlink_to(shutil.which(name) or "")
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    fresh = tmp_path / "fresh"
    shutil.copytree(checkout, fresh, ignore=shutil.ignore_patterns(".venv"))
    answer = call(fresh / "bin" / "agent-observer", cwd=tmp_path, PATH=str(tools))
    assert answer.returncode == 1
    assert "needs Python 3.11 or newer" in answer.stderr
    assert "apt install" in answer.stderr


def test_a_failed_set_up_is_not_taken_for_a_finished_one(checkout: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(checkout, broken, ignore=shutil.ignore_patterns(".venv"))
    (broken / "requirements" / "run.txt").write_text("no-such-thing==1.0\n", encoding="utf-8")
    for _ in range(2):
        answer = call(broken / "bin" / "agent-observer", cwd=tmp_path, PIP_NO_INDEX="1", UV_OFFLINE="1")
        assert answer.returncode == 1
        assert "could not be installed" in answer.stderr
        assert answer.stdout == ""


@pytest.fixture
def _ready(checkout: Path) -> None:
    assert call(checkout / "bin" / "agent-observer", cwd=checkout).returncode == 3


@pytest.mark.parametrize(("words", "code"), [(("-d", "/"), 0), (("-d", "/no such folder"), 1), (("1", "-gt", "2"), 1)])
def test_on_the_path_of_a_plugin_host_test_is_still_test(tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    done = subprocess.run([ROOT / "bin" / "test", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
