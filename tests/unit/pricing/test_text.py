"""Figures as people read them."""

from decimal import Decimal

import pytest

from observer.base import text


@pytest.mark.parametrize(
    ("amount", "partial", "shown"),
    [
        ("0.0028", True, "at least under $0.01"),
        ("0.0028", False, "under $0.01"),
        ("0.0073", False, "$0.01"),
        ("0.005", False, "$0.01"),
        ("0.004999999", False, "under $0.01"),
        ("0", False, "$0.00"),
        ("0", True, "at least $0.00"),
        (None, False, "unknown"),
        (None, True, "unknown"),
        ("2.125", False, "$2.13"),
        ("2.135", True, "at least $2.14"),
        ("1234567.891", False, "$1,234,567.89"),
        ("1E+30", False, "$1,000,000,000,000,000,000,000,000,000,000.00"),
    ],
)
def test_money_is_cents_and_never_hides_what_it_does_not_know(amount: str | None, partial: bool, shown: str) -> None:
    """E176: partial, below half a cent, free, and nothing priced."""
    assert text.money(None if amount is None else Decimal(amount), partial=partial) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("0.00780", "0.0078"),
        ("1E+3", "1000"),
        ("1000", "1000"),
        ("0E-8", "0"),
        ("-0.0", "0"),
        ("1E-12", "0.000000000001"),
    ],
)
def test_decimals_are_plain(number: str, shown: str) -> None:
    assert text.decimal_text(Decimal(number)) == shown


@pytest.mark.parametrize(
    ("number", "unknown", "shown"),
    [
        (None, 3, "unknown"),
        (None, 0, "unknown"),
        (0, 0, "0"),
        (1234, 0, "1,234"),
        (1234, 1, ">=1,234 (lower bound)"),
        (0, 2, ">=0 (lower bound)"),
    ],
)
def test_counts_say_when_they_are_lower_bounds(number: int | None, unknown: int, shown: str) -> None:
    assert text.count(number, unknown) == shown


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (None, "unknown"),
        (-5, "0ms"),
        (0, "0ms"),
        (42, "42ms"),
        (999, "999ms"),
        (1000, "1.0s"),
        (1049, "1.0s"),
        (1050, "1.1s"),
        (1500, "1.5s"),
        (9949, "9.9s"),
        (9999, "10s"),
        (10_000, "10s"),
        (10_500, "11s"),
        (59_499, "59s"),
        (59_500, "1m 0s"),
        (61_000, "1m 1s"),
        (119_499, "1m 59s"),
        (119_500, "2m 0s"),
        (3_599_499, "59m 59s"),
        (3_599_500, "1h 0m"),
        (3_659_999, "1h 0m"),
        (7_380_000, "2h 3m"),
        (90_061_000, "25h 1m"),
        (360_000_000, "100h 0m"),
    ],
)
def test_spans_round_to_the_unit_shown_and_carry(ms: int | None, shown: str) -> None:
    assert text.duration(ms) == shown
