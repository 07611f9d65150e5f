"""A session as the lines of one batch show it, and what a batch must leave to the next one.

Fills in what is not known yet; decides nothing about whose a line is.
"""

from msgspec import Struct

from observer.base.clock import iso, parse_instant
from observer.records.session import Role, Session


class Seen(Struct, kw_only=True):
    """The first word of each kind holds; times are the earliest and the latest of its lines."""

    key: str
    parent: str | None = None
    role: Role | None = None
    project: str | None = None
    branch: str | None = None
    client_version: str | None = None
    entry_point: str | None = None
    forked_from: str | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    copied_until_ms: int | None = None

    def see(
        self, at_ms: int | None, project: str | None, branch: str | None, version: str | None, entry_point: str | None
    ) -> None:
        """A line of that time, and what it says; an empty text says nothing."""
        self.project = self.project or project or None
        self.branch = self.branch or branch or None
        self.client_version = self.client_version or version or None
        self.entry_point = self.entry_point or entry_point or None
        if at_ms is not None:
            if self.started_ms is None or at_ms < self.started_ms:
                self.started_ms = at_ms
            if self.ended_ms is None or at_ms > self.ended_ms:
                self.ended_ms = at_ms

    def at(self, *instants: int | None) -> None:
        """Something at these times, as far as they are known."""
        for at_ms in instants:
            if at_ms is not None:
                self.started_ms = at_ms if self.started_ms is None else min(at_ms, self.started_ms)
                self.ended_ms = at_ms if self.ended_ms is None else max(at_ms, self.ended_ms)

    def copied(self, origin: str, at_ms: int | None) -> None:
        """A line that was made in the session `origin`: everything up to it was copied."""
        if self.forked_from is None:
            self.forked_from = origin
        if at_ms is not None:
            self.copied_until_ms = max(at_ms, self.copied_until_ms or at_ms)

    def session(self) -> Session:
        """The record of it."""
        harness, _, native_id = self.key.partition(":")
        return Session(
            key=self.key,
            harness=harness,
            native_id=native_id,
            parent=self.parent,
            role=self.role,
            project=self.project,
            branch=self.branch,
            client_version=self.client_version,
            entry_point=self.entry_point,
            forked_from=self.forked_from,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms,
            copied_until_ms=self.copied_until_ms,
        )


class Stamps:
    """Recorded times of the lines of a file, earliest and latest; each is parsed only when it is asked for.

    ISO texts of one form are compared as texts; a number becomes such a text.
    """

    def __init__(self) -> None:
        self._first: str | None = None
        self._last: str | None = None
        self._now: str | None = None
        self._parsed: tuple[str | None, int | None] = (None, None)

    def see(self, stamp: object) -> None:
        """The next line's time."""
        if stamp is not None and not isinstance(stamp, str):
            stamp = iso(parse_instant(stamp))
        self._now = stamp
        if stamp is not None:
            if self._first is None or stamp < self._first:
                self._first = stamp
            if self._last is None or stamp > self._last:
                self._last = stamp

    @property
    def now_ms(self) -> int | None:
        """The time of the last line seen."""
        if self._now != self._parsed[0]:
            self._parsed = (self._now, parse_instant(self._now))
        return self._parsed[1]

    @property
    def span(self) -> tuple[int | None, int | None] | None:
        """The earliest and the latest time; None when no line had one."""
        return None if self._first is None else (parse_instant(self._first), parse_instant(self._last))
