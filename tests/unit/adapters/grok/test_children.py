"""Parents and children, sources and forks: linked and counted alike in any order."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders.imports import Machine
from tests.unit.adapters.grok.sessions import (
    CHILD,
    CHILD_KEY,
    KEY,
    OTHER,
    OTHER_KEY,
    SID,
    Folder,
    counted,
    of,
    rows,
    usage,
)


def sync_in(order: Sequence[Folder], base: Path) -> Machine:
    """A machine that sees one folder more at each sync."""
    machine = Machine(base)
    for folder in order:
        folder.lay(machine.home)
        machine.sync()
    return machine


def child(**summary: object) -> Folder:
    """A subagent's session: one turn of 100 tokens, 0 to 2 seconds after the start."""
    return Folder(CHILD, **summary).turn(0, "c1", usage(100, "grok-mini"))


def parent(native: str = SID, *, folded: bool, told: bool = True, used: dict[str, object] | None = None) -> Folder:
    """Started a subagent; it ended inside the turn (`folded`) or after it. `told`: the child's end was written."""
    both = {"modelUsage": {"grok-5": usage(50), "grok-mini": usage(100)}}
    folder = Folder(native).asked(0).typed(0).spawned(CHILD, "p1")
    if folded and told:
        folder.finished(CHILD)
    folder.completed("p1", used or (both if folded else usage(50)))
    return folder if folded or not told else folder.finished(CHILD)


def proofs() -> dict[str, tuple[Folder, Folder]]:
    """Child and parent, by what proves the child to be one."""
    linked = Folder().turn(0, "p1", usage(50))
    linked.links[CHILD] = {"parent_session_id": SID, "child_session_id": CHILD}
    own = child(session_kind=None)
    own.updates.insert(0, Folder(CHILD).spawned(CHILD, "p1", parent_session_id=SID).updates[0])
    sibling = parent(OTHER, folded=False, told=False)
    for line in sibling.updates:
        if "parent_session_id" in line["params"]["update"]:
            line["params"]["update"]["parent_session_id"] = SID
    return {
        "its own summary": (child(session_kind="subagent", parent_session_id=SID), Folder()),
        "a turn start": (child().event("turn_started", session_relationship="subagent"), parent(folded=False)),
        "the parent's stream": (child(), parent(folded=False, told=False)),
        "the parent's folder": (child(), linked),
        "its own stream": (own, Folder()),
        "a sibling's stream": (child(), sibling),
    }


@pytest.mark.parametrize("proof", proofs())
@pytest.mark.parametrize("backwards", [False, True])
def test_a_child_is_known_by_any_proof_in_any_order(tmp_path: Path, proof: str, *, backwards: bool) -> None:
    """E111: synthetic, no excerpt, parent linked."""
    order = list(proofs()[proof])
    machine = sync_in(order[::-1] if backwards else order, tmp_path)
    found = rows(machine, f"SELECT role, parent FROM session WHERE key = '{CHILD_KEY}'")
    assert found == [("subagent", KEY)]
    prompts = rows(
        machine,
        "SELECT kind, excerpt FROM submission JOIN session ON session.id = session_id"
        f" WHERE key = '{CHILD_KEY}' ORDER BY submission.id",
    )
    assert prompts == [("synthetic", "")]


def every_order(tmp_path: Path, *folders: Folder) -> list[Machine]:
    """A machine for each order in which the folders can become known."""
    return [sync_in(order, tmp_path / str(number)) for number, order in enumerate(itertools.permutations(folders))]


def test_a_subagent_inside_its_parents_turn_counts_once(tmp_path: Path) -> None:
    for machine in every_order(tmp_path, child(session_kind="subagent"), parent(folded=True)):
        assert counted(machine) == {"grok:p1:grok-5": 50, "grok:p1:grok-mini": 100}
        assert rows(machine, "SELECT id FROM response WHERE overlap = 1") == [("grok:c1:grok-mini",)]


def test_of_the_same_model_too(tmp_path: Path) -> None:
    both = {"modelUsage": {"grok-mini": usage(150, "grok-mini", outputTokens=20)}}
    for machine in every_order(tmp_path, child(), parent(folded=True, used=both)):
        assert counted(machine) == {"grok:p1:grok-mini": 150}


@pytest.mark.parametrize("told", [True, False])
def test_a_background_subagent_is_only_in_its_own_session(tmp_path: Path, *, told: bool) -> None:
    """Its end may come after the turn, or never be written."""
    for machine in every_order(tmp_path, child(), parent(folded=False, told=told)):
        assert counted(machine) == {"grok:c1:grok-mini": 100, "grok:p1:grok-5": 50}


def test_a_parent_that_was_killed_covers_nothing(tmp_path: Path) -> None:
    killed = parent(folded=True)
    killed.updates.pop()
    for machine in every_order(tmp_path, child(), killed):
        assert counted(machine) == {"grok:c1:grok-mini": 100}


@pytest.mark.parametrize("used", [{}, usage(50), {"modelUsage": {"grok-mini": usage(99)}}])
def test_a_turn_covers_only_what_its_usage_can_hold(tmp_path: Path, used: dict[str, object]) -> None:
    """Whatever the order of lines says: unknown or smaller figures hold no child."""
    folder = parent(folded=True)
    folder.updates[-1]["params"]["update"]["usage"] = used
    for machine in every_order(tmp_path, child(), folder):
        assert counted(machine)["grok:c1:grok-mini"] == 100


def test_a_subagent_that_worked_in_two_turns_is_covered_turn_by_turn(tmp_path: Path) -> None:
    """First in the background, then inside the second turn."""
    mini = {"modelUsage": {"grok-mini": usage(100)}}
    folder = Folder().asked(0).spawned(CHILD, "p1").completed("p1", usage(50)).finished(CHILD)
    folder.asked(1).spawned(CHILD, "p2")
    worker = Folder(CHILD).turn(0, "c1", usage(100, "grok-mini"))
    while len(worker.updates) < len(folder.updates):
        worker.update("plan")
    worker.turn(1, "c2", usage(90, "grok-mini"))
    while len(folder.updates) < len(worker.updates):
        folder.update("plan")
    folder.finished(CHILD).completed("p2", mini)
    for machine in every_order(tmp_path, worker, folder):
        assert counted(machine) == {"grok:c1:grok-mini": 100, "grok:p1:grok-5": 50, "grok:p2:grok-mini": 100}


def fork(native: str, source: Folder) -> Folder:
    """A fork: the source's lines under its own id, then a turn of its own."""
    folder = Folder(native, session_kind="fork", parent_session_id=source.native)
    for line in source.updates:
        folder.updates.append({**line, "params": {**line["params"], "sessionId": native}})
    folder.history = list(source.history or [])
    return folder.turn(1, f"own-{native[-1]}", usage(7))


def test_a_fork_and_its_fork_repeat_one_bill(tmp_path: Path) -> None:
    source = Folder().turn(0, "p1", usage(100))
    second = fork(OTHER, source)
    third = fork("01a22d9d-0000-7000-8000-000000000003", second)
    for machine in every_order(tmp_path, source, second, third):
        assert counted(machine) == {"grok:own-2:grok-5": 7, "grok:own-3:grok-5": 7, "grok:p1:grok-5": 100}
        owner = "SELECT key FROM response JOIN session ON session.id = session_id WHERE response.id LIKE '%:p1:%'"
        assert rows(machine, owner) == [(KEY,)]
        assert rows(machine, "SELECT COUNT(*) FROM submission WHERE copied = 0") == [(3,)]
        assert rows(machine, "SELECT * FROM fault") == []


def test_a_copy_without_its_source_is_counted_and_stays_the_sources(tmp_path: Path) -> None:
    source = Folder().turn(0, "p1", usage(100))
    machine = sync_in([fork(OTHER, source)], tmp_path)
    owners = "SELECT response.id, key FROM response JOIN session ON session.id = session_id ORDER BY 1"
    expected = [("grok:own-2:grok-5", OTHER_KEY), ("grok:p1:grok-5", KEY)]
    assert rows(machine, owners) == expected
    source.lay(machine.home)
    machine.sync()
    assert rows(machine, owners) == expected


def test_a_copied_turn_covers_its_subagent_as_the_turn_itself_does(tmp_path: Path) -> None:
    """Only the fork and the child are left of a family; or all of it, in any order."""
    source = parent(folded=True)
    copy = fork(OTHER, source)
    for folders in ((copy, child()), (source, copy, child())):
        for machine in every_order(tmp_path / str(len(folders)), *folders):
            assert counted(machine) == {
                "grok:own-2:grok-5": 7, "grok:p1:grok-5": 50, "grok:p1:grok-mini": 100,
            }  # fmt: skip
            assert rows(machine, f"SELECT parent FROM session WHERE key = '{CHILD_KEY}'") == [(KEY,)]


def test_a_copied_tree_counts_once(tmp_path: Path) -> None:
    """Another home with fewer lines, before or after the whole one."""
    older, whole = Folder().turn(0, "p1", usage(100)), Folder().turn(0, "p1", usage(100)).turn(1, "p2", usage(5))
    for first, second in ((older, whole), (whole, older)):
        machine = Machine(tmp_path / str(len(first.updates)))
        roots = []
        for name, folder in (("first", first), ("second", second)):
            folder.lay(machine.home / name)
            roots.append(machine.home / name / ".grok")
            machine.sync(harnesses=("grok",), roots=tuple(roots))
        assert counted(machine) == {"grok:p1:grok-5": 100, "grok:p2:grok-5": 5}
        assert rows(machine, "SELECT * FROM fault") == []


def test_a_subagents_life_is_told_by_its_parent(tmp_path: Path) -> None:
    batch = parent(folded=True).read(tmp_path)
    assert [(event.name, event.target, event.status, event.turn) for event in of(batch, "lifecycle")] == [
        ("subagent_spawned", CHILD_KEY, "started", "p1"),
        ("subagent_finished", CHILD_KEY, "ok", "p1"),
    ]
    late = parent(folded=False).read(tmp_path / "late")
    assert [event.turn for event in of(late, "lifecycle")] == ["p1", None]
