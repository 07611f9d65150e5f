"""What health can say of one live session."""

from typing import Literal

from msgspec import Struct

from observer.live.agents import Host

Reason = Literal[
    "no-transcript", "child-session", "history-off", "not-persisted", "unregistered", "other-home", "nothing-recorded"
]
# Seen by sync; too young to tell; the system does not tell enough.
State = Literal["visible", "young", "unknown"]


class Finding(Struct, frozen=True):
    """A live session that leaves no records where they are looked for, why, and what to do about it."""

    host: Host
    pid: int
    cwd: str | None
    session: str | None
    kind: str | None
    reason: Reason
    problem: str
    fix: str


class Verdict(Struct, frozen=True):
    """One live session and what is to be said of it."""

    host: Host
    pid: int
    said: State | Finding
