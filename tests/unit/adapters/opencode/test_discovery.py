"""Where OpenCode's sessions are found, and when a unit counts as changed."""

import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from observer.adapters.opencode import ADAPTER, paths
from observer.records.source import SourceFile, Unreadable
from tests.builders.imports import Machine
from tests.places import RECORDS
from tests.unit.adapters.opencode.stores import PLACE, START_MS, Database, answer, files, fingerprints, text, tool, user
from tests.unit.importing.test_sync import rows

CHAIN = RECORDS / "opencode" / "version-chain"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def discovered(root: Path) -> list[Any]:
    return list(ADAPTER.discover(root))


def test_the_data_folder_follows_the_environment() -> None:
    home = Path("/home/dev")
    usual = home / ".local" / "share" / "opencode"
    assert ADAPTER.roots({}, home) == [usual]
    assert ADAPTER.roots({"XDG_DATA_HOME": "/data", "OPENCODE_DB": "mine.db"}, home) == [
        Path("/data/opencode"),
        Path("/data/opencode/mine.db"),
    ]
    assert ADAPTER.roots({"OPENCODE_DB": "/elsewhere/x"}, home) == [usual, Path("/elsewhere/x")]
    assert ADAPTER.roots({"OPENCODE_DB": ":memory:"}, home) == [usual]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert discovered(tmp_path / "opencode") == []


def test_a_named_database_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    [found] = discovered(tmp_path / "mine")
    assert isinstance(found, Unreadable)
    assert not (tmp_path / "mine").exists()


def test_units_are_sessions_of_databases_and_of_files(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer()).session("ses_2")
    with Database(tmp_path, "opencode-dev.db") as other:
        other.message("msg_9", answer(), session="ses_9")
    files(tmp_path / "storage", {"msg_0": answer()}, session="ses_0")
    units = [f"{tmp_path}/opencode-dev.db#ses_9", f"{tmp_path}/opencode.db#ses_1", f"{tmp_path}/opencode.db#ses_2"]
    whole = [each.path for each in discovered(tmp_path)]
    assert sorted(whole) == [*units, f"{tmp_path}/storage#ses_0"]
    assert [each.path for each in discovered(tmp_path / "opencode.db")] == units[1:]
    assert [each.path for each in discovered(tmp_path / "storage")] == [f"{tmp_path}/storage#ses_0"]


def test_a_store_reached_by_a_link_is_the_same_store(tmp_path: Path) -> None:
    with Database(tmp_path / "real") as store:
        store.session()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert discovered(tmp_path / "link") == discovered(tmp_path / "real")


def test_links_inside_the_older_store_are_not_followed(tmp_path: Path) -> None:
    files(tmp_path / "elsewhere", {"msg_0": answer()})
    folder = tmp_path / "storage" / "message"
    folder.mkdir(parents=True)
    (folder / "ses_1").symlink_to(tmp_path / "elsewhere" / "message" / "ses_1")
    assert discovered(tmp_path) == []


@pytest.mark.parametrize("content", [b"no database", b""])
def test_what_is_no_store_is_unreadable(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "opencode.db").write_bytes(content)
    [found] = discovered(tmp_path)
    assert isinstance(found, Unreadable)
    assert found.category == "source_unreadable"


def test_a_store_without_messages_table_fails_until_it_has_one(machine: Machine) -> None:
    """E100: reported each time, nothing is remembered of it, and it is read once it is whole."""
    place = machine.home / PLACE
    place.mkdir(parents=True)
    with sqlite3.connect(place / "opencode.db") as broken:
        broken.execute("CREATE TABLE session (id text)")
    broken.close()
    for _ in range(2):
        answered = machine.sync()["opencode"]
        assert [failure.path for failure in answered.failed] == [str(place / "opencode.db")]
    assert rows(machine, "SELECT category, adapter_version FROM fault JOIN source ON source.id = source_id") == [
        ("source_unreadable", 0)
    ]
    (place / "opencode.db").unlink()
    with Database(place) as store:
        store.session().message("msg_1", answer())
    whole = machine.sync()["opencode"]
    assert (whole.failed, whole.responses_inserted) == ([], 1)
    assert rows(machine, "SELECT COUNT(*) FROM fault") == [(0,)]


def test_missing_columns_are_unknown(tmp_path: Path) -> None:
    """Another release's tables, or hardly any columns at all."""
    with sqlite3.connect(tmp_path / "opencode.db") as old:
        old.execute("CREATE TABLE message (id text, session_id text, data text)")
        old.execute("CREATE TABLE session (id text)")
        old.execute("INSERT INTO session VALUES ('ses_1')")
        old.execute("INSERT INTO message VALUES ('msg_1', 'ses_1', ?)", ('{"role": "user", "time": {"created": 5}}',))
    old.close()
    [unit] = discovered(tmp_path)
    [session] = ADAPTER.reader(unit).sessions
    assert (session.project, session.parent, session.started_ms) == (None, None, 5)


CHANGES = {
    "a message is added": lambda store: store.message("msg_2", answer(9000)),
    "a message ends": lambda store: store.message("msg_1", answer(), updated=7000),
    "a message is removed": lambda store: store.run("DELETE FROM message WHERE id = 'msg_1'"),
    "an older message changes": lambda store: store.run(
        "UPDATE message SET time_updated = time_updated + 1 WHERE id = 'msg_0'"
    ),
    "a part is added": lambda store: store.part("prt_new", "msg_1", text()),
    "a part changes": lambda store: store.run("UPDATE part SET time_updated = time_updated + 1"),
    "an older part changes": lambda store: store.run(
        "UPDATE part SET time_updated = time_updated - 1 WHERE rowid = (SELECT MIN(rowid) FROM part)"
    ),
    "a part is removed": lambda store: store.run("DELETE FROM part"),
    "the session changes": lambda store: store.run("UPDATE session SET time_updated = 5 WHERE id = 'ses_1'"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_changes_the_units_fingerprint_alone(tmp_path: Path, change: Any) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_0", user(), text()).message("msg_1", answer(completed=None), tool("bash"))
        store.session("ses_2").message("msg_8", answer(), session="ses_2")
        before = fingerprints(tmp_path)
        assert fingerprints(tmp_path) == before
        change(store)
        after = fingerprints(tmp_path)
    assert {path.rpartition("#")[2] for path in before if before[path] != after[path]} == {"ses_1"}


def test_with_a_journal_its_number_tells_of_changed_parts(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(), tool("bash"))
        store.run("CREATE TABLE event_sequence (aggregate_id text, seq integer)")
        store.run("INSERT INTO event_sequence VALUES ('ses_1', 7)")
        before = fingerprints(tmp_path)
        store.run("UPDATE event_sequence SET seq = 8")
        changed = fingerprints(tmp_path)
        store.part("prt_new", "msg_1", tool("bash"))
        assert len({*before.values(), *changed.values(), *fingerprints(tmp_path).values()}) == 3


def test_a_changed_file_changes_its_unit(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    head = {"directory": "/srv", "time": {"created": START_MS}}
    files(storage, {"msg_1": answer(completed=None, parts=[text()])}, head=head)
    files(storage, {"msg_8": answer()}, session="ses_2")
    found = [fingerprints(tmp_path)]
    os.utime(storage / "session" / "prj" / "ses_1.json", ns=(1, 1))
    files(storage, {"msg_1": answer()})
    found.append(fingerprints(tmp_path))
    (storage / "part" / "msg_1" / "prt_more.json").write_text("{}", encoding="utf-8")
    found.append(fingerprints(tmp_path))
    one, two = f"{storage}#ses_1", f"{storage}#ses_2"
    assert len({each[one] for each in found}) == 3
    assert len({each[two] for each in found}) == 1


def test_many_unchanged_sessions_are_found_quickly(tmp_path: Path) -> None:
    """1,400 sessions: a few grouped questions, not one per session."""
    with Database(tmp_path) as store:
        store.run("BEGIN")
        for number in range(1400):
            name = f"ses_{number}"
            store.session(name).message(f"msg_{number}", answer(), text("x" * 500), text("y"), session=name)
        store.run("COMMIT")
    best = 9.0
    for _ in range(3):
        begun = time.perf_counter()
        assert len(discovered(tmp_path)) == 1400
        best = min(best, time.perf_counter() - begun)
    assert best < 0.1


def test_a_store_that_is_gone_keeps_its_records(machine: Machine) -> None:
    with Database(machine.home / PLACE) as store:
        store.session().message("msg_1", answer()).session("ses_2")
    machine.sync()
    with Database(machine.home / PLACE) as store:
        store.run("DELETE FROM session WHERE id = 'ses_2'")
    assert machine.sync()["opencode"].gone == 1
    shutil.rmtree(machine.home / PLACE)
    assert machine.sync()["opencode"].gone == 2
    assert rows(machine, "SELECT COUNT(*) FROM response") == [(1,)]


def test_secrets_of_the_store_are_never_read(machine: Machine) -> None:
    """Tables of accounts and credentials are not named anywhere, and a title is not stored."""
    with Database(machine.home / PLACE) as store:
        store.session().message("msg_1", answer()).run("INSERT INTO credential VALUES ('c', 'hunter2hunter2')")
    machine.sync()
    kept = b"".join(path.read_bytes() for path in machine.ledger.parent.iterdir())
    assert b"hunter2" not in kept
    assert b"A title" not in kept
    sources = "".join(path.read_text("utf-8") for path in Path(paths.__file__).parent.glob("*.py"))
    assert not any(
        f"FROM {table}" in sources for table in ("account", "credential", "control_account", "session_share")
    )


def test_a_real_store_is_read_in_each_of_its_states(tmp_path: Path) -> None:
    """JSON files, the database they were moved into, and that database under a later release."""
    for state, units in (("v1.1", 1), ("v1.2", 2), ("v1.18", 2)):
        shutil.copytree(CHAIN / state, tmp_path / state)
        found = discovered(tmp_path / state)
        assert len(found) == units
        assert all(isinstance(each, SourceFile) for each in found)
