"""Tool calls, outputs, completed items, and records nobody knows."""

import json
from typing import Any

import pytest

from observer.records.event import RawEvent
from tests.unit.adapters.codex.rollouts import Rollout, categories, events, genuine, read, totals

USAGE = [1000, 0, 0, 100, 0, 1100]


def _output(output: Any, kind: str = "function_call_output") -> RawEvent:
    [found] = events(read(Rollout().turn().item(kind, call_id="c1", output=output)), "tool_result")
    return found


def test_a_record_nobody_knows_costs_nothing_else() -> None:
    """E056: unknown types at both levels, and an unknown completed item."""
    rollout = Rollout().turn().add("sk-secret-type", {"x": 1}).event("never_seen", x=1).item("never_seen", x=1)
    found = read(rollout.done("NeverSeen", id="i1").record("r1", USAGE))
    assert totals(found) == [1100]
    assert categories(found) == ["unsupported_schema"] * 3 + ["schema_error"]
    assert all(fault.keys == ("payload", "timestamp", "type") for fault in found.faults)


def test_a_line_that_cannot_be_read_costs_itself() -> None:
    rollout = Rollout().turn()
    lines: list[Any] = [*rollout.lines, b"{broken", b'{"no": "type"}', b"[1]", b'{"type":"event_msg"}']
    found = read([*lines, *Rollout(id=None).record("r1", USAGE).lines])
    assert totals(found) == [1100]
    assert [fault.ordinal for fault in found.faults] == [3, 4, 5, 6]


def test_half_a_character_in_a_text_does_not_lose_the_line() -> None:
    """Case 12 on a rollout: a lone surrogate beside usage and in a prompt."""
    line = b'{"timestamp":"2026-11-30T18:14:09.000Z","type":"response_item","payload":{"type":"message","role":"user",'
    line += b'"content":[{"type":"input_text","text":"a \\ud83d b"}],"internal_chat_message_metadata_passthrough":'
    line += b'{"turn_id":"t1","content_item_kinds":["user.text"]}}}'
    record = Rollout(id=None).record("r1", USAGE, note="\ud83d").lines
    found = read([*Rollout().turn().lines, line, *record])
    assert (totals(found), found.faults) == ([1100], [])
    assert [each.text.encode() for each in genuine(found)] == [b"a ? b"]


def test_only_a_newline_ends_a_record_and_padding_is_no_fault() -> None:
    """Cases 13 and 14 on a rollout: Unicode line separators inside a string, NUL padding after a record."""
    rollout = Rollout().turn().user("a\u2028b\u0085c\x0bd").record("r1", USAGE)
    raw = [json.dumps(line, ensure_ascii=False).encode() for line in rollout.lines]
    found = read([*raw[:-1], raw[-1] + b"\x00" * 64, b"\x00" * 512])
    assert totals(found) == [1100]
    assert [each.text for each in genuine(found)] == ["a\u2028b\u0085c\x0bd"]
    assert categories(found) == ["malformed_json"]


@pytest.mark.parametrize("kind", ["inter_agent_communication", "inter_agent_communication_metadata", "world_state"])
def test_bookkeeping_lines_are_quiet(kind: str) -> None:
    assert read(Rollout().add(kind, {"full": True, "state": {}})).faults == []


@pytest.mark.parametrize("kind", ["agent_reasoning", "web_search_end", "thread_rolled_back", "thread_settings_applied"])
def test_bookkeeping_events_are_quiet(kind: str) -> None:
    found = read(Rollout().event(kind, anything=[1]))
    assert (found.events, found.faults) == ([], [])


def test_call_and_output_share_an_id() -> None:
    """E058: joined by call id; each can stand alone."""
    rollout = Rollout().turn().item("function_call", call_id="c1", name="exec_command", arguments='{"cmd": "ls src"}')
    rollout.item("function_call_output", call_id="c1", output="Process exited with code 0\nOutput:\nx")
    rollout.item("custom_tool_call", call_id="c2", name="exec", input="await tools.exec_command({cmd: 'cat secret'})")
    found = read(rollout.item("custom_tool_call_output", call_id="c3", output="lone"))
    calls, results = events(found, "tool_call"), events(found, "tool_result")
    assert [(each.native_id, each.name, each.target, each.turn) for each in calls] == [
        ("c1", "exec_command", "ls src", "t1"),
        ("c2", "exec", None, "t1"),
    ]
    assert [each.native_id for each in results] == ["c1", "c3"]


@pytest.mark.parametrize("name", [None, "", 7])
def test_a_call_without_an_id_is_missing_it(name: Any) -> None:
    for kind in (
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
    ):
        found = read(Rollout().item(kind, call_id=name, name="x"))
        assert (found.events, categories(found)) == ([], ["missing_id"])


@pytest.mark.parametrize("kind", ["CommandExecution", "FileChange", "McpToolCall", "Plan"])
@pytest.mark.parametrize("name", [None, "", 7])
def test_an_item_without_an_id_is_missing_it(kind: str, name: Any) -> None:
    found = read(Rollout().done(kind, id=name))
    assert (found.events, categories(found)) == ([], ["missing_id"])


def test_a_namespace_prefixes_the_name() -> None:
    found = read(
        Rollout().item("function_call", call_id="c1", name="spawn_agent", namespace="multi_agent_v1", arguments="{}")
    )
    assert [each.name for each in found.events] == ["multi_agent_v1.spawn_agent"]


@pytest.mark.parametrize(
    "arguments", ["[1, 2]", '"text"', "7", "null", "{broken", "", None, '{"cmd": 5}', '{"cmd": [1]}', "{}"]
)
def test_arguments_that_say_nothing_give_no_target(arguments: str | None) -> None:
    """E063: a JSON array or scalar is no error."""
    found = read(Rollout().item("function_call", call_id="c1", name="x", arguments=arguments))
    assert [(each.target, found.faults) for each in found.events] == [(None, [])]


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ('{"command": ["bash", "-lc", "ls src"]}', "bash -lc ls src"),
        ('{"path": "src/a.py", "content": "secret"}', "src/a.py"),
        ('{"file_path": "src/a.py"}', "src/a.py"),
        ('{"query": "secret", "url": "https://x.invalid"}', None),
    ],
)
def test_only_paths_and_commands_are_targets(arguments: str, target: str | None) -> None:
    found = read(Rollout().item("function_call", call_id="c1", name="x", arguments=arguments))
    assert [each.target for each in found.events] == [target]


def test_a_patch_shows_its_files_and_not_its_text() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old secret\n+new secret\n*** End Patch"
    [found] = read(Rollout().item("custom_tool_call", call_id="c1", name="apply_patch", input=patch)).events
    assert found.target == "*** Begin Patch\n*** Update File: src/a.py\n*** End Patch"


def test_calls_of_other_kinds() -> None:
    rollout = Rollout().item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["ls", "-l"]})
    found = read(rollout.item("web_search_call", action={"query": "secret"}).item("tool_search_call", call_id="c3"))
    assert [(each.native_id, each.name, each.target) for each in events(found, "tool_call")] == [
        ("c1", "local_shell", "ls -l"),
        ("line:2", "web_search", None),
        ("c3", "tool_search", None),
    ]


@pytest.mark.parametrize(
    ("output", "exit_code", "status", "duration_ms", "size"),
    [
        ("Chunk ID: 1\nWall time: 5.8760 seconds\nProcess exited with code 1\nOutput:\nx", 1, "error", 5876, 74),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nok", 0, "ok", 0, 44),
        ('{"output":"é\\n","metadata":{"exit_code":2,"duration_seconds":0.25}}', 2, "error", 250, 3),
        ('{"output": broken', None, None, None, 17),
        ("Wall time: 2.8 seconds\naborted by user", None, "cancelled", 2800, 38),
        (
            [{"type": "input_text", "text": "ab"}, {"type": "input_image"}, {"type": "input_text", "text": "ü"}],
            None,
            None,
            None,
            4,
        ),
        ({"content": "no", "success": False}, None, "error", None, 2),
        ({"content": [{"text": "yes"}], "success": True}, None, "ok", None, 3),
        ("plain", None, None, None, 5),
        (None, None, None, None, 0),
        ("Process exited with code 99999999999999999999", None, None, None, 45),
    ],
)
def test_outputs_of_all_forms(
    output: Any, exit_code: int | None, status: str | None, duration_ms: int | None, size: int
) -> None:
    found = _output(output)
    assert (found.status, found.duration_ms, found.size_bytes) == (status, duration_ms, size)
    assert (found.detail.exit_code if found.detail else None) == exit_code


def test_a_code_in_the_output_itself_is_no_exit_code() -> None:
    text = "Chunk ID: 1\nProcess exited with code 0\nOutput:\n" + "x" * 400 + "\nProcess exited with code 3\n"
    assert _output(text).status == "ok"


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        ("x" * 49_999, False),
        ("x" * 50_000, True),
        ("a …412 tokens truncated… b", True),
        ("… … truncated…", True),
        ("a… truncated … truncated...", False),
        ("[... omitted 3 of 9 lines ...]", True),
    ],
)
def test_large_and_truncated_outputs_are_flagged(text: str, truncated: bool) -> None:
    """E064."""
    assert _output(text).truncated is truncated
    item = Rollout().done("CommandExecution", id="c1", command=["ls"], aggregated_output=text)
    assert [each.truncated for each in read(item).events] == [truncated]


def test_a_completed_command_is_the_result_of_its_call() -> None:
    command = {"command": ["/bin/bash", "-lc", "ls tests"], "exit_code": 1, "status": "failed",
               "aggregated_output": "é", "duration": {"secs": 5, "nanos": 876305104}}  # fmt: skip
    rollout = (
        Rollout()
        .turn()
        .done("CommandExecution", id="c1", parsed_cmd=[{"type": "list_files", "path": "tests"}], **command)
    )
    [found] = read(rollout.item("function_call_output", call_id="c1", output="Process exited with code 1")).events
    assert (found.family, found.native_id, found.name, found.target) == ("tool_result", "c1", "exec", "ls tests")
    assert (found.status, found.duration_ms, found.size_bytes) == ("error", 5876, 2)
    assert found.detail is not None
    assert found.detail.exit_code == 1


def test_a_declined_command_is_a_permission_denied() -> None:
    found = read(Rollout().turn().done("CommandExecution", id="c1", command=["rm"], status="declined"))
    assert [(each.family, each.status) for each in found.events] == [
        ("tool_result", "denied"),
        ("permission", "denied"),
    ]


def test_a_read_of_a_command_is_a_read() -> None:
    """E059: the id is made of item and path; a path that is no text is dropped."""
    parsed = [
        {"type": "read", "cmd": "sed -n '10,40p' src/a.py", "name": "a.py", "path": "src/a.py"},
        {"type": "read", "cmd": "cat", "path": 7},
        {"type": "read", "cmd": "cat", "path": None},
        {"type": "search", "path": "src"},
    ]
    found = read(Rollout().turn().done("CommandExecution", id="c1", command=["x"], parsed_cmd=parsed, exit_code=0))
    [one] = events(found, "read")
    assert (one.native_id, one.target, one.status) == ("c1:src/a.py", "src/a.py", "ok")
    assert one.detail is not None
    assert (one.detail.start_line, one.detail.line_count) == (10, 31)
    assert found.faults == []


def test_a_read_skill_has_the_name_of_its_folder() -> None:
    """E060."""
    parsed = [{"type": "read", "cmd": "cat SKILL.md", "path": "/home/dev/.codex/skills/review/SKILL.md"}]
    [found] = events(read(Rollout().done("CommandExecution", id="c1", parsed_cmd=parsed)), "skill_read")
    assert found.detail is not None
    assert (found.name, found.detail.skill, found.detail.path) == ("review", "review", found.target)


def test_a_file_change_names_its_files() -> None:
    """E061: one event, sorted paths, no contents."""
    changes = {
        "/srv/b.py": {"type": "update", "unified_diff": "+secret"},
        "/srv/a.py": {"type": "add", "content": "secret"},
    }
    for rollout in (
        Rollout().done("FileChange", id="c1", changes=changes, status="completed"),
        Rollout().event("patch_apply_end", call_id="c1", changes=changes, success=True),
    ):
        [found] = read(rollout).events
        assert (found.family, found.native_id, found.status, found.target) == ("file_change", "c1", "ok", None)
        assert found.detail is not None
        assert found.detail.paths == ("/srv/a.py", "/srv/b.py")
        assert "secret" not in repr(found)


def test_a_compaction_is_one_event_however_it_is_told() -> None:
    """E062: without a window id its place is its id, also when read again; its item tells nothing new."""
    old = Rollout().turn().add("compacted", {"message": "summary"})
    assert [each.native_id for each in events(read(old), "compaction")] == ["line:3"]
    assert read(old).events == read(old, cuts=(3,)).events
    both = Rollout().add("compacted", {"window_id": "w1"}).done("ContextCompaction", id="i1")
    assert [each.native_id for each in read(both).events] == ["w1"]
    assert [each.native_id for each in read(Rollout().done("ContextCompaction", id="i1")).events] == ["i1"]


@pytest.mark.parametrize(
    ("item", "family", "name", "status"),
    [
        ({"type": "McpToolCall", "tool": "secret", "status": "failed"}, "tool_result", "mcp.unknown", "error"),
        ({"type": "WebSearch", "query": "secret"}, "tool_result", "web_search", None),
        ({"type": "ImageView", "path": "file:///srv/a.png"}, "tool_result", "view_image", None),
        ({"type": "DynamicToolCall", "tool": "t", "namespace": "n", "success": True}, "tool_result", "n.t", "ok"),
        ({"type": "DynamicToolCall", "tool": "t", "success": False}, "tool_result", "t", "error"),
        ({"type": "CollabAgentToolCall", "tool": "wait", "status": "completed"}, "lifecycle", "collab_agent", "ok"),
        ({"type": "SubAgentActivity", "kind": "started"}, "lifecycle", "subagent_activity", None),
        ({"type": "Plan", "text": "secret"}, "lifecycle", "plan", None),
        ({"type": "HookPrompt"}, "lifecycle", "hook_prompt", None),
        ({"type": "EnteredReviewMode"}, "lifecycle", "review_entered", None),
        ({"type": "ExitedReviewMode"}, "lifecycle", "review_exited", None),
    ],
)
def test_completed_items_of_other_kinds(item: dict[str, Any], family: str, name: str, status: str | None) -> None:
    [found] = read(Rollout().turn().event("item_completed", item={"id": "i1", **item})).events
    assert (found.family, found.native_id, found.name, found.status) == (family, "i1", name, status)
    assert "secret" not in repr(found)


@pytest.mark.parametrize("kind", ["Reasoning", "UserMessage", "AgentMessage", "Extension", "Sleep"])
def test_items_that_tell_nothing_new_are_quiet(kind: str) -> None:
    found = read(Rollout().done(kind, id="i1"))
    assert (found.events, found.faults) == ([], [])


def test_a_goal_is_a_lifecycle_event_without_its_text() -> None:
    [found] = read(Rollout().event("thread_goal_updated", goal={"text": "secret"})).events
    assert (found.family, found.name) == ("lifecycle", "thread_goal_updated")
    assert "secret" not in repr(found)


def test_an_assistants_message_is_one_event_with_all_its_text() -> None:
    parts = [{"type": "output_text", "text": "one "}, {"type": "output_text", "text": "two"}]
    rollout = Rollout().turn().item("message", role="assistant", content=parts)
    found = read(rollout.item("message", role="assistant", content=[{"type": "output_text", "text": " "}]))
    assert [(each.native_id, each.detail and each.detail.text) for each in found.events] == [("line:3", "one two")]
