"""Reading is pure: it changes nothing, reaches for nothing, and is the same whenever it is done."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from observer.base import clock
from tests.builders.imports import machine
from tests.contract import reading
from tests.contract.imported import Imported, tree
from tests.contract.record_sets import RecordSet
from tests.contract.watch import watched

_LONG_AGO_NS = 1_700_000_000_000_000_000
_EARLY_MS, _LATE_MS = 0, 4_000_000_000_000


def test_nothing_is_opened_for_writing_or_reached_for(record_set: RecordSet, home: Path) -> None:
    """§23.6, §23.10: no file, no lock, no network, no other program."""
    record_set.lay(home)
    before = tree(home)
    with watched() as seen:
        everything = reading.everything(record_set.reader, home)
    assert everything
    assert seen == []
    assert tree(home) == before


def test_what_watches_sees(home: Path) -> None:
    """The control: writing, locking up, connecting and starting are told."""
    with watched() as seen:
        (home / "file").write_text("x")
        (home / "folder").mkdir()
        (home / "file").rename(home / "other")
        sqlite3.connect(home / "x.db").close()
    assert [each.split()[0] for each in seen] == ["open", "os.mkdir", "os.rename", "connect"]


def test_a_sync_leaves_every_record_as_it_was(told: Imported) -> None:
    """§23.6: bytes, times and names; nothing lies beside a foreign database that did not before."""
    assert told.after == told.before


def test_a_database_with_a_log_is_left_as_it_was_too(store_set: RecordSet) -> None:
    """In the mode in which the agents keep them, closed: no log and no index appear beside it."""
    with machine() as found:
        store_set.lay(found.home)
        for path in sorted(found.home.rglob("*.db")):
            with closing(sqlite3.connect(path)) as owner:
                assert owner.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
            os.utime(path, ns=(_LONG_AGO_NS, _LONG_AGO_NS))
        before = tree(found.home)
        found.sync()
        assert found.sync()[store_set.harness].unchanged > 0
        assert tree(found.home) == before


def test_reading_is_the_same_at_any_time_and_in_any_listing(
    record_set: RecordSet, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No clock and no order of files goes into a record."""
    record_set.lay(home)
    read = []
    for now_ms in (_EARLY_MS, _LATE_MS):
        monkeypatch.setattr(clock, "now_ms", lambda now_ms=now_ms: now_ms)
        monkeypatch.setattr("time.time", lambda now_ms=now_ms: now_ms / 1000)
        read.append(reading.everything(record_set.reader, home))
    with reading.listings_reversed():
        read.append(reading.everything(record_set.reader, home))
    assert read[0] == read[1] == read[2]
