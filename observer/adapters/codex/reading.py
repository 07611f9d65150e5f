"""One batch in the making: where the pass through the lines stands, and what came of it so far.

Keeps place, time and order; decides nothing about what a line means.
"""

from typing import Any

from msgspec import structs

from observer.adapters.codex.paths import HARNESS
from observer.adapters.codex.shapes import Identity
from observer.adapters.codex.thread import Context, session_key
from observer.base.clock import iso, parse_instant
from observer.native.decode import Lines, faults
from observer.records.session import Session
from observer.records.source import Category, Quarantine, RawBatch
from observer.records.spot import Spot

# Where usage stands in a line; a wrong value there is a fault of its own category.
RECORD_USAGE = ("$.payload.usage", "$.payload.turn_token_usage", "$.payload.thread_token_usage")
COUNT_USAGE = ("$.payload.info",)
# Keys that every line has; a fault tells no more of a line that could be read.
_KEYS = ("payload", "timestamp", "type")


class Reading:
    """The lines of one batch, the context before them, and the batch.

    `described` is the session as its metadata, if in this batch, describes it.
    """

    def __init__(self, lines: Lines, context: Context) -> None:
        self.lines, self.context = lines, context
        self.batch = RawBatch()
        self.described: Session | None = None
        self.ordinal = lines.first
        self._stamp: str | None = None
        self._parsed: tuple[str | None, int | None] = (None, None)
        self._first: str | None = None
        self._last: str | None = None
        if not context.known:
            # A message may stand before the metadata that says whose it is (behaviour §3.4).
            ahead = (line.payload for line in lines.records if line is not None)
            identity = next((payload for payload in ahead if isinstance(payload, Identity)), None)
            if identity is not None:
                context.identify(identity)
        self.key = session_key(context.thread)

    def move(self, index: int, line: Any) -> None:
        """Goes to the line `index` of the batch."""
        self.ordinal = self.lines.first + index
        stamp = line.timestamp
        if stamp is not None and not isinstance(stamp, str):
            stamp = iso(parse_instant(stamp))
        self._stamp = stamp
        if stamp is not None:
            if self._first is None or stamp < self._first:
                self._first = stamp
            if self._last is None or stamp > self._last:
                self._last = stamp
        if self.context.copy is not None:
            self.context.see(self.context.copy, line.payload, self.at_ms)

    @property
    def at_ms(self) -> int | None:
        """The time of the line."""
        if self._stamp != self._parsed[0]:
            self._parsed = (self._stamp, parse_instant(self._stamp))
        return self._parsed[1]

    def spot(self, turn: str | None = None) -> Spot:
        """The place of the line, in the turn it names itself or else in the current one."""
        return Spot(self.key, self.ordinal, self.at_ms, turn or self.context.turn)

    def fault(self, category: Category) -> None:
        """Files that the line could not be used."""
        self.batch.faults.append(Quarantine(self.ordinal, category, _KEYS))

    def malformed(self, places: tuple[str, ...]) -> bool:
        """Whether a usage object of the line had wrong values, which a fault says already."""
        index = self.ordinal - self.lines.first
        return index in self.lines.odd and any(self.lines.has_fault(index, place) for place in places)

    def finish(self) -> RawBatch:
        """The batch, with its session and the faults of all its lines, one for each."""
        batch, context = self.batch, self.context
        if self._first is not None or self.described is not None:
            started_ms, ended_ms = (parse_instant(stamp) for stamp in (self._first, self._last))
            own = structs.replace(
                self.described or Session(self.key, HARNESS, context.thread),
                parent=session_key(context.parent) if context.parent else None,
                role=context.role,
                started_ms=started_ms,
                ended_ms=ended_ms,
            )
            batch.sessions.insert(0, own)
        named = {fault.ordinal for fault in batch.faults}
        decoded = faults(self.lines, usage=(*RECORD_USAGE, *COUNT_USAGE))
        batch.faults = [*(fault for fault in decoded if fault.ordinal not in named), *batch.faults]
        return batch
