"""Laws over OpenCode's stores: any order, any repetition, any odd row; never a wrong number, never a crash."""

import json
import shutil
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from observer.adapters.opencode import ADAPTER
from observer.records.source import Quarantine, RawBatch, SourceFile
from tests.builders.imports import Machine, inserted, machine
from tests.builders.wholes import Whole
from tests.places import RECORDS
from tests.unit.adapters.opencode.stores import PLACE, fingerprints

_RECORDS = RECORDS / "opencode"
_STORES = sorted(path for path in (*_RECORDS.glob("*/opencode.db"), *(_RECORDS / "version-chain").glob("v*")))
_NAMES = [path.relative_to(_RECORDS).as_posix() for path in _STORES]
# Anything that a field may hold instead of what it should.
_ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["read", "id", "time"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def lay(found: Machine, store: Path) -> Path:
    """Puts a real store in its place."""
    place = found.home / PLACE
    if store.is_dir():
        shutil.copytree(store, place)
    else:
        place.mkdir(parents=True)
        shutil.copy(store, place)
    return place


@cache
def clean(name: str) -> Whole:
    """The ledger of one sync."""
    with machine() as found:
        lay(found, _RECORDS / name)
        found.sync()
        return found.whole()


@pytest.mark.parametrize("name", _NAMES)
def test_twice_is_once(name: str) -> None:
    """Again, or in full, changes neither the ledger nor the store."""
    with machine() as found:
        lay(found, _RECORDS / name)
        before = found.contents()
        found.sync()
        assert inserted(found.sync()) == 0
        again = found.sync(full=True)["opencode"]
        assert (again.responses_inserted, again.submissions_inserted, again.events_inserted) == (0, 0, 0)
        assert found.whole() == clean(name)
        assert {path: data for path, data in found.contents().items() if path in before} == before


@given(name=st.sampled_from(_NAMES[:5]), data=st.data())
@settings(max_examples=30)
def test_sessions_may_be_read_in_any_order(name: str, data: st.DataObject) -> None:
    """Each in a store of its own, some of them at a time: every row but where it came from is the same."""
    with machine() as whole, machine() as found:
        together = lay(whole, _RECORDS / name) / "opencode.db"
        sessions = [path.rpartition("#")[2] for path in fingerprints(together)]
        for session in data.draw(st.permutations(sessions)):
            alone = found.home / PLACE / f"opencode-{session}.db"
            alone.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(together, alone)
            with sqlite3.connect(alone) as store:
                store.execute("DELETE FROM message WHERE session_id <> ?", (session,))
                store.execute("DELETE FROM session WHERE id <> ?", (session,))
            store.close()
            if data.draw(st.booleans()):
                found.sync()
        found.sync()
        wanted, rows = clean(name), found.whole()
        assert [row[:1] + row[2:] for row in rows["response"]] == [row[:1] + row[2:] for row in wanted["response"]]
        for table in ("submission", "event", "turn", "fault"):
            assert rows[table] == wanted[table], table


@given(name=st.sampled_from(_NAMES[:5]), data=st.data())
@settings(max_examples=40)
def test_rows_that_come_in_pieces_end_in_the_same_ledger(name: str, data: st.DataObject) -> None:
    """A store that grows message by message, read at any moment, gives what one clean import gives."""
    with machine() as found:
        place = lay(found, _RECORDS / name)
        with sqlite3.connect(place / "opencode.db") as store:
            kept = store.execute("SELECT * FROM message ORDER BY time_created, id").fetchall()
            parts = store.execute("SELECT * FROM part").fetchall()
            store.execute("DELETE FROM part")
            store.execute("DELETE FROM message")
            store.commit()
            for row in kept:
                store.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
                mine = [part for part in parts if part[1] == row[0]]
                store.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", mine)
                store.commit()
                if data.draw(st.booleans()):
                    found.sync()
        store.close()
        found.sync()
        wanted, whole = clean(name), found.whole()
        for table in ("response", "submission", "event", "session", "turn", "fault"):
            assert whole[table] == wanted[table], table


@given(name=st.sampled_from(_NAMES[:5]), data=st.data())
@settings(max_examples=60)
def test_odd_rows_cost_at_most_themselves(name: str, data: st.DataObject) -> None:
    """One field of one record becomes anything: no crash, and every other response is there, unchanged."""
    with machine() as found:
        place = lay(found, _RECORDS / name) / "opencode.db"
        before = _responses(place)
        session, odd = _spoil(place, data)
        after = _responses(place)
        for unit, responses in before.items():
            lost = responses - after[unit]
            assert sum(lost.values()) <= (1 if unit == session else 0), odd
            assert sum((after[unit] - responses).values()) <= (1 if unit == session else 0), odd


@given(name=st.sampled_from(_NAMES[:5]), data=st.data())
@settings(max_examples=40)
def test_a_changed_row_replaces_what_it_said(name: str, data: st.DataObject) -> None:
    """Other counters, cost or end of a completed message: the ledger says what a clean import of the store says."""
    with machine() as found:
        place = lay(found, _RECORDS / name) / "opencode.db"
        found.sync()
        with sqlite3.connect(place) as store:
            rows = store.execute("SELECT id, data FROM message WHERE data LIKE '%\"total\":%'").fetchall()
            held = Counter(_moment(text) for _, text in rows)
            alone = [row for row in rows if held[_moment(row[1])] == 1]
            message, text = data.draw(st.sampled_from(sorted(alone)))
            changed = json.loads(text)
            changed["cost"] = data.draw(st.sampled_from([0, 0.5, 1e-9]))
            changed["tokens"] |= {"input": data.draw(st.integers(1, 10**9)), "output": data.draw(st.integers(0, 10**6))}
            changed["time"]["completed"] += data.draw(st.integers(0, 1000))
            given = (json.dumps(changed), message)
            store.execute("UPDATE message SET data = ?, time_updated = time_updated + 5000 WHERE id = ?", given)
        store.close()
        found.sync()
        with machine() as fresh:
            lay(fresh, place)
            fresh.sync()
            assert found.whole()["response"] == fresh.whole()["response"]


def _moment(text: str) -> Any:
    return json.loads(text)["time"]["created"]


def _responses(store: Path) -> dict[str, Counter[Any]]:
    """Figures of the responses, per session."""
    found = {}
    for path in fingerprints(store):
        batch: RawBatch = ADAPTER.reader(SourceFile("opencode", path, fingerprint="x"))
        assert all(isinstance(fault, Quarantine) for fault in batch.faults)
        found[path.rpartition("#")[2]] = Counter((each.usage, each.at_ms) for each in batch.responses)
    return found


def _spoil(store: Path, data: st.DataObject) -> tuple[str, Any]:
    """Puts an odd value somewhere into one record; the session and the value."""
    table = data.draw(st.sampled_from(["message", "part"]))
    with sqlite3.connect(store) as connection:
        rows = connection.execute(f"SELECT id, session_id, data FROM {table} ORDER BY id").fetchall()
        name, session, text = data.draw(st.sampled_from(rows))
        odd = data.draw(_ODD)
        value: Any = json.loads(text)
        holder = value
        while True:
            key = data.draw(st.sampled_from(sorted(holder)))
            if not isinstance(holder[key], dict) or not holder[key] or data.draw(st.booleans()):
                break
            holder = holder[key]
        holder[key] = odd
        connection.execute(f"UPDATE {table} SET data = ? WHERE id = ?", (json.dumps(value), name))
    connection.close()
    return session, odd
