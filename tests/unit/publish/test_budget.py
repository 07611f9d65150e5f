"""A budget: what is not priced is unknown, never free, and a response is paid once."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import api, budget, target
from publish.budget import Estimate
from tests.builders.evidence import evidence, used

PR = target.parse("octocat/hello", pr=7)
PRICED = used(responses=2, input=1_000_000)
UNPRICED = used("acme-local-7b", responses=3, input=10)


def test_the_estimate_is_of_tasks_and_a_total_only_when_all_is_priced() -> None:
    assert budget.estimate(api.prepare([evidence(PRICED)], PR)) == Estimate("4", "4")
    assert budget.estimate(api.prepare([evidence(PRICED, UNPRICED)], PR)) == Estimate("4", None)
    assert budget.estimate(api.prepare([evidence(UNPRICED)], PR)) == Estimate("0", None)
    assert budget.estimate(api.prepare([evidence(PRICED, selection=True)], PR)) is None


def test_a_response_in_two_documents_is_paid_once() -> None:
    """The same evidence twice, and the same responses under another task."""
    given = [("T-1", "a"), ("T-1", "a"), ("T-2", "a")]
    twice = [evidence(PRICED, task=task, ids=ids) for task, ids in given]
    assert budget.estimate(api.prepare(twice, PR)) == Estimate("4", "4")


@pytest.mark.parametrize(
    ("found", "limit", "expected"),
    [
        (Estimate("1.5", "1.5"), "1.5", "false"),
        (Estimate("1.5", "1.5"), "1.49", "true"),
        (Estimate("1.5", None), "2", "unknown"),
        (Estimate("1.5", None), "1", "true"),
        (Estimate("0", "0"), "0", "false"),
        (Estimate("0", None), "0", "unknown"),
        (None, "1", "unknown"),
    ],
)
def test_the_known_part_decides_only_when_it_is_enough(found: Estimate | None, limit: str, expected: str) -> None:
    assert budget.verdict(found, Decimal(limit)) == expected


def test_without_a_budget_there_is_no_verdict() -> None:
    assert budget.verdict(Estimate("1", "1"), None) is None
    assert budget.verdict(None, None) is None


_money = st.decimals(0, 10**6, places=6)


@given(_money, _money, _money)
def test_law_a_verdict_stays_true_whatever_the_unpriced_part_costs(
    known: Decimal, rest: Decimal, limit: Decimal
) -> None:
    """What was said with a part unknown is not contradicted when the part becomes known."""
    early = budget.verdict(Estimate(format(known, "f"), None), limit)
    whole = format(known + rest, "f")
    late = budget.verdict(Estimate(whole, whole), limit)
    assert early in ("unknown", late)
    assert late == ("true" if known + rest > limit else "false")
