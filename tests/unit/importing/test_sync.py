"""Import mechanics over line files: what is read, what is left alone, and what a bad line costs."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from observer.base.errors import SourceMissing
from observer.importing import source
from observer.ledger import write
from observer.native import jsonl
from observer.privacy import version
from tests.builders.imports import Machine, inserted
from tests.builders.native import Claude, Codex
from tests.unit.privacy.planted import LETTERS

THREAD = "01a22da9-4263-70d2-bf43-5af9b56c0000"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def rows(machine: Machine, statement: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(machine.ledger)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def totals(machine: Machine) -> dict[str, int]:
    return dict(rows(machine, "SELECT id, total FROM response ORDER BY id"))


def faults(machine: Machine) -> list[tuple[Any, ...]]:
    return rows(machine, "SELECT ordinal, category, keys FROM fault ORDER BY 1, 2")


def session() -> Claude:
    """Two prompts, two responses of 15 tokens each."""
    return Claude().prompt("first").response("msg_1").prompt("second").response("msg_2")


def test_the_same_file_twice_is_unchanged(machine: Machine) -> None:
    """E010: zero inserts, zero new errors."""
    session().raw("{broken").lay(machine.home)
    first = machine.sync()["claude"]
    assert (first.sources, first.unchanged, first.responses_inserted, first.submissions_inserted) == (1, 0, 2, 2)
    assert first.malformed == 1
    before = machine.whole()
    second = machine.sync()["claude"]
    assert (second.sources, second.unchanged, second.malformed) == (1, 1, 0)
    assert inserted({"claude": second}) == 0
    assert machine.whole() == before


@pytest.mark.parametrize(("parent", "told"), [(None, [("genuine", "early")]), (THREAD, [("synthetic", "")])])
@pytest.mark.parametrize("piece", [1, 2**20])
@pytest.mark.parametrize("early", [True, False])
def test_a_prompt_before_the_metadata_is_judged_by_them(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, parent: Any, told: Any, piece: int, early: bool
) -> None:
    """E054: also when they come in another piece of the file, or after a sync."""
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", piece)
    name = THREAD[:-1] + "7"
    rollout = Codex(name, meta=False).prompt("early")
    if early:
        rollout.lay(machine.home)
        machine.sync()
        assert rows(machine, "SELECT kind, excerpt FROM submission") == [("genuine", "")]
        assert machine.sync()["codex"].unchanged == 1
    rollout.meta(parent=parent).lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT kind, excerpt FROM submission") == told
    assert rows(machine, "SELECT key FROM session") == [(f"codex:{name}",)]
    assert machine.sync()["codex"].unchanged == 1


def test_a_grown_file_adds_only_what_is_new(machine: Machine) -> None:
    """E011: earlier rows stay as they are."""
    text = session()
    text.lay(machine.home)
    machine.sync()
    before = rows(machine, "SELECT rowid, * FROM response ORDER BY id")
    text.prompt("third").response("msg_3").lay(machine.home)
    answer = machine.sync()["claude"]
    assert (answer.responses_inserted, answer.submissions_inserted) == (1, 1)
    assert rows(machine, "SELECT rowid, * FROM response ORDER BY id")[:2] == before


def test_a_line_without_its_newline_waits(machine: Machine) -> None:
    """E012: it is being written; with the newline it is imported, once."""
    text = session()
    path = text.write(text.below(machine.home))
    path.write_bytes(text.data()[:-1])
    machine.sync()
    assert list(totals(machine)) == ["claude:msg_1"]
    assert machine.sync()["claude"].unchanged == 1
    path.write_bytes(text.data())
    assert machine.sync()["claude"].responses_inserted == 1
    assert list(totals(machine)) == ["claude:msg_1", "claude:msg_2"]


def test_bytes_changed_before_the_offset_mean_a_new_reading(machine: Machine) -> None:
    """E013: stored figures stay, other ones for the same id become conflicts."""
    path = session().lay(machine.home)
    machine.sync()
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"input_tokens":10', b'"input_tokens":99'))
    os.utime(path, ns=(1, 1))
    answer = machine.sync()["claude"]
    assert (answer.unchanged, answer.responses_inserted, answer.malformed) == (0, 0, 2)
    assert totals(machine) == {"claude:msg_1": 15, "claude:msg_2": 15}
    assert [row[:2] for row in faults(machine)] == [(1, "usage_conflict"), (3, "usage_conflict")]


def test_a_shorter_file_is_read_anew_without_doubles(machine: Machine) -> None:
    """E014: what it no longer holds stays in the ledger."""
    path = session().lay(machine.home)
    machine.sync()
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    answer = machine.sync()["claude"]
    assert (answer.unchanged, answer.responses_inserted) == (0, 0)
    assert totals(machine) == {"claude:msg_1": 15, "claude:msg_2": 15}
    assert machine.sync()["claude"].unchanged == 1


@pytest.mark.parametrize("blank", [b"", b"  ", b"\t", b"\r"])
def test_blank_lines_have_no_number(machine: Machine, blank: bytes) -> None:
    """E015: ordinals are those of the records."""
    text = session()
    spaced = Claude()
    for line in text.lines:
        spaced.raw(blank).raw(line)
    spaced.raw("{broken").lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT id, ordinal FROM response ORDER BY id") == [("claude:msg_1", 1), ("claude:msg_2", 3)]
    assert [row[:2] for row in faults(machine)] == [(4, "malformed_json")]


def test_a_line_that_is_no_json_costs_itself(machine: Machine) -> None:
    """E016: the lines after it are imported."""
    Claude().prompt("x").raw('{"type":"assistant","message":{"id":"msg_0"').response("msg_1").lay(machine.home)
    assert machine.sync()["claude"].malformed == 1
    assert faults(machine) == [(1, "malformed_json", "")]
    assert list(totals(machine)) == ["claude:msg_1"]


def test_a_byte_that_is_no_utf8_is_replaced(machine: Machine) -> None:
    """E017: the line and its usage survive."""
    text = Claude().prompt("x").response("msg_1", content=[{"type": "text", "text": "HERE"}])
    text.lines[1] = text.lines[1].replace(b"HERE", b"caf\xe9 \xff")
    text.response("msg_2").lay(machine.home)
    machine.sync()
    assert list(totals(machine)) == ["claude:msg_1", "claude:msg_2"]


def test_a_fault_keeps_key_names_and_no_value(machine: Machine) -> None:
    """E018, E019: neither the value of a bad field nor the name of an unknown type is stored."""
    text = session()
    text.add({"type": "ghp_" + "s" * 36, "zebra": "canary-value", "alpha": 1})
    text.add({"type": "assistant", "message": "canary-message", "sessionId": "s1"})
    text.add(["canary-list"])
    text.add("canary-text")
    text.lay(machine.home)
    machine.sync()
    found = faults(machine)
    assert found[0] == (4, "unsupported_schema", "alpha,type,zebra")
    assert (6, "unknown_record", "") in found
    assert (7, "unknown_record", "") in found
    content = b"".join(path.read_bytes() for path in machine.ledger.parent.iterdir())
    for canary in (b"canary", b"ghp_"):
        assert canary not in content


def test_reading_everything_again_multiplies_no_fault(machine: Machine) -> None:
    """E020: as often as one likes."""
    session().raw("{broken").add({"type": "brand-new"}).lay(machine.home)
    machine.sync()
    before = machine.whole()
    for _ in range(2):
        answer = machine.sync(full=True)["claude"]
        assert (answer.unchanged, answer.responses_inserted, answer.submissions_inserted, answer.events_inserted) == (
            0,
        ) * 4
        assert machine.whole() == before


def test_a_numeric_id_is_no_id(machine: Machine) -> None:
    """E021: `missing_id`, and no event."""
    Claude().prompt("x").call("msg_1", 17, "Bash", {"command": "ls"}).lay(machine.home)  # type: ignore[arg-type]
    machine.sync()
    assert rows(machine, "SELECT COUNT(*) FROM event WHERE family = 'tool_call'") == [(0,)]
    assert "missing_id" in {row[1] for row in faults(machine)}
    assert list(totals(machine)) == ["claude:msg_1"]


def test_two_halves_equal_one_whole(tmp_path: Path) -> None:
    """E022: row for row."""
    text = (
        Codex()
        .turn("A")
        .prompt("one")
        .record("resp_1")
        .record("resp_2")
        .complete()
        .turn("B")
        .prompt("two")
        .record("resp_3")
    )
    once, halves = Machine(tmp_path / "once"), Machine(tmp_path / "halves")
    text.lay(once.home)
    once.sync()
    path = text.lay(halves.home)
    lines = path.read_bytes().splitlines(keepends=True)
    for end in (len(lines) // 2, len(lines)):
        path.write_bytes(b"".join(lines[:end]))
        halves.sync()
    assert halves.whole() == once.whole()


def test_times_come_in_three_forms_or_are_unknown(machine: Machine) -> None:
    """E023: ISO text, epoch seconds and epoch milliseconds are one instant; "soon" is none."""
    text = Claude().prompt("x")
    for number, when in enumerate(('"2026-09-23T10:00:00Z"', "1790157600", "1790157600000", '"soon"', "null")):
        line = Claude(start="2026-09-23T10:00:00.000Z").response(f"msg_{number}").lines[0]
        text.raw(line.replace(b'"2026-09-23T10:00:00.000Z"', when.encode()))
    text.lay(machine.home)
    machine.sync()
    found = dict(rows(machine, "SELECT id, at_ms FROM response"))
    assert found == {"claude:msg_0": 1790157600000, "claude:msg_1": 1790157600000, "claude:msg_2": 1790157600000,
                     "claude:msg_3": None, "claude:msg_4": None}  # fmt: skip


def test_a_named_source_or_root_must_exist(machine: Machine) -> None:
    """E024: it is refused, and no ledger is made."""
    for request in ({"only": machine.home / "none.jsonl"}, {"roots": (machine.home / "none",)}):
        with pytest.raises(SourceMissing) as refused:
            machine.sync(**request)
        assert refused.value.exit_code == 2
    assert not machine.ledger.exists()


def test_a_source_that_cannot_be_read_is_named_and_the_others_go_on(machine: Machine) -> None:
    """E024, §2.4: reported, filed as a fault, and forgotten once it can be read."""
    session().lay(machine.home)
    text = Codex().turn("A").record("resp_1")
    path = text.below(machine.home).with_suffix(".jsonl.zst")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no zstd at all")
    answers = machine.sync()
    assert answers["claude"].responses_inserted == 2
    assert [failure.path for failure in answers["codex"].failed] == [str(path)]
    assert faults(machine) == [(-1, "source_unreadable", "")]
    machine.sync()
    assert len(faults(machine)) == 1
    path.unlink()
    text.lay(machine.home)
    assert machine.sync()["codex"].failed == []


def test_a_record_our_code_stumbles_over_costs_its_source_only(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§2.4: never a crash; nothing of the source is half there, and the next sync tries again."""
    session().lay(machine.home)
    Claude("s2").prompt("x").response("msg_9").lay(machine.home)
    real = write.batch

    def stumble(connection: Any, source_id: int, content: Any, **how: Any) -> Any:
        done = real(connection, source_id, content, **how)
        if any(each.id == "claude:msg_9" for each in content.responses):
            raise KeyError("canary")
        return done

    monkeypatch.setattr(source.write, "batch", stumble)
    answer = machine.sync()["claude"]
    assert len(answer.failed) == 1
    assert list(totals(machine)) == ["claude:msg_1", "claude:msg_2"]
    assert [row[1] for row in faults(machine)] == ["import_error"]
    monkeypatch.undo()
    assert machine.sync()["claude"].responses_inserted == 1
    assert faults(machine) == []


def test_a_source_alone_is_read_as_codex(machine: Machine) -> None:
    """E025: with the harness it is read as that."""
    path = Codex().turn("A").prompt("x").record("resp_1").write(machine.home / "elsewhere.jsonl")
    machine.sync(harnesses=("codex",), only=path)
    assert list(totals(machine)) == ["codex:resp_1"]
    transcript = session().write(machine.home / "transcript.jsonl")
    machine.sync(harnesses=("claude",), only=transcript)
    assert list(totals(machine)) == ["claude:msg_1", "claude:msg_2", "codex:resp_1"]


def test_an_unchanged_sync_writes_nothing(machine: Machine) -> None:
    """E026: not one byte of the ledger moves, over many sources."""
    for number in range(60):
        Claude(f"s{number}").prompt("x").response(f"msg_{number}").lay(machine.home)
    machine.sync()
    before = machine.ledger.read_bytes()
    assert machine.sync()["claude"].unchanged == 60
    assert machine.ledger.read_bytes() == before


def test_an_unchanged_sync_asks_no_more_of_many_sources(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """E026: as many statements for sixty as for ten; none per source."""
    asked: list[str] = []
    connect = sqlite3.connect

    def watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.set_trace_callback(asked.append)
        return connection

    counts = []
    for number in range(60):
        Claude(f"s{number}").prompt("x").response(f"msg_{number}").lay(machine.home)
        if number in (9, 59):
            machine.sync()
            with monkeypatch.context() as patch:
                patch.setattr(sqlite3, "connect", watched)
                asked.clear()
                assert machine.sync()["claude"].unchanged == number + 1
            counts.append(len(asked))
    assert counts[0] == counts[1] > 0


def test_a_last_line_that_was_written_over_is_read(machine: Machine) -> None:
    """E012: as long as before, and whole now; what was broken off stood in its place."""
    text = session()
    path = text.lay(machine.home)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9] + b"?" * 9)
    machine.sync()
    assert list(totals(machine)) == ["claude:msg_1"]
    assert machine.sync()["claude"].unchanged == 1
    path.write_bytes(whole)
    os.utime(path, ns=(1, 1))
    machine.sync()
    assert list(totals(machine)) == ["claude:msg_1", "claude:msg_2"]


def test_files_that_vanish_leave_their_records(machine: Machine) -> None:
    """§2.4: they are counted as gone for as long as they are, and no longer when they are back."""
    path = session().lay(machine.home)
    machine.sync()
    content = path.read_bytes()
    path.unlink()
    for _ in range(2):
        answer = machine.sync()["claude"]
        assert (answer.sources, answer.gone) == (0, 1)
    assert len(totals(machine)) == 2
    assert rows(machine, "SELECT gone_ms IS NOT NULL FROM source") == [(1,)]
    path.write_bytes(content)
    assert machine.sync()["claude"].gone == 0
    assert rows(machine, "SELECT gone_ms IS NOT NULL FROM source") == [(0,)]


def test_other_roots_do_not_make_the_usual_ones_gone(machine: Machine, tmp_path: Path) -> None:
    session().lay(machine.home)
    machine.sync()
    other = tmp_path / "other"
    Claude("s2").prompt("x").response("msg_9").lay(other)
    answer = machine.sync(roots=(other / ".claude",))["claude"]
    assert (answer.sources, answer.gone, answer.responses_inserted) == (1, 0, 1)


def test_an_adapter_version_reads_everything_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """§2.1: a stale version is read from byte 0, and then is not stale any more."""
    session().lay(machine.home)
    machine.sync()
    monkeypatch.setattr(version, "PRIVACY_VERSION", version.PRIVACY_VERSION + 1)
    assert machine.sync()["claude"].unchanged == 0
    assert machine.sync()["claude"].unchanged == 1


def test_a_context_with_a_secret_is_not_kept(tmp_path: Path) -> None:
    """§23.5: what an adapter remembers goes past the screen; the file is read anew when it grows, and only then."""
    call = f"toolu_1 sk-{LETTERS}"
    text = Claude().prompt("x").call("msg_1", call, "Read", {"file_path": "/a"})
    machine, clean = Machine(tmp_path / "grown"), Machine(tmp_path / "clean")
    text.lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT read_to, context FROM source") == [(0, b"")]
    assert machine.sync()["claude"].unchanged == 1
    text.tool_result(call, "text").response("msg_2").lay(machine.home)
    assert machine.sync()["claude"].responses_inserted == 1
    text.lay(clean.home)
    clean.sync()
    assert machine.whole() == clean.whole()
    assert LETTERS[:12].encode() not in b"".join(path.read_bytes() for path in machine.ledger.parent.iterdir())
