"""The schedule that the usage cases are priced with, and groups of usage made from plain counters."""

from typing import Any

from observer.pricing.schedule import parse
from observer.records import semantics
from observer.records.semantics import CounterSemantics
from observer.records.usage import TokenUsage, context_tokens, shape
from observer.records.valuation import PriceSchedule, UsageGroup

CLAUDE = semantics.CLAUDE.label
CODEX = semantics.CODEX.label
FALLBACK = semantics.CODEX_FALLBACK.label
# Placements that no adapter has yet; the formulas must fit them too.
SEPARATE = CounterSemantics("opencode:input_excludes_cache,reasoning_separate", "beside", "beside")


def table(given: Any, cached: Any, write: Any, output: Any) -> dict[str, Any]:
    """A complete table of rates in which reasoning costs what output costs."""
    return {
        "input_tokens": given,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": write,
        "output_tokens": output,
        "reasoning_output_tokens": output,
    }


def document() -> dict[str, Any]:
    """A fresh price document; tests may change it."""
    return {
        "source_url": "https://example.com/prices",
        "as_of": "2026-09-24",
        "currency": "USD",
        "unit": "USD per million tokens",
        "models": {
            "gpt-6-astra": {
                "semantics": [CODEX, FALLBACK],
                "rates": table(10, 1, 12.5, 50),
                "long_context_threshold": 272_000,
                "long_context_rates": table(20, 2, 25, 75),
            },
            "gpt-5.6-luna": {
                "semantics": [CODEX],
                "rates": table(0.2, 0.02, 0.25, 1.2),
                "long_context_threshold": 272_000,
            },
            "claude-opus-5-5": {
                "semantics": [CLAUDE],
                "rates": table(4, 0.2, {"5m": 5, "1h": 8}, 20),
                "aliases": ["claude-opus-5-5-20260901"],
            },
            "claude-fable-5-1": {"semantics": [CLAUDE], "rates": table(10, 0.25, {"5m": 12.5, "1h": 20}, 50)},
            "claude-haiku-4-5": {
                "semantics": [CLAUDE],
                "rates": table(1, 0.1, {"5m": 1.25, "1h": 2}, 5),
                "aliases": ["claude-haiku-4-5-20251001"],
            },
        },
    }


def schedule(**changes: Any) -> PriceSchedule:
    """The schedule of the cases; `changes` replace fields of the document."""
    return parse({**document(), **changes})


def entry(**changes: Any) -> dict[str, Any]:
    """A small sound entry for Codex usage, with changes."""
    return {"semantics": [CODEX], "rates": table(10, 1, 12.5, 50), **changes}


def one_model(**changes: Any) -> PriceSchedule:
    """A schedule of one model `m`."""
    return schedule(models={"m": entry(**changes)})


def codex(*, schedule: PriceSchedule, model: str = "gpt-6-astra", label: str = CODEX, **given: Any) -> UsageGroup:
    """One Codex response: the counters that are not given are 0, None is unknown."""
    counters = {"input": 0, "cached_input": 0, "cache_write_input": 0, "output": 0, "reasoning_output": 0}
    return group(model, label, schedule, {**counters, **given})


def claude(*, schedule: PriceSchedule, model: str = "claude-opus-5-5", **given: Any) -> UsageGroup:
    """One Claude response; its records rarely tell reasoning apart, so that is unknown unless given."""
    counters = {"input": 0, "cached_input": 0, "cache_write_input": 0, "output": 0, "reasoning_output": None}
    return group(model, CLAUDE, schedule, {**counters, **given})


def group(model: str | None, label: str, schedule: PriceSchedule, given: dict[str, Any]) -> UsageGroup:
    """A group of one, with the shape and the tier that importing would give it."""
    names = TokenUsage.__struct_fields__
    usage = TokenUsage(**{name: number for name, number in given.items() if name in names})
    kind = semantics.parse(label)
    prices = schedule.find(model)
    over = prices.over(context_tokens(usage, kind)) if prices is not None else False
    rest = {name: other for name, other in given.items() if name not in names}
    return UsageGroup(model=model, semantics=label, usage=usage, shape=shape(usage, kind), over=over, **rest)
