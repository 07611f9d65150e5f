"""Replays: what was stored under older versions is what today's versions would have stored, ids unchanged."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from observer.adapters import claude
from observer.importing.engine import Imported
from observer.privacy import version
from observer.records.source import RawBatch
from tests.builders.imports import Machine
from tests.builders.native import Claude, Codex
from tests.builders.versions import adapter_version, privacy_version

LETTERS = "q7Wm2Kx9Zt4Rb6Yn3Lp8Vd5"
SECRET = f"ghp_{LETTERS}{LETTERS}"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def clean(tmp_path: Path, machine: Machine) -> Machine:
    """Another ledger for the same HOME."""
    return Machine(tmp_path / "clean", home=machine.home)


def session() -> Claude:
    text = Claude().prompt("please make it work, and then some more of it", uuid="p1")
    text.call("msg_1", "c1", "Bash", {"command": "ls -l"}).tool_result("c1", "a\nb")
    return text.response("msg_2", write_5m=7, write_1h=5)


def change(machine: Machine, *statements: str) -> None:
    """What an older program would have left in the ledger."""
    with closing(sqlite3.connect(machine.ledger)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def rows(machine: Machine, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(machine.ledger)) as connection:
        return connection.execute(question).fetchall()


def age(machine: Machine, *statements: str) -> None:
    """The same, read under an older privacy version."""
    change(
        machine, "UPDATE source SET privacy_version = -1", "DELETE FROM meta WHERE name = 'screened_under'", *statements
    )


def counts(answer: Imported) -> tuple[int, int, int]:
    return answer.replayed, answer.submissions_updated, answer.events_updated


def new_rows(answer: Imported) -> int:
    return answer.responses_inserted + answer.submissions_inserted + answer.events_inserted


OLD_TEXTS = (
    f"UPDATE submission SET excerpt = 'long {'x' * 900} {SECRET}'",
    f"UPDATE event SET target = 'curl -H \"Authorization: Bearer {SECRET}\"', name = 'no <name>', status = '{SECRET}'",
    f"""UPDATE event SET detail = '{{"other":"{SECRET}","exit_code":1}}' WHERE family = 'tool_result'""",
)


def test_old_rows_satisfy_todays_rules_under_their_ids(machine: Machine, clean: Machine) -> None:
    """E028: long excerpts, targets with secrets, details with other keys."""
    session().lay(machine.home)
    machine.sync()
    ids = rows(machine, "SELECT id, text_hash FROM submission UNION ALL SELECT native_id, family FROM event")
    age(machine, *OLD_TEXTS)
    answer = machine.sync()["claude"]
    assert answer.replayed == 1
    assert new_rows(answer) == 0
    assert answer.submissions_updated > 0
    assert answer.events_updated > 0
    assert rows(machine, "SELECT id, text_hash FROM submission UNION ALL SELECT native_id, family FROM event") == ids
    clean.sync()
    assert machine.whole() == clean.whole()
    assert machine.sync()["claude"].unchanged == 1
    assert rows(machine, "SELECT * FROM replay") == rows(machine, "SELECT * FROM retold") == []


def test_a_prompt_whose_excerpt_is_forbidden_still_counts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """E029: the excerpt is empty, the prompt is there."""
    session().lay(machine.home)
    machine.sync()
    privacy_version(monkeypatch, version.PRIVACY_VERSION + 1, longest=0)
    answer = machine.sync()["claude"]
    assert counts(answer) == (1, 1, 0)
    assert rows(machine, "SELECT id, kind, excerpt FROM submission") == [("claude:p1", "genuine", "")]


def test_a_vanished_files_excerpt_is_cleared_too(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """E028, E029: nothing a newer rule forbids stays, wherever its file is; all else of it does."""
    path = session().lay(machine.home)
    machine.sync()
    before = machine.whole()
    path.unlink()
    privacy_version(monkeypatch, version.PRIVACY_VERSION + 1, longest=6)
    assert counts(machine.sync()["claude"]) == (0, 1, 0)
    assert rows(machine, "SELECT excerpt FROM submission") == [("please",)]
    assert rows(machine, "SELECT privacy_version FROM source") == [(version.PRIVACY_VERSION,)]
    assert machine.whole()["response"] == before["response"]
    assert machine.whole()["event"] == before["event"]
    assert counts(machine.sync()["claude"]) == (0, 0, 0)


def test_a_file_that_comes_back_is_read_under_the_new_rules(
    machine: Machine, clean: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E029: what was screened without its file is read again with it."""
    path = session().lay(machine.home)
    content = path.read_bytes()
    machine.sync()
    path.unlink()
    machine.sync()
    privacy_version(monkeypatch, version.PRIVACY_VERSION + 1, longest=6)
    machine.sync()
    path.write_bytes(content)
    assert machine.sync()["claude"].replayed == 1
    clean.sync()
    assert machine.whole() == clean.whole()


def test_faults_of_before_are_replaced(machine: Machine, clean: Machine) -> None:
    """E030: an old row that holds a value is gone, also for a file that has vanished."""
    session().raw("{broken").lay(machine.home)
    lost = Claude("s2").prompt("x").raw('{"type":"user","message":7}').lay(machine.home)
    machine.sync()
    age(machine, f"UPDATE fault SET keys = 'type,{SECRET},uuid'")
    lost.unlink()
    machine.sync()
    found = rows(machine, "SELECT path LIKE '%s2%', keys FROM fault JOIN source ON source.id = source_id ORDER BY 1")
    assert found == [(0, ""), (1, "type,uuid")]


def test_a_label_that_is_not_read_any_more_is_cleared(machine: Machine, clean: Machine) -> None:
    """E031: such as a title that an older version kept."""
    Codex().turn("A").prompt("one").record("resp_1").lay(machine.home)
    session().lay(machine.home)
    machine.sync()
    age(machine, "UPDATE session SET entry_point = 'The title of it', branch = COALESCE(branch, 'A title')")
    machine.sync()
    clean.sync()
    assert machine.whole()["session"] == clean.whole()["session"]
    assert "title" not in repr(machine.whole())


def less_of_it(machine: Machine) -> Path:
    """Another file of the same session, without its branch and with another time of the prompt."""
    text = Claude("s1", branch="").at("2026-09-25T10:00:00.000Z").prompt("later", uuid="p1").response("msg_3")
    return text.write(machine.home / ".claude" / "projects" / "-srv-kit" / "s1-more.jsonl")


def test_a_file_that_comes_back_does_not_undo_what_others_say(
    machine: Machine, clean: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E032: also when the others were read under the new version long before."""
    session().lay(machine.home)
    path = less_of_it(machine)
    machine.sync()
    content = path.read_bytes()
    path.unlink()
    machine.sync()
    privacy_version(monkeypatch, version.PRIVACY_VERSION + 1)
    assert machine.sync()["claude"].replayed == 1
    path.write_bytes(content)
    assert machine.sync()["claude"].replayed == 2
    clean.sync()
    assert machine.whole() == clean.whole()


def test_a_second_source_does_not_undo_the_first_ones_corrections(machine: Machine, clean: Machine) -> None:
    """E032: what one file says of a session stays when another that says less of it is read again after it."""
    session().lay(machine.home)
    less_of_it(machine)
    machine.sync()
    clean.sync()
    age(machine, "UPDATE session SET branch = 'A title'", *OLD_TEXTS)
    path = machine.home / ".claude" / "projects" / "-srv-kit" / "s1.jsonl"
    first = machine.sync(harnesses=("claude",), only=path)["claude"]
    assert first.replayed == 1
    assert rows(machine, "SELECT branch FROM session") == [("main",)]
    assert machine.sync()["claude"].replayed == 1
    assert rows(machine, "SELECT branch FROM session") == [("main",)]
    assert machine.whole() == clean.whole()


def test_a_split_that_was_not_stored_is_filled_once(machine: Machine, clean: Machine) -> None:
    """E074: by one replay, from the closing record; the next sync is unchanged."""
    session().stream("msg_4", (1, 40), write_5m=3, write_1h=4).lay(machine.home)
    machine.sync()
    change(
        machine,
        "UPDATE response SET cache_write_5m = NULL, cache_write_1h = NULL, shape = 0",
        "UPDATE source SET adapter_version = -1",
    )
    answer = machine.sync()["claude"]
    assert (answer.replayed, new_rows(answer)) == (1, 0)
    found = rows(machine, "SELECT cache_write_5m, cache_write_1h FROM response ORDER BY id")
    assert found == [(0, 0), (7, 5), (3, 4)]
    clean.sync()
    assert machine.whole() == clean.whole()
    assert machine.sync()["claude"].unchanged == 1


def test_a_contradiction_in_a_replayed_file_keeps_the_first(machine: Machine, clean: Machine) -> None:
    """E074: the rule of one file is that of a first import."""
    session().response("msg_2", output=999).lay(machine.home)
    machine.sync()
    clean.sync()
    change(machine, "UPDATE response SET output = 1, total = 1, final = 1", "UPDATE source SET adapter_version = -1")
    assert machine.sync()["claude"].malformed == 1
    assert machine.whole() == clean.whole()


def without(message: str) -> Any:
    """An adapter that does not take that message for a response."""
    real = claude.ADAPTER.reader.read

    def read(lines: Any, context: Any) -> RawBatch:
        found = real(lines, context)
        found.responses = [each for each in found.responses if each.id != message]
        return found

    return read


def test_a_response_that_was_none_goes(machine: Machine, clean: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """E074: a complete reading of the same bytes knows better than the one before; a copy of it gives way too."""
    text = session()
    text.lay(machine.home)
    copy = Claude("s2", start="2026-09-24T10:00:00.000Z")
    for line in text.lines:
        copy.raw(line.replace(b'"sessionId":"s1"', b'"sessionId":"s2"'))
    copy.response("msg_8").lay(machine.home)
    machine.sync()
    assert len(rows(machine, "SELECT id FROM response_copy")) == 4
    adapter_version(monkeypatch, "claude", 90, read=without("claude:msg_2"))
    machine.sync()
    clean.sync()
    assert machine.whole() == clean.whole()
    assert [row[0] for row in rows(machine, "SELECT id FROM response ORDER BY 1")] == ["claude:msg_1", "claude:msg_8"]


def test_a_response_stays_where_the_file_is_another_one(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """§2.1: what a rewritten file no longer holds was made all the same."""
    session().lay(machine.home)
    machine.sync()
    Claude("s1").prompt("other", uuid="p9").response("msg_9").lay(machine.home)
    adapter_version(monkeypatch, "claude", 90)
    assert machine.sync()["claude"].replayed == 1
    found = [row[0] for row in rows(machine, "SELECT id FROM response ORDER BY 1")]
    assert found == ["claude:msg_1", "claude:msg_2", "claude:msg_9"]


def test_a_replay_that_fails_midway_is_tried_again(machine: Machine, clean: Machine) -> None:
    """§2.3: the new version is stored only after a complete reading."""
    session().lay(machine.home)
    other = Claude("s2").prompt("y").response("msg_5").lay(machine.home)
    machine.sync()
    clean.sync()
    age(machine, *OLD_TEXTS)
    content = other.read_bytes()
    other.unlink()
    other.mkdir()
    answer = machine.sync(roots=(machine.home / ".claude",), harnesses=("claude",))["claude"]
    assert answer.replayed == 1
    other.rmdir()
    other.write_bytes(content)
    assert machine.sync()["claude"].replayed == 1
    assert machine.whole() == clean.whole()
