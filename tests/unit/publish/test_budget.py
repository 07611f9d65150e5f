"""A budget: what is not priced is unknown, never free."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.records.evidence import Totals
from publish import budget


def totals(subtotal: str, *, whole: bool = True) -> Totals:
    """A valuation of one subject."""
    return Totals(2, 2 if whole else 1, subtotal, subtotal if whole else None, {})


@pytest.mark.parametrize(
    ("parts", "limit", "expected"),
    [
        ([totals("1.5")], "1.5", "false"),
        ([totals("1.5")], "1.49", "true"),
        ([totals("1.5"), totals("0.1")], "1.5", "true"),
        ([totals("1.5", whole=False)], "2", "unknown"),
        ([totals("1.5", whole=False)], "1", "true"),
        ([totals("1"), totals("0", whole=False)], "1", "unknown"),
        ([totals("0")], "0", "false"),
        ([], "1", "unknown"),
    ],
)
def test_the_known_part_decides_only_when_it_is_enough(parts: list[Totals], limit: str, expected: str) -> None:
    assert budget.verdict(budget.estimate(parts), Decimal(limit)) == expected


def test_without_a_budget_there_is_no_verdict() -> None:
    assert budget.verdict(budget.estimate([totals("1")]), None) is None


_money = st.decimals(0, 10**6, places=6).map(lambda amount: format(amount, "f"))


@given(st.lists(st.builds(totals, _money, whole=st.booleans()), min_size=1, max_size=5), _money)
def test_law_a_verdict_is_never_more_certain_than_the_figures(parts: list[Totals], limit: str) -> None:
    found = budget.estimate(parts)
    known = sum((Decimal(each.subtotal_usd) for each in parts), Decimal(0))
    assert Decimal(found.known_usd) == known
    assert (found.total_usd is None) == any(each.total_usd is None for each in parts)
    verdict = budget.verdict(found, Decimal(limit))
    assert (verdict == "true") == (known > Decimal(limit))
    assert (verdict == "false") == (known <= Decimal(limit) and found.total_usd is not None)
