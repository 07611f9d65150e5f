"""The copy of another history that a session may begin with: where it ends, as times tell.

Never looks into a line; whoever reads says what kind it is.
"""

from msgspec import Struct

from observer.base.clock import uuid_instant

# Copied lines follow each other within 0–1 ms; the first own line came 8 ms later or more.
_GAP_MS = 6


class Copy(Struct):
    """The block at the head of a fork that repeats another session's history.

    `owner` is that session, None when it is itself a fork: then nobody can tell
    whose the lines are. `born_ms`: when the fork was made; `at_ms`: the line
    before; `opened_ms`: the last prompt since the block seemed to end.
    `dated`: copied turns carry their own time, so nothing else need tell.
    """

    owner: str | None
    born_ms: int | None
    at_ms: int | None
    inside: bool = True
    dated: bool = False
    opened_ms: int | None = None

    def see(self, at_ms: int | None, *, made_ms: int | None, can_open: bool, is_said: bool) -> bool:
        """Decides for one line whether it is copied; whether the block ended with it.

        `made_ms`: when the turn that it names was made, which proves it. Else
        the pause before the line does, if the line can begin a turn
        (`can_open`). `is_said`: it is a prompt, or a turn begins.
        """
        before = self.inside
        if made_ms is not None and self.born_ms is not None:
            self.inside = made_ms < self.born_ms
            self.dated = self.dated or self.inside
        elif self.inside and can_open and not self.dated and self.at_ms is not None and at_ms is not None:
            self.inside = at_ms - self.at_ms <= _GAP_MS
        if before and not self.inside:
            self.opened_ms = None
        if is_said:
            self.opened_ms = at_ms
        self.at_ms = at_ms if at_ms is not None else self.at_ms
        return before and not self.inside

    def is_hurried(self) -> bool:
        """Whether a response at this line has no own prompt before it, or came faster than any model answers."""
        if self.dated:
            return False
        return self.opened_ms is None or self.at_ms is None or self.at_ms - self.opened_ms <= _GAP_MS


class Thread(Struct):
    """What must be remembered of a thread that may begin with another one's history: the copy, and the running turn.

    `native`: turns have ids of their own, else they are counted (`turns`).
    `labelled` is the last turn whose model was told.
    """

    thread: str
    copy: Copy | None = None
    turn: str | None = None
    turns: int = 0
    native: bool = False
    labelled: str | None = None

    @property
    def copied(self) -> bool:
        """Whether the line at hand belongs to another thread."""
        return self.copy is not None and self.copy.inside

    @property
    def owner(self) -> str | None:
        """The thread the line at hand belongs to; None: it cannot be told."""
        return self.copy.owner if self.copy is not None and self.copy.inside else self.thread

    def enter(self, native_id: str | None) -> None:
        """A turn that is named goes on from here."""
        if native_id:
            self.turn, self.native = native_id, True

    def count_turn(self) -> bool:
        """A prompt begins a turn, where turns have no ids: it is named by its number. Whether it did."""
        if not self.native:
            self.turns += 1
            self.turn = f"{self.owner}:turn:{self.turns}"
        return not self.native

    def label(self, *, is_new: bool) -> bool:
        """Whether the running turn's model is still to be told, or to be told anew; now it is."""
        untold, self.labelled = is_new or self.labelled != self.turn, self.turn
        return untold

    def begin_copy(self, owner: str | None, at_ms: int | None) -> None:
        """A second thread is named: its history follows, or that of a third one."""
        if self.copy is None:
            self.copy = Copy(owner, uuid_instant(self.thread), at_ms)
        elif self.copy.inside and owner != self.copy.owner:
            self.copy.owner = None

    def follow(self, at_ms: int | None, *, turn: str | None, can_open: bool, is_said: bool) -> None:
        """Follows the copied block through one line (Copy.see); `turn` is the one that it names."""
        copy = self.copy
        if copy is None:
            return
        if copy.see(at_ms, made_ms=uuid_instant(turn), can_open=can_open, is_said=is_said):
            self.turn, self.turns, self.labelled = None, 0, None
        if copy.dated and not copy.inside:
            self.copy = None

    def answered(self) -> None:
        """A response rose a running total: too early, and the block goes on; else it is over."""
        if self.copy is not None and not self.copy.inside:
            if self.copy.is_hurried():
                self.copy.inside = True
            elif not self.copy.dated:
                self.copy = None
