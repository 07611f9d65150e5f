"""One session as the store holds it: from the database, or from JSON files.

Opens read-only, names the columns it reads, and takes missing ones for unknown.
Never touches the tables of accounts, credentials and shares.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder

from observer.adapters.opencode import paths
from observer.adapters.opencode.shapes import Head, Message, Part, Times
from observer.native import jsonl
from observer.native.decode import decode, faults
from observer.native.sqlite_ro import Connection, StoreError, columns, opened
from observer.records.source import Quarantine

# So many records are decoded at once: a part may hold a tool's whole output.
_AT_ONCE = 200
_MESSAGE, _PART, _HEAD = Decoder(Message), Decoder(Part), Decoder(Head)
# A running answer in the database does not hide a completed one in a file.
_HELD = """
    SELECT id FROM message WHERE session_id = ? AND CASE WHEN json_valid(data) THEN
      json_extract(data, '$.role') IS NOT 'assistant' OR json_extract(data, '$.time.completed') IS NOT NULL END"""
# An older session that has a message of the same moment is where a fork's history comes from.
_SOURCE = """
    SELECT session.id, other.time_created FROM message AS other JOIN session ON session.id = other.session_id
    WHERE other.time_created IN (SELECT value FROM json_each(?)) AND session.time_created < ?
    ORDER BY other.time_created DESC, session.time_created, session.id LIMIT 1"""


class Row(Struct, frozen=True):
    """A record before decoding. `made_ms`: when the row or file was made, as far as it tells."""

    id: Any
    owner: Any
    made_ms: int | None
    data: Any


class Entry(Struct, frozen=True):
    """A message. `number` is its position in the unit, `place` its instant, which stays when others go."""

    number: int
    id: str
    place: int
    record: Message
    counters_cut: bool


class Piece(Struct, frozen=True):
    """A part and the message it belongs to."""

    number: int
    id: Any
    message: Any
    record: Part


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
    pieces: Iterator[Piece]
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
    store, session = paths.unit(path)
    if not paths.is_database(store):
        yield _from_files(store, session)
        return
    with opened(store) as connection:
        yield _from_database(connection, _called(connection, session))


def _called(connection: Connection, name: str) -> str:
    """The session that a unit's path names."""
    if not name.startswith("~"):
        return name
    ids = {row[0] for row in connection.execute("SELECT session_id FROM message") if isinstance(row[0], str)}
    if "id" in columns(connection, "session"):
        ids |= {row[0] for row in connection.execute("SELECT id FROM session") if isinstance(row[0], str)}
    return next((each for each in sorted(ids) if paths.unit_name(each) == name), name)


def _from_database(connection: Connection, session: str) -> Kept:
    found: list[Quarantine] = []
    rows = list(_rows(connection, "message", session, owner="session_id"))
    entries = sorted(_entries(rows, found), key=_order)
    pieces = _pieces(_rows(connection, "part", session, owner="message_id"), found, first=len(rows))
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
    for _, _, record, _ in _decoded(_read([file], None), _HEAD, found) if file else ():
        head = record
    rows = [row for row in _read(paths.documents(storage, "message", session), session) if row.id not in held]
    entries = sorted(_entries(rows, found, first=1), key=_order)
    parts = (row for entry in entries for row in _read(paths.documents(storage, "part", entry.id), entry.id))
    return Kept(session, False, head, entries, _pieces(parts, found, first=1 + len(rows)), found)


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
    row = next(_select(connection, "session", wanted, "id", session), None)
    if row is None:
        return None
    parent, directory, version = (each if isinstance(each, str) else None for each in row[:3])
    created, compacting = (each if isinstance(each, int) and each >= 0 else None for each in row[3:])
    return Head(parent, directory, version, Times(created), compacting)


def _rows(connection: Connection, table: str, session: str, *, owner: str) -> Iterator[Row]:
    for row in _select(connection, table, ("id", owner, "time_created", "data"), "session_id", session):
        yield Row(*row)


def _select(connection: Connection, table: str, wanted: tuple[str, ...], key: str, value: str) -> Iterator[Any]:
    """The wanted columns in that order, unknown where the release has no such column."""
    names = columns(connection, table)
    if key not in names:
        return iter(())
    listed = ", ".join(name if name in names else f"NULL AS {name}" for name in wanted)
    return connection.execute(f"SELECT {listed} FROM {table} WHERE {key} = ? ORDER BY 1", (value,))


def _read(files: Iterable[str], owner: str | None) -> Iterator[Row]:
    for path in files:
        _, mtime_ns = jsonl.size(path)
        with jsonl.open_source(path, compressed=False) as file:
            data = file.read().decode("utf-8", "replace")
        yield Row(os.path.basename(path).removesuffix(".json"), owner, mtime_ns // 1_000_000, data)


def _decoded(
    rows: Iterable[Row], decoder: Decoder[Any], found: list[Quarantine], first: int = 0
) -> Iterator[tuple[int, Row, Any, bool]]:
    """Position, row, record and whether counters were cut out; what cannot be decoded is a fault."""
    rows = iter(rows)
    while some := list(islice(rows, _AT_ONCE)):
        lines = decode("\n".join(map(_line, some)).encode("utf-8", "replace"), decoder, first=first)
        found += faults(lines, usage=("$.tokens",))
        for index, (row, record) in enumerate(zip(some, lines.records, strict=True)):
            if record is not None:
                yield first + index, row, record, lines.has_fault(index, "$.tokens")
        first += len(some)


def _line(row: Row) -> str:
    """A JSON document as one line; a line break can only stand between its values."""
    text = row.data.replace("\n", " ") if isinstance(row.data, str) else ""
    return text if text.strip() else "null"


def _entries(rows: Iterable[Row], found: list[Quarantine], first: int = 0) -> Iterator[Entry]:
    for number, row, record, cut in _decoded(rows, _MESSAGE, found, first):
        if not isinstance(row.id, str) or not row.id:
            found.append(Quarantine(number, "missing_id"))
            continue
        yield Entry(number, row.id, _place(record, row.made_ms), record, cut)


def _pieces(rows: Iterable[Row], found: list[Quarantine], first: int) -> Iterator[Piece]:
    for number, row, record, _ in _decoded(rows, _PART, found, first):
        yield Piece(number, row.id, row.owner, record)


def _place(record: Message, made_ms: int | None) -> int:
    created = record.time.created
    return created if created is not None else made_ms if isinstance(made_ms, int) and made_ms >= 0 else 0


def _order(entry: Entry) -> tuple[int, str]:
    return entry.place, entry.id
