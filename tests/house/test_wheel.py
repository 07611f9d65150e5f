"""The wheel: what is in it, and that the installed program finds its bundled files without a checkout."""

import json
import shutil
import site
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.places import RECORDS, ROOT

_DEMO = ("claude-code/subagents", "claude-code/multi-turn-tools", "codex/resume-model-switch", "codex/subagents")
_BUILT_FROM = ("observer", "publish", "templates", "prices", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what belongs in it, without asking an index."""
    base = tmp_path_factory.mktemp("wheel")
    project, out = base / "project", base / "out"
    project.mkdir()
    for name in _BUILT_FROM:
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, project / name, ignore=ignore) if source.is_dir() else shutil.copy(source, project)
    for name in _DEMO:
        shutil.copytree(RECORDS / name, project / "tests" / "fixtures" / "records" / name)
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("agent_observer-*-py3-none-any.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment with the wheel in it, its libraries borrowed from this one."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True)
    python = home / "bin" / "python"
    words = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder,) = (home / "lib").glob("python3*")
    borrowed = "\n".join({sysconfig.get_path("purelib"), *site.getsitepackages()}) + "\n"
    (folder / "site-packages" / "borrowed.pth").write_text(borrowed, encoding="utf-8")
    return python.parent


def test_the_wheel_holds_the_program_and_its_bundled_files(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        "observer/__main__.py",
        *(f"observer/_bundled/prices/{path.name}" for path in (ROOT / "prices").glob("*.toml")),
        *(f"observer/ledger/migrations/{path.name}" for path in (ROOT / "observer/ledger/migrations").glob("*.sql")),
        *(f"publish/_templates/{path.name}" for path in (ROOT / "templates").glob("*.j2")),
        *(f"observer/_bundled/demo/{name}" for name in _demo_files()),
    }
    assert wanted - names == set()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"observer", "publish"}
    assert not any("__pycache__" in name or "/tests/" in name for name in zipfile.ZipFile(wheel).namelist())


def test_the_installed_program_answers(installed: Path, tmp_path: Path) -> None:
    assert "0." in run(installed / "agent-observer", "--version", home=tmp_path)


def test_the_installed_program_reads_its_own_prices(installed: Path, tmp_path: Path) -> None:
    place = run(
        installed / "python", "-I", "-c", "from observer.base import data; print(data.bundled('prices'))", home=tmp_path
    )
    assert Path(place.strip()).is_relative_to(installed.parent.resolve())
    assert json.loads(run(installed / "agent-observer", "prices", "list", "--json", home=tmp_path))


def test_the_installed_program_shows_its_demo_and_the_comment(installed: Path, tmp_path: Path) -> None:
    shown = run(installed / "agent-observer", "demo", home=tmp_path)
    assert "agent-observer:comment" in shown


def run(*words: object, home: Path) -> str:
    done = subprocess.run(
        list(map(str, words)),
        cwd=home,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def _demo_files() -> list[str]:
    return [
        path.relative_to(RECORDS).as_posix() for name in _DEMO for path in (RECORDS / name).rglob("*") if path.is_file()
    ]
