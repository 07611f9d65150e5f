"""What happened beside usage: tools, files, permissions, compactions, errors; and records nobody knows."""

from pathlib import Path
from typing import Any

import pytest

from observer.records.event import RawDetail
from observer.records.source import RawBatch
from tests.builders.imports import Machine
from tests.unit.adapters.grok.sessions import START_MS, Folder, categories, of, rows

TOOL = "x.ai/tool"
STARTED = {"server_name": "s", "transport": "stdio", "target": "t", "timeout_sec": 30}
CONNECTED = {"server_name": "s", "transport": "stdio", "tool_count": 1, "duration_ms": 5, "tools": ["t"]}
DONE = {"total_servers": 1, "succeeded": 1, "failed": 0, "auth_required": 0, "total_tools": 1, "duration_ms": 5,
        "is_reinit": False}  # fmt: skip
START_UP = {
    "mcp_config_resolved": {"servers": [], "disabled": []},
    "mcp_managed_config_result": {"server_count": 0},
    "mcp_server_starting": STARTED,
    "mcp_server_connected": CONNECTED,
    "mcp_init_completed": DONE,
}


def call(folder: Folder, native_id: str, name: str | None, kind: str = "other", **given: Any) -> Folder:
    """The first line of a tool call."""
    meta = {} if name is None else {TOOL: {"name": name, "kind": kind}}
    return folder.update("tool_call", prompt="p1", toolCallId=native_id, title="a title", rawInput=given, _meta=meta)


def ended(folder: Folder, native_id: str, status: str = "completed", text: str = "x", **output: Any) -> Folder:
    """The last line of a tool call."""
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    known = {"toolCallId": native_id, "status": status, "content": content, "rawOutput": output}
    return folder.update("tool_call_update", prompt="p1", **known)


def outcome(folder: Folder, name: str, word: str, duration_ms: int, **more: Any) -> Folder:
    """How the log tells that a tool ended."""
    return folder.event("tool_completed", tool_name=name, outcome=word, duration_ms=duration_ms, **more)


def results(batch: RawBatch) -> list[tuple[Any, ...]]:
    return [(event.native_id, event.name, event.status, event.duration_ms) for event in of(batch, "tool_result")]


def test_a_command_and_its_result(tmp_path: Path) -> None:
    folder = call(Folder(), "c1", "run_terminal_command", "execute", command="exit 3", description="Fail")
    ended(folder, "c1", "in_progress", exit_code=0)
    ended(folder, "c1", text="né", exit_code=3, truncated=True)
    batch = outcome(folder, "run_terminal_command", "error", 12).read(tmp_path)
    (asked,), (result,) = of(batch, "tool_call"), of(batch, "tool_result")
    assert (asked.native_id, asked.name, asked.target, asked.turn) == ("c1", "run_terminal_command", "exit 3", "p1")
    assert (result.status, result.duration_ms, result.size_bytes, result.truncated) == ("error", 12, 3, True)
    assert result.detail == RawDetail(exit_code=3)


@pytest.mark.parametrize(
    ("word", "status"),
    [("success", "ok"), ("error", "error"), ("invalid_tool", "error"), ("permission_rejected", "denied"),
     ("hook_denied", "denied"), ("cancelled", "cancelled"), ("followup", "cancelled"), ("new word", "ok")],
)  # fmt: skip
def test_the_log_says_how_a_tool_ended(tmp_path: Path, word: str, status: str) -> None:
    folder = ended(call(Folder(), "c1", "grep"), "c1")
    assert results(outcome(folder, "grep", word, 7).read(tmp_path)) == [("c1", "grep", status, 7)]


def test_ends_are_matched_tool_by_tool_in_their_order(tmp_path: Path) -> None:
    folder = call(call(call(Folder(), "a", "grep"), "b", "grep"), "c", "write")
    ended(ended(ended(folder, "b"), "c"), "a", "failed")
    outcome(outcome(outcome(folder, "grep", "success", 1), "grep", "error", 2), "write", "success", 3)
    assert sorted(results(folder.read(tmp_path))) == [
        ("a", "grep", "error", 2), ("b", "grep", "ok", 1), ("c", "write", "ok", 3),
    ]  # fmt: skip


def test_ends_that_are_not_as_many_belong_to_nobody(tmp_path: Path) -> None:
    folder = ended(call(Folder(), "a", "grep"), "a", "failed")
    outcome(outcome(folder, "grep", "success", 1), "grep", "success", 2)
    assert results(folder.read(tmp_path)) == [("a", "grep", "error", None)]


def test_ends_with_a_calls_id_are_its_own(tmp_path: Path) -> None:
    """Other releases name the call."""
    folder = ended(ended(call(call(Folder(), "a", "grep"), "b", "grep"), "a"), "b")
    outcome(outcome(folder, "grep", "success", 2, tool_call_id="b"), "grep", "error", 1, tool_call_id="a")
    assert results(folder.read(tmp_path)) == [("a", "grep", "error", 1), ("b", "grep", "ok", 2)]


def test_a_title_is_never_kept(tmp_path: Path) -> None:
    """E112: the name comes from the tool's own block, else it is unknown."""
    secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    folder = Folder()
    for number, name in enumerate((None, "two words", f"{secret} x", "", "a" * 81, "mcp__server.tool/x")):
        call(folder, f"c{number}", name)
    for line in folder.updates:
        line["params"]["update"]["title"] = f"Read `{secret}`"
    machine = Machine(tmp_path)
    folder.lay(machine.home)
    machine.sync()
    names = [row[0] for row in rows(machine, "SELECT name FROM event WHERE family = 'tool_call' ORDER BY native_id")]
    assert names == ["unknown"] * 5 + ["mcp__server.tool/x"]
    assert secret not in "\n".join(map(str, rows(machine, "SELECT * FROM event")))


def test_a_read_is_a_plain_path_with_an_integer_line(tmp_path: Path) -> None:
    """E113: a place with more to say is dropped."""
    folder = call(Folder(), "c1", "read_file", "read", target_file="a.py", limit=20)
    places: list[Any] = [
        {"path": "a.py"}, {"path": "b.py", "line": 3}, {"path": "c.py", "line": None}, {"path": "d.py", "note": "x"},
        {"path": "e.py", "line": "3"}, {"path": 5}, {"path": ""}, "f.py", None, {"path": "g.py", "line": True},
    ]  # fmt: skip
    folder.update("tool_call_update", prompt="p1", toolCallId="c1", kind="read", title="Read", locations=places)
    found = of(ended(folder, "c1").read(tmp_path), "read")
    assert [(event.native_id, event.target, event.status) for event in found] == [
        ("c1:a.py", "a.py", "ok"), ("c1:b.py", "b.py", "ok"), ("c1:c.py", "c.py", "ok"),
    ]  # fmt: skip
    details = [event.detail or RawDetail() for event in found]
    assert [(each.start_line, each.line_count) for each in details] == [(None, 20), (3, 20), (None, 20)]


def test_reading_a_skill_is_its_own_kind_of_event(tmp_path: Path) -> None:
    folder = call(Folder(), "c1", "read_file", "read", target_file="/s/tidy/SKILL.md")
    known = {"toolCallId": "c1", "locations": [{"path": "/s/tidy/SKILL.md"}]}
    (event,) = of(folder.update("tool_call_update", **known).read(tmp_path), "skill_read")
    assert (event.name, event.target, event.status) == ("tidy", "/s/tidy/SKILL.md", None)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ({"target_file": "a.py", "command": "x"}, "a.py"),
        ({"file_path": "/a.py", "old_string": "secret"}, "/a.py"),
        ({"target_directory": "."}, "."),
        ({"pattern": "secret", "path": "src"}, "src"),
        ({"pattern": "secret"}, None),
        ({"url": "https://example.com/"}, None),
        ({"path": "https://example.com/"}, None),
        ({"path": 5, "command": ["x"]}, None),
        ({}, None),
    ],
)
def test_a_target_is_a_path_or_a_command(tmp_path: Path, given: Any, target: str | None) -> None:
    """§6: patterns and URLs never."""
    (event,) = of(call(Folder(), "c1", "tool", **given).read(tmp_path), "tool_call")
    assert event.target == target


@pytest.mark.parametrize("given", ["text", 5, None, True, [1]])
def test_inputs_and_outputs_of_any_form_are_no_fault(tmp_path: Path, given: Any) -> None:
    folder = call(Folder(), "c1", "tool")
    folder.updates[0]["params"]["update"]["rawInput"] = given
    folder.update(
        "tool_call_update", toolCallId="c1", status="completed", rawOutput=given, content=[{"content": given}]
    )
    batch = folder.read(tmp_path)
    assert (results(batch), batch.faults) == ([("c1", "tool", "ok", None)], [])


def test_an_edit_tells_which_file_and_never_what(tmp_path: Path) -> None:
    folder = call(Folder(), "c1", "search_replace", "edit", file_path="/a.py", old_string="secret", new_string="s2")
    folder = call(ended(folder, "c1"), "c2", "write", "edit", file_path="/b.py", contents="secret")
    batch = ended(folder, "c2", "failed").read(tmp_path)
    assert [(event.name, event.target, event.status) for event in of(batch, "file_change")] == [
        ("edit", "/a.py", "ok"), ("write", "/b.py", "error"),
    ]  # fmt: skip
    assert "secret" not in repr(batch.events)


def test_a_call_without_an_id_is_a_fault_and_a_used_id_another_call(tmp_path: Path) -> None:
    folder = ended(call(call(Folder(), "", "tool"), "c1", "tool"), "c1")
    batch = ended(call(folder, "c1", "tool"), "c1", "failed").read(tmp_path)
    assert categories(batch) == [(0, "missing_id")]
    assert [(name, status) for name, _, status, _ in results(batch)] == [("c1", "ok"), ("c1:1", "error")]


def test_pieces_that_follow_each_other_are_one_answer(tmp_path: Path) -> None:
    folder = call(Folder().said("p1", "I will ").said("p1", "look."), "c1", "tool").said("p1", "Done.")
    found = of(folder.read(tmp_path), "assistant_message")
    assert [(event.name, event.detail and event.detail.text, event.turn) for event in found] == [
        ("text", "I will look.", "p1"), ("text", "Done.", "p1"),
    ]  # fmt: skip


def test_a_permission_is_one_event_with_its_answer_and_wait(tmp_path: Path) -> None:
    folder = Folder()
    for name in ("a", "b", "a", "c"):
        folder.event("permission_requested", tool_name=name)
    for name, decision, wait in (("b", "deny", 9), ("a", "allow", 5), ("a", "cancelled", 0), ("d", "allow", 1)):
        folder.event("permission_resolved", tool_name=name, decision=decision, wait_ms=wait)
    found = of(folder.read(tmp_path), "permission")
    assert [(event.name, event.status, event.duration_ms) for event in found] == [
        ("a", "allowed", 5), ("b", "denied", 9), ("a", "cancelled", 0), ("c", "requested", None), ("d", "allowed", 1),
    ]  # fmt: skip
    assert len({event.native_id for event in found}) == 5


def test_a_compaction_is_one_event(tmp_path: Path) -> None:
    folder = Folder().update("auto_compact_started").update("auto_compact_completed", elapsed_ms=982)
    folder.update("auto_compact_started").update("auto_compact_failed", error="secret")
    folder.update("auto_compact_started").update("auto_compact_started").update("auto_compact_cancelled")
    folder.update("auto_compact_completed").update("auto_compact_started")
    found = of(folder.read(tmp_path), "compaction")
    assert [(event.status, event.duration_ms) for event in found] == [
        ("ok", 982), ("error", None), ("started", None), ("cancelled", None), ("ok", None), ("started", None),
    ]  # fmt: skip
    assert len({event.native_id for event in found}) == 6


def test_errors_of_the_api_keep_their_status_and_no_word(tmp_path: Path) -> None:
    folder = Folder().update(
        "retry_state", type="retrying", attempt=1, reason="API error (status 429 Too Many): secret"
    )
    folder.update("retry_state", type="failed", message="API error (status 400 Bad): secret")
    folder.update("retry_state", type="failed", message="no such host").update("retry_state", type="retrying")
    batch = folder.read(tmp_path)
    assert [(event.name, event.status) for event in of(batch, "lifecycle")] == [
        ("retry", "429"), ("api_error", "400"), ("api_error", "error"), ("retry", None),
    ]  # fmt: skip
    assert "secret" not in repr(batch)


def test_known_records_beside_are_lifecycle_or_nothing(tmp_path: Path) -> None:
    folder = Folder().update("task_backgrounded").update("model_changed").update("plan").update("hooks_changed")
    folder.event("phase_changed").event("goal_planner_fired").event("yolo_toggled").event("mcp_server_failed")
    batch = folder.read(tmp_path)
    assert [event.name for event in batch.events] == ["task_backgrounded", "model_changed"]
    assert batch.faults == []


@pytest.mark.parametrize("kind", START_UP)
def test_a_start_up_record_of_exactly_the_known_form_is_passed_over(tmp_path: Path, kind: str) -> None:
    """E114: one key more or less makes it a record that nobody knows."""
    known = START_UP[kind]
    batch = Folder().event(kind, **known).event(kind, **known, extra="x").event(kind, **dict(list(known.items())[1:]))
    found = batch.read(tmp_path)
    assert categories(found) == [(1, "unknown_record"), (2, "unknown_record")]
    assert found.faults[0].keys == tuple(sorted(("ts", "type", "extra", *known)))


@pytest.mark.parametrize("method", ["session/other", "", None])
def test_another_method_is_a_record_nobody_knows(tmp_path: Path, method: str | None) -> None:
    """§6: the session update and its vendor's twin are the only ones."""
    folder = Folder().said("p1").said("p1")
    folder.updates[0]["method"] = "session/update"
    folder.updates[1]["method"] = method
    assert categories(folder.read(tmp_path)) == [(1, "unknown_record")]


def test_unknown_kinds_cost_themselves(tmp_path: Path) -> None:
    folder = Folder().update("brand_new", secret="x").said("p1").event("brand_new").event("first_token")
    folder.updates.append({"method": "session/update"})
    folder.updates.append({"method": "session/update", "params": {"update": {}}})
    folder.events.append({"ts": "x"})
    folder.events.extend([{"type": 5}, {"type": [5]}])
    batch = folder.read(tmp_path)
    unknown = "unknown_record"
    assert sorted(categories(batch), key=str) == sorted(
        [
            (0, unknown),
            (2, unknown),
            (3, unknown),
            (4, unknown),
            (6, unknown),
            (7, "schema_error"),
            (8, "schema_error"),
        ],
        key=str,
    )
    assert len(of(batch, "assistant_message")) == 1


@pytest.mark.parametrize("line", [b"{broken", b"[1]", b"5", b"null", b'"x"'])
def test_a_line_that_is_no_record_costs_itself(tmp_path: Path, line: bytes) -> None:
    folder = Folder().said("p1").said("p1")
    folder.updates.insert(1, line)
    batch = folder.read(tmp_path)
    assert [place for place, _ in categories(batch)] == [1]
    assert len(batch.turns) == 1


def test_times_are_milliseconds_or_the_seconds_of_writing(tmp_path: Path) -> None:
    folder = Folder().said("p1").said("p1")
    folder.updates[1]["method"] = "session/update"
    (first,) = of(folder.read(tmp_path), "assistant_message")
    assert first.at_ms == START_MS
    folder.updates[0]["params"]["_meta"]["agentTimestampMs"] = "soon"
    (first,) = of(folder.read(tmp_path), "assistant_message")
    assert first.at_ms == START_MS
