"""A batch in the making: everything stands where the record at hand stands, and what cannot be filed is a fault."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from observer.adapters.children import Children
from observer.adapters.making import Making, Reading, Step
from observer.adapters.permissions import Questions
from observer.native.decode import decode
from observer.privacy.direction import BEGIN
from observer.records.response import Response
from observer.records.spot import Spot
from observer.records.usage import TokenUsage

HERE, THERE = Spot("h:s", 7, 1000, "t"), Spot("h:other", 3, None, None)


@pytest.fixture
def making() -> Making:
    found = Making()
    found.spot = HERE
    return found


def response(making: Making, **known: int | None) -> Response:
    return making.spot.response("h:r", "h:x", TokenUsage(**known), final=bool(known.get("total")))


def test_an_event_stands_where_its_record_does(making: Making) -> None:
    assert making.event("tool_call", "c1", name="Read", target="/a")
    with making.at(THERE):
        assert making.result("c1", status="ok", exit_code=0)
    call, result = making.batch.events
    assert (call.session, call.ordinal, call.at_ms, call.turn, call.target) == ("h:s", 7, 1000, "t", "/a")
    assert (result.session, result.ordinal, result.turn) == ("h:other", 3, None)
    assert result.detail is not None
    assert result.detail.exit_code == 0
    assert making.spot == HERE


@pytest.mark.parametrize("native_id", [None, "", 5, ["c1"]])
def test_without_a_usable_id_there_is_a_fault_instead(making: Making, native_id: object) -> None:
    making.keys = ("payload",)
    assert not making.event("tool_call", native_id)
    assert not making.identified(native_id)
    assert making.batch.events == []
    assert [(each.ordinal, each.category, each.keys) for each in making.batch.faults] == [
        (7, "missing_id", ("payload",))
    ] * 2


def test_a_fault_may_name_another_place_than_the_ordinal(making: Making) -> None:
    making.number = 42
    making.fault("schema_error", ("a",))
    assert (making.batch.faults[0].ordinal, making.batch.faults[0].keys) == (42, ("a",))


@pytest.mark.parametrize(
    ("path", "family", "skill", "own"),
    [
        ("/k/tidy/SKILL.md", "skill_read", "tidy", "/k/tidy/SKILL.md"),
        ("SKILL.md", "skill_read", None, None),
        ("/k/skill.md", "read", None, None),
    ],
)
def test_a_skill_is_known_by_its_file(
    making: Making, path: str, family: str, skill: str | None, own: str | None
) -> None:
    making.read_file("r", path, status="ok", start_line=2, line_count=3)
    [event] = making.batch.events
    assert event.detail is not None
    assert (event.family, event.name, event.target, event.detail.path) == (family, skill, path, own)
    assert (event.detail.start_line, event.detail.line_count) == (2, 3)


def test_a_change_of_one_file_names_it(making: Making) -> None:
    making.change("c", ("/a",), name="edit")
    making.change("d", ("/a", "/b"))
    assert [(each.target, each.detail and each.detail.paths) for each in making.batch.events] == [
        ("/a", ("/a",)),
        (None, ("/a", "/b")),
    ]


def test_a_skill_that_is_called_for_is_named(making: Making) -> None:
    making.invocation("c", "tidy", "/k/SKILL.md")
    assert (making.batch.events[0].name, making.batch.events[0].target) == ("tidy", "/k/SKILL.md")


def test_a_turn_is_filed_when_it_is_known_which(making: Making) -> None:
    making.turn(None, started_ms=1)
    making.turn("t", ended_ms=2)
    assert [(each.session, each.id, each.ended_ms) for each in making.batch.turns] == [("h:s", "t", 2)]


def test_the_final_telling_of_a_response_counts_before_it_the_largest(making: Making) -> None:
    partial = [making.spot.response("h:r", "h:x", TokenUsage(output=each), final=False) for each in (1, 5, 3)]
    for each in partial:
        making.told_response(each)
    assert [each.usage.output for each in making.batch.responses] == [5]
    final = making.spot.response("h:r", "h:x", TokenUsage(output=4))
    for each in (final, partial[1], final):
        making.told_response(each)
    assert making.batch.responses == [final]
    making.told_response(making.spot.response("h:r", "h:x", TokenUsage(output=9)))
    assert [each.usage.output for each in making.batch.responses] == [4, 9]


def test_a_later_telling_fills_what_is_unknown(making: Making) -> None:
    making.filled_response(response(making, input=1))
    making.filled_response(response(making, output=2, total=3))
    assert [each.usage for each in making.batch.responses] == [TokenUsage(input=1, output=2, total=3)]
    assert making.batch.responses[0].final
    making.filled_response(response(making, input=9))
    assert [each.category for each in making.batch.faults] == ["usage_conflict"]
    assert making.batch.responses[0].usage.input == 1


def test_only_texts_with_the_marker_are_contexts(making: Making) -> None:
    assert not making.contexts("plain", None, 5)
    assert making.contexts("plain", f"so: {BEGIN}\n{{}}")
    making.instructions("loaded", "")
    making.instructions("embedded", "be kind")
    assert [(each.kind, each.session, each.ordinal) for each in making.batch.instructions] == [
        ("context", "h:s", 7),
        ("embedded", "h:s", 7),
    ]


class _Usage(Struct):
    a: int | None = None


class _Line(Struct):
    payload: int | None = None
    usage: _Usage | None = None


def test_a_line_has_one_fault_and_the_first_payload_is_looked_for() -> None:
    lines = decode(b'{"usage":{"a":"x"}}\n{"usage":5}\n{"payload":3}\n', msgspec.json.Decoder(_Line), first=4)
    reading = Reading(lines, usage=("$.usage",), keys=("k",))
    assert [each.ordinal for each in reading.batch.faults] == [4, 5]
    reading.spot = Spot("h:s", 4, None, None)
    assert reading.is_cut("$.usage")
    assert not reading.is_cut("$.payload")
    assert not reading.is_cut("$.usage", besides="$.usage.a")
    reading.fault("missing_id")
    reading.one_fault_each()
    assert [(each.ordinal, each.category) for each in reading.batch.faults] == [
        (5, "malformed_usage"),
        (4, "missing_id"),
    ]
    assert reading.ahead(int) == 3
    assert reading.ahead(str) is None


def test_a_step_is_one_event_where_it_began(making: Making) -> None:
    step = Step("compaction", "auto")
    step.end(making, "started", begun=None)
    step.begin(making)
    with making.at(THERE):
        step.begin(making)
        step.end(making, "ok", begun=making.spot, duration_ms=5)
        step.end(making, "error", begun=making.spot)
    assert [(each.native_id, each.session, each.status, each.duration_ms) for each in making.batch.events] == [
        ("compaction:7", "h:s", "started", None),
        ("compaction:3", "h:other", "ok", 5),
        ("compaction:3", "h:other", "error", None),
    ]


def test_a_subagent_is_told_in_the_turn_that_spawned_it_unless_that_is_over(making: Making) -> None:
    children = Children("h", lambda native: native)
    children.spawned(making, "kid", None, "t1")
    children.finished(making, "kid", set(), status="ok")
    children.finished(making, "kid", {"t1"}, status="ok")
    children.finished(making, "stray", set(), status="error")
    children.child("s", "h:s")
    assert [(each.key, each.parent, each.role) for each in children.sessions] == [("h:kid", "h:s", "subagent")]
    assert [(each.native_id, each.turn, each.status) for each in making.batch.events] == [
        ("subagent_spawned:kid:t1", "t1", "started"),
        ("subagent_finished:kid:t1", "t1", "ok"),
        ("subagent_finished:kid", None, "ok"),
        ("subagent_finished:stray", None, "error"),
    ]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["Read", None])), max_size=8))
def test_an_answer_belongs_to_the_oldest_open_question_of_its_tool(said: list[tuple[bool, str | None]]) -> None:
    questions, waiting, stray = Questions(), {"Read": 0, None: 0}, 0
    for is_answer, name in said:
        if is_answer:
            questions.answered(HERE, name, status="allowed", wait_ms=1)
            stray += waiting[name] == 0
            waiting[name] -= waiting[name] > 0
        else:
            questions.asked(HERE, name)
            waiting[name] += 1
    asked = sum(not is_answer for is_answer, _ in said)
    assert len(questions.events) == asked + stray
    assert sum(each.status == "requested" for each in questions.events) == sum(waiting.values())
    assert len({each.native_id for each in questions.events}) == len(questions.events)
