"""Whose a prompt is: the history decides, as long as it is whole."""

from pathlib import Path
from typing import Any

import pytest

from tests.builders.imports import Machine
from tests.unit.adapters.grok.sessions import CHILD, KEY, Folder, categories, kinds, prompt, rows, usage


def told(machine: Machine) -> list[tuple[Any, ...]]:
    return rows(machine, "SELECT kind, excerpt FROM submission ORDER BY id")


def test_a_typed_prompt_is_genuine_and_begins_its_turn(tmp_path: Path) -> None:
    batch = Folder().turn(0, "p1", usage(1)).turn(1, "p2", usage(2)).read(tmp_path)
    assert [(each.id, each.kind, each.turn, each.main, each.text) for each in batch.submissions] == [
        (f"{KEY}:0", "genuine", "p1", True, "Do it."),
        (f"{KEY}:1", "genuine", "p2", True, "Do it."),
    ]
    assert [(turn.id, turn.started_ms, turn.state) for turn in batch.turns] == [
        ("p1", batch.submissions[0].at_ms, "complete"),
        ("p2", batch.submissions[1].at_ms, "complete"),
    ]


def test_a_prompt_in_pieces_is_one(tmp_path: Path) -> None:
    batch = Folder().asked(0, "Look at this").asked(0, "and that.").typed(0).said("p1").read(tmp_path)
    assert (prompt(batch).text, prompt(batch).turn, batch.faults) == ("Look at this\nand that.", "p1", [])


@pytest.mark.parametrize("damage", ["absent", "empty", "cut", "garbage", "list", "wrong type"])
def test_an_unusable_history_proves_nothing(tmp_path: Path, damage: str) -> None:
    """E107: unknown, without an excerpt; a genuine prompt when the history is whole."""
    machine, folder = Machine(tmp_path), Folder().turn(0, "p1", usage(1))
    good = list(folder.history or [])
    if damage == "absent":
        folder.history = None
    elif damage == "empty":
        folder.history = []
    elif damage == "cut":
        folder.history_tail = b'{"type":"assistant","con'
    else:
        wrong: Any = {"garbage": b"{nonsense", "list": [1], "wrong type": {"type": "user", "prompt_index": "0"}}[damage]
        folder.history = [*good, wrong]
    folder.lay(machine.home)
    machine.sync()
    assert told(machine) == [("unknown", "")]
    folder.history, folder.history_tail = good, b""
    folder.lay(machine.home)
    assert machine.sync()["grok"].unchanged == 0
    assert told(machine) == [("genuine", "Do it.")]


def test_a_history_without_the_prompt_proves_nothing(tmp_path: Path) -> None:
    """§6: the record must be there, with text, under the prompt's index."""
    folder = Folder().asked(0).asked(1).asked(2).typed(None).typed(2, "")
    assert folder.history is not None
    folder.history[1]["content"] = [{"type": "image"}]
    assert kinds(folder.read(tmp_path)) == {0: "unknown", 1: "unknown", 2: "unknown"}


def test_a_history_that_vanishes_takes_its_proof_along(tmp_path: Path) -> None:
    """E108."""
    machine, folder = Machine(tmp_path), Folder().turn(0, "p1", usage(1))
    folder.lay(machine.home)
    machine.sync()
    assert told(machine) == [("genuine", "Do it.")]
    folder.history = None
    folder.lay(machine.home)
    machine.sync()
    assert told(machine) == [("unknown", "")]


@pytest.mark.parametrize("reason", ["system_reminder", "compaction_meta", {"kind": "x"}, True])
def test_a_prompt_with_a_reason_is_synthetic(tmp_path: Path, reason: Any) -> None:
    """E109."""
    folder = Folder().asked(0).typed(0, synthetic_reason=reason).asked(1).typed(1, synthetic_reason=None)
    assert kinds(folder.read(tmp_path)) == {0: "synthetic", 1: "genuine"}


def test_two_prompt_ids_for_one_index_are_a_fault_and_no_index_is_one(tmp_path: Path) -> None:
    """E110: the first id holds."""
    folder = Folder().asked(0, prompt="p1").asked(0, prompt="p2").asked(None).typed(0)
    batch = folder.read(tmp_path)
    assert (prompt(batch).turn, categories(batch)) == ("p1", [(1, "schema_error"), (2, "missing_id")])


def test_two_prompt_ids_are_seen_in_what_follows_too(tmp_path: Path) -> None:
    """E110: as the measured release writes them."""
    batch = Folder().asked(0).said("p1").asked(0).said("p2").typed(0).read(tmp_path)
    assert (prompt(batch).turn, categories(batch)) == ("p1", [(3, "schema_error")])


def test_a_turn_that_nobody_asked_for_is_no_prompts(tmp_path: Path) -> None:
    """A subagent's end may wake the session: the turn before keeps its prompt."""
    batch = Folder().turn(0, "p1", usage(1)).said("p2").completed("p2", usage(2)).read(tmp_path)
    assert (prompt(batch).turn, batch.faults) == ("p1", [])
    assert [turn.id for turn in batch.turns] == ["p1", "p2"]


def test_a_compaction_forgets_prompts_and_denies_none(tmp_path: Path) -> None:
    """The history begins anew; what it held before was prompts all the same."""
    folder = Folder().asked(0).said("p1").asked(1).said("p2")
    folder.update("compaction_checkpoint", prompt_index_at_compaction=2).asked(2).said("p3").asked(3).said("p4")
    batch = folder.typed(None, synthetic_reason="compaction_meta").typed(2).read(tmp_path)
    assert kinds(batch) == {0: "genuine", 1: "genuine", 2: "genuine", 3: "unknown"}
    folder.history = None
    assert set(kinds(folder.read(tmp_path)).values()) == {"unknown"}


def test_after_a_rewind_the_same_index_is_another_prompt(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(1)).turn(1, "p2", usage(2)).update("rewind_marker", target_prompt_index=1)
    batch = folder.asked(1, "No, that.").said("p3").completed("p3", usage(3)).read(tmp_path)
    assert [(each.id.removeprefix(KEY), each.turn, each.kind) for each in batch.submissions] == [
        (":0", "p1", "genuine"),
        (":1", "p2", "genuine"),
        (":1:1", "p3", "genuine"),
    ]
    assert batch.faults == []
    assert [each.usage.input for each in batch.responses] == [1, 2, 3]


@pytest.mark.parametrize(("kind", "role"), [(None, "main"), ("fork", "main"), ("strange", None)])
def test_only_a_session_that_is_proven_a_persons_keeps_excerpts(
    tmp_path: Path, kind: str | None, role: str | None
) -> None:
    folder = Folder(session_kind=kind).turn(0, "p1", usage(1))
    batch = folder.read(tmp_path)
    assert (batch.sessions[0].role, prompt(batch).main, prompt(batch).kind) == (role, role == "main", "genuine")
    folder.summary = None
    assert (folder.read(tmp_path).sessions[0].role, prompt(folder.read(tmp_path)).main) == (None, False)


def test_the_prompts_of_a_subagent_are_not_a_persons(tmp_path: Path) -> None:
    batch = Folder(CHILD, session_kind="subagent").turn(0, "p1", usage(1)).read(tmp_path)
    assert (prompt(batch).kind, prompt(batch).main) == ("synthetic", False)
