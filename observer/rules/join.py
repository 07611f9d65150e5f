"""Calls and their results, joined by equal call ids and by nothing else.

Never guesses from order, time or content: a wrapper's call and the command that
ran inside it have different ids and stay apart.
"""

from collections.abc import Iterable

from msgspec import Struct

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
