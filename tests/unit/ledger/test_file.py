"""The ledger as a file: who may see it, when it is made, and what is refused unharmed."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from observer.base import paths
from observer.base.errors import LedgerDamaged, LedgerMissing, LedgerVersion
from observer.ledger import open as opening
from tests.builders import batches


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def make(path: Path) -> None:
    with opening.writer(path):
        pass


@pytest.fixture
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_a_fresh_default_ledger_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E001: directory 0700, database 0600, also its siblings, under umask 022."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("AGENT_OBSERVER_DB", raising=False)
    ledger = paths.ledger(None)
    assert ledger == tmp_path / ".local" / "state" / "agent-observer" / "observer.db"
    with opening.writer(ledger) as connection, opening.transaction(connection):
        connection.execute("UPDATE meta SET value = value")
        assert mode(ledger.parent) == 0o700
        assert {path.name: mode(path) for path in ledger.parent.iterdir()} == {
            path.name: 0o600 for path in ledger.parent.iterdir()
        }


@pytest.mark.usefixtures("_umask")
def test_an_existing_wide_ledger_is_narrowed(tmp_path: Path) -> None:
    """E002: 0644 becomes 0600, and so do files beside it."""
    ledger = tmp_path / "observer.db"
    make(ledger)
    beside = tmp_path / "observer.db-wal"
    beside.touch()
    for path in (ledger, beside):
        path.chmod(0o644)
    make(ledger)
    assert mode(ledger) == 0o600
    assert not beside.exists() or mode(beside) == 0o600


def test_a_directory_that_is_not_ours_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    make(folder / "ledger.db")
    assert mode(folder) == 0o755


def test_a_newer_schema_is_refused_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    """E003: advice to move it aside; not a byte changes, for readers and for writers."""
    ledger = tmp_path / "observer.db"
    make(ledger)
    with sqlite3.connect(ledger) as connection:
        connection.execute(f"PRAGMA user_version = {opening.latest() + 1}")
    connection.close()
    before = ledger.read_bytes()
    for way in (opening.reader, opening.writer):
        with pytest.raises(LedgerVersion) as refused, way(ledger):
            pass
        assert refused.value.exit_code == 2
        assert "mv " in refused.value.hint
        assert "agent-observer sync" in refused.value.hint
    assert ledger.read_bytes() == before


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    """E004: a missing ledger is refused with the way to make one."""
    ledger = tmp_path / "agent-observer" / "observer.db"
    with pytest.raises(LedgerMissing) as refused, opening.reader(ledger):
        pass
    assert refused.value.exit_code == 2
    assert refused.value.hint == "agent-observer sync"
    assert not ledger.parent.exists()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A ledger as the first release made it, with one response in it."""
    path = tmp_path / "observer.db"
    first = Path(opening.__file__).parent / "migrations" / "0001_derived.sql"
    with sqlite3.connect(path) as connection:
        connection.executescript(first.read_text("utf-8"))
        connection.execute("INSERT INTO source (id, harness, path) VALUES (1, 'codex', '/a')")
        connection.execute("INSERT INTO session (id, key, harness, native_id) VALUES (1, 'codex:s', 'codex', 's')")
        connection.execute(
            "INSERT INTO response (id, source_id, session_id, ordinal, semantics, final, origin, shape)"
            " VALUES ('codex:r', 1, 1, 0, 'codex:input_includes_cached', 1, 1, 0)"
        )
        connection.execute(f"PRAGMA application_id = {opening.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    return path


def test_an_older_schema_is_refused_by_readers_with_advice_to_sync(old: Path) -> None:
    """E005: a report needs tables that this ledger lacks."""
    with pytest.raises(LedgerVersion) as refused, opening.reader(old):
        pass
    assert (refused.value.exit_code, refused.value.hint) == (2, "agent-observer sync")


def test_a_writer_brings_an_older_ledger_up_to_date(old: Path) -> None:
    """E006: what is missing appears, what is there stays."""
    make(old)
    with opening.reader(old) as connection:
        assert connection.execute("SELECT id FROM response").fetchall() == [("codex:r",)]
        assert connection.execute("SELECT COUNT(*) FROM task").fetchone() == (0,)
        assert connection.execute("PRAGMA user_version").fetchone() == (opening.latest(),)


def test_the_option_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """E007: --db, then AGENT_OBSERVER_DB, then the default; an empty variable is none."""
    monkeypatch.setenv("HOME", "/home/dev")
    monkeypatch.setenv("AGENT_OBSERVER_DB", "/variable.db")
    assert paths.ledger("/option.db") == Path("/option.db")
    assert paths.ledger(None) == Path("/variable.db")
    monkeypatch.setenv("AGENT_OBSERVER_DB", "")
    assert paths.ledger(None) == Path("/home/dev/.local/state/agent-observer/observer.db")


@pytest.mark.parametrize("content", [b"no database at all\n" * 300, b"SQLite format 3\0" + b"\xff" * 4096])
def test_what_is_no_database_is_refused_unchanged(tmp_path: Path, content: bytes) -> None:
    ledger = tmp_path / "observer.db"
    ledger.write_bytes(content)
    for way in (opening.reader, opening.writer):
        with pytest.raises(LedgerDamaged), way(ledger):
            pass
    assert ledger.read_bytes() == content


def test_another_programs_database_is_refused_unchanged(tmp_path: Path) -> None:
    ledger = tmp_path / "observer.db"
    with sqlite3.connect(ledger) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = ledger.read_bytes()
    for way in (opening.reader, opening.writer):
        with pytest.raises(LedgerDamaged, match="another program"), way(ledger):
            pass
    assert ledger.read_bytes() == before


def test_a_directory_in_the_ledgers_place_keeps_its_mode(tmp_path: Path) -> None:
    ledger = tmp_path / "documents"
    ledger.mkdir(mode=0o755)
    for way in (opening.reader, opening.writer):
        with pytest.raises(LedgerDamaged), way(ledger):
            pass
    assert mode(ledger) == 0o755


def test_a_ledger_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file/observer.db", "file/deeper/observer.db"):
        with pytest.raises(LedgerDamaged), opening.writer(tmp_path / place):
            pass


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    """E027: what a failing write had done before is not there afterwards."""
    book = batches.Book(tmp_path)
    book.told("/a", batches.session("codex:s"))

    def fail(connection: opening.Writer) -> None:
        with opening.transaction(connection):
            connection.execute("UPDATE session SET project = '/half'")
            raise RuntimeError

    with book.writer() as connection, pytest.raises(RuntimeError):
        fail(connection)
    assert book.rows("SELECT project FROM session") == [(None,)]


def test_a_reader_sees_one_moment_and_cannot_write(tmp_path: Path) -> None:
    """§23.7, §23.10: what is written meanwhile is not in the report, and readers need no lock."""
    book = batches.Book(tmp_path)
    book.told("/a", batches.session("codex:s"))
    with book.reader() as connection:
        assert connection.execute("SELECT COUNT(*) FROM session").fetchone() == (1,)
        book.told("/b", batches.session("codex:s2"))
        assert connection.execute("SELECT COUNT(*) FROM session").fetchone() == (1,)
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("DELETE FROM session")
    with book.reader() as connection:
        assert connection.execute("SELECT COUNT(*) FROM session").fetchone() == (2,)
