"""Files of one thread each, whose lines run through turns and may begin with a copy of another thread's history.

Keeps place, time, the running turn and what responses are made with. Decides
nothing about what a line means.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from observer.adapters.making import Reading
from observer.adapters.seen import Stamps
from observer.native.decode import Lines
from observer.records.response import COPIED
from observer.records.session import Role, Session
from observer.records.source import RawBatch
from observer.records.spot import Spot
from observer.records.usage import TokenUsage
from observer.rules.copies import Thread

Handler = Callable[[Any, Any], None]


class ThreadContext(Thread):
    """A thread, and what its following responses are made with."""

    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    service_tier: str | None = None

    def choose(self, model: str | None, effort: str | None) -> bool:
        """The model and effort of what follows. Whether they are still to be told of the running turn, or anew."""
        before = (self.model, self.effort)
        if model is not None:
            self.model, self.effort = model, effort
        return self.label(is_new=before != (self.model, self.effort))


class ThreadReading(Reading):
    """The lines of one batch of a thread's file, each with a `payload` and a `timestamp`, and the context before them.

    `usage` and `keys`: see Reading.
    """

    def __init__(
        self, lines: Lines, context: ThreadContext, *, harness: str, usage: tuple[str, ...], keys: tuple[str, ...]
    ) -> None:
        super().__init__(lines, usage=usage, keys=keys)
        self.context, self.stamps, self.harness = context, Stamps(), harness

    def run(self, handlers: Mapping[type, Handler], see: Callable[[Any, int | None], None]) -> None:
        """Has each line handled by the type of its payload; `see` gets every payload while a copy may go on.

        A line's time is read only when something is made of it.
        """
        context, stamps, key = self.context, self.stamps, self.key_of(self.context.thread)
        for ordinal, line in enumerate(self.lines.records, self.lines.first):
            if line is None:
                continue
            stamps.see(line.timestamp)
            payload = line.payload
            handler = handlers.get(type(payload))
            if handler is None and context.copy is None:
                continue
            at_ms = stamps.now_ms
            if context.copy is not None:
                see(payload, at_ms)
            self.spot = Spot(key, ordinal, at_ms, context.turn)
            if handler is not None:
                handler(self, payload)

    def key_of(self, thread: str) -> str:
        """The key of a thread's session."""
        return f"{self.harness}:{thread}"

    def within(self, turn: str | None) -> None:
        """The line at hand belongs to the turn that it names."""
        if turn:
            self.spot = Spot(self.spot.session, self.spot.ordinal, self.spot.at_ms, turn)

    def own_turn(self, **known: Any) -> None:
        """What is known of the current turn; a copied turn is told by its own thread."""
        if not self.context.copied:
            self.turn(self.context.turn, **known)

    def respond(
        self, name: str, thread: str | None, usage: TokenUsage, *, semantics: str, origin: int, cumulative: int | None
    ) -> None:
        """Files a response, if it can be told whose it is.

        A copy was stamped anew, so when its original was made is unknown here.
        """
        context, spot = self.context, self.spot
        if thread is None:
            return
        if thread != context.thread:
            spot, origin = Spot(self.key_of(thread), spot.ordinal, None, spot.turn), COPIED
        response = spot.response(
            f"{self.harness}:{name}", semantics, usage, model=context.model, provider=context.provider,
            effort=context.effort, origin=origin, cumulative=cumulative, service_tier=context.service_tier,
        )  # fmt: skip
        self.batch.responses.append(response)

    def finish(self, described: Session | None, *, parent: str | None, role: Role | None) -> RawBatch:
        """The batch, with its session, as far as its metadata and times are in it, and one fault for each line."""
        span, thread = self.stamps.span, self.context.thread
        if span is not None or described is not None:
            first, last = span or (None, None)
            own = described or Session(self.key_of(thread), self.harness, thread)
            above = self.key_of(parent) if parent else None
            own = structs.replace(own, parent=above, role=role, started_ms=first, ended_ms=last)
            self.batch.sessions.insert(0, own)
        self.one_fault_each()
        return self.batch


def own(handle: Handler) -> Handler:
    """A handler of what only events are made of: a copy's are made from its original."""
    return lambda reading, payload: None if reading.context.copied else handle(reading, payload)
