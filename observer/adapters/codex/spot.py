"""Where a line stands: what everything that is made of it repeats. Knows nothing of its content."""

from typing import Any

from msgspec import Struct

from observer.records.event import Family, RawEvent


class Spot(Struct, frozen=True, gc=False):
    """One line's session, ordinal, time and turn."""

    session: str
    ordinal: int
    at_ms: int | None
    turn: str | None

    def event(self, family: Family, native_id: str, **known: Any) -> RawEvent:
        """An event at this place; `known` are RawEvent's other fields."""
        return RawEvent(self.session, family, native_id, self.ordinal, self.at_ms, self.turn, **known)
