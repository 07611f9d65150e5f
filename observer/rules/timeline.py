"""What came into force when, told in any order; and what was in force at an instant."""

from bisect import bisect_right, insort_right
from operator import itemgetter


class Timeline:
    """Instants (ms) and the words that hold from then on; of two at one instant the later told."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, str]] = []

    def add(self, at_ms: int, word: str) -> None:
        """From that instant on the word holds."""
        insort_right(self._entries, (at_ms, word), key=itemgetter(0))

    def at(self, at_ms: int | None, *, since_ms: int | None) -> str | None:
        """The latest word by an instant, if it holds since `since_ms` or later (None: whenever).

        None before the first word, and for an unknown instant.
        """
        past = 0 if at_ms is None else bisect_right(self._entries, at_ms, key=itemgetter(0))
        if not past or (since_ms is not None and self._entries[past - 1][0] < since_ms):
            return None
        return self._entries[past - 1][1]
