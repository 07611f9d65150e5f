"""What a command loads: the modules, not the milliseconds, so that no slow machine fails the test."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests import command_line
from tests.places import RECORDS

# Runs the command line inside a fresh interpreter and tells which modules that brought in.
_PROBE = """
import sys
present = set(sys.modules)
from observer.cli.main import main
try:
    main()
except SystemExit:
    pass
import json, os
os.write(int(os.environ["LOADED_TO"]), json.dumps(sorted(set(sys.modules) - present)).encode())
"""
_RECORDS = {"msgspec", "typing_extensions"}  # msgspec takes typing_extensions along where it is installed
_HEAVY = {"httpx", "github", "jinja2", "rich", "requests", "urllib3", "tomli_w", "psutil", "shtab"}
_QUESTIONS = (
    ("usage",),
    ("usage", "--by", "day", "--json"),
    ("sessions", "list", "--json"),
    ("responses", "list", "--json"),
    ("task", "list", "--json"),
    ("faults", "list", "--json"),
    ("trace", "--json"),
    ("trace", "--capabilities", "--json"),
    ("config", "show", "--json"),
)


def loaded(cli: command_line.Cli, *words: str) -> set[str]:
    """Modules that the command brought in beyond a bare interpreter."""
    reading, writing = os.pipe()
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROBE, *words],
        env=cli.environment() | {"LOADED_TO": str(writing)},
        cwd=cli.home,
        capture_output=True,
        pass_fds=[writing],
        check=False,
    )
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        text = told.read()
    assert text, done.stderr.decode()
    return set(json.loads(text))


def foreign(modules: set[str]) -> set[str]:
    """The top-level packages among them that are neither ours nor Python's own."""
    tops = {module.partition(".")[0] for module in modules}
    return {top for top in tops - {"observer", "publish"} if top not in sys.stdlib_module_names and "__" not in top}


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_version_and_help_load_nothing_but_python(cli: command_line.Cli, word: str) -> None:
    modules = loaded(cli, word)
    assert foreign(modules) == set()
    assert modules.isdisjoint({"sqlite3", "importlib.metadata", "tomllib", "logging", "asyncio"})


@pytest.mark.parametrize("words", _QUESTIONS, ids=" ".join)
def test_questions_load_the_records_and_nothing_else(cli: command_line.Cli, words: tuple[str, ...]) -> None:
    cli("sync")
    assert foreign(loaded(cli, *words)) <= _RECORDS


def test_live_processes_take_one_library_more(cli: command_line.Cli) -> None:
    assert foreign(loaded(cli, "health", "--json")) <= _RECORDS | {"psutil"}


def test_an_import_loads_the_records_and_nothing_else(cli: command_line.Cli) -> None:
    assert foreign(loaded(cli, "sync")) <= _RECORDS


def test_a_harness_without_records_is_not_made_ready_to_read(cli: command_line.Cli) -> None:
    """Nor is one whose records have not changed."""
    fixture = RECORDS / "codex" / "single-prompt" / ".codex"
    shutil.copytree(fixture, cli.home / ".codex")
    ready = {name for name in loaded(cli, "sync") if name.startswith("observer.adapters.") and name.endswith(".read")}
    assert ready == {"observer.adapters.codex.read"}
    assert not any(name.endswith((".read", ".shapes")) for name in loaded(cli, "sync") if "adapters" in name)


def test_a_question_never_loads_the_publisher(cli: command_line.Cli) -> None:
    cli("sync")
    modules = loaded(cli, "usage", "--json")
    assert not any(module.partition(".")[0] == "publish" for module in modules)


@pytest.mark.parametrize(
    "words",
    [("prices", "list"), ("export", "--help"), ("publish", "--help"), ("doctor", "--json"), ("completion", "--help")],
    ids=" ".join,
)
def test_heavy_libraries_wait_for_the_command_that_needs_them(cli: command_line.Cli, words: tuple[str, ...]) -> None:
    assert foreign(loaded(cli, *words)).isdisjoint(_HEAVY)


def test_a_sync_without_a_repository_of_instructions_starts_no_other_program(cli: command_line.Cli) -> None:
    assert "subprocess" not in loaded(cli, "sync")
