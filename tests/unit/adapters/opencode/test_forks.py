"""Copies: forks under new ids, files beside a database, older copies of a store. Each call counts once."""

import itertools
import shutil
import sqlite3
from pathlib import Path

import pytest

from observer.records.response import COPIED, PROVEN, RECORDED
from tests.builders.imports import Machine, machine
from tests.places import RECORDS
from tests.unit.adapters.opencode.stores import (
    PLACE,
    PROMPT,
    SESSION,
    START_MS,
    TOKENS,
    Database,
    answer,
    categories,
    files,
    read,
    text,
    tool,
    user,
)
from tests.unit.importing.test_sync import rows

FORK_COPY = RECORDS / "opencode" / "fork-copy" / "opencode.db"
SOURCE, FORK = "ses_dd2759f8fffejQ4WeNOwHqpYx4", "ses_dd2752a93ffee4aGvLrl1wJfi1"
FORK_RESPONSES = 4


def only(path: Path, session: str) -> None:
    """A copy of the real store that holds one session and nothing of the other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(FORK_COPY, path)
    with sqlite3.connect(path) as store:
        for table, column in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
            store.execute(f"DELETE FROM {table} WHERE {column} <> ?", (session,))
    store.close()


def owners(found: Machine) -> list[tuple[str, int]]:
    return rows(
        found, "SELECT native_id, COUNT(*) FROM response JOIN session ON session.id = session_id GROUP BY 1 ORDER BY 1"
    )


def prompts(found: Machine) -> list[tuple[str, int]]:
    statement = """
        SELECT native_id, COUNT(*) FROM submission JOIN session ON session.id = session_id
        WHERE kind = 'genuine' AND copied = 0 GROUP BY 1 ORDER BY 1"""
    return rows(found, statement)


def calls(found: Machine) -> list[tuple[int]]:
    return rows(found, "SELECT COUNT(*) FROM event WHERE family = 'tool_call' AND copied = 0")


def test_a_real_forks_history_counts_in_its_source(tmp_path: Path) -> None:
    found = Machine(tmp_path)
    (found.home / PLACE).mkdir(parents=True)
    shutil.copy(FORK_COPY, found.home / PLACE)
    found.sync()
    assert owners(found) == [(FORK, 1), (SOURCE, 3)]
    assert prompts(found) == [(FORK, 1), (SOURCE, 2)]
    assert calls(found) == [(1,)]
    assert rows(found, f"SELECT forked_from FROM session WHERE native_id = '{FORK}'") == [(f"opencode:{SOURCE}",)]


@pytest.mark.parametrize("order", [*itertools.permutations(("source", "fork", "both"))])
def test_source_and_copy_in_different_stores_count_once_in_any_order(tmp_path: Path, order: tuple[str, ...]) -> None:
    """The fork alone, its source alone, and the whole store, one sync after each."""
    found = Machine(tmp_path)
    for name in order:
        path = found.home / PLACE / f"opencode-{name}.db"
        if name == "both":
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(FORK_COPY, path)
        else:
            only(path, SOURCE if name == "source" else FORK)
        found.sync()
    assert owners(found) == [(FORK, 1), (SOURCE, 3)]
    assert prompts(found) == [(FORK, 1), (SOURCE, 2)]
    assert calls(found) == [(1,)]
    assert rows(found, "SELECT COUNT(*) FROM fault") == [(0,)]


def test_when_only_the_copy_is_left_it_counts(tmp_path: Path) -> None:
    found = Machine(tmp_path)
    only(found.home / PLACE / "opencode.db", FORK)
    found.sync()
    assert owners(found) == [(FORK, FORK_RESPONSES)]
    assert prompts(found) == [(FORK, 3)]


def test_a_source_deleted_after_it_was_read_keeps_its_responses(tmp_path: Path) -> None:
    """The fork goes on alone, and nothing is counted a second time."""
    found = Machine(tmp_path)
    path = found.home / PLACE / "opencode.db"
    path.parent.mkdir(parents=True)
    shutil.copy(FORK_COPY, path)
    found.sync()
    only(path, FORK)
    with sqlite3.connect(path) as store:
        store.execute("UPDATE session SET time_updated = time_updated + 1")
    store.close()
    found.sync()
    assert owners(found) == [(FORK, 1), (SOURCE, 3)]
    assert prompts(found) == [(FORK, 1), (SOURCE, 2)]


def test_a_copied_prompt_without_answer_counts_once(tmp_path: Path) -> None:
    """Nothing billed stands behind it, so only the database can tell that it is a copy."""
    found = Machine(tmp_path)
    with Database(found.home / PLACE) as store:
        store.session().session("ses_2", at=60_000)
        for name, session in (("msg_u1", SESSION), ("msg_x1", "ses_2")):
            store.message(name, user(5000), text("one"), session=session)
        store.message("msg_x2", user(61_000), text("two"), session="ses_2")
    found.sync()
    assert prompts(found) == [(SESSION, 1), ("ses_2", 1)]


def test_a_message_older_than_its_session_is_a_copy(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session(at=2000).message("msg_1", answer(1000)).message("msg_2", answer(3000))
        assert [response.origin for response in store.batch().responses] == [COPIED, PROVEN]


def test_a_fork_of_a_fork_counts_each_call_once(tmp_path: Path) -> None:
    found = Machine(tmp_path)
    with Database(found.home / PLACE) as store:
        for number in range(3):
            name = f"ses_{number}"
            store.session(name, at=number * 10_000)
            for made in range(number + 1):
                store.message(f"msg_{number}u{made}", user(made * 10_000 + 1), text(f"prompt {made}"), session=name)
                data = answer(made * 10_000 + 2, parentID=f"msg_{number}u{made}")
                store.message(f"msg_{number}a{made}", data, tool("bash"), session=name)
    found.sync()
    assert owners(found) == [("ses_0", 1), ("ses_1", 1), ("ses_2", 1)]
    assert prompts(found) == [("ses_0", 1), ("ses_1", 1), ("ses_2", 1)]


def test_the_database_wins_over_the_older_files(tmp_path: Path) -> None:
    """One response with the database's figures, whichever is read first; a message only in the files counts too."""
    storage = tmp_path / "storage"
    stale = answer(tokens=TOKENS | {"input": 999}, cost=0)
    files(storage, {"msg_1": stale, "msg_0": answer(10, parts=[tool("bash")]), "msg_2": answer(4000)})
    with Database(tmp_path) as store:
        store.session(directory="/srv/kit").message("msg_1", answer())
        store.message("msg_2", answer(4000, completed=None, tokens={}))
        beside = read(storage)
        [mine] = store.batch().responses
    assert [response.at_ms for response in beside.responses] == [START_MS + 510, START_MS + 4500]
    assert [response.origin for response in beside.responses] == [RECORDED, RECORDED]
    assert (mine.usage.input, mine.origin) == (10, PROVEN)
    assert (beside.sessions[0].project, categories(beside)) == ("/srv/kit", [])


def test_files_beside_a_database_that_cannot_be_read_count(tmp_path: Path) -> None:
    files(tmp_path / "storage", {"msg_1": answer()})
    (tmp_path / "opencode.db").write_bytes(b"no database at all")
    assert len(read(tmp_path / "storage").responses) == 1


def test_an_earlier_state_of_a_message_takes_nothing_away(tmp_path: Path) -> None:
    """A backup holds it unfinished; the completed state counts, in either order."""
    for order in ((0, 1), (1, 0)):
        with machine() as found:
            for number in order:
                with Database(found.home / PLACE, f"opencode-{number}.db") as store:
                    late = answer() if number else answer(completed=None, tokens={"input": 0})
                    store.session().message(PROMPT, user(), text()).message("msg_1", late)
                found.sync()
            assert rows(found, "SELECT total FROM response") == [(21,)]
            assert prompts(found) == [(SESSION, 1)]


def test_what_a_revert_removed_stays_as_it_was_read(tmp_path: Path) -> None:
    """The calls were billed; messages that are gone from the store are no reason to forget them."""
    found = Machine(tmp_path)
    with Database(found.home / PLACE) as store:
        store.session().message("msg_1", answer()).message("msg_2", answer(2000))
        found.sync()
        store.run("DELETE FROM message WHERE id = 'msg_2'").message("msg_3", answer(9000))
    found.sync()
    assert rows(found, "SELECT COUNT(*) FROM response") == [(3,)]


def test_two_originals_that_equal_each_other_are_a_conflict(tmp_path: Path) -> None:
    """Same model, times and counters in two sessions that both made them: counted once, and said so."""
    found = Machine(tmp_path)
    with Database(found.home / PLACE) as store:
        for session in ("ses_1", "ses_2"):
            store.session(session).message(f"msg_{session}", answer(), session=session)
    found.sync()
    assert rows(found, "SELECT COUNT(*) FROM response") == [(1,)]
    assert rows(found, "SELECT category, COUNT(*) FROM fault GROUP BY 1") == [("usage_conflict", 1)]
