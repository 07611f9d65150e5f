"""Compares what the command line answers with a corpus's truth: every group, every counter, no more and no less."""

from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.truth import GROUPS

# Counter of an answer → counter of the truth, per harness.
_NAMES = {
    "claude": {
        "responses": "responses",
        "input_tokens": "input_tokens",
        "cached_input_tokens": "cache_read_input_tokens",
        "cache_write_input_tokens": "cache_creation_input_tokens",
        "output_tokens": "output_tokens",
    },
    "codex": {
        name: name
        for name in (
            "responses", "input_tokens", "cached_input_tokens", "cache_write_input_tokens",
            "output_tokens", "reasoning_output_tokens", "total_tokens",
        )
    },
}  # fmt: skip
_LIFETIMES = {"cache_write_5m_tokens": "cache_5m", "cache_write_1h_tokens": "cache_1h"}

Ask = Callable[..., Any]
Sums = dict[tuple[str, str], dict[str, int]]


def differences(truth: dict[str, Any], ask: Ask) -> list[str]:
    """Where answers differ from the truth, one line each; empty when all is exact.

    `ask(*words)` runs the command line with these words and returns its JSON.
    """
    found = []
    for group in GROUPS:
        answer = ask("usage", "--by", group.removeprefix("by_"), "--timezone", "utc", "--json")
        found += _compare(group, _expected(truth, group), _answered(answer["groups"], group))
    return found + _compare_lifetimes(truth, ask("responses", "list", "--json")["responses"])


def _expected(truth: dict[str, Any], group: str) -> Sums:
    """(harness, key) → the counters as an answer names them."""
    return {
        (harness, key): {ours: row[theirs] for ours, theirs in names.items()}
        for harness, names in _NAMES.items()
        for key, row in truth[harness][group].items()
    }


def _answered(groups: Iterable[dict[str, Any]], group: str) -> Sums:
    """The same of an answer; a subagent's session counts for the session it works for."""
    sums: Sums = {}
    for row in groups:
        for label, counts in row["by_semantics"].items():
            harness = label.partition(":")[0]
            key = row["key"]
            if group == "by_session":
                key = key.removeprefix(f"{harness}:").partition(":agent:")[0]
            into = sums.setdefault((harness, key), dict.fromkeys(_NAMES[harness], 0))
            for name in into:
                into[name] += counts[name] or 0  # null where no response reported it; the truth has 0 there
    return sums


def _compare(group: str, expected: Sums, answered: Sums) -> list[str]:
    return [
        f"{group} {harness} {key}: expected {expected.get((harness, key))}, got {answered.get((harness, key))}"
        for harness, key in sorted(expected.keys() | answered.keys())
        if expected.get((harness, key)) != answered.get((harness, key))
    ]


def _compare_lifetimes(truth: dict[str, Any], rows: Iterable[dict[str, Any]]) -> list[str]:
    """Cache writes by lifetime, which only the rows tell, and that no response comes twice."""
    sums = dict.fromkeys(_LIFETIMES, 0)
    identities: set[str] = set()
    repeated: list[str] = []
    for row in rows:
        if row["overlap"]:
            continue
        if row["response_id"] in identities:
            repeated.append(f"responses list: {row['response_id']} comes twice")
        identities.add(row["response_id"])
        if row["harness"] == "claude":
            for name in sums:
                sums[name] += row[name]
    totals = truth["claude"]["totals"]
    expected = {ours: totals[theirs] for ours, theirs in _LIFETIMES.items()}
    wrong = [f"responses list: {name} is {sums[name]}, expected {count}" for name, count in expected.items()]
    return repeated + [line for line, name in zip(wrong, expected, strict=True) if sums[name] != expected[name]]
