"""A session as its lines show it: the first word of each kind, the earliest and the latest time."""

from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.seen import Seen, Stamps
from observer.base.clock import iso, parse_instant

INSTANTS = st.lists(st.none() | st.integers(0, 10**12), max_size=6)
WORDS = st.lists(st.sampled_from([None, "", "a", "b"]), max_size=6)


@given(INSTANTS)
def test_times_are_the_earliest_and_the_latest(instants: list[int | None]) -> None:
    one, all_at_once = Seen(key="h:s"), Seen(key="h:s")
    for at_ms in instants:
        one.see(at_ms, None, None, None, None)
    all_at_once.at(*instants)
    known = [each for each in instants if each is not None]
    expected = (min(known, default=None), max(known, default=None))
    assert (one.started_ms, one.ended_ms) == (all_at_once.started_ms, all_at_once.ended_ms) == expected


@given(WORDS)
def test_the_first_word_holds(words: list[str | None]) -> None:
    seen = Seen(key="h:s:agent:a", role="subagent", parent="h:s")
    for word in words:
        seen.see(None, word, word, word, word)
    first = next(filter(None, words), None)
    session = seen.session()
    assert (session.project, session.branch, session.client_version, session.entry_point) == (first,) * 4
    assert (session.harness, session.native_id, session.role, session.parent) == ("h", "s:agent:a", "subagent", "h:s")


def test_everything_up_to_the_last_copied_line_is_a_copy() -> None:
    seen = Seen(key="h:s")
    for origin, at_ms in (("h:one", 5), ("h:two", 3), ("h:two", None), ("h:one", 9)):
        seen.copied(origin, at_ms)
    assert (seen.forked_from, seen.copied_until_ms) == ("h:one", 9)


@given(st.lists(st.none() | st.integers(10**11 + 1, 10**12), max_size=6), st.booleans())
def test_stamps_are_times_whether_texts_or_numbers(instants: list[int | None], as_text: bool) -> None:
    stamps = Stamps()
    for at_ms in instants:
        stamps.see(iso(at_ms) if as_text else at_ms)
        assert stamps.now_ms == at_ms
    known = [each for each in instants if each is not None]
    assert stamps.span == ((min(known), max(known)) if known else None)


def test_a_stamp_that_is_no_time_is_unknown() -> None:
    stamps = Stamps()
    stamps.see("soon")
    assert (stamps.now_ms, stamps.span) == (None, (parse_instant("soon"), None))
