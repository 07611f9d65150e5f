"""Many groups valued together."""

from decimal import Decimal, localcontext

from observer.pricing.scope import valuate
from tests.unit.pricing import examples

PRICES = examples.schedule()


def test_one_unpriced_response_of_ten_makes_the_scope_partial() -> None:
    """E205: a partial sum, no total, the reason counted once."""
    nine = [examples.codex(schedule=PRICES, input=1000) for _ in range(9)]
    label = examples.codex(schedule=PRICES, model="codex-auto-review", input=50_000)
    valuation = valuate([*nine, label], PRICES)
    assert (valuation.responses, valuation.priced_responses, valuation.unpriced_responses) == (10, 9, 1)
    assert (valuation.subtotal, valuation.total) == (Decimal("0.09"), None)
    assert valuation.reasons == {"unknown model": 1}


def test_a_scope_says_by_which_schedule_it_was_valued() -> None:
    valuation = valuate([], PRICES)
    assert (valuation.schedule_id, valuation.as_of) == (PRICES.schedule_id, "2026-09-24")
    assert valuation.source_url == "https://example.com/prices"


def test_nothing_costs_nothing() -> None:
    valuation = valuate([], PRICES)
    assert (valuation.responses, valuation.subtotal, valuation.total) == (0, 0, 0)
    assert valuation.by_model == ()


def test_models_keep_their_recorded_ids_and_the_rates_that_were_used() -> None:
    groups = [
        examples.group(None, examples.CODEX, PRICES, {"input": 1}),
        examples.codex(schedule=PRICES, input=300_000, cached_input=290_000, output=1000),
        examples.codex(schedule=PRICES, input=200_000, cached_input=180_000, output=1000),
        examples.claude(schedule=PRICES, model="claude-opus-5-5-20260901", input=1000, output=100),
        examples.claude(schedule=PRICES, input=1000, output=100),
    ]
    by_model = valuate(groups, PRICES).by_model
    assert [each.model for each in by_model] == ["claude-opus-5-5", "claude-opus-5-5-20260901", "gpt-6-astra", None]
    astra = PRICES.models["gpt-6-astra"]
    assert by_model[2].rates == (astra.long_context_rates, astra.rates)
    assert by_model[2].subtotal == Decimal("1.285")
    assert by_model[3].rates == ()
    assert by_model[3].reasons == {"unknown model": 1}


def test_the_long_tier_belongs_to_one_request() -> None:
    """Case long-context-per-request: 200,000, 200,000 and 300,000 tokens; one of them is long."""
    groups = [
        examples.codex(schedule=PRICES, input=200_000, cached_input=150_000, output=1000),
        examples.codex(schedule=PRICES, input=200_000, cached_input=190_000, output=1000),
        examples.codex(schedule=PRICES, input=300_000, cached_input=280_000, output=1000),
    ]
    valuation = valuate(groups, PRICES)
    assert valuation.total == Decimal("0.7") + Decimal("0.34") + Decimal("1.035")


def test_a_tier_of_one_turn_changes_no_other_turn() -> None:
    """Case service-tier-per-turn: the second of three turns is priority."""
    tiers = ("default", "priority", "default")
    groups = [examples.codex(schedule=PRICES, input=2000, output=20, service_tier=tier) for tier in tiers]
    valuation = valuate(groups, PRICES)
    assert (valuation.subtotal, valuation.total) == (Decimal("0.0420"), None)
    assert valuation.reasons == {"no rate for service tier priority": 1}


def test_lower_bounds_count_in_the_subtotal_but_not_as_priced() -> None:
    groups = [
        examples.claude(schedule=PRICES, input=1000, output=100),
        examples.claude(schedule=PRICES, input=1000, output=6, final=False),
        examples.claude(schedule=PRICES, input=1000, web_search_requests=2),
    ]
    valuation = valuate(groups, PRICES)
    assert valuation.subtotal == Decimal("0.006") + Decimal("0.00412") + Decimal("0.004")
    assert (valuation.priced_responses, valuation.total) == (1, None)
    assert valuation.reasons == {"missing rate for web_search_requests": 1, "output not final": 1}


def test_sums_are_exact_in_any_decimal_context() -> None:
    groups = [examples.codex(schedule=PRICES, model="gpt-5.6-luna", input=12_345, output=6789) for _ in range(1000)]
    with localcontext() as context:
        context.prec = 2
        assert valuate(groups, PRICES).total == Decimal("10.6158")
