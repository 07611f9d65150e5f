"""Instants: the usual spelling takes a short way, which must never tell another time."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from observer.base import clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
instants = st.integers(0, clock.parse_iso("9999-12-31T23:59:59.999Z") or 0)


@given(instants)
def test_what_is_printed_is_read_again(at_ms: int) -> None:
    assert clock.parse_iso(clock.iso(at_ms) or "") == at_ms
    assert clock.parse_instant(clock.iso(at_ms)) == at_ms


@given(instants, st.integers(0, 23), st.text(alphabet="0123456789TZ:-. ٣+", max_size=2))
def test_a_damaged_spelling_gives_what_the_standard_library_gives(at_ms: int, place: int, put: str) -> None:
    """The short way is for the usual spelling only, even if 24 characters look nearly like it."""
    text = clock.iso(at_ms) or ""
    text = text[:place] + put + text[place + len(put) :]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        assert clock.parse_iso(text) is None
        return
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    expected = (moment - _EPOCH) // timedelta(milliseconds=1)
    assert clock.parse_iso(text) == (expected if expected >= 0 else None)


def test_one_instant_in_three_spellings() -> None:
    """E023: ISO with Z, epoch seconds, epoch milliseconds; a word is no time, and neither is a truth value."""
    spellings = ("2026-09-23T10:00:00Z", 1_790_157_600, 1_790_157_600_000, "2026-09-23T12:00:00+02:00")
    assert {clock.parse_instant(each) for each in spellings} == {1_790_157_600_000}
    for odd in ("soon", "", True, None, -1, float("nan"), float("inf"), [], 10**30):
        assert clock.parse_instant(odd) is None


@given(st.integers(0, 2**48 - 1))
def test_a_version_7_uuid_carries_its_time(at_ms: int) -> None:
    digits = f"{at_ms:012x}"
    assert clock.uuid_instant(f"{digits[:8]}-{digits[8:]}-7abc-8def-000000000000") == at_ms


@given(st.none() | st.text(max_size=40))
def test_other_names_carry_none(name: str | None) -> None:
    assert clock.uuid_instant(name) is None
    assert clock.uuid_instant("01a22da0-1111-4aaa-8bbb-000000000001") is None
