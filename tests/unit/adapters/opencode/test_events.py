"""Parts of OpenCode's messages: what each kind tells, and what is wrong with odd ones."""

from pathlib import Path
from typing import Any

import pytest

from observer.records.event import RawEvent
from observer.records.source import RawBatch
from tests.unit.adapters.opencode.stores import PROMPT, START_MS, Database, answer, categories, text, tool, user


def told(folder: Path, *parts: Any) -> RawBatch:
    """One answer with these parts."""
    with Database(folder) as store:
        return store.session().message(PROMPT, user(), text()).message("msg_1", answer(), *parts).batch()


def families(batch: RawBatch) -> list[str]:
    return [event.family for event in batch.events]


def only(batch: RawBatch, family: str) -> RawEvent:
    [found] = [event for event in batch.events if event.family == family]
    return found


def test_a_call_and_its_result_have_one_id_and_the_turn(tmp_path: Path) -> None:
    command = tool("bash", {"command": "ls", "description": "x"}, metadata={"exit": 3, "truncated": True})
    batch = told(tmp_path, command)
    call, result = batch.events
    assert (call.family, call.name, call.target, call.turn) == ("tool_call", "bash", "ls", PROMPT)
    assert (result.family, result.native_id, result.status) == ("tool_result", call.native_id, "ok")
    assert (result.duration_ms, result.size_bytes, result.truncated) == (250, 4, True)
    assert result.detail is not None
    assert (result.detail.exit_code, result.at_ms) == (3, START_MS + 1350)


@pytest.mark.parametrize("call", [None, "", 7])
def test_a_call_without_an_id_is_a_fault(tmp_path: Path, call: Any) -> None:
    """E097."""
    batch = told(tmp_path, tool("bash") | {"callID": call})
    assert (families(batch), categories(batch)) == ([], ["missing_id"])


def test_a_state_is_a_known_word(tmp_path: Path) -> None:
    """E097: a list is a schema error, another word an unknown record; the call stays a call."""
    batch = told(tmp_path / "a", tool("bash", status=["completed"]))
    assert (families(batch), categories(batch)) == (["tool_call"], ["schema_error"])
    batch = told(tmp_path / "b", tool("bash", status="postponed"))
    assert (families(batch), categories(batch)) == (["tool_call"], ["unknown_record"])


@pytest.mark.parametrize("state", [{"status": "pending"}, {"status": "running"}, {"status": None}])
def test_an_unfinished_call_has_no_result(tmp_path: Path, state: dict[str, Any]) -> None:
    batch = told(tmp_path, tool("edit", {"filePath": "/srv/a.py"}, **state))
    assert (families(batch), batch.faults) == (["tool_call"], [])


def test_a_tool_that_failed_changes_and_reads_nothing(tmp_path: Path) -> None:
    failed = {"status": "error", "error": "File not found", "output": None}
    batch = told(
        tmp_path, tool("read", {"filePath": "/srv/a.py"}, **failed), tool("edit", {"filePath": "/a"}, **failed)
    )
    assert families(batch) == ["tool_call", "tool_result", "tool_call", "tool_result"]
    assert [each.status for each in batch.events] == [None, "error", None, "error"]
    assert batch.events[1].size_bytes == len("File not found")


def test_a_command_that_was_cut_off_is_cancelled(tmp_path: Path) -> None:
    """It is recorded as completed, without an exit code."""
    batch = told(tmp_path, tool("bash", {"command": "sleep 30"}, metadata={"exit": None}))
    assert (only(batch, "tool_result").status, only(batch, "tool_result").detail) == ("cancelled", None)


def test_a_read_names_the_lines(tmp_path: Path) -> None:
    shown = {"display": {"type": "file", "lineStart": 3, "lineEnd": 7, "text": "secret"}}
    event = only(told(tmp_path, tool("read", {"filePath": "/srv/a.py"}, metadata=shown)), "read")
    assert event.detail is not None
    assert (event.target, event.detail.start_line, event.detail.line_count) == ("/srv/a.py", 3, 5)


def test_a_skills_own_file_is_a_skill_read(tmp_path: Path) -> None:
    batch = told(tmp_path, tool("read", {"filePath": "/srv/skills/review/SKILL.md"}))
    assert (only(batch, "skill_read").name, "read" in families(batch)) == ("review", False)


def test_a_skill_has_the_file_in_its_folder(tmp_path: Path) -> None:
    loaded = tool("skill", {"name": "review"}, metadata={"name": "review", "dir": "/srv/skills/review"})
    event = only(told(tmp_path, loaded), "skill_invoke")
    assert event.detail is not None
    assert (event.name, event.detail.path) == ("review", "/srv/skills/review/SKILL.md")


@pytest.mark.parametrize("name", ["edit", "write", "multiedit"])
def test_editing_tools_change_a_file(tmp_path: Path, name: str) -> None:
    event = only(told(tmp_path, tool(name, {"filePath": "/srv/a.py", "newString": "secret"})), "file_change")
    assert event.detail is not None
    assert (event.name, event.target, event.detail.paths) == (name, "/srv/a.py", ("/srv/a.py",))


def test_a_patch_tool_changes_what_it_tells_of(tmp_path: Path) -> None:
    changed = tool("apply_patch", {"patchText": "…"}, metadata={"files": [{"filePath": "/a"}, {"filePath": "/b"}, 7]})
    event = only(told(tmp_path, changed), "file_change")
    assert event.detail is not None
    assert (event.target, event.detail.paths) == (None, ("/a", "/b"))


def test_a_patch_part_is_one_change_of_all_its_files(tmp_path: Path) -> None:
    """E098: the hash is dropped."""
    event = only(told(tmp_path, {"type": "patch", "hash": "c0ffee", "files": ["/a", "/b", 7]}), "file_change")
    assert event.detail is not None
    assert (event.name, event.detail.paths) == ("patch", ("/a", "/b"))
    assert "c0ffee" not in repr(event)


def test_arguments_of_a_servers_tool_stay_unread(tmp_path: Path) -> None:
    batch = told(tmp_path, tool("tracker_search", {"path": "private", "command": "private", "filePath": "private"}))
    assert [event.target for event in batch.events] == [None, None]


@pytest.mark.parametrize("kind", ["text", "reasoning", "file", "step-start", "step-finish", "snapshot", "retry"])
def test_other_parts_are_quiet(tmp_path: Path, kind: str) -> None:
    batch = told(tmp_path, {"type": kind, "text": "x", "tokens": {"input": 5, "output": 5}})
    assert (batch.events, batch.faults, len(batch.responses)) == ([], [], 1)


def test_a_part_of_an_unknown_kind_is_a_fault(tmp_path: Path) -> None:
    """E101: a word nobody knows, and no word at all."""
    assert categories(told(tmp_path / "a", {"type": "hologram"})) == ["unsupported_schema"]
    for number, kind in enumerate((7, None, ["text"])):
        assert categories(told(tmp_path / str(number), {"type": kind})) == ["schema_error"]


def test_a_part_without_an_id_is_a_fault(tmp_path: Path) -> None:
    """E101."""
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", answer()).part(None, "msg_1", tool("bash")).batch()
    assert (batch.events, categories(batch)) == ([], ["missing_id"])


def test_a_compaction_part_is_a_compaction(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_u1", user(), {"type": "compaction", "auto": True})
        store.message("msg_u2", user(1), {"type": "compaction", "auto": False})
        store.run("UPDATE session SET time_compacting = ?", START_MS + 5)
        found = [(event.name, event.status) for event in store.batch().events]
    assert found == [("auto", None), ("manual", None), (None, "started")]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"name": "APIError", "data": {"statusCode": 429, "message": "private"}}, "429"),
        ({"name": "APIError", "data": {"statusCode": "soon"}}, None),
        ({"name": "ContentFilterError", "data": {"message": "private"}}, None),
        ({"name": "MessageAbortedError", "data": {}}, "cancelled"),
        ("private", None),
    ],
)
def test_a_failed_answer_is_an_error_with_its_http_status(tmp_path: Path, error: Any, status: str | None) -> None:
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", answer(error=error)).batch()
    [event] = batch.events
    assert (event.family, event.name, event.status, event.native_id) == ("lifecycle", "error", status, "msg_1")
    assert "private" not in repr(event)
