"""Cells say what they may, bounded and harmless, and nothing else."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import words
from publish.cells import (
    PRICE_HOSTS,
    Amount,
    Count,
    Counted,
    Day,
    Digest,
    Duration,
    Identifier,
    Moment,
    Money,
    Rate,
    Ref,
    Source,
    Tokens,
    Word,
)

MARKUP = [
    "a|b", "<script>", "a`b", "a\nb", "a\r\n# H", "@someone", "a\\|b", "  ", "", "\u202ea", "\u200b", "a\x00b",
    "<img src=x onerror=1>", "</details>", "[x](https://evil.example)", "**b**", "#12", "gpt-5\n", "x" * 129, "модель",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKUP)
def test_what_is_no_identifier_is_withheld(text: str) -> None:
    """E235: a pipe, a tag, a backtick, a newline, a mention become one harmless word."""
    assert str(Identifier(text)) == "withheld"


@pytest.mark.parametrize(
    "text", ["claude-opus-5-5", "org/team", "anthropic.claude-v2:1", "a@2026", "3f9d2c1a0b", "T-42"]
)
def test_identifiers_stand_in_code_spans(text: str) -> None:
    """P29: in a code span nothing notifies and nothing links."""
    assert str(Identifier(text)) == f"`{text}`"


def test_an_identifier_that_nobody_recorded_is_not_withheld() -> None:
    assert str(Identifier(None)) == "not recorded"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("3f9d2c1a0b3f9d2c1a0b3f9d2c1a0b3f9d2c1a0b", "`3f9d2c1a0b3f`"),
        ("https://github.com/o/r/pull/7", "`https://github.com/o/r/pull/7`"),
        ("https://github.com/o/r/commit/3f9d2c1", "`https://github.com/o/r/commit/3f9d2c1`"),
        ("o/r", "`o/r`"),
        ("o/r#7", "`o/r#7`"),
        ("42", "`42`"),
        ("see the other branch", "withheld"),
        ("https://evil.example/o/r", "withheld"),
        ("https://github.com.evil.example/o/r", "withheld"),
        ("https://github.com/o/r/pull/7\n", "withheld"),
        ("javascript:alert(1)", "withheld"),
    ],
)
def test_references_are_shown_when_they_are_some(text: str, shown: str) -> None:
    """E236: hex, GitHub URL, owner/name, number; free text and other hosts are withheld."""
    assert str(Ref(text)) == shown


@pytest.mark.parametrize(
    ("amount", "complete", "text"),
    [
        ("3.874999", True, "USD 3.87"),
        ("3.875", True, "USD 3.88"),
        ("3.879999", False, "USD 3.87"),
        ("1234567.5", True, "USD 1,234,567.50"),
        ("0", True, "USD 0.00"),
        ("0.0049999", True, "under USD 0.01"),
        ("0.005", True, "USD 0.01"),
        ("0.0099", False, "over USD 0.00"),
        ("99999999999999999999999999.999", False, "USD 99,999,999,999,999,999,999,999,999.99"),
    ],
)
def test_money_is_rounded_once_and_a_lower_bound_stays_one(amount: str, complete: bool, text: str) -> None:
    """P33: no dollar sign, so that no pair of them can begin a formula."""
    assert str(Money(Decimal(amount), complete=complete)) == text


def test_money_in_a_column_marks_lower_bounds() -> None:
    assert str(Amount(Decimal("3.879"), complete=True)) == "3.88"
    assert str(Amount(Decimal("3.879"), complete=False)) == "≥\N{NO-BREAK SPACE}3.87"
    assert str(Amount(Decimal("0.001"), complete=False)) == "over 0.00"


@given(st.decimals(0, 10**20, allow_nan=False, places=12))
def test_a_known_subtotal_never_says_more_than_is_known(amount: Decimal) -> None:
    text = str(Money(amount, complete=False)).removeprefix("over ").removeprefix("USD ")
    assert Decimal(text.replace(",", "")) <= amount


@pytest.mark.parametrize("amount", ["-0.01", "NaN", "Infinity"])
def test_what_is_no_amount_cannot_be_said(amount: str) -> None:
    with pytest.raises(ValueError, match="money"):
        Money(Decimal(amount), complete=True)


@pytest.mark.parametrize("number", [-1, True])
def test_what_is_no_count_cannot_be_said(number: int) -> None:
    with pytest.raises(ValueError, match="count"):
        Count(number)


def test_an_unknown_counter_is_never_zero() -> None:
    assert str(Tokens(0, unknown=5, responses=5)) == "n/r"
    assert str(Tokens(0, unknown=4, responses=5)) == "≥\N{NO-BREAK SPACE}0"
    assert str(Tokens(1_920_113, unknown=0, responses=5)) == "1,920,113"


@pytest.mark.parametrize(("rate", "text"), [("5", "5.00"), ("0.125", "0.125"), ("12.50", "12.50"), ("0.0780", "0.078")])
def test_rates_keep_every_digit(rate: str, text: str) -> None:
    assert str(Rate(Decimal(rate))) == text


def test_a_rate_that_is_not_there_is_no_zero() -> None:
    assert str(Rate(None)) == "–"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/prices",
        "http://openai.com/api/pricing",
        "https://openai.com.evil.example/",
        "https://openai.com@evil.example/",
        "https://openai.com:8443/",
        "https://openai.com/a)b",
        "https://openai.com/?next=https://evil.example",
        "https://openai.com/a|b",
        "https://OPENAI.com/",
        "https://[",
        "file:///home/dev/prices.toml",
        "",
    ],
)
def test_links_lead_to_publishers_of_prices_only(url: str) -> None:
    """P31: no link other than to listed price sources; a local path is withheld."""
    assert str(Source(url)) == "withheld"


def test_a_price_source_is_linked_without_its_fragment() -> None:
    for host in PRICE_HOSTS:
        publisher = ".".join(host.split(".")[-2:])
        assert str(Source(f"https://{host}/a/pricing-1.0#top")) == f"[{publisher}](https://{host}/a/pricing-1.0)"
    assert str(Source(None)) == "not recorded"


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 s"), (119_499, "119 s"), (120_000, "2 min"), (3_600_000, "1 h 0 min"), (8_040_000, "2 h 14 min")],
)
def test_durations_have_two_units_at_most(ms: int, text: str) -> None:
    assert str(Duration(ms)) == text


def test_days_instants_and_digests_are_those_or_withheld() -> None:
    assert str(Moment("2026-09-24T10:02:11.000Z")) == "2026-09-24 10:02 UTC"
    assert str(Moment("soon")) == "withheld"
    assert str(Day("2026-02-28")) == "2026-02-28"
    assert str(Day("2026-02-30")) == str(Day("2026-02-28\n")) == "withheld"
    assert str(Digest("ab" * 32)) == "`abababababab`"
    assert str(Digest("`" * 64)) == "withheld"


def test_words_come_from_their_vocabulary_only() -> None:
    assert str(Word(words.ACCEPTANCE, "complete")) == "Accepted"
    with pytest.raises(KeyError):
        Word(words.ACCEPTANCE, "done, says the agent")
    assert str(Counted(words.FLAGS, "withheld", count=1)) == "1 reference withheld"
    assert str(Counted(words.FLAGS, "withheld", count=1200)) == "1,200 references withheld"
