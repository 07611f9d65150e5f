"""The copied block at the head of a fork: it ends once, by the first proof there is."""

from hypothesis import given
from hypothesis import strategies as st

from observer.rules.copies import Thread

# Made at instant 0x01a22da0_1111 and one millisecond later.
BORN_MS = int("01a22da01111", 16)
BORN = "01a22da0-1111-7aaa-8bbb-000000000001"
LATER = "01a22da0-1112-7aaa-8bbb-000000000002"
EARLIER = "01a22da0-1110-7aaa-8bbb-000000000003"


def fork(at_ms: int = 0) -> Thread:
    """A thread that has just been told that another one's history follows."""
    thread = Thread(BORN, turn="before", turns=3)
    thread.begin_copy("parent", at_ms)
    return thread


def test_a_line_belongs_to_the_other_thread_until_the_block_ends() -> None:
    thread = fork()
    thread.follow(1, turn=None, can_open=True, is_said=True)
    assert (thread.copied, thread.owner) == (True, "parent")
    thread.follow(8, turn=None, can_open=True, is_said=True)
    assert (thread.copied, thread.owner, thread.turn, thread.turns) == (False, BORN, None, 0)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=10), st.integers(7, 100))
def test_no_pause_of_copying_ends_it_and_none_before_a_line_that_opens_nothing(
    lines: list[tuple[int, bool]], pause: int
) -> None:
    thread, at_ms = fork(), 0
    for gap, can_open in lines:
        at_ms += gap
        thread.follow(at_ms, turn=None, can_open=can_open, is_said=False)
        assert thread.copied
    thread.follow(at_ms + pause, turn=None, can_open=False, is_said=False)
    assert thread.copied


def test_a_turn_that_carries_its_time_proves_it_whatever_the_pause() -> None:
    thread = fork()
    thread.follow(1000, turn=EARLIER, can_open=True, is_said=True)
    assert thread.copied
    thread.follow(2000, turn=None, can_open=True, is_said=True)
    assert thread.copied
    thread.follow(2000, turn=LATER, can_open=True, is_said=True)
    assert (thread.copied, thread.copy) == (False, None)


def test_a_third_thread_s_name_makes_the_owner_unknown() -> None:
    thread = fork()
    thread.begin_copy("grandparent", 1)
    assert (thread.copied, thread.owner) == (True, None)


def test_a_response_without_a_prompt_proves_that_the_block_goes_on() -> None:
    thread = fork()
    thread.follow(100, turn=None, can_open=True, is_said=False)
    assert not thread.copied
    thread.answered()
    assert thread.copied


def test_a_response_after_an_own_prompt_proves_that_it_is_over() -> None:
    thread = fork()
    thread.follow(100, turn=None, can_open=True, is_said=True)
    thread.follow(900, turn=None, can_open=False, is_said=False)
    thread.answered()
    assert (thread.copied, thread.copy) == (False, None)


def test_turns_are_counted_where_they_have_no_ids() -> None:
    thread = Thread("t")
    assert (thread.count_turn(), thread.turn) == (True, "t:turn:1")
    assert thread.label(is_new=False)
    assert not thread.label(is_new=False)
    assert thread.label(is_new=True)
    thread.enter("named")
    assert (thread.count_turn(), thread.turn) == (False, "named")
    assert thread.label(is_new=False)
