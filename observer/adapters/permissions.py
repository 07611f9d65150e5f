"""Questions to a person, and their answers, where neither names the call it is about.

An answer belongs to the oldest open question about the same tool. Decides
nothing about what an answer means.
"""

from msgspec import structs

from observer.records.event import RawEvent
from observer.records.spot import Spot


class Questions:
    """The questions of one session in order, each an event of its own."""

    def __init__(self) -> None:
        self.events: list[RawEvent] = []
        self._open: dict[str | None, list[int]] = {}

    def asked(self, spot: Spot, name: str | None) -> None:
        """Somebody is asked whether that tool may be used."""
        self._open.setdefault(name, []).append(len(self.events))
        self._add(spot, name, "requested")

    def answered(self, spot: Spot, name: str | None, *, status: str | None, wait_ms: int | None) -> None:
        """The answer, which may come without a question."""
        waiting = self._open.get(name)
        place = waiting.pop(0) if waiting else len(self.events)
        if place == len(self.events):
            self._add(spot, name, status)
        self.events[place] = structs.replace(self.events[place], status=status, duration_ms=wait_ms)

    def _add(self, spot: Spot, name: str | None, status: str | None) -> None:
        native_id = f"permission:{len(self.events)}"
        self.events.append(
            RawEvent(spot.session, "permission", native_id, spot.ordinal, spot.at_ms, spot.turn, name, status=status)
        )
