"""Running totals: what readings of them tell of the responses between them.

Totals are read, compared and kept as proof; they are never summed. Knows no
session and no file.
"""

from typing import Literal

from msgspec import Struct

from observer.records.usage import LARGEST, TokenUsage, total

# Input, cached, cache write, output, reasoning, total; None is unknown.
Buckets = tuple[int | None, ...]
_INPUT, _OUTPUT, TOTAL = 0, 3, 5
NONE: Buckets = (None,) * 6
# How many readings are remembered to tell a repeat from a contradiction.
_REMEMBERED = 16


def completed(found: Buckets) -> Buckets:
    """The same, with input + output for an absent total where both are known."""
    if found[TOTAL] is not None:
        return found
    whole = total(found[_INPUT], found[_OUTPUT])
    return found if whole is None or whole > LARGEST else (*found[:TOTAL], whole)


def usage(found: Buckets) -> TokenUsage:
    """The usage of one response, without lifetimes of cache writes."""
    plain, cached, written, output, reasoning, whole = found
    return TokenUsage(plain, cached, written, None, None, output, reasoning, whole)


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
        reached = cumulative[TOTAL]
        if reached is None:
            return
        self.covered = max(self.covered, reached)
        if reached > self.top:
            self._rise(reached, cumulative)

    def count(self, cumulative: Buckets, last: Buckets | None) -> Buckets | Literal["usage_conflict"] | None:
        """What one more reading says: the usage of a new response, a contradiction, or nothing.

        A reading that does not rise is a repeat, however far it steps back,
        unless it can only be the first of a new series.
        """
        reached = cumulative[TOTAL] or 0
        if reached <= self.covered or not reached:
            return None
        if reached <= self.top:
            known = next((reading for reading in self.seen if reading.total == reached), None)
            if known is not None:
                return None if self._repeats(known, cumulative, last) else "usage_conflict"
            if not self._restarts(reached, last):
                return None
            self.series, self.first, self.top, self.before, self.seen = self.series + 1, -1, -1, None, []
        own = None if last is None or _is_estimate(last) else last
        found = None if self.base_due else own or _difference(cumulative, self.before)
        self._rise(reached, cumulative)
        self.seen = [*self.seen[1 - _REMEMBERED :], Seen(reached, cumulative, last)]
        return found

    def _rise(self, reached: int, cumulative: Buckets) -> None:
        self.first = reached if self.first < 0 else self.first
        self.top, self.before = reached, cumulative
        self.base_due = self.summarised = False

    def _repeats(self, known: Seen, cumulative: Buckets, last: Buckets | None) -> bool:
        """After a compaction the last usage is an estimate of the new context."""
        if cumulative != known.cumulative:
            return False
        return self.summarised or last is None or known.last is None or last == known.last

    def _restarts(self, reached: int, last: Buckets | None) -> bool:
        if reached == self.first:
            return False
        return reached < self.first or (last is not None and last[TOTAL] == reached)


def _is_estimate(last: Buckets) -> bool:
    """Whether a last usage is the size of a new context, as after a compaction: its parts do not make its total."""
    whole = total(last[_INPUT], last[_OUTPUT])
    return whole is not None and last[TOTAL] != whole


def _difference(cumulative: Buckets, before: Buckets | None) -> Buckets:
    """What came on top; a counter that went down is unknown."""
    if before is None:
        return cumulative
    return tuple(
        now - then if now is not None and then is not None and now >= then else None
        for now, then in zip(cumulative, before, strict=True)
    )
