"""Databases of other programs in the states that their owners leave them in, or hold them in, while we read.

The owners are real processes. Whatever they do, a sync is right or says that
it could not read, and the next one is right.
"""

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.builders.imports import Machine
from tests.builders.native import Claude
from tests.builders.owner import Owner
from tests.builders.router import Ledger, codex
from tests.builders.unprivileged import done_by_nobody
from tests.command_line import Cli
from tests.contract.imported import tree
from tests.unit.adapters.opencode.stores import PLACE, Database, answer

_STATE = Path(".local/share/durable-runner")
_LONG_AGO_NS = 1_700_000_000_000_000_000
# Into both of an agent's tables that belong together, in one transaction.
_MESSAGE = """INSERT INTO message VALUES ('msg_{side}{n}', 'ses_1', 1790150000000 + {n} * 10, 1790150000000 + {n} * 10,
  json_object('role', 'assistant', 'modelID', '{side}', 'providerID', 'lab', 'cost', 0, 'finish', 'stop',
    'time', json_object('created', 1790150000000 + {n} * 10, 'completed', 1790150000005 + {n} * 10),
    'tokens', json_object('total', {n} + 1, 'input', {n}, 'output', 1, 'reasoning', 0,
      'cache', json_object('read', 0, 'write', 0))))"""
_SESSION = "UPDATE session SET time_updated = 1790150000000 + {n} * 10 WHERE id = 'ses_1'"
_JOB = """INSERT INTO jobs (request_id, task_json, status, created_at, updated_at)
  VALUES ('more-{n}', '{}', 'succeeded', '2026-11-30T10:00:00+00:00', '2026-11-30T10:00:00+00:00')"""
_RUN = """INSERT INTO invocations (invocation_id, request_id, kind, started_at, terminal_class, schema_version)
  VALUES ('run-more-{n}', 'more-{n}', 'proof', '2026-11-30T10:00:00+00:00', 'completed', 2)"""


class Kind(NamedTuple):
    """An agent's database: where it lies, one transaction of its owner's, and what tells two halves of one."""

    harness: str
    path: Path
    writes: tuple[str, ...]

    def make(self, home: Path, *, mode: str = "DELETE") -> Path:
        """One response or run, in a database that was closed long ago."""
        path = home / self.path
        if self.harness == "opencode":
            with Database(path.parent) as store:
                store.session().message("msg_1", answer())
        else:
            Ledger().job().run(session="t-1", usage_json=codex(1100, output=100)).write(path.parent)
        with closing(sqlite3.connect(path)) as owner:
            owner.execute(f"PRAGMA journal_mode = {mode}")
        os.utime(path, ns=(_LONG_AGO_NS, _LONG_AGO_NS))
        return path

    def rows(self, machine: Machine) -> list[Any]:
        """What the ledger holds of it: (agent's model or table, number), sorted."""
        with closing(sqlite3.connect(machine.ledger)) as ledger:
            if self.harness == "opencode":
                return ledger.execute("SELECT model, input FROM response ORDER BY 1, 2").fetchall()
            jobs = ledger.execute("SELECT 'job', request_id FROM router_job").fetchall()
            return sorted(jobs + ledger.execute("SELECT 'run', request_id FROM router_invocation").fetchall())


OPENCODE = Kind(
    "opencode",
    PLACE / "opencode.db",
    (_MESSAGE.replace("{side}", "left"), _MESSAGE.replace("{side}", "right"), _SESSION),
)
ROUTER = Kind("router", _STATE / "jobs.db", (_JOB, _RUN))
KINDS = pytest.mark.parametrize("kind", [OPENCODE, ROUTER], ids=lambda kind: kind.harness)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("observer.native.sqlite_ro._PATIENCE_SECONDS", 0.05)


def failures(machine: Machine, kind: Kind) -> list[str]:
    return [each.error for each in machine.sync()[kind.harness].failed]


@KINDS
@pytest.mark.parametrize(
    ("mode", "hold"),
    [
        ("DELETE", ["BEGIN EXCLUSIVE"]),
        ("WAL", ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "CREATE TABLE held (x)", "COMMIT"]),
    ],
    ids=["transaction", "locking mode"],
)
def test_a_database_held_by_its_owner_is_named_and_read_later(
    machine: Machine, impatient: None, kind: Kind, mode: str, hold: list[str]
) -> None:
    """§2.4: a locked native database is a failed source; everything else is imported."""
    path = kind.make(machine.home, mode=mode)
    Claude("s1").prompt("x").response("msg_beside").lay(machine.home)
    with Owner(path).run(*hold) as owner:
        answers = machine.sync()
        assert [each.error for each in answers[kind.harness].failed] == ["database is locked"]
        assert answers["claude"].responses_inserted == 1
        assert failures(machine, kind) == ["database is locked"]
        if mode == "DELETE":
            owner.run("ROLLBACK")
    assert failures(machine, kind) == []
    assert len(kind.rows(machine)) == 1 + (kind is OPENCODE) * 1 + (kind is ROUTER)


@KINDS
def test_the_command_line_says_so_and_goes_on(cli: Cli, kind: Kind) -> None:
    """Exit 1, the words on stderr, no traceback; the lock is the owner's all the time."""
    path = kind.make(cli.home)
    with Owner(path).run("BEGIN EXCLUSIVE", "CREATE TABLE held (x)") as owner:
        said = cli("sync")
        assert (said.code, f"could not read {path}: database is locked" in said.err) == (1, True), said
        assert "Traceback" not in said.err
        owner.run("COMMIT")
    assert cli("sync").code == 0
    assert cli("faults", "list", "--json").json == {"faults": []}


@KINDS
def test_what_a_crash_left_in_the_log_is_read(machine: Machine, kind: Kind) -> None:
    """Nothing was ever moved into the database itself, and no row is in it; nothing is moved by us."""
    path = kind.make(machine.home, mode="WAL")
    owner = Owner(path, "PRAGMA wal_autocheckpoint = 0", writes=kind.writes)
    while owner.written() < 20:
        pass
    owner.kill()
    log = Path(f"{path}-wal")
    before = (path.read_bytes(), log.read_bytes())
    assert len(before[1]) > len(before[0])
    assert failures(machine, kind) == []
    assert (path.read_bytes(), log.read_bytes()) == before
    with closing(sqlite3.connect(path)) as opened:
        (count,) = opened.execute(f"SELECT COUNT(*) FROM {'message' if kind is OPENCODE else 'jobs'}").fetchone()
    assert len(kind.rows(machine)) == count * (1 if kind is OPENCODE else 2)


@KINDS
@pytest.mark.parametrize("index", [True, False], ids=["with its index", "without its index"])
def test_a_log_in_a_folder_that_may_not_be_written(machine: Machine, kind: Kind, index: bool) -> None:
    """It is read, or what is missing is said in words; the newest records are never passed over in silence."""
    path = kind.make(machine.home, mode="WAL")
    owner = Owner(path, "PRAGMA wal_autocheckpoint = 0", writes=kind.writes)
    while owner.written() < 3:
        pass
    owner.kill()
    if not index:
        Path(f"{path}-shm").unlink()
    answers = _by_nobody(machine, path)
    if answers[kind.harness].failed:
        [failed] = answers[kind.harness].failed
        assert "write-ahead log" in failed.error
        assert kind.rows(machine) == []
    else:
        assert len(kind.rows(machine)) >= 1 + 2 * 3
    assert index == (not answers[kind.harness].failed)


@KINDS
def test_a_closed_database_in_a_folder_that_may_not_be_written_is_read(machine: Machine, kind: Kind) -> None:
    path = kind.make(machine.home, mode="WAL")
    assert _by_nobody(machine, path)[kind.harness].failed == []
    assert kind.rows(machine) != []


def _by_nobody(machine: Machine, path: Path) -> Any:
    """A sync by a user who may read the database and write nothing beside it."""
    for folder in machine.home.parents:
        if not folder.stat().st_mode & stat.S_IXOTH:
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IXGRP)
    machine.ledger.parent.mkdir(exist_ok=True)
    machine.sync(harnesses=("claude",))  # imports every module that is needed

    def work() -> Any:
        for each in path.parent.iterdir():
            each.chmod(0o444)
        path.parent.chmod(0o555)
        before = tree(machine.home)
        try:
            answers = machine.sync()
            assert tree(machine.home) == before
            return answers
        finally:
            path.parent.chmod(0o755)

    return done_by_nobody(machine.home.parent, work)


@KINDS
@pytest.mark.parametrize(
    ("mode", "first", "reopens"),
    [
        ("DELETE", ["PRAGMA synchronous = OFF"], False),
        ("WAL", ["PRAGMA wal_autocheckpoint = 3"], False),
        ("WAL", ["PRAGMA wal_autocheckpoint = 1"], True),
    ],
    ids=["journal", "log", "opened and closed"],
)
def test_a_database_that_is_written_meanwhile_is_read_as_of_one_moment(
    machine: Machine, kind: Kind, mode: str, first: list[str], reopens: bool
) -> None:
    """Both halves of every transaction or none; what could not be read is said; in the end everything is there."""
    path = kind.make(machine.home, mode=mode)
    with Owner(path, *first, writes=kind.writes, reopens=reopens) as owner:
        seen = []
        while len(seen) < 40 or len(set(seen)) < 8:
            committed = owner.written()
            failed = failures(machine, kind)
            rows = kind.rows(machine)
            _are_whole(kind, rows)
            if not failed:
                assert len(rows) >= 2 * committed
                seen.append(len(rows))
        assert seen == sorted(seen)
    assert failures(machine, kind) == []
    with closing(sqlite3.connect(path)) as opened:
        (count,) = opened.execute(f"SELECT COUNT(*) FROM {'message' if kind is OPENCODE else 'jobs'}").fetchone()
    rows = kind.rows(machine)
    _are_whole(kind, rows)
    assert len(rows) == count * (1 if kind is OPENCODE else 2)


def _are_whole(kind: Kind, rows: list[Any]) -> None:
    names = ("lab/left", "lab/right") if kind is OPENCODE else ("job", "run")
    left, right = ([number for name, number in rows if name == wanted] for wanted in names)
    assert left == right


@KINDS
def test_a_database_that_another_one_replaced_adds_to_what_was_read(machine: Machine, kind: Kind) -> None:
    """What the first one told was done all the same; nothing is counted twice, and the second is read as a whole."""
    path = kind.make(machine.home)
    assert failures(machine, kind) == []
    first = kind.rows(machine)
    other = kind.make(machine.home / "elsewhere")
    owner = Owner(other, writes=kind.writes)
    while owner.written() < 4:
        pass
    owner.stop()
    os.replace(other, path)
    shutil.rmtree(machine.home / "elsewhere")
    for _ in range(2):
        assert failures(machine, kind) == []
        rows = kind.rows(machine)
        assert len(rows) == len(set(rows))
        assert set(first) <= set(rows)
        assert len(rows) > len(first)
    assert machine.sync()[kind.harness].responses_inserted == 0
