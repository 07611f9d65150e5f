"""Events: what happened in a session besides responses and submissions.

Families, statuses and detail keys are closed lists (behaviour §9).
"""

from typing import Literal

from msgspec import Struct

Family = Literal[
    "tool_call",
    "tool_result",
    "read",
    "skill_read",
    "skill_invoke",
    "file_change",
    "permission",
    "assistant_message",
    "compaction",
    "lifecycle",
]


class RawDetail(Struct, frozen=True, gc=False):
    """Everything an adapter may say about an event beyond its columns.

    What of it is kept depends on the family and is decided by the screen.
    `text` is an assistant message's full text, in memory only.
    """

    paths: tuple[str, ...] = ()
    path: str | None = None
    skill: str | None = None
    command: str | None = None
    exit_code: int | None = None
    start_line: int | None = None
    line_count: int | None = None
    text: str | None = None


class RawEvent(Struct, frozen=True, gc=False):
    """As the adapter reads it. `native_id` is unique per session and family.

    `target` is the full path or command, unredacted; `size_bytes` the UTF-8
    length of a tool result's text.
    """

    session: str
    family: Family
    native_id: str
    ordinal: int
    at_ms: int | None = None
    turn: str | None = None
    name: str | None = None
    target: str | None = None
    status: str | None = None
    duration_ms: int | None = None
    size_bytes: int | None = None
    truncated: bool = False
    detail: RawDetail | None = None


class Event(Struct, frozen=True, gc=False):
    """What is kept: redacted target, validated name, allow-listed detail (JSON text)."""

    session: str
    family: Family
    native_id: str
    ordinal: int
    at_ms: int | None
    turn: str | None
    name: str | None
    target: str | None
    status: str | None
    duration_ms: int | None
    size_bytes: int | None
    truncated: bool
    detail: str | None
