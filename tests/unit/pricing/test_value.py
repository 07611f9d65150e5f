"""What one response costs, and the reasons why another has no price."""

from decimal import Decimal
from typing import Any

import pytest

from observer.pricing import bundle
from observer.pricing.value import value
from observer.records import semantics
from observer.records import usage as shapes
from observer.records.usage import TokenUsage, plain_output, shape
from observer.records.valuation import UsageGroup, Valued
from tests.unit.pricing import examples

PRICES = examples.schedule()


def codex(**given: Any) -> Valued:
    return value(examples.codex(schedule=PRICES, **given), PRICES)


def claude(**given: Any) -> Valued:
    return value(examples.claude(schedule=PRICES, **given), PRICES)


def priced(valued: Valued) -> str:
    """The whole cost; the response must have one."""
    assert valued.reason is None
    return str(valued.amount.normalize())


def unpriced(valued: Valued) -> str | None:
    """The reason; nothing may have been priced."""
    assert valued.parts == {}
    assert valued.amount == 0
    return valued.reason


def test_codex_bills_cached_input_and_reasoning_inside_their_totals() -> None:
    """E194: 1,000 input with 800 cached, 100 output with 40 reasoning."""
    valued = codex(input=1000, cached_input=800, output=100, reasoning_output=40)
    assert priced(valued) == "0.0078"
    assert valued.parts == {
        "input_tokens": Decimal("0.002"),
        "cached_input_tokens": Decimal("0.0008"),
        "output_tokens": Decimal("0.003"),
        "reasoning_output_tokens": Decimal("0.002"),
    }


def test_long_rates_replace_every_base_rate() -> None:
    """E195: 300,000 input with 200,000 cached."""
    valued = codex(input=300_000, cached_input=200_000, output=100, reasoning_output=40)
    assert priced(valued) == "2.4075"
    assert valued.rates == PRICES.models["gpt-6-astra"].long_context_rates


def test_the_threshold_itself_is_base_and_one_more_is_long() -> None:
    """E196: 272,000 and 272,001 tokens of input."""
    assert priced(codex(input=272_000)) == "2.72"
    assert priced(codex(input=272_001)) == "5.44002"


def test_a_threshold_may_count_as_long_itself() -> None:
    prices = examples.one_model(
        long_context_threshold=200_000,
        long_context_comparison="at_least",
        long_context_rates=examples.table(20, 2, 25, 75),
    )
    below, at = (examples.codex(schedule=prices, model="m", input=count) for count in (199_999, 200_000))
    assert priced(value(below, prices)) == "1.99999"
    assert priced(value(at, prices)) == "4"


def test_long_requests_without_long_rates_have_no_price() -> None:
    """E197: a threshold without long rates."""
    assert unpriced(codex(model="gpt-5.6-luna", input=272_001, output=1)) == "long-context tier unpriced"
    assert priced(codex(model="gpt-5.6-luna", input=272_000)) == "0.0544"


def test_nothing_is_inherited_by_an_incomplete_long_table() -> None:
    """E197: the long table lacks a bucket that was used; one that was not used is not missed."""
    long = {"input_tokens": 20, "output_tokens": 75}
    prices = examples.one_model(long_context_threshold=100, long_context_rates=long)
    used = examples.codex(schedule=prices, model="m", input=200, cached_input=100)
    unused = examples.codex(schedule=prices, model="m", input=200, output=4)
    assert unpriced(value(used, prices)) == "missing rate for cached_input_tokens"
    assert priced(value(unused, prices)) == "0.0043"


def test_an_unknown_input_leaves_the_tier_open() -> None:
    assert unpriced(codex(input=None)) == "ambiguous long-context tier"
    prices = examples.one_model()
    group = examples.codex(schedule=prices, model="m", input=None)
    assert unpriced(value(group, prices)) == "unknown counter input_tokens"


def test_long_rates_may_depend_on_the_lifetime_too() -> None:
    long = examples.table(0.5, 0.05, {"5m": 0.625, "1h": 1}, 2.5)
    models = {
        "m": {
            "semantics": [examples.CLAUDE],
            "rates": examples.table(0.1, 0.01, {"5m": 0.125, "1h": 0.2}, 0.5),
            "long_context_threshold": 100_000,
            "long_context_rates": long,
        }
    }
    prices = examples.schedule(models=models)
    usage = {"cache_write_input": 40_000, "cache_write_5m": 10_000, "cache_write_1h": 30_000, "output": 0}
    # All input counts against the threshold: fresh, read from the cache, written to it.
    at = examples.claude(schedule=prices, model="m", input=20_000, cached_input=40_000, **usage)
    over = examples.claude(schedule=prices, model="m", input=20_001, cached_input=40_000, **usage)
    assert priced(value(at, prices)) == "0.00965"
    assert priced(value(over, prices)) == "0.0482505"


def test_claude_writes_of_one_hour_have_their_own_rate() -> None:
    """E198: 150,702 one-hour tokens at 20; the rest of the response is 2 input and 2,623 output."""
    valued = claude(
        model="claude-fable-5-1",
        input=2,
        output=2623,
        cache_write_input=150_702,
        cache_write_5m=0,
        cache_write_1h=150_702,
    )
    assert valued.parts["cache_write_1h_tokens"] == Decimal("3.01404")
    assert priced(valued) == "3.14521"


def test_cache_writes_of_both_lifetimes() -> None:
    """Case cache-1h-price: 10 input, 40,000 read, 3,000 and 120,000 written, 900 output."""
    usage = {"cache_write_input": 123_000, "cache_write_5m": 3000, "cache_write_1h": 120_000}
    assert priced(claude(input=10, cached_input=40_000, output=900, **usage)) == "1.00104"


@pytest.mark.parametrize(
    ("split", "reason"),
    [
        ({"cache_write_input": 10}, "unknown cache-write lifetime"),
        ({"cache_write_input": 10, "cache_write_5m": 10}, "unknown cache-write lifetime"),
        (
            {"cache_write_input": 10, "cache_write_5m": 4, "cache_write_1h": 5},
            "inconsistent cache-write lifetime counters",
        ),
        ({"cache_write_input": 0, "cache_write_5m": 4}, "inconsistent cache-write lifetime counters"),
        ({"cache_write_input": None}, "unknown counter cache_write_input_tokens"),
    ],
)
def test_lifetime_rates_need_a_split_that_adds_up(split: dict[str, Any], reason: str) -> None:
    """E199: no split, half a split, a split that contradicts the total."""
    assert unpriced(claude(input=1, **split)) == reason


def test_no_split_is_needed_for_no_cache_writes() -> None:
    """E199: a write total of 0 is priced without a split."""
    assert priced(claude(input=1000, cache_write_input=0)) == "0.004"


def test_one_rate_for_all_lifetimes_needs_no_split() -> None:
    models = {"m": {"semantics": [examples.CLAUDE], "rates": examples.table(4, 0.2, 5, 20)}}
    prices = examples.schedule(models=models)
    group = examples.claude(schedule=prices, model="m", cache_write_input=1000)
    assert priced(value(group, prices)) == "0.005"


def test_a_lifetime_without_a_rate_is_named() -> None:
    models = {"m": {"semantics": [examples.CLAUDE], "rates": examples.table(4, 0.2, {"5m": 5}, 20)}}
    prices = examples.schedule(models=models)
    group = examples.claude(schedule=prices, model="m", cache_write_input=2, cache_write_5m=1, cache_write_1h=1)
    assert unpriced(value(group, prices)) == "missing cache-write rate for 1h"


def test_unknown_reasoning_matters_only_where_it_has_another_rate() -> None:
    """E200: 2 input and 100 output at 10/50, reasoning unknown."""
    assert priced(claude(model="claude-fable-5-1", input=2, output=100)) == "0.00502"
    unequal = {**examples.table(10, 1, 12.5, 50), "reasoning_output_tokens": 60}
    prices = examples.one_model(rates=unequal)
    group = examples.codex(schedule=prices, model="m", input=2, output=100, reasoning_output=None)
    assert unpriced(value(group, prices)) == "unknown counter reasoning_output_tokens"


def test_no_rates_at_all_are_not_equal_rates() -> None:
    prices = examples.one_model(rates={"input_tokens": 10})
    group = examples.codex(schedule=prices, model="m", input=1, reasoning_output=None)
    assert unpriced(value(group, prices)) == "unknown counter reasoning_output_tokens"


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-5-5[1m]",
        "claude-opus-5",
        "claude-opus-5-6",
        "claude-2.1",
        "claude",
        "claude-opus-5-5-fast",
        "",
        None,
    ],
)
def test_ids_match_exactly(model: str | None) -> None:
    """E201: a suffix, a family or a prefix is another model."""
    assert unpriced(claude(model=model, input=1000, output=100)) == "unknown model"


@pytest.mark.parametrize(
    ("model", "cost"), [("claude-opus-5-5-20260901", "0.006"), ("claude-haiku-4-5-20251001", "0.0015")]
)
def test_aliases_are_further_exact_ids(model: str, cost: str) -> None:
    assert priced(claude(model=model, input=1000, output=100)) == cost


def test_the_bundled_schedule_prices_no_internal_label() -> None:
    """Case codex-auto-review: a label that is no model has no price."""
    prices = bundle.load(None)
    group = examples.codex(schedule=prices, model="codex-auto-review", input=50_000, output=500)
    assert unpriced(value(group, prices)) == "unknown model"


def test_semantics_must_be_listed_and_understood() -> None:
    """E202: a fallback label that the entry does not list; a label that nobody verified, even when listed."""
    assert priced(codex(label=examples.FALLBACK, input=1000)) == "0.01"
    luna = codex(model="gpt-5.6-luna", label=examples.FALLBACK, input=1000)
    assert unpriced(luna) == f"unsupported semantics {examples.FALLBACK}"
    label = "grok:unverified"
    prices = examples.one_model(semantics=[label])
    group = examples.codex(schedule=prices, model="m", label=label, input=1000)
    assert unpriced(value(group, prices)) == "unsupported semantics grok:unverified"


def test_a_free_model_is_priced_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """E204: 0 is a price; an unknown write count still leaves the response unpriced."""
    monkeypatch.setitem(semantics.KNOWN, examples.SEPARATE.label, examples.SEPARATE)
    prices = bundle.load(None)
    counters = {"input": 11_387, "cached_input": 2000, "cache_write_input": 0, "output": 153, "reasoning_output": 400}
    free = "muse-spark-1.3-contributor-free"
    valued = value(examples.group(free, examples.SEPARATE.label, prices, counters), prices)
    assert (valued.reason, valued.amount) == (None, 0)
    unknown = examples.group(free, examples.SEPARATE.label, prices, {**counters, "cache_write_input": None})
    assert unpriced(value(unknown, prices)) == "unknown counter cache_write_input_tokens"
    written = examples.group(free, examples.SEPARATE.label, prices, {**counters, "cache_write_input": 60})
    assert unpriced(value(written, prices)) == "missing rate for cache_write_input_tokens"


def test_reasoning_is_split_off_by_where_it_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """E175: output 100 with reasoning 40 inside, and output 60 with reasoning 40 beside, are the same 60 and 40."""
    inside = TokenUsage(input=0, cached_input=0, cache_write_input=0, output=100, reasoning_output=40)
    beside = TokenUsage(input=0, cached_input=0, cache_write_input=0, output=60, reasoning_output=40)
    assert plain_output(inside, semantics.CODEX) == plain_output(beside, examples.SEPARATE) == 60
    monkeypatch.setitem(semantics.KNOWN, examples.SEPARATE.label, examples.SEPARATE)
    prices = examples.one_model(semantics=[examples.CODEX, examples.SEPARATE.label])
    costs = []
    for kind, usage in ((semantics.CODEX, inside), (examples.SEPARATE, beside)):
        costs.append(value(UsageGroup("m", kind.label, usage, shape(usage, kind)), prices))
    assert costs[0] == costs[1]
    assert priced(costs[0]) == "0.005"
    assert costs[0].parts["reasoning_output_tokens"] / costs[0].amount == Decimal("0.4")


def test_codex_input_that_was_written_to_the_cache_is_billed_once() -> None:
    """Reads and writes lie inside the input counter: 1000 = 100 plain + 800 read + 100 written."""
    usage = {"input": 1000, "cached_input": 800, "cache_write_input": 100, "output": 0, "reasoning_output": 0}
    assert priced(codex(model="gpt-6-astra", **usage)) == "0.00305"


@pytest.mark.parametrize("counter", ["input", "cached_input", "cache_write_input", "output", "reasoning_output"])
def test_no_unknown_counter_becomes_zero(counter: str) -> None:
    rates = {**examples.table(10, 1, 12.5, 50), "reasoning_output_tokens": 60}
    prices = examples.one_model(rates=rates)
    group = examples.codex(schedule=prices, model="m", **{counter: None})
    assert unpriced(value(group, prices)) == f"unknown counter {counter}_tokens"


def test_every_counter_must_be_known_even_without_a_rate() -> None:
    prices = examples.one_model(rates={"input_tokens": 10, "output_tokens": 50, "reasoning_output_tokens": 50})
    group = examples.codex(schedule=prices, model="m", input=1, cache_write_input=None)
    assert unpriced(value(group, prices)) == "unknown counter cache_write_input_tokens"


def test_a_positive_part_needs_a_rate_and_a_part_of_zero_does_not() -> None:
    prices = examples.one_model(rates={"input_tokens": 10})
    assert priced(value(examples.codex(schedule=prices, model="m", input=100), prices)) == "0.001"
    for counter in ("cached_input", "cache_write_input", "output"):
        group = examples.codex(schedule=prices, model="m", **{"input": 100, counter: 1})
        assert unpriced(value(group, prices)) == f"missing rate for {counter}_tokens"


def test_contradictions_have_no_price() -> None:
    assert unpriced(codex(input=10, cached_input=11)) == "inconsistent counters: cached above input"
    assert unpriced(codex(output=10, reasoning_output=11)) == "inconsistent counters: reasoning above output"
    assert unpriced(codex(input=-1)) == "invalid counter input_tokens"


def known(**counters: int) -> TokenUsage:
    return TokenUsage(
        **{"input": 9, "cached_input": 0, "cache_write_input": 0, "output": 9, "reasoning_output": 0, **counters}
    )


@pytest.mark.parametrize(
    ("usage", "reason"),
    [
        (known(cached_input=10), "inconsistent counters: cached above input"),
        (known(reasoning_output=10), "inconsistent counters: reasoning above output"),
    ],
)
def test_sums_that_contradict_themselves_have_no_price_whatever_their_shape_says(
    usage: TokenUsage, reason: str
) -> None:
    assert unpriced(value(UsageGroup("gpt-6-astra", examples.CODEX, usage, 0), PRICES)) == reason


@pytest.mark.parametrize(("short", "long"), [(6, -1), (6, 1), (0, 0)])
def test_splits_that_contradict_their_total_have_no_price_whatever_their_shape_says(short: int, long: int) -> None:
    usage = known(cache_write_input=5, cache_write_5m=short, cache_write_1h=long)
    group = UsageGroup("claude-opus-5-5", examples.CLAUDE, usage, 0)
    assert unpriced(value(group, PRICES)) == "inconsistent cache-write lifetime counters"


@pytest.mark.parametrize(
    ("bit", "reason"),
    [
        (shapes.UNKNOWN["output"], "unknown counter output_tokens"),
        (shapes.CACHED_ABOVE_INPUT, "inconsistent counters: cached above input"),
        (shapes.REASONING_ABOVE_OUTPUT, "inconsistent counters: reasoning above output"),
    ],
)
def test_a_shape_that_knows_of_a_flaw_is_believed(bit: int, reason: str) -> None:
    assert unpriced(value(UsageGroup("gpt-6-astra", examples.CODEX, known(), bit), PRICES)) == reason


def test_a_counter_that_is_absent_is_unknown_whatever_its_shape_says() -> None:
    group = UsageGroup("gpt-6-astra", examples.CODEX, TokenUsage(input=1), 0)
    assert unpriced(value(group, PRICES)) == "unknown counter cached_input_tokens"


def test_separate_reasoning_must_be_known_even_at_the_same_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside output it is a part of its own, not a share of one that is known."""
    monkeypatch.setitem(semantics.KNOWN, examples.SEPARATE.label, examples.SEPARATE)
    prices = examples.one_model(semantics=[examples.SEPARATE.label])
    counters = {"input": 1, "cached_input": 0, "cache_write_input": 0, "output": 60, "reasoning_output": None}
    group = examples.group("m", examples.SEPARATE.label, prices, counters)
    assert unpriced(value(group, prices)) == "unknown counter reasoning_output_tokens"


def test_fast_responses_have_no_standard_price() -> None:
    """Case fast-mode: one standard response and one fast one of the same model."""
    usage = {"input": 10, "cached_input": 1000, "output": 100}
    standard = claude(speed="standard", service_tier="standard", **usage)
    assert priced(standard) == "0.00224"
    assert unpriced(claude(speed="fast", service_tier="standard", **usage)) == "no rate for speed fast"


@pytest.mark.parametrize("tier", [None, "", "standard", "default"])
def test_the_ordinary_tier_has_many_names(tier: str | None) -> None:
    assert priced(codex(input=1000, output=10, service_tier=tier, speed=tier)) == "0.0105"


@pytest.mark.parametrize("tier", ["priority", "flex", "batch", "auto", "Standard"])
def test_other_service_tiers_have_no_price(tier: str) -> None:
    """Case service-tier-per-turn."""
    assert unpriced(codex(input=2000, output=20, service_tier=tier)) == f"no rate for service tier {tier}"


def test_a_reason_never_repeats_text_that_is_not_plain() -> None:
    assert unpriced(codex(input=1, speed="<b>/home/me</b>")) == "no rate for speed other"
    assert unpriced(codex(input=1, service_tier="a b")) == "no rate for service tier other"
    group = UsageGroup("gpt-6-astra", "x:@everyone", TokenUsage(), 0)
    assert unpriced(value(group, PRICES)) == "unsupported semantics other"


def test_a_search_fee_without_a_rate_leaves_the_whole_open() -> None:
    valued = claude(input=1000, output=100, web_search_requests=3)
    assert valued.reason == "missing rate for web_search_requests"
    assert valued.amount == Decimal("0.006")


def test_a_search_fee_is_part_of_the_price() -> None:
    prices = examples.one_model(web_search_usd_per_1000=10)
    valued = value(examples.codex(schedule=prices, model="m", input=1000, web_search_requests=3), prices)
    assert valued.parts["web_search_requests"] == Decimal("0.03")
    assert priced(valued) == "0.04"


def test_output_that_is_not_final_is_a_lower_bound() -> None:
    valued = claude(input=1000, output=6, final=False)
    assert valued.reason == "output not final"
    assert valued.amount == Decimal("0.00412")


def test_a_response_without_a_price_keeps_its_first_reason_when_it_is_not_final() -> None:
    assert unpriced(claude(model="claude", input=1000, output=6, final=False)) == "unknown model"
