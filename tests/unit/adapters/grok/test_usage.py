"""What a completed prompt used: counters, costs, models, and each of them once."""

import json
from pathlib import Path
from typing import Any

import pytest

from observer.pricing import bundle
from observer.pricing.value import value
from observer.records.response import COPIED, RECORDED
from observer.records.semantics import parse
from observer.records.usage import TokenUsage, shape
from observer.records.valuation import UsageGroup
from tests.builders.imports import Machine
from tests.unit.adapters.grok.sessions import (
    FULL,
    KEY,
    OTHER,
    OTHER_KEY,
    SID,
    START_MS,
    Folder,
    categories,
    counted,
    rows,
    usage,
)


def test_a_completion_is_one_response_with_its_six_counters(tmp_path: Path) -> None:
    """E102: the total is the recorded one."""
    (found,) = Folder().completed("p1", {**FULL, "modelUsage": {"grok-5": FULL}}).read(tmp_path).responses
    assert (found.id, found.session, found.turn, found.model) == ("grok:p1:grok-5", KEY, "p1", "grok-5")
    assert found.usage == TokenUsage(1000, 800, 50, None, None, 200, 60, 1200)
    assert (found.at_ms, found.final, found.semantics) == (
        START_MS, True, "grok:input_includes_cached,output_includes_reasoning",
    )  # fmt: skip


def test_without_a_table_of_models_the_sums_are_the_response(tmp_path: Path) -> None:
    """E102: as other releases may write it."""
    (found,) = Folder().completed("p1", FULL).read(tmp_path).responses
    assert (found.id, found.model, found.usage.total) == ("grok:p1", None, 1200)


def test_every_model_of_a_prompt_is_a_response(tmp_path: Path) -> None:
    both = {**usage(300), "modelUsage": {"grok-5": usage(200), "grok-mini": usage(100)}}
    found = Folder().completed("p1", both).read(tmp_path).responses
    assert {each.id: (each.model, each.usage.input) for each in found} == {
        "grok:p1:grok-5": ("grok-5", 200),
        "grok:p1:grok-mini": ("grok-mini", 100),
    }


def test_a_total_is_never_derived(tmp_path: Path) -> None:
    bare = {"inputTokens": 7, "outputTokens": 3}
    (found,) = Folder().completed("p1", {**bare, "modelUsage": {"m": bare}}).read(tmp_path).responses
    assert found.usage == TokenUsage(input=7, output=3)


@pytest.mark.parametrize("nothing", [None, {}, {"modelUsage": {}}, {"modelUsage": None}])
def test_a_completion_without_usage_knows_no_counter_and_is_no_fault(tmp_path: Path, nothing: Any) -> None:
    """§6: unknown, not zero."""
    batch = Folder().completed("p1", nothing).read(tmp_path)
    (found,) = batch.responses
    assert (found.usage, found.final, batch.faults) == (TokenUsage(), False, [])


@pytest.mark.parametrize("table", [{}, {"modelUsage": {"grok-5": {"inputTokens": 400, "outputTokens": 40}}}])
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("model", [None, "grok-5"])
def test_usage_that_comes_later_fills_the_row_once(
    tmp_path: Path, table: Any, at_once: bool, model: str | None
) -> None:
    """E103."""
    counters = {"inputTokens": 400, "cachedReadTokens": 300, "cacheCreationTokens": 5, "outputTokens": 40,
                "reasoningTokens": 4, "totalTokens": 440}  # fmt: skip
    used = {**counters, **({"modelUsage": {"grok-5": counters}} if table else {})}
    machine, folder = Machine(tmp_path), Folder().asked(0, model=model).completed("p1")
    if not at_once:
        folder.lay(machine.home)
        machine.sync()
        assert rows(machine, "SELECT input, total FROM response") == [(None, None)]
    folder.completed("p1", used).completed("p1", used).lay(machine.home)
    assert machine.sync()["grok"].malformed == 0
    assert rows(machine, "SELECT input, cached_input, cache_write_input, output, reasoning_output, total, final"
                         " FROM response") == [(400, 300, 5, 40, 4, 440, 1)]  # fmt: skip
    assert rows(machine, "SELECT * FROM response_copy") == []


def test_a_changed_counter_is_a_conflict_and_the_first_stays(tmp_path: Path) -> None:
    """§6, §2.2."""
    batch = Folder().completed("p1", usage(100)).completed("p1", usage(999)).read(tmp_path)
    assert [each.usage.input for each in batch.responses] == [100]
    assert categories(batch) == [(1, "usage_conflict")]


def test_a_counter_that_was_unknown_is_filled(tmp_path: Path) -> None:
    """§6: without touching the known ones."""
    first, second = {"inputTokens": 100}, {"inputTokens": 100, "outputTokens": 7}
    batch = Folder().completed("p1", first).completed("p1", second).read(tmp_path)
    assert [each.usage for each in batch.responses] == [TokenUsage(input=100, output=7)]
    assert batch.faults == []


@pytest.mark.parametrize("wrong", ["12", True, None, -1, 1.5, [3], 2**64])
@pytest.mark.parametrize("place", ["sum", "model"])
def test_a_counter_that_is_no_count_costs_its_row(tmp_path: Path, wrong: Any, place: str) -> None:
    """§2.2: the turn stays, and so do other turns."""
    bad = usage(100)
    (bad if place == "sum" else bad["modelUsage"]["grok-5"])["inputTokens"] = wrong
    batch = Folder().completed("p1", bad).completed("p2", usage(50)).read(tmp_path)
    assert [each.id for each in batch.responses] == ["grok:p2:grok-5"]
    assert categories(batch) == [(0, "malformed_usage")]
    assert [turn.state for turn in batch.turns] == ["complete", "complete"]


@pytest.mark.parametrize(
    ("cost", "known"),
    [
        ({"costUsdTicks": 125_000_000}, "0.0125"),
        ({"costUsdTicks": 1}, "0.0000000001"),
        ({"costUsdTicks": 0}, "0"),
        ({"costUsdTicks": 2 * 10**10}, "2"),
        ({}, None),
        ({"costUsdTicks": 5, "costIsPartial": True}, None),
        ({"costUsdTicks": 5, "usageIsIncomplete": True}, None),
        ({"costUsdTicks": "5"}, None),
        ({"costUsdTicks": -5}, None),
        ({"costUsdTicks": True}, None),
    ],
)
def test_a_cost_is_exact_and_known_only_when_complete(tmp_path: Path, cost: Any, known: str | None) -> None:
    used = usage(10)
    used["modelUsage"]["grok-5"].update({key: value for key, value in cost.items() if key == "costUsdTicks"})
    used.update({key: value for key, value in cost.items() if key != "costUsdTicks"})
    batch = Folder().completed("p1", used).completed("p2", {**FULL, **cost}).read(tmp_path)
    assert [each.native_cost_usd for each in batch.responses] == [known, known]
    assert batch.faults == []


def test_no_other_file_is_read(tmp_path: Path) -> None:
    """E104: session totals and the log of all sessions repeat what the turns hold."""
    machine = Machine(tmp_path)
    folder = Folder().turn(0, "p1", usage(100)).lay(machine.home)
    for path in (folder / "usage.json", folder / "signals.json", machine.home / ".grok" / "logs" / "unified.jsonl"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"inputTokens": 999_999, "turn_completed": usage(777)}) + "\n")
    machine.sync()
    assert counted(machine) == {"grok:p1:grok-5": 100}
    (folder / "usage.json").write_text("{}")
    assert machine.sync()["grok"].unchanged == 1


def test_context_size_is_no_usage(tmp_path: Path) -> None:
    """Case 34: `totalTokens` beside a line is how full the context is."""
    folder = Folder().said("p1").completed("p1", usage(100))
    for line in folder.updates:
        line["params"]["_meta"]["totalTokens"] = 71_784
    assert [each.usage.total for each in folder.read(tmp_path).responses] == [110]


def test_the_model_is_the_one_with_the_best_evidence(tmp_path: Path) -> None:
    """E105: a turn start at or before the end, the table, the summary, the prompt's own mark."""

    def model(*, start: bool = False, late: bool = False, table: bool = False, summary: bool = False) -> str | None:
        folder = Folder(**({"current_model_id": "of-summary"} if summary else {})).asked(0, model="of-prompt")
        if start:
            folder.event("turn_started", model_id="of-start")
        folder.completed("p1", usage(5, "of-table") if table else {"inputTokens": 5})
        if late:
            folder.event("turn_started", model_id="of-later-start")
        (found,) = folder.read(tmp_path / f"{start}{late}{table}{summary}").responses
        return found.model

    assert model(start=True, late=True, table=True, summary=True) == "of-start"
    assert model(late=True, table=True, summary=True) == "of-table"
    assert model(late=True, summary=True) == "of-summary"
    assert model(late=True) == "of-prompt"


def test_a_start_in_the_second_of_the_end_counts_when_only_seconds_are_known(tmp_path: Path) -> None:
    """E105: but a precise time is taken precisely."""
    folder = Folder().event("turn_started", START_MS + 300, model_id="of-start").completed("p1", usage(5))
    assert folder.read(tmp_path / "exact").responses[0].model == "grok-5"
    del folder.updates[0]["params"]["_meta"]["agentTimestampMs"]
    assert folder.read(tmp_path / "seconds").responses[0].model == "of-start"


def test_the_start_of_an_earlier_prompt_says_nothing_of_a_later_one(tmp_path: Path) -> None:
    """E105: a log that is cut off knows how the first turn began; the second may have another model."""
    folder = Folder(current_model_id="of-summary").asked(0).event("turn_started", model_id="of-first")
    folder.completed("p1", usage(5, "of-table")).asked(1).completed("p2", {"inputTokens": 6})
    assert [each.model for each in folder.read(tmp_path).responses] == ["of-first", "of-summary"]


def test_several_models_keep_their_names(tmp_path: Path) -> None:
    """§0: a row per model, whatever the turn began with."""
    both = {"modelUsage": {"grok-5": usage(200), "grok-mini": usage(100)}}
    folder = Folder().event("turn_started", model_id="of-start").completed("p1", both)
    assert [each.model for each in folder.read(tmp_path).responses] == ["grok-5", "grok-mini"]


def test_evidence_that_is_weaker_or_gone_changes_nothing(tmp_path: Path) -> None:
    """E106: files vanish and settings change; what was known of a turn stays."""
    machine = Machine(tmp_path)
    folder = Folder(current_model_id="of-summary", reasoning_effort="high").asked(0).typed(0)
    folder.event("turn_started", model_id="of-start").completed("p1", usage(5, "of-table"))
    folder.update("user_message_chunk", _meta={"promptIndex": 1}).event("turn_started", model_id="of-start")
    folder.completed("p2", {"inputTokens": 6})
    path = folder.lay(machine.home)
    first = [("grok:p1:of-table", "of-start", "high"), ("grok:p2", "of-start", "high")]
    machine.sync()
    assert rows(machine, "SELECT id, model, effort FROM response ORDER BY id") == first
    (path / "events.jsonl").unlink()
    folder.events.clear()
    folder.history = [*(folder.history or []), {"type": "assistant", "content": "x", "reasoning_effort": "low"}]
    folder.summary = {"info": {"id": SID, "cwd": "/srv/kit"}, "current_model_id": "of-another-summary"}
    folder.lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT id, model, effort FROM response ORDER BY id") == first


def test_the_only_evidence_stays_when_its_file_is_gone(tmp_path: Path) -> None:
    """E106: missing evidence clears nothing."""
    machine = Machine(tmp_path)
    folder = Folder(current_model_id="of-summary").completed("p1", {"inputTokens": 6})
    path = folder.lay(machine.home)
    machine.sync()
    (path / "summary.json").unlink()
    machine.sync()
    assert rows(machine, "SELECT model, input FROM response") == [("of-summary", 6)]


def test_stronger_evidence_that_comes_later_wins(tmp_path: Path) -> None:
    """E106, the other way round."""
    machine = Machine(tmp_path)
    folder = Folder(current_model_id="of-summary").completed("p1", {"inputTokens": 6})
    folder.lay(machine.home)
    machine.sync()
    folder.event("turn_started", START_MS, model_id="of-start").lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT model FROM response") == [("of-start",)]


def test_effort_is_of_the_summary_or_of_the_history(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(5))
    assert folder.history is not None
    folder.history.append({"type": "assistant", "content": "x", "reasoning_effort": "low"})
    folder.turn(1, "p2", usage(6))
    folder.history.append({"type": "assistant", "content": "x", "reasoning_effort": "xhigh"})
    assert [each.effort for each in folder.read(tmp_path).responses] == ["low", "xhigh"]
    assert folder.summary is not None
    folder.summary["reasoning_effort"] = "high"
    assert [each.effort for each in folder.read(tmp_path).responses] == ["high", "high"]


def test_a_killed_turn_leaves_no_response(tmp_path: Path) -> None:
    batch = Folder().asked(0).typed(0).said("p1").read(tmp_path)
    assert batch.responses == []
    assert [(turn.id, turn.state, turn.ended_ms) for turn in batch.turns] == [("p1", "active", None)]


def test_a_torn_last_line_waits(tmp_path: Path) -> None:
    """§2.1: it is read when it is whole."""
    machine, folder = Machine(tmp_path), Folder().turn(0, "p1", usage(100)).turn(1, "p2", usage(200))
    whole = json.dumps(folder.updates.pop()).encode()
    folder.tail = whole[: len(whole) // 2]
    folder.lay(machine.home)
    assert machine.sync()["grok"].malformed == 0
    folder.tail = whole + b"\n"
    folder.lay(machine.home)
    machine.sync()
    assert counted(machine) == {"grok:p1:grok-5": 100, "grok:p2:grok-5": 200}


def test_what_a_fork_copied_is_its_sources(tmp_path: Path) -> None:
    """§0: the same prompt is the same bill, in the session whose event it is."""
    fork = Folder(OTHER, session_kind="fork", parent_session_id=SID)
    batch = fork.turn(0, "p1", usage(100), by=SID).turn(1, "p2", usage(200)).read(tmp_path)
    found = [(each.id, each.session, each.origin) for each in batch.responses]
    assert found == [("grok:p1:grok-5", KEY, COPIED), ("grok:p2:grok-5", OTHER_KEY, RECORDED)]
    assert [each.id for each in batch.submissions] == [f"{OTHER_KEY}:1"]
    assert {event.session for event in batch.events} == {OTHER_KEY}
    (session,) = batch.sessions
    assert (session.forked_from, session.parent, session.role) == (KEY, None, "main")
    assert session.copied_until_ms == START_MS + 2000


def test_an_event_id_that_names_no_session_is_the_files_own(tmp_path: Path) -> None:
    """Case 34: ids may be anything."""
    folder = Folder().completed("p1", usage(1)).completed("p2", usage(2)).completed("p3", usage(3))
    for line, name in zip(folder.updates, ("e1", "f47ac10b-58cc-4372-a567-123456789012", 7), strict=True):
        line["params"]["_meta"]["eventId"] = name
    assert {each.session for each in folder.read(tmp_path).responses} == {KEY}


@pytest.mark.parametrize("path", bundle.files(), ids=lambda path: path.stem)
def test_no_schedule_prices_it(tmp_path: Path, path: Path) -> None:
    """E115: unpriced with a reason, never zero, even under the name of a priced model."""
    schedule = bundle.load(path)
    (found,) = Folder().completed("p1", {**FULL, "modelUsage": {"grok-5": FULL}}).read(tmp_path).responses
    bits = shape(found.usage, parse(found.semantics))
    for model in (None, "grok-5", *schedule.models):
        valued = value(UsageGroup(model, found.semantics, found.usage, bits), schedule)
        assert valued.reason
        assert valued.parts == {}
