"""Formats that belong to no harness: what is told of calls, outputs, texts and counters, and what never is."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.making import Making
from observer.adapters.wire import acp, agents_md, hooks, messages, responses, shell
from observer.records.spot import Spot

SPOT = Spot("h:s", 4, 100, None)


@pytest.fixture
def making() -> Making:
    found = Making()
    found.spot = SPOT
    return found


def block(**fields: Any) -> messages.Block:
    return msgspec.convert(fields, messages.Block)


def test_texts_of_blocks_are_told_by_their_places() -> None:
    content = [block(type="text", text="a"), "plain", None, block(type="text", text=" "), block(type="tool_use")]
    assert messages.said([*content, block(type="text", text="b")]) == [(0, "a"), (5, "b")]
    assert [each.type for each in messages.blocks(content, "tool_use")] == ["tool_use"]
    assert messages.blocks("text", "text") == []
    assert messages.texts([*content, messages.Part("c")]) == ["a", "plain", " ", "c"]


def test_counters_are_as_recorded_and_a_split_that_fits_no_whole_is_said() -> None:
    counted = msgspec.convert(
        {
            "input_tokens": 1, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 3, "output_tokens": 4,
            "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
            "output_tokens_details": {"thinking_tokens": 4},
        },
        messages.Usage,
    )  # fmt: skip
    usage, is_sound = messages.tokens(counted)
    assert is_sound
    assert (usage.total, usage.cache_write_5m, usage.cache_write_1h, usage.reasoning_output) == (10, 1, 2, 4)
    counted.cache_creation_input_tokens = 2
    usage, is_sound = messages.tokens(counted)
    assert (is_sound, usage.cache_write_input, usage.cache_write_5m) == (False, 2, None)
    assert not messages.recognised(messages.Usage())


@pytest.mark.parametrize(
    ("item", "event"),
    [
        ({"type": "function_call", "call_id": "c", "name": "sh", "arguments": '{"cmd":["ls","-l"]}'},
         ("c", "sh", "ls -l")),
        ({"type": "function_call", "call_id": "c", "name": "x", "namespace": "n"}, ("c", "n.x", None)),
        ({"type": "function_call", "call_id": "c", "name": "x", "arguments": '{"secret":"s"}'}, ("c", "x", None)),
        ({"type": "function_call", "call_id": "c", "name": "x", "arguments": "["}, ("c", "x", None)),
        ({"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** Add File: a\n+text"},
         ("c", "apply_patch", "*** Add File: a")),
        ({"type": "custom_tool_call", "call_id": "c", "name": "script", "input": "*** no"}, ("c", "script", None)),
        ({"type": "local_shell_call", "id": "i", "action": {"command": ["ls"]}}, ("i", "local_shell", "ls")),
        ({"type": "web_search_call"}, ("line:4", "web_search", None)),
        ({"type": "tool_search_call", "call_id": "c"}, ("c", "tool_search", None)),
    ],
)  # fmt: skip
def test_a_call_tells_a_command_or_a_path_and_nothing_else(
    making: Making, item: dict[str, Any], event: tuple[str, str, str | None]
) -> None:
    kinds = {kind.__struct_config__.tag: kind for kind in responses.CALLS}
    responses.call(making, msgspec.convert(item, kinds[item["type"]]))
    [found] = making.batch.events
    assert (found.native_id, found.name, found.target) == event


def test_a_call_without_an_id_is_a_fault(making: Making) -> None:
    responses.call(making, responses.FunctionCall(name="x"))
    assert [each.category for each in making.batch.faults] == ["missing_id"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Exit code: 3\nWall time: 1.5 seconds\nOutput:\nx", (3, 1500, False)),
        ("Chunk ID: a\nWall time 0.25 seconds\nProcess exited with code -1\nOutput:\nx", (-1, 250, False)),
        ("aborted by user after 3 s", (None, None, True)),
        ("Exit code: 3 of 4", (None, None, False)),
        ("x" * 400 + "\nExit code: 3", (None, None, False)),
        ('{"output"', (None, None, False)),
    ],
)
def test_what_became_of_a_command_stands_before_its_output(text: str, told: tuple[Any, ...]) -> None:
    found = shell.told(text)
    assert (found.text, found.exit_code, found.duration_ms, found.is_aborted) == (text, *told)


def test_the_oldest_output_is_json() -> None:
    text = json.dumps({"output": "hello", "metadata": {"exit_code": 1, "duration_seconds": 0.5}})
    assert shell.told(text) == shell.Told("hello", 1, 500, False)


@pytest.mark.parametrize("text", ["x" * 50_000, "a\n…5 tokens truncated…\nb", "[... omitted 3 of 9 lines ...]"])
def test_a_large_or_shortened_output_is_truncated(text: str) -> None:
    assert shell.size(text) == (len(text.encode()), True)
    assert shell.size("short…") == (8, False)


def test_printed_lines_are_those_of_sed() -> None:
    assert shell.printed_lines("sed -n '10,12p' a.py") == (10, 3)
    assert shell.printed_lines("sed -n 12,10p a.py") == (12, None)
    assert shell.printed_lines("cat a.py") == (None, None)


def update(**fields: Any) -> acp.Update:
    return msgspec.convert({"sessionUpdate": "tool_call_update", **fields}, acp.Update)


def test_a_call_is_told_in_several_lines_and_closed_by_its_end(making: Making) -> None:
    calls, later = acp.Calls(), Spot("h:s", 5, 200, None)
    for spot, line in (
        (SPOT, update(kind="read", rawInput={"target_file": "/a", "limit": 3}, locations=[{"path": "/a", "line": 2}])),
        (later, update(status="completed", rawOutput={"exit_code": 0, "truncated": True})),
        (later, update(status="failed", kind="edit")),
    ):
        calls.of("c", line, spot).see(line, spot, name="read_file", kind=None)
    calls.file(making, {}, acp.Ends())
    call, result, read = making.batch.events
    assert (call.family, call.name, call.target, call.ordinal) == ("tool_call", "read_file", "/a", 4)
    assert (result.family, result.status, result.truncated, result.ordinal) == ("tool_result", "ok", True, 5)
    assert (read.family, read.target, read.native_id) == ("read", "/a", "c:/a")


def test_a_url_is_no_target_and_a_place_that_says_more_is_none(making: Making) -> None:
    calls = acp.Calls()
    line = update(kind="read", rawInput={"path": "https://x.test/a"}, locations=[{"path": "/a", "text": "secret"}])
    calls.of("c", line, SPOT).see(line, SPOT, name=None, kind=None)
    calls.file(making, {}, acp.Ends())
    assert [(each.family, each.name, each.target) for each in making.batch.events] == [("tool_call", "unknown", None)]


def test_an_id_that_begins_again_after_its_end_is_another_call() -> None:
    calls = acp.Calls()
    begin = msgspec.convert({"sessionUpdate": "tool_call"}, acp.Update)
    first = calls.of("c", begin, SPOT)
    assert calls.of("c", begin, SPOT) is first
    first.see(update(status="completed"), SPOT, name=None, kind=None)
    assert calls.of("c", begin, SPOT).id == "c:1"


def test_ends_of_a_log_are_joined_by_call_else_by_order(making: Making) -> None:
    calls, ends = acp.Calls(), acp.Ends()
    for number, name in enumerate(("a", "b", "c")):
        line = update(status="completed")
        calls.of(name, line, SPOT).see(line, Spot("h:s", 10 + number, None, None), name="edit", kind=None)
    ends.add("b", "edit", "error", 9)
    ends.add("b", "edit", "ok", 8)
    ends.add(None, "edit", "denied", 1)
    ends.add(None, "edit", "ok", 2)
    calls.file(making, {"edit": "edit"}, ends)
    results = [each for each in making.batch.events if each.family == "tool_result"]
    assert [(each.status, each.duration_ms) for each in results] == [("denied", 1), ("error", 9), ("ok", 2)]


def test_pieces_of_an_answer_are_one_text(making: Making) -> None:
    answer = acp.Answer()
    answer.file(making)
    for text in ("a", "b"):
        answer.add(SPOT, msgspec.convert({"content": {"text": text}}, acp.Update))
    answer.file(making)
    answer.add(SPOT, acp.Update())
    answer.file(making)
    assert [(each.native_id, each.detail and each.detail.text) for each in making.batch.events] == [
        ("answer:0", "ab"),
        ("answer:1", ""),
    ]


@given(st.text(max_size=20))
def test_what_a_hook_prints_is_a_context_or_holds_one(text: str) -> None:
    wrapped = json.dumps({"hookSpecificOutput": {"hookEventName": "x", "additionalContext": text}})
    assert hooks.context(f"\n{wrapped}") == text.encode("utf-8", "replace").decode()
    assert hooks.context(f"so: {text}") == f"so: {text}"
    assert hooks.context("{" + text) in ("{" + text, None)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("# AGENTS.md instructions for /k\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>", "Be kind.\n"),
        ("<user_instructions>\n\nBe kind.\n\n</user_instructions>", "Be kind.\n\n"),
        ("# AGENTS.md instructions without a wrapping", None),
    ],
)
def test_instruction_files_are_taken_out_of_their_wrapping(text: str, content: str | None) -> None:
    assert agents_md.is_wrapped(text)
    assert agents_md.content(text) == content
    assert not agents_md.is_wrapped("Be kind.")
