"""Where OpenCode keeps sessions, and a fingerprint of each that changes when its content may have.

Databases are asked a few grouped questions, folders are listed; no record is
decoded here. Links inside the older store are not followed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from observer.native import folders
from observer.native.sqlite_ro import Connection, StoreError, columns, opened
from observer.native.values import unit_name
from observer.records.source import SourceFile, Unreadable

HARNESS = "opencode"
DATABASE = "opencode.db"
_JSON = ".json"
_MESSAGES = "SELECT session_id, COUNT(*), MAX(time_updated), SUM(time_updated) FROM message GROUP BY session_id"
_PARTS = "SELECT session_id, COUNT(*), MAX(time_updated), SUM(time_updated) FROM part GROUP BY session_id"
# Releases with a journal raise its number with every change of a part, so an index is all that must be read.
_JOURNAL = "SELECT aggregate_id, seq FROM event_sequence"
_PARTS_BESIDE_JOURNAL = "SELECT session_id, COUNT(*), MAX(rowid) FROM part GROUP BY session_id"


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The data folder, and the database that `OPENCODE_DB` names (relative: in the data folder)."""
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    named = environment.get("OPENCODE_DB", "")
    return [data, *([data / named] if named and named != ":memory:" else [])]


def discover(root: Path) -> Iterable[SourceFile | Unreadable]:
    """The sessions below a data folder, in one database, or in one folder of JSON files.

    Databases are `opencode.db` and those of other release channels,
    `opencode-<channel>.db`. A database that is named but missing is unreadable.
    """
    real = Path(os.path.realpath(root))
    if not real.is_dir():
        if real.is_file() or real.name != HARNESS:
            yield from _in_database(str(real))
        return
    for path in sorted((*real.glob(DATABASE), *real.glob("opencode-*.db"))):
        yield from _in_database(os.path.realpath(path))
    storage = real / "storage"
    yield from _in_files(str(storage if storage.is_dir() else real))


def session_files(storage: str) -> dict[str, str]:
    """Session → its own file, whichever project it belongs to."""
    projects = folders.folders(os.path.join(storage, "session"))
    return {entry.name.removesuffix(_JSON): entry.path for each in projects for entry in folders.plain(each, _JSON)}


def documents(storage: str, kind: str, owner: str) -> list[str]:
    """The JSON files of a session's messages or a message's parts, in order of their ids."""
    return sorted(entry.path for entry in folders.plain(os.path.join(storage, kind, owner), _JSON))


def _in_database(path: str) -> Iterator[SourceFile | Unreadable]:
    try:
        with opened(path) as connection:
            if not columns(connection, "message") >= {"id", "session_id", "data"}:
                yield Unreadable(HARNESS, path, "the database has no message table of OpenCode's")
                return
            found = _fingerprints(connection)
    except StoreError as error:
        yield Unreadable(HARNESS, path, str(error))
        return
    for session, marks in found.items():
        yield SourceFile(HARNESS, f"{path}#{unit_name(session)}", fingerprint=repr(marks))


def _fingerprints(connection: Connection) -> dict[str, list[object]]:
    """Per session what can tell that it changed: times, counts, the journal's last number."""
    journal = bool(columns(connection, "event_sequence"))
    questions = {
        "session": "SELECT id, time_updated FROM session",
        "message": _MESSAGES,
        "part": _PARTS_BESIDE_JOURNAL if journal else _PARTS,
        "event_sequence": _JOURNAL,
    }
    found: dict[str, list[object]] = {}
    for table, question in questions.items():
        names = columns(connection, table)
        asked = question if "time_updated" in names else question.replace("time_updated", "NULL")
        for session, *marks in connection.execute(asked) if names else ():
            if isinstance(session, str) and session:
                found.setdefault(session, []).append((table, *marks))
    return found


def _in_files(storage: str) -> Iterator[SourceFile]:
    sessions = folders.folders(os.path.join(storage, "message"))
    heads = session_files(storage) if sessions else {}
    for folder in sessions:
        files, session = folders.plain(folder, _JSON), os.path.basename(folder)
        seen = [folders.seen(path) for path in (*(entry.path for entry in files), heads.get(session, "")) if path]
        # A part that is made makes its folder newer; the message is written again after its parts.
        parts = [folders.seen(os.path.join(storage, "part", entry.name.removesuffix(_JSON)))[1] for entry in files]
        marks = (len(files), sum(size for size, _ in seen), max((newest for _, newest in seen), default=0), sum(parts))
        yield SourceFile(HARNESS, f"{storage}#{session}", fingerprint=repr(marks))
