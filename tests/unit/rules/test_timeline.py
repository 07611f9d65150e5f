"""What was in force at an instant, told in any order."""

from hypothesis import given
from hypothesis import strategies as st

from observer.rules.timeline import Timeline


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abc")), max_size=8), st.integers(0, 20))
def test_the_latest_word_by_then_is_in_force(entries: list[tuple[int, str]], at_ms: int) -> None:
    timeline = Timeline()
    for entry in entries:
        timeline.add(*entry)
    past = [entry for entry in entries if entry[0] <= at_ms]
    last_ms = max((entry[0] for entry in past), default=None)
    expected = [word for begun, word in past if begun == last_ms][-1:] or [None]
    assert timeline.at(at_ms, since_ms=None) == expected[0]
    assert timeline.at(at_ms, since_ms=last_ms) == expected[0]
    if last_ms is not None:
        assert timeline.at(at_ms, since_ms=last_ms + 1) is None


def test_at_an_unknown_instant_nothing_is_known() -> None:
    timeline = Timeline()
    timeline.add(1, "a")
    assert timeline.at(None, since_ms=None) is None
