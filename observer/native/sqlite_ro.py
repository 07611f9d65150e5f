"""Databases of other programs: read-only, one consistent moment, never a lock that hinders them.

The write-ahead log is visible. A database that its owner holds exclusively,
that is damaged, or that is no database is a StoreError in words. Nothing is
left beside a database that nobody has open.
"""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from observer.base.clock import now_ms

# How long to wait for a database that is being written exclusively.
_PATIENCE_SECONDS = 2.0
_PIECE_BYTES = 1 << 20
# A file that was written longer ago than this looks otherwise after the next write, on any file system.
_GRAIN_MS = 2000
# Where a database's header says how it is written, and what it says of a write-ahead log.
_WRITTEN, _WITH_LOG = slice(18, 20), b"\2\2"

Connection = sqlite3.Connection
Row = sqlite3.Row


class StoreError(Exception):
    """A foreign database cannot be read; the message says why."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[Connection]:
    """A reading transaction on the database; rows can be asked by column name.

    Everything read inside is of one moment, whatever the owner writes
    meanwhile. StoreError when it cannot be, also at the end.
    """
    resting = _at_rest(path)
    # With a log, even a reader makes files beside the database, and leaves them there; where nobody has it open,
    # its bytes stand still and can be read as they are.
    still = "&immutable=1" if resting else ""
    try:
        connection = sqlite3.connect(
            f"file:{quote(path)}?mode=ro{still}", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None
        )
    except sqlite3.Error as error:
        raise StoreError(str(error)) from error
    try:
        connection.row_factory = sqlite3.Row
        # Text that is no UTF-8 costs its characters, not its row.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = 1")
        connection.execute("BEGIN")
        yield connection
    except sqlite3.Error as error:
        raise StoreError(_words(path, error)) from error
    finally:
        connection.close()
    if resting and _at_rest(path) != resting:
        raise StoreError("the database was opened by its owner while it was read; the next sync reads it")


def columns(connection: Connection, table: str) -> frozenset[str]:
    """The columns of a table; empty when there is no such table."""
    return frozenset(row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def select(
    connection: Connection, table: str, wanted: Sequence[str], *, key: str | None = None, value: object = None
) -> Iterator[Row]:
    """The wanted columns of a table's rows, NULL where its release has no such column; none without the table.

    In the order of the rows; with a `key`, those whose column of that name is
    `value`, in the order of the first column wanted.
    """
    names = columns(connection, table)
    if not names or (key is not None and key not in names):
        return iter(())
    listed = ", ".join(f'"{name}"' if name in names else f"NULL AS {name}" for name in wanted)
    if key is None:
        return connection.execute(f"SELECT {listed} FROM {table} ORDER BY rowid")
    return connection.execute(f"SELECT {listed} FROM {table} WHERE {key} = ? ORDER BY 1", (value,))


def digest(path: str) -> str:
    """SHA-256 over the bytes of the database and of its write-ahead log, if it has one.

    Changes with every change of the content; also when the owner only tidies
    up. What has just been written to a log may not be visible to readers yet,
    so the digest changes once more when the log has come to rest. Not to be
    called while `opened` is open: closing a file drops locks.
    """
    found = hashlib.sha256()
    for name in (path, f"{path}-wal"):
        with contextlib.suppress(FileNotFoundError), open(name, "rb", buffering=0) as file:
            while piece := file.read(_PIECE_BYTES):
                found.update(piece)
            seen = os.fstat(file.fileno())
            if name != path and seen.st_size and not _is_old(seen.st_mtime_ns):
                found.update(str(seen.st_mtime_ns).encode())
    return found.hexdigest()


def _at_rest(path: str) -> tuple[int, int, int] | None:
    """What a closed database with a log looks like; None for any other, and for one that was just written."""
    try:
        if os.path.exists(f"{path}-shm") or (os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal")):
            return None
        with open(path, "rb", buffering=0) as file:
            seen = os.fstat(file.fileno())
            if file.read(_WRITTEN.stop)[_WRITTEN] != _WITH_LOG or not _is_old(seen.st_mtime_ns):
                return None
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _is_old(changed_ns: int) -> bool:
    return now_ms() - changed_ns // 1_000_000 >= _GRAIN_MS


def _words(path: str, error: sqlite3.Error) -> str:
    """What SQLite says; in other words where a log cannot be read for want of the index that belongs to it."""
    folder = os.path.dirname(path) or "."
    if os.path.exists(f"{path}-wal") and not os.path.exists(f"{path}-shm") and not os.access(folder, os.W_OK):
        return "its newest records are in a write-ahead log, which cannot be read in a folder that may not be written"
    return str(error)
