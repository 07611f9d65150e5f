"""Importing: each record once, whatever comes when, in whatever order and pieces.

The ledger after any such history is that of one clean import.
"""

import importlib
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.ledger import verify
from observer.ledger.open import reader
from tests.builders import documents
from tests.builders.imports import Machine, inserted, machine
from tests.builders.wholes import Whole
from tests.contract import reading, record_sets
from tests.contract.imported import Imported
from tests.contract.record_sets import RecordSet

_STEPS = {"forwards": 1, "backwards": -1}
_CLEAN: dict[str, Whole] = {}


def clean(record_set: RecordSet) -> Whole:
    """The ledger of one sync."""
    if record_set.name not in _CLEAN:
        with machine() as found:
            record_set.lay(found.home)
            found.sync()
            _CLEAN[record_set.name] = found.whole()
    return _CLEAN[record_set.name]


def test_every_source_is_read(told: Imported, record_set: RecordSet) -> None:
    own = told.first[record_set.harness]
    assert own.sources == len(reading.found(record_set.reader, told.machine.home)) > 0
    assert [each.failed for each in told.first.values()] == [[]] * len(told.first)


def test_every_rule_of_the_ledger_holds(told: Imported) -> None:
    """Figures derived anew, references, prefixes of ids, people's prompts in main sessions only."""
    with reader(told.machine.ledger) as connection:
        assert (verify.damage(connection), verify.broken(connection), verify.unsettled(connection)) == ([], [], 0)


def test_healthy_records_have_no_faults(told: Imported, record_set: RecordSet) -> None:
    assert bool(told.faults) == (record_set.name in record_sets.ODD)


def test_a_second_sync_inserts_nothing_and_reads_nothing(told: Imported) -> None:
    """E010, E026, §23.1."""
    assert inserted(told.again) == 0
    assert all(each.unchanged == each.sources for each in told.again.values())


def test_reading_everything_again_changes_nothing(record_set: RecordSet) -> None:
    """E020, §23.1: `--full`."""
    with machine() as found:
        record_set.lay(found.home)
        found.sync()
        answers = found.sync(full=True).values()
        assert sum(each.responses_inserted + each.submissions_inserted + each.events_inserted for each in answers) == 0
        assert found.whole() == clean(record_set)


@pytest.mark.parametrize("order", ["forwards", "backwards", "shuffled"])
def test_the_order_of_sources_does_not_matter(
    record_set: RecordSet, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E022: one source after the other, each by a sync of its own, and then all."""
    with machine() as found:
        record_set.lay(found.home)
        paths = [each.path for each in reading.found(record_set.reader, found.home)]
        paths = random.Random(7).sample(paths, len(paths)) if order == "shuffled" else paths[:: _STEPS[order]]
        module, whole = importlib.import_module(f"observer.adapters.{record_set.harness}"), record_set.reader
        for place in range(len(paths)):
            shown = frozenset(paths[: place + 1])
            monkeypatch.setattr(module, "ADAPTER", replace(whole, discover=_only(whole.discover, shown)))
            found.sync()
        monkeypatch.setattr(module, "ADAPTER", whole)
        found.sync()
        assert found.whole() == clean(record_set)


def _only(discover: Callable[[Path], Iterable[Any]], shown: frozenset[str]) -> Callable[[Path], Iterable[Any]]:
    return lambda root: [each for each in discover(root) if each.path in shown]


@settings(max_examples=15)
@given(data=st.data())
def test_lines_may_be_cut_at_any_byte(line_harness: str, data: st.DataObject) -> None:
    """E011, E012, E022: every file grows by any bytes between syncs, also in the middle of a line or a character."""
    record_set = data.draw(st.sampled_from(record_sets.of(line_harness)))
    with machine() as found:
        record_set.lay(found.home)
        contents = {path: path.read_bytes() for path in _files(found, record_set)}
        stages = data.draw(st.integers(1, 3))
        cuts = st.lists(st.integers(0, max(map(len, contents.values()))), min_size=stages, max_size=stages)
        cut = {path: sorted(data.draw(cuts)) for path in contents}
        for stage in range(stages):
            for path, content in contents.items():
                path.write_bytes(content[: cut[path][stage]])
            found.sync()
        for path, content in contents.items():
            path.write_bytes(content)
        found.sync()
        assert found.whole() == clean(record_set)


def _files(found: Machine, record_set: RecordSet) -> list[Path]:
    return [Path(each.path) for each in reading.sources(record_set.reader, found.home)]


@settings(max_examples=15)
@given(data=st.data())
def test_a_store_may_be_read_at_any_earlier_time(store_harness: str, data: st.DataObject) -> None:
    """What was not there yet, or half there, leaves nothing behind once the store is whole."""
    record_set = data.draw(st.sampled_from(record_sets.of(store_harness)))
    with machine() as found, machine() as original:
        record_set.lay(original.home)
        record_set.lay(found.home)
        for path in documents.files(found.home):
            _earlier(path, data.draw(st.floats(0, 1)))
        found.sync()
        shutil.rmtree(found.home)
        shutil.copytree(original.home, found.home)
        found.sync()
        assert _without_copies(found.whole()) == _without_copies(clean(record_set))


@pytest.mark.parametrize("share", [0.4, 0.8])
def test_versions_of_a_store_in_two_places_end_alike(store_set: RecordSet, share: float) -> None:
    """A backup or a moved home beside the one in use: whichever is read first, last, or again, the same is kept."""
    ledgers = []
    for order in (("here", "there"), ("there", "here"), ("both",), ("there", "here", "again")):
        with machine() as found:
            roots: tuple[Path, ...] = ()
            for step in order:
                if step in ("here", "both"):
                    store_set.lay(found.home)
                if step in ("there", "both"):
                    roots = _earlier_elsewhere(store_set, found.home / "there", share)
                if step == "again":
                    for path in documents.files(found.home / "there"):
                        path.touch()
                found.sync(extra={store_set.harness: roots})
            found.sync(extra={store_set.harness: roots})
            ledgers.append(found.whole())
    for table in ledgers[0].keys() - {"source"}:  # a fingerprint is made of times
        assert [each[table] for each in ledgers[1:]] == [ledgers[0][table]] * 3, table


def _earlier_elsewhere(store_set: RecordSet, home: Path, share: float) -> tuple[Path, ...]:
    """An earlier state of the set, and the places in it where its agent's records lie."""
    store_set.lay(home)
    for path in documents.files(home):
        _earlier(path, share)
    return tuple(root for root in store_set.reader.roots({}, home) if root.exists())


def _without_copies(whole: Whole) -> Whole:
    """The ledger but for who else told a response: what moves from one file to another was told by both."""
    rows = [row[:1] + row[2:] for row in whole["response"]]
    return {**whole, "response_copy": [], "response": rows}


def _earlier(path: Path, share: float) -> None:
    """What a file held when that share of it was there: the first bytes of it, the first rows of each table."""
    if path.suffix != ".db":
        data = path.read_bytes()
        path.write_bytes(data[: int(share * len(data))])
        return
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = 0")
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = [row[0] for row in connection.execute(f'SELECT rowid FROM "{table}" ORDER BY rowid')]
            later = [(row,) for row in rows[int(share * len(rows)) :]]
            connection.executemany(f'DELETE FROM "{table}" WHERE rowid = ?', later)
        while orphans := connection.execute("PRAGMA foreign_key_check").fetchall():
            for table, row, *_ in orphans:  # no row was ever there before the one it belongs to
                connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
