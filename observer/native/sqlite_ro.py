"""Databases of other programs: read-only, one consistent moment, never a lock that hinders them.

The write-ahead log is visible. A database that its owner holds exclusively,
that is damaged, or that is no database is a StoreError in words.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from urllib.parse import quote

# How long to wait for a database that is being written exclusively.
_PATIENCE_SECONDS = 2.0
_PIECE_BYTES = 1 << 20

Connection = sqlite3.Connection
Row = sqlite3.Row


class StoreError(Exception):
    """A foreign database cannot be read; the message says why."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[Connection]:
    """A reading transaction on the database; rows can be asked by column name.

    Everything read inside is of one moment, whatever the owner writes meanwhile.
    """
    try:
        connection = sqlite3.connect(
            f"file:{quote(path)}?mode=ro", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None
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
        raise StoreError(str(error)) from error
    finally:
        connection.close()


def columns(connection: Connection, table: str) -> frozenset[str]:
    """The columns of a table; empty when there is no such table."""
    return frozenset(row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def digest(path: str) -> str:
    """SHA-256 over the bytes of the database and of its write-ahead log, if it has one.

    Changes with every change of the content; also when the owner only tidies
    up. Not to be called while `opened` is open: closing a file drops locks.
    """
    found = hashlib.sha256()
    for name in (path, f"{path}-wal"):
        with contextlib.suppress(FileNotFoundError), open(name, "rb", buffering=0) as file:
            while piece := file.read(_PIECE_BYTES):
                found.update(piece)
    return found.hexdigest()
