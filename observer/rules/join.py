"""Calls and their results, joined by equal call ids and by nothing else.

Never guesses from time or content: a wrapper's call and the command that ran
inside it have different ids and stay apart. Order tells only where a log names
no ids at all, and as many ends as calls.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

End = TypeVar("End")

# A call id is unique within its session only.
CallKey = tuple[str, str]


class Join(Struct, frozen=True):
    """Call ids in their order: with both halves, with a result only, with a call only."""

    calls: int
    results: int
    joined: tuple[CallKey, ...]
    unmatched_results: tuple[CallKey, ...]
    unanswered_calls: tuple[CallKey, ...]


def join(calls: Iterable[CallKey], results: Iterable[CallKey]) -> Join:
    """Joins the calls and results of one scope; each id counts once."""
    asked, answered = dict.fromkeys(calls), dict.fromkeys(results)
    return Join(
        calls=len(asked),
        results=len(answered),
        joined=tuple(key for key in asked if key in answered),
        unmatched_results=tuple(key for key in answered if key not in asked),
        unanswered_calls=tuple(key for key in asked if key not in answered),
    )


def in_order(calls: Mapping[str, Sequence[str]], ends: Mapping[str, Sequence[End]]) -> dict[str, End]:
    """Call id → its end, of ends that name a tool but no call: they belong to that tool's calls in order.

    `calls` and `ends` are by tool, in the order they ended. Where they are not
    as many, nobody can tell which is whose, and none is joined.
    """
    found: dict[str, End] = {}
    for tool, ids in calls.items():
        told = ends.get(tool, ())
        if len(told) == len(ids):
            found.update(zip(ids, told, strict=True))
    return found
