"""Counters of Codex: one response's usage, and what running totals tell of responses.

Totals are read, compared and kept as proof; they are never summed. Knows no
session and no file.
"""

from typing import Literal

from msgspec import Struct, structs

from observer.adapters.codex.shapes import Counters
from observer.records.usage import LARGEST, TokenUsage

# Input, cached, cache write, output, reasoning, total; None is unknown.
Buckets = tuple[int | None, ...]
_INPUT, _OUTPUT, TOTAL = 0, 3, 5
NONE: Buckets = (None,) * 6
# How many readings are remembered to tell a repeat from a contradiction.
_REMEMBERED = 16


def buckets(counters: Counters) -> Buckets:
    """The six counters; an absent total is input + output where both are known."""
    found: Buckets = structs.astuple(counters)
    given, made = found[_INPUT], found[_OUTPUT]
    if found[TOTAL] is None and given is not None and made is not None and given + made <= LARGEST:
        return (*found[:TOTAL], given + made)
    return found


def tokens(found: Buckets) -> TokenUsage:
    """The usage of one response. Codex knows no lifetimes of cache writes."""
    return TokenUsage(found[0], found[1], found[2], None, None, found[3], found[4], found[5])


class Seen(Struct, array_like=True, gc=False):
    """A total as it was first seen, and what was said to be the last response then."""

    total: int
    cumulative: Buckets
    last: Buckets | None


class Totals(Struct):
    """What has been seen of a thread's running total.

    `series` counts the restarts from zero. `covered`: the highest total that
    a per-response record has accounted for. `base_due`: the next total is
    another thread's and only a base. `summarised`: a compaction came after
    the last response.
    """

    series: int = 0
    first: int = -1
    top: int = -1
    covered: int = -1
    base_due: bool = False
    summarised: bool = False
    before: Buckets | None = None
    seen: list[Seen] = []

    def record(self, cumulative: Buckets) -> None:
        """A per-response record told the total after its response."""
        total = cumulative[TOTAL]
        if total is None:
            return
        self.covered = max(self.covered, total)
        if total > self.top:
            self._rise(total, cumulative)

    def count(self, cumulative: Buckets, last: Buckets | None) -> Buckets | Literal["usage_conflict"] | None:
        """What one more reading says: the usage of a new response, a contradiction, or nothing.

        A reading that does not rise is a repeat, however far it steps back,
        unless it can only be the first of a new series.
        """
        total = cumulative[TOTAL] or 0
        if total <= self.covered or not total:
            return None
        if total <= self.top:
            known = next((reading for reading in self.seen if reading.total == total), None)
            if known is not None:
                return None if self._repeats(known, cumulative, last) else "usage_conflict"
            if not self._restarts(total, last):
                return None
            self.series, self.first, self.top, self.before, self.seen = self.series + 1, -1, -1, None, []
        own = None if last is None or _is_estimate(last) else last
        found = None if self.base_due else own or _difference(cumulative, self.before)
        self._rise(total, cumulative)
        self.seen = [*self.seen[1 - _REMEMBERED :], Seen(total, cumulative, last)]
        return found

    def _rise(self, total: int, cumulative: Buckets) -> None:
        self.first = total if self.first < 0 else self.first
        self.top, self.before = total, cumulative
        self.base_due = self.summarised = False

    def _repeats(self, known: Seen, cumulative: Buckets, last: Buckets | None) -> bool:
        """After a compaction the last usage is an estimate of the new context."""
        if cumulative != known.cumulative:
            return False
        return self.summarised or last is None or known.last is None or last == known.last

    def _restarts(self, total: int, last: Buckets | None) -> bool:
        if total == self.first:
            return False
        return total < self.first or (last is not None and last[TOTAL] == total)


def _is_estimate(last: Buckets) -> bool:
    """Whether a last usage is the size of a new context, as after a compaction: its parts do not make its total."""
    given, made, total = last[_INPUT], last[_OUTPUT], last[TOTAL]
    return given is not None and made is not None and total != given + made


def _difference(cumulative: Buckets, before: Buckets | None) -> Buckets:
    """What came on top; a counter that went down is unknown."""
    if before is None:
        return cumulative
    return tuple(
        now - then if now is not None and then is not None and now >= then else None
        for now, then in zip(cumulative, before, strict=True)
    )
