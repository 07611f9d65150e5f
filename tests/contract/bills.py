"""What was really done, as the bill of a record set says it: per model, the sums that an import must give.

Each agent's bill is in the words of its API. A new adapter's is read as
`importable_per_model`: model → short names of counters (tests.builders.answers).
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Sums = dict[str, dict[str, int]]
Document = Mapping[str, Any]


def wanted(harness: str, bill: Path) -> Sums:
    """Model → counter → sum; `name?` counts responses that cannot know that counter."""
    document = json.loads(bill.read_text("utf-8"))
    return _READERS.get(harness, _plain)(document)


def _plain(document: Document) -> Sums:
    names = {"cache_read": "cached", "cache_write": "write"}
    kept = ("responses", "input", "cached", "write", "output", "reasoning", "total")
    return {
        model: {names.get(name, name): value for name, value in sums.items() if names.get(name, name) in kept}
        for model, sums in document["importable_per_model"].items()
    }


def _claude(document: Document) -> Sums:
    return _added(document, "lines", _claude_counters)


def _codex(document: Document) -> Sums:
    return _added(document, "records", _codex_counters)


def _added(document: Document, place: str, counters: Callable[[Document, bool], dict[str, int]]) -> Sums:
    """Sums over the billed responses that the records tell of; releases without ids tell of all, in sums."""
    billed = [each for each in document["billed"] if each["billed"] and each["usage"]]
    told = [each for each in billed if each["in_records"][place]]
    sums: dict[str, Counter[str]] = {}
    for each in told or billed:
        sums.setdefault(each["model"], Counter()).update({"responses": 1, **counters(each, bool(told))})
    return {model: dict(each) for model, each in sums.items()}


def _claude_counters(billed: Document, _told: bool) -> dict[str, int]:
    usage, split = billed["usage"], billed["usage"].get("cache_creation")
    lifetimes = {"write_5m?": 1, "write_1h?": 1}
    if split:
        lifetimes = {"write_5m": split["ephemeral_5m_input_tokens"], "write_1h": split["ephemeral_1h_input_tokens"]}
    # Of an answer that was cut off, the records hold the most output they ever saw.
    seen = billed["in_records"].get("output_tokens_seen")
    return {
        "input": usage["input_tokens"],
        "cached": usage["cache_read_input_tokens"],
        "write": usage["cache_creation_input_tokens"],
        "output": max(seen) if seen else usage["output_tokens"],
        **lifetimes,
    }


def _codex_counters(billed: Document, told: bool) -> dict[str, int]:
    usage = billed["usage"]
    return {
        "input": usage["input_tokens"],
        "cached": usage["input_tokens_details"]["cached_tokens"],
        "output": usage["output_tokens"],
        "reasoning": usage["output_tokens_details"]["reasoning_tokens"],
        "total": usage["total_tokens"],
        **({"write": 0} if told else {"write?": 1}),  # the old totals say nothing of cache writes
    }


def _grok(document: Document) -> Sums:
    """Compared by sums: a turn is a response per model, and a subagent inside its parent's turn counts once."""
    return {
        model: {name: sums[name] for name in ("input", "cached", "output", "reasoning")}
        for model, sums in document["importable_per_model"].items()
    }


def _router(document: Document) -> Sums:
    """The calls of the native sessions; the router's own copies are no second bill."""
    sums: dict[str, Counter[str]] = {}
    for call in document["billed_calls"]:
        if call["outcome"] == "sent":
            billed, beside = call["billed"], call["api"] == "chat"
            inside = {"input": billed["cached"] + billed["write"], "output": billed["reasoning"]}
            own = {name: billed[name] - inside[name] * beside for name in inside}
            kept = {"responses": 1, **own, "cached": billed["cached"], "reasoning": billed["reasoning"]}
            sums.setdefault(call["model"], Counter()).update(kept)
    return {model: dict(each) for model, each in sums.items()}


_READERS: dict[str, Callable[[Document], Sums]] = {"claude": _claude, "codex": _codex, "grok": _grok, "router": _router}
