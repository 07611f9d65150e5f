"""Sessions and turns, as far as one source shows them.

Upserts only fill what is unknown, keep the earliest start and the latest end
(behaviour §1.2), so facts may arrive in any order.
"""

from typing import Literal

from msgspec import Struct

Role = Literal["main", "subagent"]
TurnState = Literal["active", "complete", "cancelled", "failed"]


class Session(Struct, frozen=True, gc=False):
    """What one source says of a session. `key` is `harness:native id`.

    `copied_until_ms`: everything in this session at or before that instant is
    a copy of another session's history and counts there, not here.
    `started_ms` and `ended_ms` are the earliest and latest record times seen.
    """

    key: str
    harness: str
    native_id: str
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


class Turn(Struct, frozen=True, gc=False):
    """One turn of a session; `id` is the native turn id."""

    session: str
    id: str
    started_ms: int | None = None
    ended_ms: int | None = None
    duration_ms: int | None = None
    state: TurnState | None = None
    model: str | None = None
    effort: str | None = None
