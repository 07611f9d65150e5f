"""How a foreign database is opened: as it lies there while nobody has it, else as its owner lets readers."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from observer.base import clock
from observer.native.sqlite_ro import StoreError, columns, digest, opened

_LONG_AGO_NS = 1_700_000_000_000_000_000


@contextmanager
def owned(path: Path, *, mode: str = "WAL") -> Iterator[sqlite3.Connection]:
    """The owner's connection."""
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute(f"PRAGMA journal_mode = {mode}")
        yield owner


def resting(folder: Path, *, mode: str = "WAL") -> Path:
    """A database of one row that was closed long ago."""
    path = folder / "their.db"
    with owned(path, mode=mode) as owner:
        owner.execute("CREATE TABLE t (a)")
        owner.execute("INSERT INTO t VALUES (1)")
    os.utime(path, ns=(_LONG_AGO_NS, _LONG_AGO_NS))
    return path


def rows(path: Path) -> list[int]:
    with opened(str(path)) as connection:
        assert columns(connection, "t") == {"a"}
        return [row["a"] for row in connection.execute("SELECT a FROM t ORDER BY a")]


def beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_nothing_is_left_beside_a_closed_database(tmp_path: Path, mode: str) -> None:
    path = resting(tmp_path, mode=mode)
    before = path.read_bytes()
    assert rows(path) == [1]
    assert (beside(path), path.read_bytes()) == (["their.db"], before)


def test_an_empty_log_is_no_log(tmp_path: Path) -> None:
    path = resting(tmp_path)
    Path(f"{path}-wal").touch()
    assert rows(path) == [1]
    assert beside(path) == ["their.db", "their.db-wal"]


def test_what_the_owner_has_committed_is_seen(tmp_path: Path) -> None:
    path = resting(tmp_path)
    with owned(path) as owner:
        owner.execute("INSERT INTO t VALUES (2)")
        assert rows(path) == [1, 2]
        owner.execute("BEGIN")
        owner.execute("INSERT INTO t VALUES (3)")
        assert rows(path) == [1, 2]


@pytest.mark.parametrize("closes", [False, True])
def test_a_database_that_moves_while_it_is_read_as_it_lies_is_refused(tmp_path: Path, closes: bool) -> None:
    """Its pages may be of two moments: no figure of it counts. A second look finds it with its owner, or closed."""
    path = resting(tmp_path)
    owner = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(StoreError, match="opened by its owner"):
        read_while(path, owner, closes=closes)
    assert rows(path) == [1, 2]
    owner.close()


def read_while(path: Path, owner: sqlite3.Connection, *, closes: bool) -> None:
    """Reads while the owner writes, and perhaps moves its log into the database and closes it."""
    with opened(str(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM t").fetchone()[0] == 1
        owner.execute("INSERT INTO t VALUES (2)")
        if closes:
            owner.close()


def test_a_refusal_of_the_reader_itself_comes_first(tmp_path: Path) -> None:
    """What went wrong inside is not hidden by the last look."""
    with pytest.raises(LookupError):
        stumble(resting(tmp_path))


def stumble(path: Path) -> None:
    with opened(str(path)), owned(path) as owner:
        owner.execute("INSERT INTO t VALUES (2)")
        raise LookupError


def test_a_database_that_was_written_just_now_is_opened_with_locks(tmp_path: Path) -> None:
    """Two writes within the grain of a file's time look like one."""
    path = resting(tmp_path)
    os.utime(path)
    with opened(str(path)) as connection:
        connection.execute("SELECT 1 FROM t").fetchone()
        with owned(path) as owner:
            owner.execute("INSERT INTO t VALUES (2)")
    assert rows(path) == [1, 2]


def test_a_digest_follows_the_log_and_once_more_its_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit may lie in the log before a reader can see it: read then, it must be read again."""
    path = resting(tmp_path)
    at_rest = digest(str(path))
    with owned(path) as owner:
        owner.execute("INSERT INTO t VALUES (2)")
        fresh = [digest(str(path)), digest(str(path))]
        now_ms = clock.now_ms()
        monkeypatch.setattr("observer.native.sqlite_ro.now_ms", lambda: now_ms + 60_000)
        later = [digest(str(path)), digest(str(path))]
    assert fresh[0] == fresh[1] != later[0] == later[1]
    assert at_rest not in (*fresh, *later)


@pytest.mark.parametrize("content", [b"SQLite format 3\0", b"no database" * 99, b"SQLite format 3\0" + b"\2" * 99])
def test_what_is_no_database_is_an_error_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "their.db"
    path.write_bytes(content)
    for name in (path, tmp_path / "nothing.db"):
        with pytest.raises(StoreError) as refused:
            rows(name)
        assert str(refused.value)
    assert not (tmp_path / "nothing.db").exists()
