"""`health` against real processes: programs with the agents' names in a private HOME.

Other agents may run on the machine: a test looks at the processes it started.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.builders.native import Claude, Codex
from tests.command_line import Cli

# Says that it runs, and waits to be ended.
_PROGRAM = "#!{python}\nimport signal, sys\nsys.stdout.write('up\\n')\nsys.stdout.flush()\nsignal.pause()\n"
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(cli: Cli, tmp_path: Path) -> Iterator[Start]:
    """Starts a program of that name in a directory of its own; all are ended afterwards."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(name: str, *words: str, cwd: Path | None = None, **variables: str) -> "subprocess.Popen[bytes]":
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(_PROGRAM.format(python=sys.executable), "utf-8")
        program.chmod(0o755)
        where = cwd or tmp_path / "work"
        where.mkdir(exist_ok=True)
        process = subprocess.Popen(
            [str(program), *words], cwd=where, env=cli.environment() | variables, stdout=subprocess.PIPE
        )
        running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()
        with suppress(AttributeError):
            process.stdout.close()  # type: ignore[union-attr]


def findings(cli: Cli, *processes: "subprocess.Popen[bytes]", words: tuple[str, ...] = ("--min-age", "0")) -> Any:
    """What is said of these processes, by number; the exit code must fit what is said in all."""
    answer = cli("health", "--json", *words)
    document = answer.json
    assert answer.code == (4 if document["findings"] else 0), answer.err
    pids = [process.pid for process in processes]
    return [next((each for each in document["findings"] if each["pid"] == pid), None) for pid in pids]


def register(cli: Cli, process: "subprocess.Popen[bytes]", session: str, *, birth: str | None = None) -> None:
    """An entry of Claude Code's registry, as the process itself would write it."""
    stat = Path(f"/proc/{process.pid}/stat")
    real = stat.read_text().rpartition(")")[2].split()[19] if stat.exists() else None
    started_ms = int(time.time() * 1000) - 600_000 if real else int(time.time() * 1000)
    entry = {"pid": process.pid, "sessionId": session, "startedAt": started_ms, "kind": "interactive"}
    path = cli.home / ".claude" / "sessions" / f"{process.pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry | ({"procStart": birth or real} if real else {})), "utf-8")


def test_four_agents_that_record_nothing_are_found_by_process_and_directory(
    cli: Cli, start: Start, tmp_path: Path
) -> None:
    hosts = ("claude", "codex", "opencode", "grok")
    processes = [start(host) for host in hosts]
    found = findings(cli, *processes)
    assert [each["host"] for each in found] == list(hosts)
    assert {each["cwd"] for each in found} == {os.path.realpath(tmp_path / "work")}
    assert all(each["problem"] and each["fix"] for each in found)
    assert findings(cli, *processes, words=()) == [None] * 4  # too young to tell


def test_a_registered_session_is_seen_once_it_has_a_transcript(cli: Cli, start: Start) -> None:
    """E228, E229: also that a number alone proves nothing."""
    process, reused = start("claude"), start("sleeper")
    register(cli, process, "s1")
    register(cli, reused, "s2", birth="1")
    found, other = findings(cli, process, reused)
    assert (found["session"], found["reason"], found["kind"]) == ("s1", "no-transcript", "interactive")
    assert "CLAUDE_CODE_FORCE_SESSION_PERSISTENCE=1" in found["fix"]
    if Path("/proc").is_dir():
        assert other is None
    Claude("s1").prompt("x").lay(cli.home)
    assert findings(cli, process) == [None]


def test_the_environment_of_a_process_tells_what_its_records_cannot(cli: Cli, start: Start, tmp_path: Path) -> None:
    Claude("parent").prompt("x").lay(cli.home)
    child = start("claude", CLAUDE_CODE_CHILD_SESSION="1")
    forced = start("claude", CLAUDE_CODE_CHILD_SESSION="1", CLAUDE_CODE_FORCE_SESSION_PERSISTENCE="1")
    silent = start("claude", CLAUDE_CODE_SKIP_PROMPT_HISTORY="1")
    isolated = start("codex", CODEX_HOME=str(tmp_path / "isolated"))
    found = findings(cli, child, forced, silent, isolated, words=())
    assert [each and each["reason"] for each in found] == ["child-session", None, "history-off", "other-home"]
    assert str(tmp_path / "isolated") in found[3]["fix"]


def test_a_rollout_of_its_directory_makes_a_session_seen(cli: Cli, start: Start, tmp_path: Path) -> None:
    """E231; `app-server` and the like are no sessions."""
    process, helper = start("codex"), start("codex", "app-server")
    assert findings(cli, helper) == [None]
    Codex(cwd=str(tmp_path / "elsewhere")).turn("A").lay(cli.home)
    assert findings(cli, process)[0]["reason"] == "nothing-recorded"
    Codex(cwd=os.path.realpath(tmp_path / "work")).turn("A").lay(cli.home)
    assert findings(cli, process) == [None]


def test_a_home_that_the_settings_name_is_looked_in(cli: Cli, start: Start, tmp_path: Path) -> None:
    other = tmp_path / "isolated"
    process = start("codex", CODEX_HOME=str(other))
    assert cli("config", "init", "--root", f"codex={other}").code == 0
    assert findings(cli, process, words=()) == [None]
    assert findings(cli, process)[0]["reason"] == "nothing-recorded"


def test_the_text_names_process_directory_and_fix(cli: Cli, start: Start, tmp_path: Path) -> None:
    process = start("claude", CLAUDE_CODE_CHILD_SESSION="1")
    answer = cli("health")
    assert answer.code == 4
    assert f"claude (pid {process.pid}) in {os.path.realpath(tmp_path / 'work')}" in answer.out
    assert "→ end it and start it again with CLAUDE_CODE_FORCE_SESSION_PERSISTENCE=1" in answer.out
    assert "looked at: claude " in answer.out


def test_it_needs_no_ledger_and_makes_none(cli: Cli) -> None:
    assert cli("health").code in (0, 4)
    assert not cli.ledger.exists()
    assert cli("health", "--min-age", "-1").code == 2
