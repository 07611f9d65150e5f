"""Prompts that several records tell of, or that come in pieces: each once, and in the turn it began."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.making import Making
from observer.adapters.prompts import Pieces, Waiting
from observer.records.spot import Spot
from observer.records.submission import RawSubmission

SPOT = Spot("h:s", 1, 500, None)


def making() -> Making:
    found = Making()
    found.spot = SPOT
    return found


def told(waiting: Waiting, *, queue_first: bool, text: str = "Do it.") -> list[RawSubmission]:
    """A prompt with an entry in the queue and a record of its own, each in a batch of its own."""
    batches = [making(), making()]
    for found, is_queue in zip(batches, (queue_first, not queue_first), strict=True):
        if is_queue:
            waiting.enqueue(found, f"  {text}\n")
        else:
            waiting.said(found, "h:p1", "genuine", text, turn="t1", main=True)
        waiting = msgspec.json.decode(msgspec.json.encode(waiting), type=Waiting)
    return [each for found in batches for each in found.batch.submissions]


def test_a_prompt_that_waited_is_named_by_its_first_record() -> None:
    first, second = told(Waiting(), queue_first=True)
    assert (first.id, second.alias, second.turn) == (second.id, "h:p1", "t1")
    first, second = told(Waiting(), queue_first=False)
    assert (first.id, second.id, second.alias) == ("h:p1", "h:p1", first.id and second.alias)
    assert second.alias is not None


def test_another_prompt_is_another_one() -> None:
    waiting, found = Waiting(), making()
    waiting.enqueue(found, "one")
    waiting.said(found, "h:p1", "genuine", "two", turn=None, main=True)
    assert len(found.batch.submissions) == 2
    assert len(waiting.queued) == 1


def test_both_records_in_one_batch_are_one_submission() -> None:
    waiting, found = Waiting(), making()
    waiting.enqueue(found, "one")
    waiting.said(found, "h:p1", "unknown", "one", turn="t", main=True)
    [submission] = found.batch.submissions
    assert (submission.kind, submission.alias, submission.turn) == ("genuine", "h:p1", "t")


def test_what_waits_holds_no_text_and_does_not_grow_without_end() -> None:
    waiting, found = Waiting(), making()
    for number in range(300):
        waiting.enqueue(found, f"secret {number}")
        waiting.await_read(f"call {number}", number)
    assert b"secret" not in msgspec.json.encode(waiting)
    assert (len(waiting.queued), len(waiting.reads)) == (32, 256)
    assert "call 299" in waiting.reads


def test_a_turn_that_begins_ends_the_wait_for_a_queue_entry() -> None:
    waiting, found = Waiting(), making()
    waiting.said(found, "h:p1", "genuine", "one", turn=None, main=True)
    waiting.begin(found, "t2")
    waiting.enqueue(found, "one")
    assert len(found.batch.submissions) == 2
    assert (waiting.turns, [each.started_ms for each in found.batch.turns]) == ({"h:s": "t2"}, [500])


@given(st.lists(st.tuples(st.integers(0, 2), st.text(max_size=3)), max_size=6))
def test_pieces_of_one_index_are_one_prompt(pieces: list[tuple[int, str]]) -> None:
    prompts = Pieces("h:s")
    for index, text in pieces:
        prompts.add(index, text, SPOT)
    assert {each.index: each.texts for each in prompts.all.values()} == {
        index: [text for other, text in pieces if other == index] for index, _ in pieces
    }


def test_after_a_rewind_an_index_means_another_prompt() -> None:
    prompts = Pieces("h:s")
    for index in (0, 1):
        prompts.add(index, "a", SPOT)
    prompts.rewind(1)
    prompts.add(1, "b", SPOT)
    assert [(each.id, each.rewound) for each in prompts.all.values()] == [
        ("h:s:0", False),
        ("h:s:1", True),
        ("h:s:1:1", False),
    ]


def test_the_first_turn_that_is_named_is_the_prompt_s() -> None:
    prompts = Pieces("h:s")
    assert (prompts.begun_ms(9), prompts.tell("t0")) == (9, True)
    prompts.add(0, "a", SPOT)
    assert (prompts.begun_ms(9), prompts.tell("t1"), prompts.begun_ms(9)) == (500, True, 9)
    assert prompts.tell("t2")
    assert prompts.last is not None
    assert prompts.last.turn == "t1"
    prompts.add(0, "more", SPOT)
    assert not prompts.tell("t3")
