"""The router's copies of counters: one set of numbers per run, or nothing.

A copy is evidence beside the native session, never a second bill.
"""

from collections.abc import Iterable
from typing import Any

from observer.records.usage import LARGEST, TokenUsage

# Counter → its names in a flat copy: Codex' own, then Claude's.
_FLAT = {
    "input": ("input_tokens",),
    "cached_input": ("cached_input_tokens", "cache_read_input_tokens"),
    "cache_write_input": ("cache_write_input_tokens", "cache_creation_input_tokens"),
    "output": ("output_tokens",),
    "reasoning_output": ("reasoning_output_tokens",),
    "total": ("total_tokens",),
}
# Counter → its place in the tokens of an OpenCode message.
_MESSAGE = {
    "input": ("input",),
    "cached_input": ("cache", "read"),
    "cache_write_input": ("cache", "write"),
    "output": ("output",),
    "reasoning_output": ("reasoning",),
    "total": ("total",),
}


class MalformedUsage(Exception):
    """A counter that is present is no count."""


def usage(copied: dict[str, Any]) -> TokenUsage:
    """The counters of a `usage_json`; absent ones are unknown. MalformedUsage when one is no count."""
    if "messages" in copied:
        return _summed(_messages(copied["messages"]))
    return TokenUsage(**{name: _flat(copied, keys) for name, keys in _FLAT.items()})


def _flat(copied: dict[str, Any], keys: Iterable[str]) -> int | None:
    return next((_counted(copied[key]) for key in keys if key in copied), None)


def _messages(listed: Any) -> list[dict[str, int | None]]:
    """The counters of each message of the turn; a message that is listed twice counts once."""
    if not isinstance(listed, list):
        raise MalformedUsage
    found: dict[object, dict[str, int | None]] = {}
    for place, message in enumerate(listed):
        tokens = message.get("tokens") if isinstance(message, dict) else None
        if not isinstance(tokens, dict):
            raise MalformedUsage
        name = message.get("id")
        key = name if isinstance(name, str) else place
        found[key] = {counter: _at(tokens, path) for counter, path in _MESSAGE.items()}
    return list(found.values())


def _at(tokens: Any, path: tuple[str, ...]) -> int | None:
    for key in path:
        if not isinstance(tokens, dict):
            raise MalformedUsage
        if key not in tokens:
            return None
        tokens = tokens[key]
    return _counted(tokens)


def _counted(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise MalformedUsage
    return value


def _summed(messages: list[dict[str, int | None]]) -> TokenUsage:
    """Sums over the turn's messages; a counter that one of them lacks is unknown."""
    sums: dict[str, int | None] = {}
    for counter in _MESSAGE:
        known = [each[counter] for each in messages]
        sums[counter] = sum(filter(None, known)) if known and None not in known else None
    return TokenUsage(**sums)
