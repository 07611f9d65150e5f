"""Counters of OpenCode's messages: what is a response, which one it is, and what its counters mean."""

import json
from pathlib import Path
from typing import Any

import pytest

from observer.records.semantics import OPENCODE, OPENCODE_INSIDE
from observer.records.usage import TokenUsage
from tests.builders.imports import Machine
from tests.unit.adapters.opencode.stores import (
    KEY,
    PLACE,
    SESSION,
    START_MS,
    TOKENS,
    Database,
    answer,
    categories,
    user,
)
from tests.unit.importing.test_sync import rows


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def tokens(**changed: Any) -> dict[str, Any]:
    """A usage object without a total; None takes a counter out."""
    whole = {name: value for name, value in TOKENS.items() if name != "total"} | changed
    return {name: value for name, value in whole.items() if value is not None}


def test_a_completed_message_is_a_response(tmp_path: Path) -> None:
    """E089: 10 + 5 + 3 + 2 + 1 make 21; a running message is none."""
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(variant="high", tokens=tokens()))
        store.message("msg_2", answer(2000, completed=None))
        [response] = store.batch().responses
    assert response.usage == TokenUsage(10, 2, 1, None, None, 5, 3, 21)
    assert (response.session, response.model, response.provider) == (KEY, "lab/alpha-1", "lab")
    assert (response.effort, response.native_cost_usd, response.at_ms) == ("high", "0.01", START_MS + 1500)
    assert (response.turn, response.semantics, response.final) == ("msg_u1", OPENCODE.label, True)


def test_a_message_that_ends_later_counts_with_its_last_figures(machine: Machine) -> None:
    """E090: running, then completed, then completed with more: always one row, and no other row changes."""
    running = answer(tokens=tokens(input=4), completed=None)
    states = [
        running,
        answer(tokens=tokens()),
        answer(tokens=tokens(input=500)),
        answer(tokens=tokens(), completed=900),
    ]
    found = []
    for number, state in enumerate(states):
        with Database(machine.home / PLACE) as store:
            if not number:
                store.session().message("msg_0", answer(0))
            store.message("msg_1", state, updated=5000 + number)
        machine.sync()
        found.append(rows(machine, "SELECT total FROM response ORDER BY at_ms, total"))
    assert found == [[(21,)], [(21,), (21,)], [(21,), (511,)], [(21,), (21,)]]


def test_zeros_mean_that_nothing_is_known(tmp_path: Path) -> None:
    """E091: no response, and no fault."""
    zeros = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(tokens=zeros)).message("msg_2", answer(2000, tokens={"input": 0}))
        store.message("msg_3", {name: value for name, value in answer(3000).items() if name != "tokens"})
        batch = store.batch()
    assert (batch.responses, batch.faults) == ([], [])


@pytest.mark.parametrize("value", [None, True, "10", 10.0, -1, 2**63, [], {}])
@pytest.mark.parametrize("name", ["input", "output", "reasoning", "read", "write"])
def test_a_counter_that_is_no_count_is_malformed(tmp_path: Path, name: str, value: Any) -> None:
    """E092: the message has no response, and says why."""
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(tokens=TOKENS | _with(name, value)))
        batch = store.batch()
    assert (batch.responses, categories(batch)) == ([], ["malformed_usage"])


def _with(name: str, value: Any) -> dict[str, Any]:
    return {"cache": TOKENS["cache"] | {name: value}} if name in TOKENS["cache"] else {name: value}


@pytest.mark.parametrize("broken", [{"tokens": []}, {"tokens": None}, {"tokens": TOKENS | {"cache": None}}])
def test_usage_that_is_no_object_is_malformed(tmp_path: Path, broken: dict[str, Any]) -> None:
    """E092."""
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", answer(**broken)).batch()
    assert (batch.responses, categories(batch)) == ([], ["malformed_usage"])


def test_an_absent_counter_is_unknown(tmp_path: Path) -> None:
    """E092: and so is the total."""
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(tokens=tokens(reasoning=None, cache=None)))
        [response] = store.batch().responses
    assert response.usage == TokenUsage(10, None, None, None, None, 5, None, None)


def test_a_sum_beyond_all_counts_is_malformed(machine: Machine) -> None:
    with Database(machine.home / PLACE) as store:
        store.session().message("msg_1", answer(tokens=tokens(input=2**63 - 1)))
    machine.sync()
    assert rows(machine, "SELECT category FROM fault") == [("malformed_usage",)]


def test_a_message_that_moves_to_another_session_stays_with_the_first(machine: Machine) -> None:
    """E093: it counts once, and the contradiction is a fault."""
    with Database(machine.home / PLACE) as store:
        store.session().session("ses_2").message("msg_1", answer())
    machine.sync()
    with Database(machine.home / PLACE) as store:
        store.run("UPDATE message SET session_id = 'ses_2', time_updated = time_updated + 1")
    machine.sync()
    owner = "SELECT session.key FROM response JOIN session ON session.id = session_id"
    assert rows(machine, owner) == [(KEY,)]
    assert rows(machine, "SELECT category FROM fault") == [("usage_conflict",)]


def test_a_cost_that_was_not_recorded_is_unknown(machine: Machine) -> None:
    """E094: 0.5 on one response and none on another; 0 is a cost."""
    with Database(machine.home / PLACE) as store:
        store.session().message("msg_1", answer(cost=0.5)).message("msg_2", answer(3000, cost=None))
        store.message("msg_3", answer(5000, cost=0))
    machine.sync()
    assert rows(machine, "SELECT native_cost_usd FROM response ORDER BY at_ms") == [("0.5",), (None,), ("0",)]


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("0.055962000000000005", "0.055962000000000005"),
        ("1e-7", "0.0000001"),
        ("3", "3"),
        ("-1", None),
        ("1e999", None),
    ],
)
def test_a_cost_is_the_recorded_number(tmp_path: Path, recorded: str, said: str | None) -> None:
    data = json.dumps(answer()).replace('"cost": 0.01', f'"cost": {recorded}')
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", data).batch()
    assert [response.native_cost_usd for response in batch.responses] == [said]


@pytest.mark.parametrize("broken", ["0.01", True, [1]])
def test_a_cost_that_is_no_number_costs_only_itself(tmp_path: Path, broken: Any) -> None:
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", answer(cost=broken)).batch()
    assert ([each.native_cost_usd for each in batch.responses], categories(batch)) == ([None], ["schema_error"])


def test_the_recorded_total_tells_where_reasoning_stands(tmp_path: Path) -> None:
    """§0 row 5: beside the output, or inside it as releases 1.1 and 1.2 wrote it."""
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(tokens=TOKENS | {"total": 18}))
        [response] = store.batch().responses
    assert (response.semantics, response.usage.total) == (OPENCODE_INSIDE.label, 18)


def test_where_the_total_tells_nothing_the_neighbours_do(tmp_path: Path) -> None:
    """One release's rows are one kind: the row before decides, for the first ones the row after."""
    quiet = tokens(reasoning=0)
    told = [quiet, TOKENS | {"total": 18}, tokens(), quiet, TOKENS, quiet]
    with Database(tmp_path) as store:
        store.session()
        for number, each in enumerate(told):
            store.message(f"msg_{number}", answer(1000 * number, tokens=each))
        labels = [response.semantics for response in store.batch().responses]
    assert labels == [OPENCODE_INSIDE.label] * 4 + [OPENCODE.label] * 2


def test_without_any_total_reasoning_stands_beside(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(tokens=tokens())).message(
            "msg_2", answer(tokens=TOKENS | {"total": 99})
        )
        assert {response.semantics for response in store.batch().responses} == {OPENCODE.label}


def test_equal_answers_of_one_session_are_two(tmp_path: Path) -> None:
    """No message of a session is a copy of another one in it."""
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer()).message("msg_2", answer())
        found = [response.id for response in store.batch().responses]
        again = [response.id for response in store.batch().responses]
    assert len(set(found)) == 2
    assert found == again


def test_a_model_is_named_with_its_provider_as_far_as_known(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message("msg_1", answer(providerID=None)).message("msg_2", answer(2000, modelID=None))
        assert [response.model for response in store.batch().responses] == ["alpha-1", None]


@pytest.mark.parametrize("data", ["{broken", "", None, "[]", "7", b"\xff\xfe"])
def test_a_message_that_is_no_object_costs_only_itself(tmp_path: Path, data: Any) -> None:
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", data).message("msg_2", answer()).batch()
    assert len(batch.responses) == 1
    assert len(batch.faults) == 1


def test_a_message_without_an_id_or_with_an_unknown_role_is_a_fault(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        store.session().message(None, answer())  # type: ignore[arg-type]
        batch = store.message("msg_2", user(role="narrator")).message("msg_3", user(role=5)).batch()
    assert batch.responses == []
    assert categories(batch) == ["missing_id", "schema_error", "unknown_record", "unknown_record"]


def test_a_time_that_is_none_is_unknown(tmp_path: Path) -> None:
    """A message whose end cannot be read is taken for running."""
    with Database(tmp_path) as store:
        batch = store.session().message("msg_1", answer(time={"created": "x", "completed": "y"})).batch()
    assert (batch.responses, categories(batch)) == ([], ["schema_error"])
    assert batch.sessions[0].native_id == SESSION
