"""Ledgers and sources on the command line: missing, foreign, damaged, private, and in use by somebody else."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.native import Claude, Codex
from tests.builders.small import READING, lay, named, refused
from tests.command_line import Cli, machine


@pytest.mark.parametrize("words", READING, ids=named)
def test_a_missing_ledger_is_named_and_not_made(cli: Cli, words: tuple[str, ...]) -> None:
    """E004."""
    refused(cli(*words), "agent-observer sync")
    assert not cli.ledger.parent.exists()


@pytest.mark.parametrize("words", [*READING, ("sync",), ("capture", "create-task", "--task", "T")], ids=named)
def test_what_is_no_ledger_is_refused_unchanged(filled: Cli, words: tuple[str, ...], tmp_path: Path) -> None:
    """E003: truncated, foreign, newer, no database, a folder, nothing at all."""
    whole = filled.ledger.read_bytes()
    newer = tmp_path / "newer.db"
    newer.write_bytes(whole)
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    for name, content in (("truncated", whole[: len(whole) // 2]), ("short", whole[:50]), ("text", b"hello\n" * 500)):
        (tmp_path / f"{name}.db").write_bytes(content)
    for path in sorted(tmp_path.glob("*.db")):
        before = path.read_bytes()
        refused(filled("--db", path, *words), str(path))
        assert path.read_bytes() == before, path.name
    folder = tmp_path / "folder.db"
    folder.mkdir()
    refused(filled("--db", folder, *words), str(folder))


def test_files_are_private_under_a_wide_umask(tmp_path: Path) -> None:
    """E001, E002: 0700 and 0600, also for a ledger that was wider."""
    cli = machine(tmp_path)
    lay(cli)
    script = "import os, sys; os.umask(0o022); from observer.cli.main import main; sys.exit(main(['sync']))"
    default = cli.home / ".local" / "state" / "agent-observer" / "observer.db"
    environment = cli.environment() | {"AGENT_OBSERVER_DB": ""}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
        assert stat.S_IMODE(default.parent.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in default.parent.iterdir()} == {0o600}
        default.chmod(0o644)
        default.parent.chmod(0o755)


@pytest.mark.parametrize("words", READING, ids=named)
def test_reports_work_while_another_process_writes(shared: Cli, words: tuple[str, ...]) -> None:
    """§1.1, §23.10: readers need no lock, and do not wait."""
    writing = sqlite3.connect(shared.ledger, isolation_level=None)
    try:
        writing.execute("BEGIN IMMEDIATE")
        writing.execute("UPDATE session SET project = '/half-written'")
        answer = shared(*words)
        assert answer.code in (0, 3), answer.err
        assert "/half-written" not in answer.out
    finally:
        writing.execute("ROLLBACK")
        writing.close()


def test_a_new_ledger_is_made_once_by_whoever_comes_first(tmp_path: Path) -> None:
    """§1.1: coordinators and readers at the same moment, on a ledger that nobody has made yet."""
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        cli = machine(tmp_path / str(number))
        command = [sys.executable, "-P", "-m", "observer"]
        calls = [[*command, "capture", "create-task", "--task", f"T-{each}"] for each in range(6)]
        calls += [[*command, "task", "list"]] * 3
        started = [subprocess.Popen(call, env=cli.environment(), stdout=-1, stderr=-1) for call in calls]
        said = [(process.communicate()[1], process.returncode) for process in started]
        assert [answer for answer in said[:6] if answer[1] != 0] == []
        assert all(code == 0 or (code == 2 and b"agent-observer sync" in err) for err, code in said[6:]), said[6:]
        assert len(cli("task", "list", "--json").json["tasks"]) == 6


def test_reports_write_nothing(shared: Cli) -> None:
    before = shared.ledger.read_bytes()
    for words in READING:
        shared(*words, "--json")
    assert shared.ledger.read_bytes() == before


def test_a_folder_without_records_is_an_empty_answer(cli: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words in ((), ("--root", empty), ("--harness", "codex")):
        answer = cli("sync", *words)
        assert answer.code == 0
        assert "no records found" in answer.err
    assert cli("usage", "--json").json["groups"] == []


def test_a_source_or_root_that_does_not_exist_is_refused(cli: Cli) -> None:
    """E024: and no ledger is made."""
    refused(cli("sync", "--source", cli.home / "none.jsonl"), "none.jsonl")
    refused(cli("sync", "--root", cli.home / "none"), "none")
    assert not cli.ledger.exists()


def test_a_source_alone_is_codex_unless_said_otherwise(cli: Cli) -> None:
    """E025."""
    rollout = Codex().turn("A").record("resp_1").write(cli.home / "a.jsonl")
    transcript = Claude().prompt("x").response("msg_1").write(cli.home / "b.jsonl")
    assert [row["harness"] for row in cli("sync", "--source", rollout, "--json").json["harnesses"]] == ["codex"]
    cli("sync", "--harness", "claude", "--source", transcript)
    ids = [row["response_id"] for row in cli("responses", "list", "--json").json["responses"]]
    assert ids == ["claude:msg_1", "codex:resp_1"]


def test_a_damaged_source_is_named_and_the_others_are_imported(cli: Cli) -> None:
    """E024: exit 1."""
    lay(cli)
    damaged = Codex("t-9").below(cli.home).with_suffix(".jsonl.zst")
    damaged.write_bytes(b"no zstd")
    answer = cli("sync", "--json")
    assert answer.code == 1
    (codex,) = [row for row in answer.json["harnesses"] if row["harness"] == "codex"]
    assert [failure["path"] for failure in codex["failed"]] == [str(damaged)]
    assert codex["responses_inserted"] == 1
    assert str(damaged) in cli("sync").err


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_source_is_named(cli: Cli) -> None:
    """E024."""
    lay(cli)
    path = Claude("s9").prompt("x").response("msg_9").lay(cli.home)
    path.chmod(0)
    answer = cli("sync", "--json")
    assert answer.code == 1
    assert [failure["path"] for row in answer.json["harnesses"] for failure in row["failed"]] == [str(path)]


def test_sync_says_its_contracts(shared: Cli) -> None:
    answer = shared("sync", "--json").json
    assert set(answer) == {"harnesses", "agentsmd_versions", "contracts"}
    assert all(isinstance(number, int) for number in answer["contracts"].values())
