"""The doctor: every check can fail, says where and what to do, and changes nothing."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from observer.base.clock import DAY_MS
from observer.doctor.examination import examine
from tests.builders.imports import Machine
from tests.builders.native import Claude, Codex

NOW_MS = 1_790_000_000_000


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with a session of each agent, imported."""
    made = Machine(tmp_path / "machine")
    monkeypatch.setenv("HOME", str(made.home))
    for name in ("AGENT_OBSERVER_CONFIG", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for path in (Claude("s1").prompt("x").response("msg_1").lay(made.home), Codex("t-1").turn("A").lay(made.home)):
        age(path, 1)
    made.sync()
    return made


def age(path: Path, days: float) -> None:
    """Last written so many days ago."""
    seconds = (NOW_MS - days * DAY_MS) / 1000
    os.utime(path, (seconds, seconds))


def examined(machine: Machine, *closed: Path) -> dict[str, Any]:
    """The document; `closed` may not be read."""
    shut = set(map(str, closed))
    return examine(
        machine.ledger, environment={}, home=machine.home, now_ms=NOW_MS, readable=lambda path: path not in shut
    )


def found(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["check"], each["where"]) for each in document["findings"]]


def settings(machine: Machine, text: str) -> Path:
    path = machine.home / ".config" / "agent-observer" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_sound_machine_has_no_findings_and_is_left_as_it_is(machine: Machine) -> None:
    before = machine.contents(), machine.ledger.read_bytes()
    document = examined(machine)
    assert document["findings"] == []
    assert document["checks"] == dict.fromkeys(
        ("installation", "settings", "ledger", "permissions", "integrity", "sources", "retention"), True
    )
    assert (document["ledger"]["sessions"], document["ledger"]["responses"]) == (2, 1)
    places = {each["harness"]: each for each in document["sources"]}
    assert (places["claude"]["sources"], places["claude"]["not_imported"]) == (1, 0)
    assert (machine.contents(), machine.ledger.read_bytes()) == before


def test_a_ledger_that_is_not_there_is_not_made(machine: Machine) -> None:
    machine.ledger.unlink()
    document = examined(machine)
    (finding,) = document["findings"]
    assert (finding["check"], finding["fix"]) == ("ledger", "agent-observer sync")
    assert "integrity" not in document["checks"]
    assert not machine.ledger.exists()


def test_a_ledger_that_others_may_read_is_found_with_its_neighbours(machine: Machine) -> None:
    machine.ledger.chmod(0o640)
    Path(f"{machine.ledger}.lock").chmod(0o604)
    machine.ledger.parent.chmod(0o755)  # a folder of one's own choice: fine
    document = examined(machine)
    assert found(document) == [("permissions", str(machine.ledger)), ("permissions", f"{machine.ledger}.lock")]
    assert document["findings"][0]["fix"] == f"chmod 600 {machine.ledger}"
    machine.ledger.parent.chmod(0o777)
    assert found(examined(machine))[-1] == ("permissions", str(machine.ledger.parent))


def test_the_ledgers_own_folder_is_private(machine: Machine) -> None:
    own = machine.ledger.parent.parent / "agent-observer"
    machine.ledger.parent.rename(own)
    machine.ledger = own / "observer.db"
    own.chmod(0o750)
    assert found(examined(machine)) == [("permissions", str(own))]


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("PRAGMA user_version = 99", "ledger"),
        ("PRAGMA user_version = 1", "ledger"),
        ("UPDATE response SET shape = 1", "integrity"),
        ("UPDATE session SET unsettled = 1", "integrity"),
        ("DELETE FROM source", "integrity"),
        ("PRAGMA application_id = 5", "integrity"),
    ],
)
def test_a_ledger_that_is_not_sound_is_found(machine: Machine, statement: str, check: str) -> None:
    connection = sqlite3.connect(machine.ledger)
    connection.execute(statement)
    connection.commit()
    connection.close()
    document = examined(machine)
    assert {each["check"] for each in document["findings"]} == {check}
    assert document["checks"][check] is False
    assert all(each["fix"] for each in document["findings"])


def test_a_file_or_folder_that_may_not_be_read_is_found(machine: Machine) -> None:
    transcript = machine.home / ".claude" / "projects" / "-srv-kit" / "s1.jsonl"
    day = machine.home / ".codex" / "sessions" / "2026" / "09" / "23"
    document = examined(machine, transcript, day)
    assert set(found(document)) == {("sources", str(transcript)), ("sources", str(day))}
    assert found(examined(machine, machine.home / ".codex")) == [("sources", str(machine.home / ".codex"))]


def test_a_place_of_the_settings_that_is_not_there_is_found(machine: Machine) -> None:
    settings(machine, '[roots]\nclaude = ["~/backup"]\ncodex = ["~/.codex"]\n')
    document = examined(machine)
    assert found(document) == [("sources", str(machine.home / "backup"))]
    origins = [(each["harness"], each["from"]) for each in document["sources"] if each["harness"] == "codex"]
    assert origins == [("codex", "default")]  # named twice, looked at once


def test_wrong_settings_are_a_finding_here(machine: Machine) -> None:
    path = settings(machine, "colour = 1\n")
    document = examined(machine)
    (finding,) = document["findings"]
    assert (finding["check"], finding["where"]) == ("settings", str(path))
    assert "colour" in finding["problem"]


def lay_old(machine: Machine, *days: float) -> list[Path]:
    """Transcripts last written so many days ago, not imported."""
    paths = [Claude(f"old-{each}").prompt("x").lay(machine.home) for each in days]
    for path, each in zip(paths, days, strict=True):
        age(path, each)
    return paths


def test_transcripts_that_will_soon_be_deleted_are_found_while_not_imported(machine: Machine) -> None:
    """Thirty days less five: 25 days is due, 24 is not; one import and nothing is due."""
    lay_old(machine, 24, 25, 40)
    (finding,) = examined(machine)["findings"]
    assert (finding["check"], finding["where"]) == ("retention", str(machine.home / ".claude"))
    assert "2 files" in finding["problem"]
    assert "old-25" in finding["problem"]
    assert "old-24" not in finding["problem"]
    assert finding["fix"].startswith("agent-observer sync")
    machine.sync()
    assert examined(machine)["findings"] == []


def test_a_transcript_that_changed_since_it_was_imported_is_due_again(machine: Machine) -> None:
    (path,) = lay_old(machine, 26)
    machine.sync()
    path.write_bytes(path.read_bytes() * 2)
    age(path, 26)
    assert found(examined(machine)) == [("retention", str(machine.home / ".claude"))]


@pytest.mark.parametrize(
    ("value", "due"),
    [("60", False), ("10", True), ("99999", False), ('"7"', False), ("-1", False), ("null", False), ("7.5", True)],
)
def test_the_agents_own_settings_say_how_long(machine: Machine, value: str, due: bool) -> None:
    """A value that makes no sense counts as the default."""
    lay_old(machine, 12)
    (machine.home / ".claude" / "settings.json").write_text(f'{{"cleanupPeriodDays": {value}, "env": {{}}}}', "utf-8")
    assert bool(examined(machine)["findings"]) is due


def test_an_agent_that_keeps_nothing_is_found(machine: Machine) -> None:
    path = machine.home / ".claude" / "settings.json"
    path.write_text(json.dumps({"cleanupPeriodDays": 0}), "utf-8")
    assert found(examined(machine)) == [("retention", str(path))]


def test_nothing_is_called_lost_when_the_ledger_cannot_tell(machine: Machine) -> None:
    lay_old(machine, 40)
    machine.ledger.write_bytes(b"hello\n" * 500)
    document = examined(machine)
    assert {each["check"] for each in document["findings"]} == {"integrity"}
    assert "retention" not in document["checks"]
    machine.ledger.unlink()
    assert {each["check"] for each in examined(machine)["findings"]} == {"ledger", "retention"}


def test_a_missing_library_is_found(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    from observer.doctor import installation

    monkeypatch.setitem(installation._LIBRARIES, "no_such_library", "nothing")
    assert found(examined(machine)) == [("installation", "no_such_library")]
