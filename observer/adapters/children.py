"""Subagents that the records of another session tell of: whose child each is, and the events of its life.

Knows no format; whoever reads says how the end of one is to be understood.
"""

from collections.abc import Callable
from typing import Any

from msgspec import structs

from observer.adapters.making import Making
from observer.records.session import Session


class Children:
    """The subagents of one session and its copies, by native ids. `plain` makes an id fit into a longer one."""

    def __init__(self, harness: str, plain: Callable[[str], str]) -> None:
        self._harness, self._plain = harness, plain
        self._spawned: dict[str, tuple[str, str | None]] = {}
        self.sessions: list[Session] = []

    def child(self, child: str, parent: str) -> None:
        """Notes that a session was started by another one, `parent` by its key."""
        key = self._key(child)
        if key != parent:
            native_id = self._plain(child)
            self.sessions.append(Session(key, self._harness, native_id, parent=parent, role="subagent"))

    def spawned(self, making: Making, child: str, parent: str | None, turn: str | None) -> None:
        """One began, in that turn of its parent (None: of the session at hand)."""
        key = self._key(parent) if parent else making.spot.session
        self._spawned[child] = (key, turn)
        self.child(child, key)
        self._event(making, child, "subagent_spawned", turn, status="started")

    def finished(self, making: Making, child: str, done: set[str], **known: Any) -> None:
        """One ended: in the turn that spawned it, unless that one is `done` or unknown."""
        _, turn = self._spawned.setdefault(child, (making.spot.session, None))
        within = None if turn is None or self._plain(turn) in done else turn
        self._event(making, child, "subagent_finished", within, **known)

    def _key(self, native: str) -> str:
        return f"{self._harness}:{self._plain(native)}"

    def _event(self, making: Making, child: str, name: str, turn: str | None, **known: Any) -> None:
        parent, within = self._spawned[child][0], self._plain(turn) if turn else None
        native_id = f"{name}:{self._plain(child)}:{within or ''}".rstrip(":")
        with making.at(structs.replace(making.spot, session=parent, turn=within)):
            making.event("lifecycle", native_id, name=name, target=self._key(child), **known)
