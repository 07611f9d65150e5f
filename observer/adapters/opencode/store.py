"""One session as the store holds it: from the database, or from JSON files.

Opens read-only, names the columns it reads, and takes missing ones for unknown.
Never touches the tables of accounts, credentials and shares.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from operator import attrgetter

from msgspec import Struct

from observer.adapters.opencode import paths
from observer.adapters.opencode.shapes import Head, Message, Part, Times
from observer.native import values
from observer.native.documents import Decoded, Row, decoded, read_rows
from observer.native.sqlite_ro import Connection, StoreError, columns, opened, select
from observer.records.source import Quarantine

_USAGE = "$.tokens"
_order = attrgetter("place", "id")
# A running answer in the database does not hide a completed one in a file.
_HELD = """
    SELECT id FROM message WHERE session_id = ? AND CASE WHEN json_valid(data) THEN
      json_extract(data, '$.role') IS NOT 'assistant' OR json_extract(data, '$.time.completed') IS NOT NULL END"""
# An older session that has a message of the same moment is where a fork's history comes from.
_SOURCE = """
    SELECT session.id, other.time_created FROM message AS other JOIN session ON session.id = other.session_id
    WHERE other.time_created IN (SELECT value FROM json_each(?)) AND session.time_created < ?
    ORDER BY other.time_created DESC, session.time_created, session.id LIMIT 1"""
_UPDATED = """
    SELECT 1 FROM session
    WHERE directory IN (SELECT value FROM json_each(?)) AND time_updated >= ? LIMIT 1"""


class Entry(Struct, frozen=True):
    """A message. `number` is its position in the unit, `place` its instant, which stays when others go."""

    number: int
    id: str
    place: int
    record: Message
    counters_cut: bool

    @property
    def is_answer(self) -> bool:
        """Whether it is a completed answer of the assistant."""
        return self.record.role == "assistant" and self.record.time.completed is not None


class Kept(Struct):
    """A session. `pieces` can be gone through once, while the store is open.

    `head`: None when the store has messages of the session only. `source`: the
    session that a fork continues, and the instant of the last message that
    both have. `faults` grows while pieces are read.
    """

    session: str
    from_database: bool
    head: Head | None
    entries: list[Entry]
    pieces: Iterator[Decoded]
    faults: list[Quarantine]
    source: tuple[str, int] | None = None

    def is_copy(self, entry: Entry) -> bool:
        """Whether a message is older than its session: then it was copied from another one."""
        made = self.head.time.created if self.head else None
        created = entry.record.time.created
        return made is not None and created is not None and created < made


@contextlib.contextmanager
def kept(path: str) -> Iterator[Kept]:
    """The session of a unit; StoreError or OSError when it cannot be read."""
    store, _, session = path.rpartition("#")
    if os.path.isdir(store):
        yield _from_files(store, session)
        return
    with opened(store) as connection:
        yield _from_database(connection, values.called(session, _ids(connection)))


def _ids(connection: Connection) -> Iterator[object]:
    """The sessions that there are, by either table; looked for only where a path does not say which one is meant."""
    for table, column in (("message", "session_id"), ("session", "id")):
        yield from (row[0] for row in select(connection, table, (column,)))


def updated(database: str, directories: Iterable[str], since_ms: int) -> bool:
    """Whether a session of one of these directories was updated since; StoreError when it cannot be told."""
    with opened(database) as connection:
        return connection.execute(_UPDATED, (json.dumps(sorted(directories)), since_ms)).fetchone() is not None


def _from_database(connection: Connection, session: str) -> Kept:
    found: list[Quarantine] = []
    rows = list(_rows(connection, "message", session, owner="session_id"))
    entries = sorted(_entries(rows, found), key=_order)
    parts = _rows(connection, "part", session, owner="message_id")
    pieces = decoded(parts, Part, found, usage=_USAGE, first=len(rows))
    head = _head(connection, session)
    kept = Kept(session, True, head, entries, pieces, found)
    copied = [entry.place for entry in entries if kept.is_copy(entry)]
    if copied and head and "time_created" in columns(connection, "message"):
        source = connection.execute(_SOURCE, (json.dumps(copied), head.time.created)).fetchone()
        kept.source = (source[0], source[1]) if source else None
    return kept


def _from_files(storage: str, session: str) -> Kept:
    found: list[Quarantine] = []
    head, held = _beside(storage, session)
    file = paths.session_files(storage).get(session)
    for each in decoded(read_rows([file] if file else [], None), Head, found, usage=_USAGE):
        head = each.record
    rows = [row for row in read_rows(paths.documents(storage, "message", session), session) if row.id not in held]
    entries = sorted(_entries(rows, found, first=1), key=_order)
    parts = (row for entry in entries for row in read_rows(paths.documents(storage, "part", entry.id), entry.id))
    pieces = decoded(parts, Part, found, usage=_USAGE, first=1 + len(rows))
    return Kept(session, False, head, entries, pieces, found)


def _beside(storage: str, session: str) -> tuple[Head | None, frozenset[str]]:
    """What the database beside the files says of the session, and the messages it has: there it goes on."""
    database = os.path.join(os.path.dirname(storage), paths.DATABASE)
    if os.path.isfile(database):
        with contextlib.suppress(StoreError), opened(database) as connection:
            held = frozenset(row[0] for row in connection.execute(_HELD, (session,)))
            return _head(connection, session), held
    return None, frozenset()


def _head(connection: Connection, session: str) -> Head | None:
    wanted = ("parent_id", "directory", "version", "time_created", "time_compacting")
    row = next(select(connection, "session", wanted, key="id", value=session), None)
    if row is None:
        return None
    parent, directory, version = (each if isinstance(each, str) else None for each in row[:3])
    created, compacting = (each if isinstance(each, int) and each >= 0 else None for each in row[3:])
    return Head(parent, directory, version, Times(created), compacting)


def _rows(connection: Connection, table: str, session: str, *, owner: str) -> Iterator[Row]:
    wanted = ("id", owner, "time_created", "data")
    return (Row(*row) for row in select(connection, table, wanted, key="session_id", value=session))


def _entries(rows: Iterable[Row], found: list[Quarantine], first: int = 0) -> Iterator[Entry]:
    for each in decoded(rows, Message, found, usage=_USAGE, first=first):
        name, made_ms, created = each.row.id, each.row.made_ms, each.record.time.created
        if not values.is_text(name):
            found.append(Quarantine(each.number, "missing_id"))
            continue
        place = created if created is not None else made_ms if isinstance(made_ms, int) and made_ms >= 0 else 0
        yield Entry(each.number, name, place, each.record, each.is_cut)
