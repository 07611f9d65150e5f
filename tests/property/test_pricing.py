"""Laws of pricing: exact, additive, monotone, never a price for what is unknown."""

import json
import re
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from observer.base.errors import ScheduleError
from observer.pricing.schedule import parse, read
from observer.pricing.scope import valuate
from observer.pricing.value import value
from observer.records import semantics
from observer.records.evidence import UsageRow
from observer.records.usage import COUNTERS, TokenUsage, context_tokens, shape
from observer.records.valuation import PriceSchedule, Rates, UsageGroup
from tests.unit.pricing import examples

LABELS = [examples.CLAUDE, examples.CODEX, examples.FALLBACK]
# Few values, so that equal shapes and contradictions are frequent; a large one, so that digits are many.
counts = st.none() | st.sampled_from([0, 0, 1, 2, 3, 7, 100, 2**62 // 3])
rates = st.decimals(min_value=0, max_value=1_000_000, places=6).map(lambda d: float(d)) | st.integers(0, 100)
words = st.sampled_from([None, "", "standard", "default", "fast", "priority", "<i>", "a" * 90])
complete_tables = st.builds(
    examples.table,
    rates,
    rates,
    rates | st.fixed_dictionaries({}, optional={"5m": rates, "1h": rates, "30d": rates}),
    rates,
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Rates of which some may be missing, and reasoning may differ from output."""
    table = draw(complete_tables)
    if draw(st.booleans()):
        table["reasoning_output_tokens"] = draw(rates)
    for bucket in draw(st.sets(st.sampled_from(sorted(table)), max_size=2)):
        del table[bucket]
    return table


@st.composite
def schedules(draw: st.DrawFn) -> PriceSchedule:
    """A schedule of one model `m` for some of the labels."""
    entry: dict[str, Any] = {
        "semantics": draw(st.lists(st.sampled_from(LABELS), min_size=1, unique=True)),
        "rates": draw(tables()),
    }
    if draw(st.booleans()):
        entry["long_context_threshold"] = draw(st.integers(1, 200))
        entry["long_context_comparison"] = draw(st.sampled_from(["over", "at_least"]))
        if draw(st.booleans()):
            entry["long_context_rates"] = draw(tables())
    if draw(st.booleans()):
        entry["web_search_usd_per_1000"] = draw(rates)
    return examples.schedule(models={"m": entry})


usages = st.builds(TokenUsage, **dict.fromkeys(COUNTERS, counts))


@st.composite
def responses(draw: st.DrawFn, schedule: PriceSchedule) -> UsageGroup:
    """One response, as importing it would describe it."""
    usage = draw(usages)
    kind = semantics.parse(draw(st.sampled_from(LABELS)))
    return UsageGroup(
        model=draw(st.sampled_from(["m", "m", "m", "n", None])),
        semantics=kind.label,
        usage=usage,
        shape=shape(usage, kind),
        over=schedule.models["m"].over(context_tokens(usage, kind)),
        final=draw(st.booleans()),
        service_tier=draw(words),
        speed=draw(words),
        web_search_requests=draw(st.sampled_from([0, 0, 1, 5])),
    )


def key(group: UsageGroup) -> tuple[Any, ...]:
    """Everything in which responses of one group are equal."""
    searches = group.web_search_requests > 0
    return (
        group.model, group.semantics, group.shape, group.over, group.final, group.service_tier, group.speed, searches
    )  # fmt: skip


def together(groups: list[UsageGroup]) -> UsageGroup:
    """Responses of one key as one group: sums of known counters, as SQL makes them."""
    first = groups[0]
    sums = {}
    for name in COUNTERS:
        known = [getattr(each.usage, name) for each in groups if getattr(each.usage, name) is not None]
        sums[name] = sum(known) if known else None
    searches = sum(each.web_search_requests for each in groups)
    return msgspec.structs.replace(first, usage=TokenUsage(**sums), responses=len(groups), web_search_requests=searches)


def exactly(amounts: Any) -> Fraction:
    return sum((Fraction(each) for each in amounts), Fraction(0))


@given(st.data())
def test_a_group_costs_exactly_what_its_members_cost(data: st.DataObject) -> None:
    schedule = data.draw(schedules())
    singles = data.draw(st.lists(responses(schedule), max_size=12))
    # Repeating shapes: every response once more with other positive counts.
    singles += [_scaled(each, data.draw(st.integers(2, 9)), schedule) for each in singles]
    groups: dict[Any, list[UsageGroup]] = defaultdict(list)
    for single in singles:
        groups[key(single)].append(single)
    for members in groups.values():
        whole, parts = value(together(members), schedule), [value(each, schedule) for each in members]
        assert {each.reason for each in parts} == {whole.reason}
        assert {tuple(each.parts) for each in parts} == {tuple(whole.parts)}
        for bucket, amount in whole.parts.items():
            assert Fraction(amount) == exactly(each.parts[bucket] for each in parts)
    one_by_one = valuate(singles, schedule)
    assert valuate([together(members) for members in groups.values()], schedule) == _same_rate_order(
        one_by_one, groups, schedule
    )
    assert Fraction(one_by_one.subtotal) == exactly(a for each in singles for a in value(each, schedule).parts.values())


def _scaled(group: UsageGroup, factor: int, schedule: PriceSchedule) -> UsageGroup:
    counters = {
        name: None if count is None else count * factor for name in COUNTERS for count in [getattr(group.usage, name)]
    }
    usage = TokenUsage(**counters)
    kind = semantics.parse(group.semantics)
    return msgspec.structs.replace(
        group,
        usage=usage,
        shape=shape(usage, kind),
        over=schedule.models["m"].over(context_tokens(usage, kind)),
        web_search_requests=group.web_search_requests * factor,
    )


def _same_rate_order(valuation: Any, groups: dict[Any, list[UsageGroup]], schedule: PriceSchedule) -> Any:
    """`rates` come in the order of first use, which grouping may change."""
    grouped = valuate([together(members) for members in groups.values()], schedule)
    rates_of = {each.model: each.rates for each in grouped.by_model}
    for each in valuation.by_model:
        assert sorted(map(repr, each.rates)) == sorted(map(repr, rates_of[each.model]))
    models = tuple(msgspec.structs.replace(each, rates=rates_of[each.model]) for each in valuation.by_model)
    return msgspec.structs.replace(valuation, by_model=models)


@given(st.data())
def test_more_of_a_counter_never_costs_less_within_a_tier(data: st.DataObject) -> None:
    """More of one part, with the counters that contain it grown as well."""
    schedule = examples.schedule()
    model = data.draw(st.sampled_from(["gpt-6-astra", "claude-opus-5-5"]))
    make = examples.codex if model.startswith("gpt") else examples.claude
    few = st.integers(0, 1000)
    output, cached = data.draw(few), data.draw(few)
    base = {
        "input": cached + data.draw(few), "cached_input": cached, "output": output,
        "reasoning_output": data.draw(st.integers(0, output)),
    }  # fmt: skip
    short, long = data.draw(few), data.draw(few)
    base |= {"cache_write_input": short + long, "cache_write_5m": short, "cache_write_1h": long}
    if make is examples.codex:
        base["input"] += short + long
    more = data.draw(st.integers(1, 1000))
    grown = dict(base)
    which = data.draw(st.sampled_from(["input", "output", "cached_input", "cache_write_1h"]))
    grown[which] += more
    if which == "cached_input" and make is examples.codex:
        grown["input"] += more
    if which == "cache_write_1h":
        grown["cache_write_input"] += more
        if make is examples.codex:
            grown["input"] += more
    less, much = (value(make(schedule=schedule, model=model, **each), schedule) for each in (base, grown))
    assert less.reason is much.reason is None
    assert much.amount > less.amount


@given(st.data())
def test_cost_is_additive_within_a_tier(data: st.DataObject) -> None:
    """Two requests of one tier cost what one request of both their counters costs."""
    schedule = examples.schedule()
    few = st.integers(0, 60_000)
    first, second = (
        {"input": fresh + cached, "cached_input": cached, "output": text + thought, "reasoning_output": thought}
        for fresh, cached, text, thought in (data.draw(st.tuples(few, few, few, few)) for _ in range(2))
    )
    both = {name: first[name] + second[name] for name in first}
    costs = [value(examples.codex(schedule=schedule, **each), schedule) for each in (first, second, both)]
    assert costs[0].amount + costs[1].amount == costs[2].amount


@given(st.data())
def test_cost_is_exact(data: st.DataObject) -> None:
    """Against rational numbers, with a fully known Codex response and any rates."""
    table = data.draw(complete_tables.filter(lambda each: not isinstance(each["cache_write_input_tokens"], dict)))
    schedule = examples.one_model(rates=table)
    cached, fresh, written, text, thought = data.draw(st.tuples(*[st.integers(0, 2**60)] * 5))
    counters = {
        "input": cached + fresh + written, "cached_input": cached, "cache_write_input": written,
        "output": text + thought,
        "reasoning_output": thought,
    }  # fmt: skip
    valued = value(examples.codex(schedule=schedule, model="m", **counters), schedule)
    rate = {bucket: Fraction(str(each)) for bucket, each in table.items()}
    expected = (
        fresh * rate["input_tokens"] + cached * rate["cached_input_tokens"] + written * rate["cache_write_input_tokens"]
        + text * rate["output_tokens"] + thought * rate["reasoning_output_tokens"]
    )  # fmt: skip
    assert exactly(valued.parts.values()) == expected / 10**6


@given(st.data())
def test_a_price_is_whole_or_has_a_reason_that_evidence_can_carry(data: st.DataObject) -> None:
    schedule = data.draw(schedules())
    group = data.draw(responses(schedule))
    valued = value(group, schedule)
    assert all(amount >= 0 for amount in valued.parts.values())
    if valued.reason is None:
        assert (group.model, group.final) == ("m", True)
        for name in ("input", "cached_input", "cache_write_input", "output"):
            assert getattr(group.usage, name) is not None
    else:
        assert re.fullmatch(_pattern("price_reason"), valued.reason)
    text = format(valued.amount, "f")
    assert len(text.partition(".")[2].rstrip("0")) <= 18
    if valued.parts:
        assert isinstance(valued.rates, Rates)


def _pattern(field: str) -> str:
    """The pattern that an evidence row demands of a field."""
    annotation = {each.name: each.type for each in msgspec.structs.fields(UsageRow)}[field]
    return next(part.__metadata__[0].pattern for part in get_args(annotation) if hasattr(part, "__metadata__"))


@given(schedules(), st.randoms())
def test_the_document_says_everything_that_is_priced(schedule: PriceSchedule, random: Any) -> None:
    """Whoever holds the document, in any key order, has the same schedule and identity."""
    assert parse(schedule.document) == schedule
    shuffled = _shuffled(schedule.document, random)
    assert parse(shuffled).schedule_id == schedule.schedule_id
    assert read(json.dumps(shuffled).encode(), form="json").models == schedule.models


def _shuffled(document: Any, random: Any) -> Any:
    if not isinstance(document, dict):
        return document
    items = [(name, _shuffled(each, random)) for name, each in document.items()]
    random.shuffle(items)
    return dict(items)


@given(schedules(), st.decimals(min_value=0, max_value=100, places=3))
def test_another_rate_is_another_identity(schedule: PriceSchedule, rate: Decimal) -> None:
    document = json.loads(json.dumps(schedule.document))
    before = schedule.models["m"].rates.input
    document["models"]["m"]["rates"]["input_tokens"] = float(rate)
    assert (parse(document).schedule_id == schedule.schedule_id) is (before == rate)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_no_document_does_anything_but_be_read_or_refused(data: st.DataObject) -> None:
    """A sound document with a few values replaced by anything."""
    document = examples.document()
    for _ in range(data.draw(st.integers(0, 3))):
        place: Any = document
        while True:
            name = data.draw(st.sampled_from(sorted(place)))
            if not isinstance(place[name], dict) or not place[name] or data.draw(st.booleans()):
                place[name] = data.draw(anything)
                break
            place = place[name]
    outcome = _read_or_refused(document)
    if isinstance(outcome, str):
        assert ": " in outcome.split("\n")[1]
    else:
        assert parse(outcome.document).schedule_id == outcome.schedule_id


def _read_or_refused(document: Any) -> PriceSchedule | str:
    try:
        return parse(document)
    except ScheduleError as refused:
        return refused.message
