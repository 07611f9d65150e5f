"""Running totals: what rises is counted once, whatever repeats, restarts or was counted before."""

from hypothesis import given
from hypothesis import strategies as st

from observer.rules.totals import NONE, TOTAL, Buckets, Totals, completed, usage

COUNTS = st.lists(st.integers(1, 50), min_size=1, max_size=8)


def reading(total: int, *, cached: int | None = 0) -> Buckets:
    """A total of which a tenth is output."""
    return (total - total // 10, cached, None, total // 10, None, total)


def test_an_absent_total_is_input_and_output_where_both_are_known() -> None:
    assert completed((5, 1, None, 2, None, None))[TOTAL] == 7
    assert completed((5, 1, None, None, None, None))[TOTAL] is None
    assert completed((5, 1, None, 2, None, 9))[TOTAL] == 9
    assert completed((2**63 - 1, 0, 0, 1, 0, None))[TOTAL] is None


def test_lifetimes_of_cache_writes_are_unknown() -> None:
    found = usage((1, 2, 3, 4, 5, 6))
    assert (found.input, found.cached_input, found.cache_write_input, found.output) == (1, 2, 3, 4)
    assert (found.reasoning_output, found.total, found.cache_write_5m, found.cache_write_1h) == (5, 6, None, None)


@given(COUNTS, st.integers(1, 3))
def test_every_rise_is_one_response_however_often_it_is_told(counts: list[int], times: int) -> None:
    totals, reached, found = Totals(), 0, 0
    for count in counts:
        reached += count
        for _ in range(times):
            told = totals.count(reading(reached), None)
            assert not isinstance(told, str)
            found += (told[TOTAL] or 0) if told else 0
    assert found == reached


@given(COUNTS)
def test_what_records_told_is_not_told_again(counts: list[int]) -> None:
    totals, reached = Totals(), 0
    for count in counts:
        reached += count
        totals.record(reading(reached))
        assert totals.count(reading(reached), None) is None


def test_other_figures_for_a_known_total_contradict_it() -> None:
    totals = Totals()
    assert totals.count(reading(100), None) == reading(100)
    assert totals.count(reading(100, cached=7), None) == "usage_conflict"


def test_a_lower_total_that_is_its_own_last_usage_begins_a_new_series() -> None:
    totals = Totals()
    totals.count(reading(500), None)
    totals.count(reading(900), None)
    assert totals.count(reading(600), reading(600)) == reading(600)
    assert totals.series == 1


def test_a_lower_total_that_may_be_a_repeat_is_one() -> None:
    totals = Totals()
    totals.count(reading(500), None)
    totals.count(reading(900), None)
    assert totals.count(reading(700), None) is None
    assert totals.series == 0


def test_the_first_total_of_a_fork_is_only_a_base() -> None:
    totals = Totals(base_due=True)
    assert totals.count(reading(500), reading(100)) is None
    assert totals.count(reading(600), None) == (90, 0, None, 10, None, 100)


def test_a_counter_that_went_down_is_unknown() -> None:
    totals = Totals()
    totals.count(reading(100, cached=50), None)
    found = totals.count(reading(200, cached=20), None)
    assert isinstance(found, tuple)
    assert (found[1], found[TOTAL]) == (None, 100)


def test_a_reading_of_nothing_tells_nothing() -> None:
    assert Totals().count(NONE, None) is None


def test_a_last_usage_whose_parts_do_not_make_its_total_is_no_size() -> None:
    """It is the estimate of a new context."""
    totals = Totals()
    totals.count(reading(100), None)
    assert totals.count(reading(200), (900, 0, None, 10, None, 5000)) == (90, 0, None, 10, None, 100)
