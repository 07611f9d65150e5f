"""Tally: sums of counters that never cross semantics, and know what is missing.

The inventory of this program: semantics are its currencies. Merging is
associative and commutative; there is no sum over several semantics.
"""

from collections.abc import Iterable

from msgspec import Struct

from observer.records.usage import COUNTERS, UNKNOWN
from observer.records.valuation import UsageGroup


class Sums(Struct):
    """Counters of one semantics: known sums, and how many responses are unknown per counter."""

    responses: int = 0
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}

    def add(self, group: UsageGroup) -> None:
        """Adds one group of responses."""
        self.responses += group.responses
        for name in COUNTERS:
            if group.shape & UNKNOWN[name]:
                self.unknown[name] = self.unknown.get(name, 0) + group.responses
            else:
                self.known[name] = self.known.get(name, 0) + (getattr(group.usage, name) or 0)

    def value(self, name: str) -> int | None:
        """The known sum of a counter (a lower bound where `unknown` has it); None: nothing known."""
        return self.known.get(name)


def tally(groups: Iterable[UsageGroup]) -> dict[str, Sums]:
    """Sums per semantics label."""
    found: dict[str, Sums] = {}
    for group in groups:
        found.setdefault(group.semantics, Sums()).add(group)
    return found
