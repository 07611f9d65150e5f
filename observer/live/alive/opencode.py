"""Whether an OpenCode process records what it does: a session of its directory, updated since it started."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from observer.adapters.opencode.paths import DATABASE, session_files
from observer.adapters.opencode.store import updated
from observer.native.small import read_small
from observer.native.sqlite_ro import StoreError

_LARGEST_SESSION = 1_000_000


class _Times(Struct):
    updated: float = 0


class _Session(Struct):
    directory: str | None = None
    time: _Times = msgspec.field(default_factory=_Times)


_decoder = msgspec.json.Decoder(_Session)


def is_record(_path: str) -> bool:
    """An open database says nothing: every process holds it."""
    return False


def wrote(home: Path, directories: frozenset[str], since_ms: int) -> bool:
    """Whether a session of one of these directories was updated since, in a database or an older file."""
    for path in _databases(home):
        try:
            if updated(str(path), directories, since_ms):
                return True
        except StoreError:
            continue  # an older or damaged store: no evidence either way
    files = session_files(str(home / "storage")).values() if home.is_dir() else ()
    return any(_is_of(Path(path), directories, since_ms) for path in files)


def _databases(home: Path) -> Iterator[Path]:
    if home.is_file():
        yield home
    yield from (path for path in (home / DATABASE, *home.glob("opencode-*.db")) if path.is_file())


def _is_of(path: Path, directories: frozenset[str], since_ms: int) -> bool:
    try:
        found = _decoder.decode(read_small(path, _LARGEST_SESSION) or b"{}")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return found.directory in directories and found.time.updated >= since_ms
