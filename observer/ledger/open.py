"""Opening a ledger: as a reader in one snapshot, or as a writer.

A reader never creates, migrates or writes; a writer creates the file, applies
the migrations it lacks and refuses a ledger of a newer program.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from observer.base.errors import LedgerBusy, LedgerDamaged, LedgerMissing, LedgerVersion, ObserverError
from observer.ledger import harden
from observer.ledger.lock import Turn

# SQLite's application id of a ledger: "AgOb".
APPLICATION_ID = 0x41674F62
_MIGRATIONS = Path(__file__).resolve().parent / "migrations"
# One statement, so that a ledger is seen before or after another process has made it, never in between.
_WHAT_IT_IS = """
    SELECT user_version, application_id, (SELECT COUNT(*) FROM sqlite_master)
    FROM pragma_user_version, pragma_application_id"""
_BUSY_SECONDS = 30.0
_ELSEWHERE = "check the file's permissions, or choose another with --db"
# Checkpoints during an import would sync the disk again and again; one at the
# end of about this many pages (64 MiB) does.
_CHECKPOINT_PAGES = 16_384

Reader = sqlite3.Connection
Writer = sqlite3.Connection


def _null(_: None) -> None:
    """None as SQLite takes it."""


# The module looks for an adapter of every value but int, float and str. Not finding one costs more than binding it.
sqlite3.register_adapter(type(None), _null)
sqlite3.register_adapter(bool, int)


@contextlib.contextmanager
def reader(path: Path) -> Iterator[Reader]:
    """One read-only transaction: every figure inside is of one moment.

    Works while a writer holds the lock. LedgerMissing, LedgerVersion or
    LedgerDamaged when there is nothing to read.
    """
    if not path.exists():
        raise LedgerMissing(f"no ledger at {path}", "agent-observer sync")
    with _explained(path):
        connection = _connect(f"file:{quote(str(path))}?mode=ro")
        try:
            connection.execute("PRAGMA query_only = 1")
            version = _version(connection, path)
            if version < latest():
                raise LedgerVersion(
                    f"{path} has ledger schema {version}, this program reads {latest()}", "agent-observer sync"
                )
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.close()


@contextlib.contextmanager
def writer(path: Path) -> Iterator[Writer]:
    """A connection that may write; creates and migrates the ledger as needed."""
    try:
        harden.directory(path)
        harden.create(path)
        harden.files(path)
    except OSError as error:
        raise LedgerDamaged(f"{path}: {error.strerror}", _ELSEWHERE) from error
    with _explained(path):
        connection = _connect(f"file:{quote(str(path))}?mode=rw")
        try:
            _prepare(connection, path)
            harden.files(path)
            yield connection
        finally:
            connection.close()


@contextlib.contextmanager
def transaction(connection: Writer) -> Iterator[None]:
    """All or nothing, with the write lock taken at the start."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def latest() -> int:
    """The schema number of this program: that of its last migration."""
    return max(number for number, _ in _scripts())


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = 1")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _prepare(connection: Writer, path: Path) -> None:
    version = _version(connection, path)
    if version != latest():
        _migrate(connection, path)
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is taken out is overwritten, also where SQLite was built to leave it in free pages.
    connection.execute("PRAGMA secure_delete = 1")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def _migrate(connection: Writer, path: Path) -> None:
    """Applies the missing migrations in one transaction, so that a crash leaves the old ledger.

    Whoever comes second waits for the turn: SQLite does not wait with a change of the journal.
    """
    with contextlib.closing(Turn(path)) as turn, turn:
        connection.execute("PRAGMA journal_mode = WAL")
        _apply(connection, path)


def _apply(connection: Writer, path: Path) -> None:
    with transaction(connection):
        version = _version(connection, path)
        for number, script in _scripts():
            if number > version:
                for statement in _statements(script.read_text("utf-8")):
                    connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO meta (name, value) VALUES ('ledger_id', ?)", (os.urandom(16).hex(),))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {latest()}")


def _scripts() -> list[tuple[int, Path]]:
    return sorted((int(path.name[:4]), path) for path in _MIGRATIONS.glob("[0-9]*.sql"))


def _statements(script: str) -> Iterator[str]:
    """The single statements of a script (executescript would end the transaction)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The schema number; 0 for an empty file. Refuses what is no ledger of ours."""
    number, identity, tables = connection.execute(_WHAT_IT_IS).fetchone()
    if tables == 0 and number == 0:
        return 0
    if identity != APPLICATION_ID:
        raise LedgerDamaged(f"{path} is a database of another program", "choose another file with --db")
    if not 0 < number <= latest():
        raise LedgerVersion(
            f"{path} has ledger schema {number}, this program knows up to {latest()}",
            f"mv {path} {path}.old && agent-observer sync",
        )
    return int(number)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """SQLite's own errors, in words and with the next step."""
    try:
        yield
    except ObserverError:
        raise
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise LedgerBusy(f"{path} is being written by another process", "try again in a moment") from error
        raise LedgerDamaged(f"{path}: {error}", _ELSEWHERE) from error
    except sqlite3.DatabaseError as error:
        raise LedgerDamaged(
            f"{path} is no sound ledger: {error}", f"mv {path} {path}.old && agent-observer sync"
        ) from error
