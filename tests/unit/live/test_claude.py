"""Claude Code sessions that leave no transcript, in its registry and outside it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.builders.machines import MINUTE_MS, NOW_MS, Table

FORCE = "CLAUDE_CODE_FORCE_SESSION_PERSISTENCE"
CHILD = "CLAUDE_CODE_CHILD_SESSION"
SKIP = "CLAUDE_CODE_SKIP_PROMPT_HISTORY"


def register(home: Path, pid: int, *, session: str = "s-1", age_ms: int = 60 * MINUTE_MS, **more: Any) -> Path:
    """An entry of the registry as 2.1.328 writes it; None leaves a field out."""
    entry = {
        "pid": pid,
        "sessionId": session,
        "cwd": "/srv/kit",
        "startedAt": NOW_MS - age_ms,
        "procStart": f"birth-{pid}",
        "kind": "interactive",
        "entrypoint": "cli",
        "asksForConvertedSkills": None,
    } | more
    path = home / ".claude" / "sessions" / f"{pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({name: value for name, value in entry.items() if value is not None}), "utf-8")
    return path


def transcribe(home: Path, session: str = "s-1", *, age_ms: int = MINUTE_MS, folder: str = "-srv-kit") -> None:
    """A transcript that was written to that long ago."""
    path = home / ".claude" / "projects" / folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n", "utf-8")
    seconds = (NOW_MS - age_ms) / 1000
    os.utime(path, (seconds, seconds))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def reasons(document: dict[str, Any]) -> list[str]:
    return [each["reason"] for each in document["findings"]]


def test_a_registered_session_without_a_transcript_is_found(table: Table) -> None:
    """E228: names process, directory, session and the switch; with a transcript there is nothing to say."""
    table.add(20, "claude")
    register(table.home, 20)
    document = table.check()
    (finding,) = document["findings"]
    assert (finding["host"], finding["pid"], finding["cwd"], finding["session"]) == ("claude", 20, "/srv/kit", "s-1")
    assert (finding["kind"], finding["reason"]) == ("interactive", "no-transcript")
    assert f"{FORCE}=1" in finding["fix"]
    transcribe(table.home, folder="-somewhere-else")
    document = table.check()
    assert document["findings"] == []
    assert document["checked"] == {"claude": 1, "codex": 0, "opencode": 0, "grok": 0}


def test_a_young_session_is_left_alone(table: Table) -> None:
    """E229: up to 120 seconds; not one millisecond more."""
    table.add(20, "claude")
    for age_ms, expected in ((119_999, []), (120_000, ["no-transcript"])):
        register(table.home, 20, age_ms=age_ms)
        assert reasons(table.check()) == expected
    register(table.home, 20, age_ms=119_999)
    assert table.check()["young"] == [{"host": "claude", "pid": 20}]


def test_dead_and_broken_entries_are_passed_over(table: Table) -> None:
    """E229: no process, broken JSON, another number inside, keys beside them, a name that is no number."""
    table.add(20, "sleep", "60")
    register(table.home, 21)
    folder = table.home / ".claude" / "sessions"
    (folder / "20.json").write_text("{", "utf-8")
    (folder / "22.json").write_text('{"pid": 20, "sessionId": "s"}', "utf-8")
    (folder / "020.json").write_text('{"pid": 20, "sessionId": "s"}', "utf-8")
    (folder / "20.abc.key").write_text("secret", "utf-8")
    (folder / "23.json").mkdir()
    document = table.check()
    assert document["findings"] == []
    assert document["checked"]["claude"] == 0


def test_a_number_that_was_given_to_another_process_is_no_session(table: Table) -> None:
    """The start of the process must be the one that was registered, as text, else by its time."""
    table.add(20, "sleep", "60", birth="4711")
    register(table.home, 20, procStart="328709")
    assert table.check()["checked"]["claude"] == 0
    register(table.home, 20, procStart=None, age_ms=120 * MINUTE_MS)
    assert table.check()["checked"]["claude"] == 0
    register(table.home, 20, procStart=None, age_ms=59 * MINUTE_MS)
    assert reasons(table.check()) == ["no-transcript"]
    register(table.home, 20, procStart=None, startedAt=None)
    assert table.check()["checked"]["claude"] == 0


def test_a_daemon_is_no_session(table: Table) -> None:
    table.add(20, "claude", "daemon")
    register(table.home, 20, kind="daemon")
    assert table.check()["checked"]["claude"] == 0


def test_an_interactive_session_inside_another_one_is_found_by_its_process(table: Table) -> None:
    """§0 of the catalogue: it registers nothing, so its environment tells; at once, whatever its age."""
    table.add(20, "claude", age_ms=0, variables={CHILD: "1"})
    (finding,) = table.check()["findings"]
    assert (finding["reason"], finding["pid"], finding["cwd"]) == ("child-session", 20, "/srv/kit")
    assert f"{FORCE}=1" in finding["fix"]


@pytest.mark.parametrize("words", [("claude", "-p", "x"), ("claude", "--print", "x")], ids=" ".join)
def test_a_print_mode_child_and_a_forced_one_are_judged_like_any_other(table: Table, words: tuple[str, ...]) -> None:
    table.add(20, *words, variables={CHILD: "1"})
    table.add(21, "claude", variables={CHILD: "1", FORCE: "1"})
    transcribe(table.home)
    assert table.check()["findings"] == []


def test_the_parents_transcript_does_not_cover_its_child(table: Table) -> None:
    """Both work in one directory; the registered session's transcript is its own."""
    table.add(20, "claude")
    register(table.home, 20, session="parent")
    transcribe(table.home, "parent")
    table.add(21, "claude", parent=20, readable=False)
    document = table.check()
    assert [(each["pid"], each["reason"]) for each in document["findings"]] == [(21, "unregistered")]
    transcribe(table.home, "own")
    assert table.check()["findings"] == []


def test_a_transcript_from_before_the_process_is_none_of_its_own(table: Table) -> None:
    """Older releases have no registry: the transcripts of the directory tell."""
    table.add(20, "claude", age_ms=10 * MINUTE_MS)
    transcribe(table.home, age_ms=11 * MINUTE_MS)
    assert reasons(table.check()) == ["unregistered"]
    transcribe(table.home, age_ms=9 * MINUTE_MS)
    assert table.check()["findings"] == []


def test_prompt_history_that_is_off_is_found_although_the_session_is_registered(table: Table) -> None:
    table.add(20, "claude", age_ms=10 * MINUTE_MS, variables={SKIP: "1"})
    register(table.home, 20, age_ms=1000)
    (finding,) = table.check()["findings"]
    assert (finding["reason"], finding["session"]) == ("history-off", "s-1")
    assert SKIP in finding["fix"]
    transcribe(table.home, age_ms=20 * MINUTE_MS)  # resumed: what was there before does not grow
    assert reasons(table.check()) == ["history-off"]
    transcribe(table.home, age_ms=1 * MINUTE_MS)
    assert table.check()["findings"] == []


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_switch_that_is_off_switches_nothing(table: Table, value: str) -> None:
    table.add(20, "claude", variables={SKIP: value, CHILD: value})
    register(table.home, 20)
    transcribe(table.home, age_ms=90 * MINUTE_MS)
    assert table.check()["findings"] == []


def test_a_session_that_was_asked_to_keep_nothing_is_found(table: Table) -> None:
    table.add(20, "claude", "-p", "--no-session-persistence", "x", age_ms=0)
    assert reasons(table.check()) == ["not-persisted"]
    register(table.home, 20, age_ms=0)
    assert reasons(table.check()) == ["not-persisted"]


def test_a_home_that_nobody_looks_in_is_named_with_the_way_to_read_it(table: Table, tmp_path: Path) -> None:
    other = tmp_path / "iso lated"
    table.add(20, "claude", age_ms=0, variables={"CLAUDE_CONFIG_DIR": str(other)})
    (finding,) = table.check()["findings"]
    assert (finding["reason"], finding["cwd"]) == ("other-home", "/srv/kit")
    assert str(other) in finding["problem"]
    assert finding["fix"].startswith(f"agent-observer sync --harness claude --root '{other}'")
    assert reasons(table.check(claude=[other])) == []  # named in the settings; too young for more


def test_a_link_to_the_home_is_the_home(table: Table, tmp_path: Path) -> None:
    (table.home / ".claude").mkdir()
    (tmp_path / "link").symlink_to(table.home / ".claude")
    table.add(20, "claude", variables={"CLAUDE_CONFIG_DIR": str(tmp_path / "link")})
    transcribe(table.home)
    assert table.check()["findings"] == []


def test_what_the_system_does_not_tell_is_unknown_not_invisible(table: Table) -> None:
    table.add(20, "claude", cwd=None, readable=False, files=None)
    document = table.check()
    assert document["findings"] == []
    assert document["unknown"] == [{"host": "claude", "pid": 20}]


def test_a_session_id_that_is_a_path_leads_nowhere(table: Table) -> None:
    table.add(20, "claude")
    register(table.home, 20, session="../../../etc/passwd")
    assert reasons(table.check()) == ["no-transcript"]
