"""Events: calls, results, files, skills, notices; and lines that say nothing."""

from typing import Any

import pytest

from tests.unit.adapters.claude.reading import assistant, call, categories, events, line, read, result, typed, user

READ = {"type": "text", "file": {"filePath": "/srv/kit/a.py", "content": "x\ny", "numLines": 2, "startLine": 40}}


def one(batch: Any, family: str) -> Any:
    [event] = events(batch, family)
    return event


def test_a_call_and_its_result_are_joined_by_the_calls_id() -> None:
    batch = read(typed("x", "p1"), assistant("m", None, call("Bash", command="ls -l")), result("a\nb"))
    made, came = one(batch, "tool_call"), one(batch, "tool_result")
    assert (made.native_id, made.name, made.target, made.turn) == ("toolu_01", "Bash", "ls -l", "p1")
    assert (came.native_id, came.status, came.size_bytes, came.turn) == ("toolu_01", "ok", 3, "p1")
    assert (came.truncated, came.detail) == (False, None)


@pytest.mark.parametrize(
    ("tool", "arguments", "target"),
    [
        ("Read", {"file_path": "/a"}, "/a"),
        ("NotebookEdit", {"notebook_path": "/n.ipynb", "new_source": "x"}, "/n.ipynb"),
        ("Grep", {"pattern": "secret", "path": "/src"}, "/src"),
        ("WebFetch", {"url": "https://example.org/?t=1", "prompt": "p"}, None),
        ("Agent", {"description": "d", "prompt": "p"}, None),
        ("Skill", {"command": "tidy"}, None),
        ("mcp__db__query", {"path": "/etc", "command": "drop"}, None),
        ("Odd", {"path": ["/a"], "command": {"x": 1}}, None),
    ],
)
def test_a_calls_target_is_a_path_or_command_and_nothing_else(
    tool: str, arguments: dict[str, Any], target: str | None
) -> None:
    assert one(read(assistant("m", None, call(tool, **arguments))), "tool_call").target == target


@pytest.mark.parametrize("arguments", ["{}", None, ["x"], 5])
def test_arguments_that_are_no_object_give_no_target_and_no_fault(arguments: Any) -> None:
    batch = read(assistant("m", None, {"type": "tool_use", "id": "t", "name": "Bash", "input": arguments}))
    assert one(batch, "tool_call").target is None
    assert batch.faults == []


def test_the_size_of_a_result_is_that_of_its_text_in_utf8() -> None:
    parts = [{"type": "text", "text": "né"}, {"type": "image", "source": {"data": "AAAA"}}, "z"]
    assert one(read(result("né")), "tool_result").size_bytes == 3
    assert one(read(result(parts)), "tool_result").size_bytes == 4
    assert one(read(result(None)), "tool_result").size_bytes is None


def test_a_failed_command_is_an_error_with_its_exit_code() -> None:
    failed = result("Exit code 2\nboom", failed=True, toolUseResult="Error: Exit code 2\nboom")
    event = one(read(failed), "tool_result")
    assert (event.status, event.detail.exit_code) == ("error", 2)
    assert events(read(failed), "permission") == []


def test_a_cut_result_is_marked() -> None:
    assert one(read(result("x", toolUseResult={"truncated": True})), "tool_result").truncated
    assert one(read(result("<persisted-output>\nOutput too large")), "tool_result").truncated


def test_a_result_keeps_the_duration_that_was_recorded() -> None:
    assert one(read(result("x", toolUseResult={"totalDurationMs": 90})), "tool_result").duration_ms == 90


@pytest.mark.parametrize(
    "refused",
    [
        result("no", failed=True, toolDenialKind="user-rejected", toolUseResult="User rejected tool use"),
        result("The user doesn't want to proceed with this tool use. Stop.", failed=True),
        result("Permission to use Bash has been denied.", failed=True),
        result("no", failed=True, toolUseResult="User rejected tool use"),
        result("no", failed=True, permissionDecision={"decision": "deny", "source": "config"}),
    ],
)
def test_a_refused_call_is_denied_and_one_permission_says_so(refused: dict[str, Any]) -> None:
    """E084."""
    batch = read(refused)
    assert one(batch, "tool_result").status == "denied"
    permission = one(batch, "permission")
    assert (permission.status, permission.native_id) == ("denied", "toolu_01")


def test_a_successful_read_says_from_where_and_how_much() -> None:
    """E085."""
    batch = read(assistant("m", None, call("Read", file_path="/srv/kit/a.py")), result("40 x", toolUseResult=READ))
    event = one(batch, "read")
    assert (event.native_id, event.target) == ("toolu_01", "/srv/kit/a.py")
    assert (event.detail.start_line, event.detail.line_count) == (40, 2)


def test_a_read_without_its_file_keeps_the_line_that_was_asked_for() -> None:
    """E085: some transcripts repeat nothing beside the text; the call may be a batch earlier."""
    lines = [assistant("m", None, call("Read", file_path="/a", offset=7)), result("7 x")]
    for cuts in ((), (1,)):
        event = one(read(*lines, cuts=cuts), "read")
        assert (event.target, event.detail.start_line, event.detail.line_count) == (None, 7, None)


@pytest.mark.parametrize("path", ["/home/dev/.claude/skills/tidy/SKILL.md", "C:\\skills\\tidy\\SKILL.md"])
def test_reading_a_skills_file_is_a_skill_read(path: str) -> None:
    """E085."""
    outcome = {"type": "text", "file": {"filePath": path, "numLines": 3, "startLine": 1}}
    batch = read(assistant("m", None, call("Read", file_path=path)), result("x", toolUseResult=outcome))
    event = one(batch, "skill_read")
    assert (event.name, event.detail.skill, event.detail.path, event.detail.line_count) == ("tidy", "tidy", path, 3)
    assert events(batch, "read") == []


def test_a_failed_read_and_other_tools_that_return_a_file_are_no_read() -> None:
    """E085."""
    failed = read(assistant("m", None, call("Read", file_path="/a")), result("gone", failed=True))
    other = read(assistant("m", None, call("mcp__x__get")), result("x", toolUseResult=READ))
    assert not events(failed, "read")
    assert not events(other, "read")


@pytest.mark.parametrize("field", ["skill", "command"])
def test_a_skill_that_is_called_is_invoked(field: str) -> None:
    """E086: the name in either field."""
    event = one(read(assistant("m", None, call("Skill", **{field: "plugin:tidy-up"}))), "skill_invoke")
    assert (event.name, event.detail.skill) == ("plugin:tidy-up", "plugin:tidy-up")


@pytest.mark.parametrize("name", ["two words", "../../etc/passwd", "a/b", "", "x" * 81, 5, None])
def test_a_skills_name_that_is_more_than_a_name_is_dropped(name: Any) -> None:
    """E086: the event stays, the name goes."""
    event = one(read(assistant("m", None, call("Skill", skill=name))), "skill_invoke")
    assert (event.name, event.detail.skill) == (None, None)


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "NotebookEdit"])
def test_a_changing_tool_is_a_file_change_with_the_path_only(tool: str) -> None:
    """E087."""
    field = "notebook_path" if tool == "NotebookEdit" else "file_path"
    batch = read(assistant("m", None, call(tool, **{field: "/srv/kit/a.py"}, content="x", new_string="y")))
    event = one(batch, "file_change")
    assert (event.native_id, event.name, event.target) == ("toolu_01", tool, "/srv/kit/a.py")
    assert event.detail.paths == ("/srv/kit/a.py",)


def test_a_compaction_is_one() -> None:
    """E088."""
    boundary = line("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    event = one(read(boundary), "compaction")
    assert (event.native_id, event.name) == (boundary["uuid"], "compact_boundary")


@pytest.mark.parametrize(
    "failed",
    [
        assistant(model="<synthetic>", isApiErrorMessage=True, apiErrorStatus=529),
        assistant(
            "x",
            None,
            {"type": "text", "text": "API Error: 529 Overloaded"},
            model="<synthetic>",
            isApiErrorMessage=True,
        ),
        line("system", subtype="api_error", error={"status": 529, "message": "m"}),
        line("system", subtype="api_error", status="529"),
    ],
)
def test_a_failed_request_is_a_lifecycle_event_with_its_status(failed: dict[str, Any]) -> None:
    """E088."""
    event = one(read(failed), "lifecycle")
    assert (event.native_id, event.name, event.status) == (failed["uuid"], "api_error", "529")


@pytest.mark.parametrize("status", [99, 1000, "5290", True, None, {"a": 1}])
def test_only_a_three_digit_status_is_kept(status: Any) -> None:
    """E088."""
    batch = read(line("system", subtype="api_error", error={"status": status}, apiErrorStatus=status))
    assert one(batch, "lifecycle").status is None


@pytest.mark.parametrize("subtype", ["turn_duration", "stop_hook_summary", "informational"])
def test_notices_are_lifecycle_events(subtype: str) -> None:
    event = one(read(line("system", subtype=subtype, durationMs=5)), "lifecycle")
    assert (event.name, event.duration_ms, event.status) == (subtype, 5, None)


@pytest.mark.parametrize("subtype", ["local_command", "something_new", None, 7])
def test_other_notices_say_nothing(subtype: Any) -> None:
    batch = read(line("system", subtype=subtype))
    assert (batch.events, batch.faults) == ([], [])


def test_every_text_block_is_a_message_of_its_own() -> None:
    answer = assistant(
        "m",
        None,
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": " "},
        {"type": "text", "text": "b"},
    )
    found = events(read(answer), "assistant_message")
    assert [(each.native_id, each.detail.text) for each in found if each.detail] == [
        (f"{answer['uuid']}:1", "a"),
        (f"{answer['uuid']}:3", "b"),
    ]


@pytest.mark.parametrize("number", [7, None, "", True])
def test_an_id_that_is_no_text_makes_no_event(number: Any) -> None:
    """E021."""
    batch = read(assistant("m", None, call("Bash", number, command="ls")), result("x", number))
    assert (batch.events, categories(batch)) == ([], ["missing_id", "missing_id"])


@pytest.mark.parametrize("entry", [assistant("m", None), line("system", subtype="api_error"), user("x")])
def test_a_numeric_uuid_makes_no_event(entry: dict[str, Any]) -> None:
    """E021."""
    batch = read({**entry, "uuid": 12})
    assert (batch.events, batch.submissions, categories(batch)) == ([], [], ["missing_id"])


@pytest.mark.parametrize(
    "kind",
    (
        "agent-name ai-title api-request api-request-blob api-request-shape atis-latch bridge-session cost-state"
        " custom-title file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link summary"
        " tools-used"
    ).split(),
)
def test_bookkeeping_is_ignored_without_a_fault(kind: str) -> None:
    """E083, except `cost-state`: every healthy session has such lines, so they are bookkeeping and no fault."""
    batch = read(
        {"type": kind, "sessionId": 5, "title": "Secret plan", "lastPrompt": ["x"], "totalCostUSD": "1"}, line("mode")
    )
    assert (batch.events, batch.submissions, batch.sessions, batch.faults) == ([], [], [], [])


def test_an_unknown_type_is_filed_without_its_value() -> None:
    """E019."""
    batch = read({"type": "sk-secret", "b": 1, "a": 2}, typed("x", "p"))
    [fault] = batch.faults
    assert (fault.category, fault.ordinal, fault.keys) == ("unsupported_schema", 0, ("a", "b", "type"))
    assert len(batch.submissions) == 1
    assert "sk-secret" not in repr(batch)


def test_lines_that_are_no_records_cost_only_themselves() -> None:
    """E016, E017: nonsense, a bare value, an invalid byte, a record of nobody."""
    good = b'{"type":"user","uuid":"u","sessionId":"s","message":{"content":"a\xff"}}'
    batch = read(b"{oops", b"[1]", good, b'{"a":1}')
    assert categories(batch) == ["malformed_json", "unknown_record", "schema_error"]
    assert [each.text for each in batch.submissions] == ["a\ufffd"]
