"""Forks and replays: what is copied counts in the thread that made it, once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.records.response import COPIED, RECORDED
from tests.unit.adapters.codex.rollouts import KEY, THREAD, Rollout, genuine, joined, read, session_of, totals, turn_of

PARENT = "01a22da0-0000-7aaa-8bbb-000000000001"
GRANDPARENT = "01a22d90-0000-7aaa-8bbb-000000000009"
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
# Made before THREAD was, and after it.
BEFORE = "01a22da0-1111-7aaa-8bbb-00000000000{}"
AFTER = "01a22dff-1111-7aaa-8bbb-00000000000{}"


def _history(rollout: Rollout, *, after_ms: int = 1, turns: bool = False) -> Rollout:
    """Two turns of the parent with one response each; a copy is written within milliseconds."""
    for number, total in ((1, 450), (2, 1120)):
        if turns:
            rollout.event("task_started", turn_id=BEFORE.format(number), after_ms=after_ms)
        rollout.user(f"parent's {number}", kinds=None, after_ms=after_ms)
        rollout.event("user_message", message=f"parent's {number}", after_ms=after_ms)
        turn = {"turn_id": BEFORE.format(number)} if turns else {}
        rollout.context("gpt-5.5", "low", after_ms=after_ms, **turn)
        rollout.item("function_call", call_id=f"c{number}", name="x", after_ms=after_ms)
        rollout.count(total, 450 if number == 1 else 670, after_ms=after_ms)
    return rollout


def _parent() -> Rollout:
    return _history(Rollout(id=PARENT, session_id=..., thread_source=...), after_ms=1000)


def _fork(**identity: Any) -> Rollout:
    """A fork of the older kind, before its own turn."""
    rollout = Rollout(session_id=..., thread_source=..., forked_from_id=PARENT, **identity)
    return rollout.meta(id=PARENT, session_id=..., thread_source=..., after_ms=0)


def _own(rollout: Rollout, *, pause_ms: int = 15) -> Rollout:
    """The fork's own turn, whose first count repeats the parent's total."""
    rollout.user("own", kinds=None, after_ms=pause_ms).event("user_message", message="own", after_ms=0)
    return rollout.context(after_ms=58).count(1120, 670, after_ms=4).count(2110, 990, after_ms=60)


def _by_session(*rollouts: tuple[Rollout, str]) -> dict[str, list[int | None]]:
    found = joined(read(rollout, thread=thread) for rollout, thread in rollouts)
    sessions: dict[str, list[int | None]] = {}
    for response in found.responses:
        sessions.setdefault(response.session, []).append(response.usage.total)
    return sessions


def test_a_copied_history_counts_in_its_own_thread() -> None:
    found = read(_own(_history(_fork())))
    assert [(each.session, each.usage.total, each.origin) for each in found.responses] == [
        (f"codex:{PARENT}", 450, COPIED),
        (f"codex:{PARENT}", 670, COPIED),
        (KEY, 990, RECORDED),
    ]
    assert [each.at_ms is None for each in found.responses] == [True, True, False]
    assert [each.text for each in genuine(found)] == ["own"]
    assert found.events == []
    assert [each.session for each in found.turns] == [KEY]
    assert session_of(found).forked_from == f"codex:{PARENT}"


def test_copy_and_original_fall_together() -> None:
    expected = {f"codex:{PARENT}": [450, 670], KEY: [990]}
    parent, fork = (_parent(), PARENT), (_own(_history(_fork())), THREAD)
    assert _by_session(parent, fork) == expected
    turns = {
        each.id: each.turn for rollout, thread in (parent, fork) for each in read(rollout, thread=thread).responses
    }
    original = {each.id: each.turn for each in read(parent[0], thread=PARENT).responses}
    assert all(turns[name] == turn for name, turn in original.items())


def test_the_own_turn_of_a_fork_is_its_first() -> None:
    found = read(_own(_history(_fork())))
    assert [each.id for each in found.turns] == [f"{THREAD}:turn:1"]
    assert [each.turn for each in genuine(found)] == [f"{THREAD}:turn:1"]
    assert found.responses[-1].turn == f"{THREAD}:turn:1"
    assert turn_of(found, f"{THREAD}:turn:1").model == "gpt-6-astra"


def test_before_an_own_context_a_fork_goes_on_with_the_copied_one() -> None:
    rollout = _history(_fork()).event("user_message", message="own", after_ms=20).count(2110, 990, after_ms=50)
    assert [(each.session, each.model) for each in read(rollout).responses][-1] == (KEY, "gpt-5.5")


@given(cut=st.integers(0, 20))
def test_a_copy_may_be_cut_anywhere(cut: int) -> None:
    undated, dated = _own(_history(_fork())), _history(_fork(), turns=True)
    _own(dated.event("task_started", turn_id=AFTER.format(3)))
    for rollout in (undated, dated):
        assert read(rollout, cuts=(cut,)) == read(rollout)


@pytest.mark.parametrize("place", range(3, 13))
def test_a_pause_while_copying_ends_no_copy(place: int) -> None:
    """A large history takes long to write: a pause alone proves nothing."""
    fork = _history(_fork())
    for later in fork.lines[place:]:
        at = later["timestamp"]
        later["timestamp"] = at.replace(at[17:23], f"{float(at[17:23]) + 0.05:06.3f}")
    fork.at_ms += 50
    found = read(_own(fork))
    assert _by_session((_parent(), PARENT), (fork, THREAD)) == {f"codex:{PARENT}": [450, 670], KEY: [990]}
    assert totals(found)[-1] == 990


def test_turns_that_carry_their_time_prove_what_is_copied() -> None:
    """The own turn follows at once, and the copy was written slowly: neither matters."""
    fork = _history(_fork(), after_ms=300, turns=True)
    fork.event("task_started", turn_id=AFTER.format(3), after_ms=0).user("own", kinds=None, after_ms=0)
    fork.event("user_message", message="own", after_ms=0).count(2110, 990, after_ms=0)
    assert _by_session((fork, THREAD)) == {f"codex:{PARENT}": [450, 670], KEY: [990]}
    found = read(fork)
    assert [(each.text, each.turn) for each in genuine(found)] == [("own", AFTER.format(3))]


def test_of_a_fork_of_a_fork_the_copy_tells_nothing() -> None:
    """Nobody can tell which lines are whose; both originals are read themselves."""
    fork = _fork().meta(id=GRANDPARENT, session_id=..., thread_source=..., after_ms=0)
    assert _by_session((_own(_history(fork)), THREAD)) == {KEY: [990]}


def test_a_subagent_that_replays_its_parent_counts_its_own_only() -> None:
    """Every replayed line is stamped with the moment of the child's creation."""
    child = Rollout(session_id=PARENT, thread_source="subagent", source=SPAWN, parent_thread_id=PARENT)
    child = _own(_history(child.meta(id=PARENT, session_id=..., thread_source=..., after_ms=0), after_ms=0))
    assert _by_session((child, THREAD)) == {f"codex:{PARENT}": [450, 670], KEY: [990]}
    assert session_of(read(child)).role == "subagent"


def test_a_fork_that_copies_nothing_starts_with_its_parents_total() -> None:
    """The newer kind: the first count is only a base, the records are its own."""
    fork = Rollout(forked_from_id=PARENT, history_base={"thread_id": PARENT, "end_ordinal_exclusive": 9})
    fork.event("task_started", turn_id="t1").count(1120, 670).record("r1", 990, 2110).context().count(2110, 990)
    found = read(fork)
    assert [(each.id, each.session, each.cumulative) for each in found.responses] == [("codex:r1", KEY, 2110)]
    assert [each.model for each in found.responses] == [None]
    assert session_of(found).forked_from == f"codex:{PARENT}"


def test_a_fork_without_a_copy_counts_from_its_first_total() -> None:
    fork = Rollout(forked_from_id=PARENT).turn().count(450, 450)
    assert totals(read(fork)) == [450]


def test_copied_records_name_their_thread_themselves() -> None:
    fork = _fork().record("r1", 450, thread_id=PARENT, session_id=PARENT)
    fork.record("r2", 670, 1120).event("user_message", message="own")
    assert _by_session((fork, THREAD)) == {f"codex:{PARENT}": [450], KEY: [670]}
    assert [each.text for each in genuine(read(fork))] == ["own"]


def test_the_parent_of_a_fork_is_described_by_the_copy() -> None:
    parent = session_of(read(_history(_fork())), f"codex:{PARENT}")
    assert (parent.role, parent.project, parent.started_ms) == ("main", "/srv/kit", None)
