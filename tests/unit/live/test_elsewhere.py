"""Codex, OpenCode and Grok Build: a session is seen when something of its directory was written since it started."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.builders.machines import MINUTE_MS, NOW_MS, Table
from tests.builders.native import Codex

CWD = "/srv/kit"
VARIABLES = {"codex": "CODEX_HOME", "opencode": "XDG_DATA_HOME", "grok": "GROK_HOME"}


def aged(path: Path, age_ms: int) -> None:
    """Written that long ago."""
    seconds = (NOW_MS - age_ms) / 1000
    os.utime(path, (seconds, seconds))


def codex(home: Path, age_ms: int, directory: str) -> None:
    aged(Codex(cwd=directory).turn("A").prompt("x").lay(home), age_ms)


def opencode(home: Path, age_ms: int, directory: str) -> None:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS session (id TEXT, directory TEXT, time_updated INTEGER)")
        connection.execute("DELETE FROM session")
        connection.execute("INSERT INTO session VALUES ('ses_1', ?, ?)", (directory, NOW_MS - age_ms))
    connection.close()


def opencode_files(home: Path, age_ms: int, directory: str) -> None:
    path = home / ".local" / "share" / "opencode" / "storage" / "session" / "p" / "ses_1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": "ses_1", "directory": directory, "time": {"updated": NOW_MS - age_ms}}), "utf-8")


def grok(home: Path, age_ms: int, directory: str) -> None:
    path = home / ".grok" / "sessions" / quote(directory, safe="") / "s-1" / "updates.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n", "utf-8")
    aged(path, age_ms)


def grok_long(home: Path, age_ms: int, directory: str) -> None:
    path = home / ".grok" / "sessions" / "long-4f2a" / "s-1" / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent.parent / ".cwd").write_text(directory, "utf-8")
    path.write_text("{}\n", "utf-8")
    aged(path, age_ms)


WAYS = [("codex", codex), ("opencode", opencode), ("opencode", opencode_files), ("grok", grok), ("grok", grok_long)]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.mark.parametrize(("host", "record"), WAYS, ids=lambda each: getattr(each, "__name__", each))
def test_only_what_was_written_since_the_start_in_that_directory_counts(table: Table, host: str, record: Any) -> None:
    """E230, E231."""
    table.add(30, host, age_ms=10 * MINUTE_MS)
    found = []
    for age_ms, directory in ((11 * MINUTE_MS, CWD), (5 * MINUTE_MS, "/srv/other"), (5 * MINUTE_MS, CWD)):
        record(table.home, age_ms, directory)
        document = table.check()
        found.append([(each["host"], each["pid"], each["cwd"], each["reason"]) for each in document["findings"]])
        assert document["checked"][host] == 1
    missing = [(host, 30, CWD, "nothing-recorded")]
    assert found == [missing, missing, []]


@pytest.mark.parametrize("host", VARIABLES)
def test_a_young_session_is_left_alone(table: Table, host: str) -> None:
    """E229 for the agents without a registry."""
    table.add(30, host, age_ms=119_999)
    assert table.check()["young"] == [{"host": host, "pid": 30}]
    assert len(table.check(young_ms=0)["findings"]) == 1


@pytest.mark.parametrize("host", VARIABLES)
def test_a_home_that_nobody_looks_in_is_found_at_once(table: Table, host: str, tmp_path: Path) -> None:
    table.add(30, host, age_ms=0, variables={VARIABLES[host]: str(tmp_path / "other")})
    (finding,) = table.check()["findings"]
    assert (finding["reason"], finding["cwd"]) == ("other-home", CWD)
    assert str(tmp_path / "other") in finding["fix"]
    assert f"--harness {host}" in finding["fix"]


@pytest.mark.parametrize("host", VARIABLES)
def test_a_home_of_another_user_directory_is_found(table: Table, host: str, tmp_path: Path) -> None:
    table.add(30, host, age_ms=0, variables={"HOME": str(tmp_path / "sandbox")})
    assert [each["reason"] for each in table.check()["findings"]] == ["other-home"]


def test_a_database_that_only_the_process_names_is_another_home(table: Table) -> None:
    table.add(30, "opencode", age_ms=0, variables={"OPENCODE_DB": "/srv/own.db"})
    (finding,) = table.check()["findings"]
    assert (finding["reason"], "/srv/own.db" in finding["problem"]) == ("other-home", True)


def test_a_home_inside_a_routers_state_is_looked_in(table: Table) -> None:
    kit = table.home / ".local" / "share" / "durable-runner" / "kits" / "r.1.k"
    table.add(30, "codex", age_ms=0, variables={"CODEX_HOME": str(kit)})
    assert table.check()["findings"] == []


@pytest.mark.parametrize("host", VARIABLES)
def test_without_its_environment_the_usual_homes_decide(table: Table, host: str) -> None:
    table.add(30, host, readable=False)
    assert [each["reason"] for each in table.check()["findings"]] == ["nothing-recorded"]
    dict(WAYS)[host](table.home, MINUTE_MS, CWD)
    assert table.check()["findings"] == []


@pytest.mark.parametrize(
    ("host", "name"), [("codex", "rollout-2026-09-23T10-00-00-t-1.jsonl"), ("grok", "events.jsonl")]
)
def test_an_open_record_is_proof_wherever_it_lies(table: Table, host: str, name: str) -> None:
    table.add(30, host, cwd=None, files=("/dev/null", f"/srv/{name}"))
    assert table.check()["findings"] == []


def test_a_thread_that_was_resumed_elsewhere_is_found_by_its_later_turns(table: Table) -> None:
    table.add(30, "codex", cwd="/srv/naïve", age_ms=10 * MINUTE_MS)
    text = Codex(cwd="/srv/first").turn("A").prompt("x")
    text._cwd = "/srv/naïve"
    aged(text.turn("B").prompt("y").lay(table.home), MINUTE_MS)
    assert table.check()["findings"] == []


def test_a_directory_named_on_the_command_line_counts(table: Table, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for pid, words in enumerate((("codex", "-C", "there"), ("codex", f"--cd={tmp_path}/there")), 30):
        table.add(pid, *words, cwd=str(tmp_path))
    table.add(40, "codex", "--add-dir", "there", cwd=str(tmp_path))
    codex(table.home, MINUTE_MS, str(tmp_path / "there"))
    assert [each["pid"] for each in table.check()["findings"]] == [40]


@pytest.mark.parametrize("damage", ["no database", "no table", "a folder"])
def test_a_store_that_cannot_be_read_proves_nothing(table: Table, damage: str) -> None:
    table.add(30, "opencode")
    path = table.home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    if damage == "no database":
        path.write_bytes(b"hello\n" * 500)
    elif damage == "no table":
        sqlite3.connect(path).close()
    else:
        path.mkdir()
    assert [each["reason"] for each in table.check()["findings"]] == ["nothing-recorded"]
