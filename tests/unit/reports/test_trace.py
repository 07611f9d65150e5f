"""Traces: which events, in which order, joined over all of the scope, and what the records cannot show."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from observer.base.errors import UnknownSession, UnknownTask, UnknownTurn
from observer.facts.events import Scope
from observer.records.event import Family
from observer.records.session import Turn
from observer.reports import trace
from tests.builders import mini
from tests.builders.batches import START_MS, Book, event, response, session

S = mini.S


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """The mini rollout with a call and its result in each turn, and events outside every turn."""
    found = mini.book(tmp_path)
    found.told(
        "/events",
        *(event(f"c{turn}", S, turn=turn, at_ms=START_MS + number) for number, turn in enumerate("AB")),
        *(
            event(f"c{turn}", S, "tool_result", turn=turn, at_ms=START_MS + 10 + number, status="ok")
            for number, turn in enumerate("AB")
        ),
        event("k", S, "compaction", at_ms=START_MS + 20, detail=json.dumps({"path": "/x"})),
    )
    return found


def traced(book: Book, *, family: Family | None = None, limit: int = 200, **scope: str) -> dict[str, Any]:
    with book.reader() as reader:
        return trace.build(reader, Scope(**scope), family=family, limit=limit)


def ids(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["family"], each["id"]) for each in document["events"]]


def test_a_session_has_all_its_events_in_order(book: Book) -> None:
    document = traced(book, session="s")
    assert ids(document) == [
        ("tool_call", "cA"),
        ("tool_call", "cB"),
        ("tool_result", "cA"),
        ("tool_result", "cB"),
        ("compaction", "k"),
    ]
    assert document["scope"] == {"task": None, "session": S, "turn": None}
    assert document["events"][-1]["detail"] == {"path": "/x"}
    assert document["families"] == {"compaction": 1, "tool_call": 2, "tool_result": 2}
    assert (document["total"], document["truncated"]) == (5, False)


def test_a_turn_has_its_own(book: Book) -> None:
    expected = [("tool_call", "cB"), ("tool_result", "cB")]
    assert ids(traced(book, turn="B")) == expected
    assert ids(traced(book, turn="B", session=S)) == expected


def test_a_task_has_the_events_of_its_turns_and_whole_sessions(book: Book) -> None:
    """§21: none bound is an empty list with a note; events outside every turn belong to whole sessions only."""
    document = traced(book, task="T-A")
    assert (document["events"], document["join"]["calls"]) == ([], 0)
    assert any("bound" in note for note in document["notes"])
    mini.assign(book, mini.P1)
    assert ids(traced(book, task="T-A")) == [("tool_call", "cA"), ("tool_result", "cA")]
    mini.create(book, "T-B")
    mini.assign(book, mini.P2, "T-B")
    assert ids(traced(book, task="T-B")) == [("tool_call", "cB"), ("tool_result", "cB")]


def test_a_whole_session_is_all_of_it(book: Book) -> None:
    mini.whole(book, S)
    assert len(traced(book, task="T-A")["events"]) == 5


def test_the_join_does_not_depend_on_what_the_list_is_cut_to(book: Book) -> None:
    """The reference joined after the limit, and called answered calls unanswered."""
    whole = traced(book, session=S)
    for cut in (traced(book, session=S, limit=1), traced(book, session=S, family="tool_call")):
        assert cut["join"] == whole["join"]
        assert cut["join"]["unanswered_calls"] == []
    cut = traced(book, session=S, limit=1)
    assert (len(cut["events"]), cut["total"], cut["truncated"]) == (1, 5, True)
    assert traced(book, session=S, family="tool_call")["total"] == 2


def test_order_is_time_then_ordinal_then_id_and_always_the_same(tmp_path: Path) -> None:
    """E247: unknown times come last."""
    made = [
        event("z", S, at_ms=1),
        event("a", S, at_ms=2),
        event("b", S, at_ms=2),
        event("u2", S),
        event("u1", S),
    ]
    orders = set()
    for seed in range(4):
        random.Random(seed).shuffle(made)
        book = Book(tmp_path / str(seed))
        book.told("/x", session(S), *made)
        orders.add(tuple(name for _, name in ids(traced(book, session=S))))
    assert orders == {("z", "a", "b", "u1", "u2")}


def test_copies_are_shown_where_they_were_made(tmp_path: Path) -> None:
    book = Book(tmp_path)
    book.told("/1", session(S), event("c", S, at_ms=START_MS))
    fork = session("codex:f", copied_until_ms=START_MS, forked_from=S)
    book.told("/2", fork, event("c", "codex:f", at_ms=START_MS), event("d", "codex:f", at_ms=START_MS + 1))
    document = traced(book, session="codex:f")
    assert ids(document) == [("tool_call", "d")]
    assert any("1 event copied" in note for note in document["notes"])


def test_a_turn_that_a_subagent_works_in_is_seen_in_both(tmp_path: Path) -> None:
    book = Book(tmp_path)
    parent, child = "claude:s", "claude:s:agent:a"
    book.told("/1", session(parent), event("c1", parent, turn="T"), Turn(parent, "T"))
    book.told("/2", session(child, role="subagent", parent=parent), event("c2", child, turn="T"))
    assert traced(book, turn="T")["sessions"] == [parent, child]
    assert len(traced(book, turn="T")["events"]) == 2
    assert ids(traced(book, turn="T", session=child)) == [("tool_call", "c2")]


def test_what_is_not_there_is_refused(book: Book) -> None:
    for scope, refusal in (
        ({"task": "T-X"}, UnknownTask),
        ({"session": "nope"}, UnknownSession),
        ({"turn": "nope"}, UnknownTurn),
        ({"turn": "A", "session": "nope"}, UnknownSession),
    ):
        with pytest.raises(refusal):
            traced(book, **scope)
    book.told("/other", session("codex:other"), response("codex:r9", "codex:other", turn="Z"))
    assert traced(book, turn="Z")["events"] == []  # a turn without events is one all the same
    with pytest.raises(UnknownTurn):
        traced(book, turn="Z", session=S)


def test_an_absent_event_is_never_called_nothing(book: Book) -> None:
    """What the agents of the scope cannot show is said beside what they showed."""
    blind = {(each["harness"], each["family"]): each for each in traced(book, session=S)["not_shown"]}
    assert blind["codex", "skill_invoke"]["supported"] == "no"
    assert ("codex", "tool_result") not in blind
    only = traced(book, session=S, family="skill_invoke")["not_shown"]
    assert [each["family"] for each in only] == ["skill_invoke"]
