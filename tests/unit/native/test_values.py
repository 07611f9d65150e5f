"""Values that may be anything: what is used of them is what it says it is."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.native import values

ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=2)


@given(ANYTHING)
def test_a_text_is_a_text_that_says_something(value: Any) -> None:
    said = isinstance(value, str) and value != ""
    assert values.is_text(value) == said
    assert values.text(value) == (value if said else None)
    assert values.first_text(None, value, "else") == (value if said else "else")


@given(ANYTHING)
def test_a_count_is_a_whole_number_that_the_ledger_holds(value: Any) -> None:
    is_count = type(value) is int and 0 <= value < 2**63
    assert values.count(value) == (value if is_count else None)


@pytest.mark.parametrize("value", [404, "404"])
def test_a_status_is_three_digits(value: object) -> None:
    assert values.http_status(value) == "404"


@pytest.mark.parametrize("value", [True, None, 99, 600, "4040", "40٤", 404.0, [404], "404 "])
def test_nothing_else_is_a_status(value: object) -> None:
    assert values.http_status(value) is None


def test_amounts_are_exact_and_never_negative() -> None:
    assert [values.amount(each) for each in (0, 0.1, 1e-7, 12)] == ["0", "0.1", "0.0000001", "12"]
    assert [values.amount(each) for each in (None, True, -1, float("inf"), float("nan"), "1")] == [None] * 6


@given(st.text())
def test_a_size_is_that_of_utf_8(text: str) -> None:
    assert values.size(text) == len(text.encode("utf-8", "replace"))


@given(st.lists(st.sampled_from(["…", " truncated", "x", " truncated…"]), max_size=8))
def test_a_shortened_text_has_its_mark_before_the_sign(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert values.is_shortened(text, " truncated", "…") == (" truncated…" in text)


def test_words_mean_what_the_table_says() -> None:
    assert values.meant("done", {"done": "ok"}) == "ok"
    assert [values.meant(each, {"done": "ok"}) for each in ("other", None, ["done"], 1)] == [None] * 4


def test_spans_are_milliseconds() -> None:
    assert values.span_ms(msgspec.convert({"secs": 2, "nanos": 1_999_999}, values.Duration)) == 2001
    assert [values.span_ms(each) for each in ("2s", 2.0, None)] == [None] * 3


@given(st.text(min_size=1, max_size=20), st.lists(st.text(max_size=20) | st.none(), max_size=4))
def test_a_unit_is_called_by_its_id_or_a_digest_that_finds_it(native: str, others: list[str | None]) -> None:
    name = values.unit_name(native)
    assert "#" not in name
    assert "/" not in name
    assert values.called(name, [*others, native]) == native
    assert values.called("~none", others) == "~none"
