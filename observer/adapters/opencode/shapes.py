"""Messages and parts, as far as anything is made of them.

A counter, a time, or a name that must be text makes a record odd when it is
something else; whatever may vary is `Any`. Never interprets.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from observer.records.usage import LARGEST

# 9999-12-31: what is beyond it is no time in milliseconds.
Instant = Annotated[int, Meta(ge=0, le=253_402_300_799_999)]
# Present as null is malformed, absent is unknown.
Count = Annotated[int, Meta(ge=0, le=LARGEST)] | UnsetType


class Times(Struct, frozen=True, gc=False):
    """`time` of a session, a message or a tool's state (milliseconds)."""

    created: Instant | None = None
    completed: Instant | None = None
    start: Instant | None = None
    end: Instant | None = None


class Cache(Struct, frozen=True, gc=False):
    """`tokens.cache`."""

    read: Count = UNSET
    write: Count = UNSET


class Tokens(Struct, frozen=True, gc=False):
    """`tokens` of an assistant message."""

    total: Count = UNSET
    input: Count = UNSET
    output: Count = UNSET
    reasoning: Count = UNSET
    cache: Cache = Cache()


class Message(Struct, frozen=True):
    """`data` of a message."""

    role: str = ""
    time: Times = Times()
    parent_id: str | None = field(default=None, name="parentID")
    model_id: str | None = field(default=None, name="modelID")
    provider_id: str | None = field(default=None, name="providerID")
    variant: str | None = None
    cost: int | float | None = None
    tokens: Tokens | UnsetType = UNSET
    finish: Any = None
    error: Any = None


class Input(Struct, frozen=True, rename="camel"):
    """The arguments of a tool that say where or what it touched."""

    file_path: Any = None
    path: Any = None
    command: Any = None
    name: Any = None


class Display(Struct, frozen=True, rename="camel"):
    """Which lines of a file a reading tool returned."""

    line_start: Any = None
    line_end: Any = None


class Metadata(Struct, frozen=True):
    """What a tool tells of its result."""

    exit: Any = UNSET
    truncated: Any = None
    display: Display | str | float | bool | list[Any] | None = None
    dir: Any = None
    files: Any = None


class State(Struct, frozen=True):
    """How far a tool call has come."""

    status: str | None = None
    input: Input | None = None
    output: Any = None
    error: Any = None
    metadata: Metadata | None = None
    time: Times = Times()


class Part(Struct, frozen=True):
    """`data` of a part of any type."""

    type: Any = None
    text: Any = None
    synthetic: Any = False
    call_id: Any = field(default=None, name="callID")
    tool: Any = None
    state: State | None = None
    files: Any = None
    auto: Any = None


class Head(Struct, frozen=True):
    """What a session says of itself, column or JSON file; never its title."""

    parent_id: str | None = field(default=None, name="parentID")
    directory: str | None = None
    version: str | None = None
    time: Times = Times()
    compacting: Instant | None = None
