"""Sums, splits and fillings of counters: unknown stays unknown, and a contradiction is never smoothed over."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from observer.records.usage import TokenUsage, filled, lifetimes, total

COUNT = st.integers(0, 1000)
MAYBE = st.none() | COUNT
USAGE = st.builds(TokenUsage, *[MAYBE] * 8)


@given(st.lists(MAYBE, min_size=1, max_size=5))
def test_a_sum_is_known_when_all_parts_are(parts: list[int | None]) -> None:
    assert total(*parts) == (None if None in parts else sum(part for part in parts if part is not None))


@given(COUNT, COUNT)
def test_a_split_of_its_whole_is_kept(short: int, long: int) -> None:
    assert lifetimes(short, long, short + long) == (short, long, True)


@given(COUNT, COUNT, st.integers(1, 10))
def test_a_split_that_exceeds_its_whole_is_dropped_and_said(short: int, long: int, more: int) -> None:
    assert lifetimes(short + more, long, short + long) == (None, None, False)


def test_two_zeros_beside_a_positive_whole_say_nothing() -> None:
    assert lifetimes(0, 0, 100) == (None, None, True)
    assert lifetimes(0, 0, 0) == (0, 0, True)
    assert lifetimes(0, None, 5) == (None, None, True)


def test_half_a_split_is_a_contradiction_only_above_the_whole() -> None:
    assert lifetimes(40, None, 100) == (40, None, True)
    assert lifetimes(140, None, 100) == (None, None, False)
    assert lifetimes(40, 60, None) == (40, 60, True)


@given(USAGE, USAGE)
def test_filling_keeps_all_that_is_known_or_refuses(known: TokenUsage, later: TokenUsage) -> None:
    pairs = list(zip(astuple(known), astuple(later), strict=True))
    found = filled(known, later)
    if any(None not in pair and pair[0] != pair[1] for pair in pairs):
        assert found is None
    else:
        assert found is not None
        assert astuple(found) == tuple(after if before is None else before for before, after in pairs)


@given(USAGE)
def test_filling_with_itself_or_nothing_changes_nothing(usage: TokenUsage) -> None:
    assert filled(usage, usage) == filled(usage, TokenUsage()) == filled(TokenUsage(), usage) == usage
