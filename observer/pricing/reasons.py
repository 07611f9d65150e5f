"""Why usage has no price: the closed list of reasons, in the words shown.

Every reason is one of the constants below or made by one of the functions.
Words from records appear in a reason only when they are plain; other text
never passes (source: behaviour §15.2).
"""

import re

UNKNOWN_MODEL = "unknown model"
AMBIGUOUS_LONG_CONTEXT = "ambiguous long-context tier"
LONG_CONTEXT_UNPRICED = "long-context tier unpriced"
CACHED_ABOVE_INPUT = "inconsistent counters: cached above input"
REASONING_ABOVE_OUTPUT = "inconsistent counters: reasoning above output"
UNKNOWN_LIFETIME = "unknown cache-write lifetime"
INCONSISTENT_LIFETIMES = "inconsistent cache-write lifetime counters"
OUTPUT_NOT_FINAL = "output not final"

_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,40}")
_LABEL = re.compile(r"[a-z]+:[a-z_,;=]{1,100}")


def unsupported_semantics(label: str) -> str:
    """The schedule's entry does not list this counter semantics, or nobody knows what it means."""
    return f"unsupported semantics {label if _LABEL.fullmatch(label) else 'other'}"


def no_rate_for_speed(speed: str) -> str:
    """The response ran at another speed than the schedule's rates are for."""
    return f"no rate for speed {_plain(speed)}"


def no_rate_for_service_tier(tier: str) -> str:
    """The response ran in another service tier than the schedule's rates are for."""
    return f"no rate for service tier {_plain(tier)}"


def unknown_counter(bucket: str) -> str:
    """A counter that has to be known was not recorded."""
    return f"unknown counter {bucket}"


def invalid_counter(bucket: str) -> str:
    """A counter is no count."""
    return f"invalid counter {bucket}"


def missing_rate(bucket: str) -> str:
    """Something was used that the table in force has no rate for."""
    return f"missing rate for {bucket}"


def missing_cache_write_rate(lifetime: str) -> str:
    """Cache writes of a lifetime (`5m`, `1h`) that the table in force has no rate for."""
    return f"missing cache-write rate for {lifetime}"


def _plain(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else "other"
