"""Whatever a value turns into, reading goes on, and a fault never costs another line its usage."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.adapters.claude import reading

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
OUTCOME = {"type": "text", "file": {"filePath": "/a", "numLines": 1, "startLine": 1}, "durationMs": 3}
SPLIT = {"ephemeral_5m_input_tokens": 40, "ephemeral_1h_input_tokens": 60}
ADVICE = {"type": "advisor_message", "model": "claude-fable-5-1", "input_tokens": 1, "output_tokens": 1}
FULL = {
    **reading.USAGE, "cache_creation": SPLIT, "iterations": [ADVICE], "server_tool_use": {"web_search_requests": 1},
    "service_tier": "standard", "speed": "standard",
}  # fmt: skip
LINES = [
    reading.typed("Go on.", "p1"),
    reading.user([{"type": "text", "text": "Why?"}]),
    reading.assistant("msg_1", FULL, {"type": "text", "text": "a"}, reading.call("Read", file_path="/a", offset=1)),
    reading.assistant(
        "msg_2", FULL, reading.call("Skill", "toolu_2", skill="tidy"), reading.call("Edit", file_path="/a")
    ),
    reading.assistant("x", model="<synthetic>", isApiErrorMessage=True, apiErrorStatus=500, error="overloaded"),
    reading.result([{"type": "text", "text": "r"}], toolUseResult=OUTCOME, permissionDecision={"decision": "accept"}),
    reading.result("no", failed=True, toolUseResult="User rejected tool use", toolDenialKind="user-rejected"),
    reading.queued("And then?"),
    reading.enqueue("And then?"),
    reading.line("system", subtype="turn_duration", durationMs=5),
    reading.line("system", subtype="api_error", error={"status": 500}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a value, its own included."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, each in inner for place in places(each, (*path, step)))]


def changed(value: Any, path: tuple[Any, ...], into: Any) -> Any:
    if not path:
        return into
    whole = copy.deepcopy(value)
    at = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = into
    return whole


@given(data=st.data(), line=st.sampled_from(LINES), value=ANYTHING)
def test_no_value_in_any_place_stops_the_reading(data: st.DataObject, line: dict[str, Any], value: Any) -> None:
    odd = changed(line, data.draw(st.sampled_from(places(line))), value)
    before, after = reading.assistant("msg_before"), reading.assistant("msg_after")
    batch = reading.read(before, json.dumps(odd).encode(), after)
    found = [each.id for each in batch.responses]
    assert (found[0], found[-1]) == ("claude:msg_before", "claude:msg_after")
    assert all(fault.ordinal == 1 for fault in batch.faults)


@given(data=st.data(), value=ANYTHING)
def test_only_a_wrong_counter_costs_a_line_its_usage(data: st.DataObject, value: Any) -> None:
    """What a response counts does not hang on anything beside its usage, its id and its model."""
    line = LINES[2]
    free = [
        path
        for path in places(line)
        if path and path[:2] not in (("message", "usage"), ("message", "id")) and path != ("message",)
    ]
    path = data.draw(st.sampled_from([path for path in free if path[0] != "type"]))
    batch = reading.read(json.dumps(changed(line, path, value)).encode())
    if path != ("message", "model") or value != "<synthetic>":
        assert [each.usage.total for each in batch.responses if "advisor" not in each.id] == [1160]


@given(data=st.data(), value=ANYTHING)
def test_counters_are_recorded_or_unknown_but_never_made_up(data: st.DataObject, value: Any) -> None:
    path = data.draw(st.sampled_from([path for path in places(LINES[2]) if path[:2] == ("message", "usage")]))
    for response in reading.read(json.dumps(changed(LINES[2], path, value)).encode()).responses:
        usage = response.usage
        recorded = {10, 1000, 100, 50, 20, 40, 60, 1, value if isinstance(value, int) else None, None}
        assert {usage.input, usage.cached_input, usage.cache_write_input, usage.output} <= recorded
        parts = (usage.input, usage.cached_input, usage.cache_write_input, usage.output)
        assert usage.total == (None if None in parts else sum(part or 0 for part in parts))
