"""Finding routers' ledgers, what is refused as a whole, and the Codex homes beside them."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from observer.adapters.router import ADAPTER
from observer.records.source import SourceFile, Unreadable
from tests.builders.imports import Machine
from tests.builders.native import Codex
from tests.builders.router import Ledger, codex, minute

STATE = ".local/share/durable-runner"
LEGACY = ".local/state/model-router"
ROLLOUT = "2026/09/23/rollout-2026-09-23T10-00-00-{thread}.jsonl"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def found(root: Path) -> list[Any]:
    return list(ADAPTER.discover(root))


def sound() -> Ledger:
    return Ledger().job().run(session="t-1", usage_json=codex(1100, output=100)).event("question_posted", {"qid": "q"})


def rollout(path: Path, thread: str = "t-1", response: str = "resp_1") -> Path:
    return Codex(thread).turn("A").record(response).complete().write(path / ROLLOUT.format(thread=thread))


def ids(machine: Machine) -> list[str]:
    connection = sqlite3.connect(machine.ledger)
    try:
        return [row[0] for row in connection.execute("SELECT id FROM response ORDER BY id")]
    finally:
        connection.close()


def test_the_usual_places_and_the_one_in_the_environment_all_count(tmp_path: Path) -> None:
    usual = [tmp_path / STATE, tmp_path / LEGACY]
    assert ADAPTER.roots({}, tmp_path) == usual
    assert ADAPTER.roots({"DURABLE_RUNNER_STATE_DIR": "/state"}, tmp_path) == [Path("/state"), *usual]
    assert ADAPTER.roots({"DURABLE_RUNNER_STATE_DIR": "~/state"}, tmp_path) == [tmp_path / "state", *usual]


def test_one_ledger_under_two_paths_is_one_source(machine: Machine) -> None:
    """§7: real paths count."""
    sound().write(machine.home / STATE)
    (machine.home / ".local" / "state").mkdir()
    os.symlink(machine.home / STATE, machine.home / LEGACY)
    assert machine.sync()["router"].sources == 1


def test_a_state_directory_or_its_ledger_may_be_named(tmp_path: Path) -> None:
    path = sound().write(tmp_path)
    (unit,) = found(tmp_path)
    assert (unit.harness, unit.path, found(path)) == ("router", str(path.resolve()), [unit])
    assert found(tmp_path / "nothing") == []


@pytest.mark.parametrize("wal", [False, True])
def test_the_fingerprint_follows_every_change_and_nothing_else(tmp_path: Path, wal: bool) -> None:
    """Also one that leaves the size as it is, and one that stands in the write-ahead log only."""
    path = sound().write(tmp_path, wal=wal)
    prints = [found(tmp_path)[0].fingerprint]
    assert found(tmp_path)[0].fingerprint == prints[0]
    owner = sqlite3.connect(path)
    try:
        for status in ("blocked", "running", "pending"):
            owner.execute("UPDATE jobs SET status = ?", (status,))
            owner.commit()
            prints.append(found(tmp_path)[0].fingerprint)
            read = ADAPTER.reader(SourceFile("router", str(path))).router
            assert read is not None
            assert read.jobs[0].status == status
    finally:
        owner.close()
    assert len(set(prints)) == 4


@pytest.mark.parametrize("table", ["invocations", "events"])
@pytest.mark.parametrize("version", [3, None, 1, "two"])
def test_one_row_of_another_schema_refuses_the_whole_ledger(tmp_path: Path, table: str, version: Any) -> None:
    """E116: with words that say which table."""
    ledger = sound()
    ledger.rows[table][-1]["schema_version"] = version
    ledger.write(tmp_path)
    (refused,) = found(tmp_path)
    assert isinstance(refused, Unreadable)
    assert (refused.category, refused.path) == ("unsupported_schema", str((tmp_path / "jobs.db").resolve()))
    assert table in refused.reason


@pytest.mark.parametrize(
    "lacking", ["invocations.schema_version", "events.schema_version", "jobs", "events", "invocations.terminal_class"]
)
def test_a_ledger_without_what_the_gate_asks_for_is_refused(tmp_path: Path, lacking: str) -> None:
    """E116: also without any row: the shape before schema_version is another one."""
    Ledger().write(tmp_path, without=(lacking,))
    (refused,) = found(tmp_path)
    assert isinstance(refused, Unreadable)
    assert refused.category == "unsupported_schema"


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\0" + b"\xff" * 5000])
def test_what_is_no_database_is_unreadable_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "jobs.db").write_bytes(content)
    (refused,) = found(tmp_path)
    assert isinstance(refused, Unreadable)
    assert (refused.category, bool(refused.reason)) == ("source_unreadable", True)


def test_rollouts_beside_a_ledger_are_codex_sources(machine: Machine) -> None:
    """E127: shared ones, those in a run's own home, and those such a home links to: each once."""
    sound().write(machine.home / STATE)
    rollout(machine.home / STATE / "codex-sessions")
    rollout(machine.home / STATE / "kits" / "job-1.run-1.dispatcher" / "sessions", "t-2", "resp_2")
    (machine.home / STATE / "kits" / "job-1.run-2.dispatcher").mkdir()
    os.symlink("../../codex-sessions", machine.home / STATE / "kits" / "job-1.run-2.dispatcher" / "sessions")
    (machine.home / STATE / "kits" / "empty").mkdir()
    answers = machine.sync()
    assert (answers["codex"].sources, answers["router"].sources) == (2, 1)
    assert ids(machine) == ["codex:resp_1", "codex:resp_2"]
    assert machine.sync()["codex"].unchanged == 2


@pytest.mark.parametrize("request_", [{}, {"harnesses": ("codex",)}, {"root": True}], ids=str)
def test_rollouts_beside_a_refused_ledger_are_not_read(machine: Machine, request_: dict[str, Any]) -> None:
    """E116: however they are reached. A person's own rollouts that a home links to are."""
    ledger = sound()
    ledger.rows["invocations"][0]["schema_version"] = 3
    state = machine.home / STATE
    ledger.write(state)
    rollout(state / "codex-sessions")
    rollout(machine.home / ".codex" / "sessions", "t-2", "resp_2")
    (state / "kits" / "job-1.run-1.dispatcher").mkdir(parents=True)
    os.symlink(machine.home / ".codex" / "sessions", state / "kits" / "job-1.run-1.dispatcher" / "sessions")
    roots = (state, machine.home / ".codex")
    answers = machine.sync(**({"roots": roots} if request_ == {"root": True} else request_))
    assert answers["codex"].sources == 1
    assert ids(machine) == ["codex:resp_2"]
    if "router" in answers:
        assert [each.path for each in answers["router"].failed] == [str((state / "jobs.db").resolve())]
        assert "schema" in answers["router"].failed[0].error


def test_a_refused_ledger_loses_nothing_that_was_read_before(machine: Machine) -> None:
    """Its sources are neither gone nor failed twice; when it can be read again, the fault is gone."""
    path = sound().write(machine.home / STATE)
    rollout(machine.home / STATE / "codex-sessions")
    machine.sync()
    with sqlite3.connect(path) as owner:
        owner.execute("UPDATE events SET schema_version = NULL")
    owner.close()
    for _ in range(2):
        answers = machine.sync()
        assert (answers["codex"].gone, answers["router"].gone, len(answers["router"].failed)) == (0, 0, 1)
    assert ids(machine) == ["codex:resp_1"]
    with sqlite3.connect(machine.ledger) as connection:
        assert connection.execute("SELECT category FROM fault").fetchall() == [("unsupported_schema",)]
        assert connection.execute("SELECT COUNT(*) FROM router_job").fetchone() == (1,)
    connection.close()
    with sqlite3.connect(path) as owner:
        owner.execute("UPDATE events SET schema_version = 2")
    owner.close()
    machine.sync()
    with sqlite3.connect(machine.ledger) as connection:
        assert connection.execute("SELECT category FROM fault").fetchall() == []
    connection.close()


def test_a_ledger_in_use_is_read_and_left_as_it_is(machine: Machine) -> None:
    """§23.6: what the router has not committed is not there yet; what is in its log is."""
    path = sound().write(machine.home / STATE, wal=True)
    owner = sqlite3.connect(path, isolation_level=None)
    try:
        owner.execute("UPDATE jobs SET status = 'running', updated_at = ?", (minute(10),))
        owner.execute("BEGIN IMMEDIATE")
        owner.execute("UPDATE jobs SET status = 'failed'")
        before = machine.contents()
        assert machine.sync()["router"].failed == []
        after = machine.contents()
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert {name for name in changed if not name.endswith("-shm")} == set()
        with sqlite3.connect(machine.ledger) as connection:
            assert connection.execute("SELECT status FROM router_job").fetchall() == [("running",)]
        connection.close()
    finally:
        owner.close()


def test_a_ledger_of_its_own_may_be_named_as_a_source(machine: Machine) -> None:
    path = sound().write(machine.home / "elsewhere")
    answers = machine.sync(harnesses=("router",), only=path)
    assert (answers["router"].sources, answers["router"].failed) == (1, [])
