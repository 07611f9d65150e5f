"""Sources, cursors, faults, and the two batches on either side of the screen."""

from typing import Literal

from msgspec import Struct

from observer.records.event import Event, RawEvent
from observer.records.identity import Instructions, RawInstructions
from observer.records.response import Response
from observer.records.router import RouterRecords
from observer.records.session import Session, Turn
from observer.records.submission import RawSubmission, Submission

Category = Literal[
    "malformed_json",
    "unknown_record",
    "schema_error",
    "missing_id",
    "malformed_usage",
    "usage_conflict",
    "source_unreadable",
    "unsupported_schema",
    "import_error",
]


class SourceFile(Struct, frozen=True):
    """One file of native records, or one unit of a store.

    `path` is real (symbolic links resolved). A unit, such as one session of a
    database, is named `path#unit` and has a `fingerprint` that changes
    whenever its content may have changed; a line file has none.
    """

    harness: str
    path: str
    compressed: bool = False
    fingerprint: str | None = None


class Unreadable(Struct, frozen=True):
    """A file, folder or store that discovery could not look into, and why in words."""

    harness: str
    path: str
    reason: str
    category: Category = "source_unreadable"


class Quarantine(Struct, frozen=True, gc=False):
    """A place in a source that could not be used: where and why, never a value.

    `ordinal` counts the non-blank lines from 0; `keys` are the record's
    top-level key names.
    """

    ordinal: int | None
    category: Category
    keys: tuple[str, ...] = ()


class RawBatch(Struct):
    """What an adapter makes of some lines; the only thing it returns.

    Holds full texts and lives in memory only. Lists are in file order.
    """

    sessions: list[Session] = []
    turns: list[Turn] = []
    responses: list[Response] = []
    submissions: list[RawSubmission] = []
    events: list[RawEvent] = []
    faults: list[Quarantine] = []
    router: RouterRecords | None = None
    instructions: list[RawInstructions] = []


class Batch(Struct, frozen=True):
    """The same after the privacy screen; the only thing the ledger accepts."""

    sessions: tuple[Session, ...]
    turns: tuple[Turn, ...]
    responses: tuple[Response, ...]
    submissions: tuple[Submission, ...]
    events: tuple[Event, ...]
    faults: tuple[Quarantine, ...]
    router: RouterRecords | None = None
    instructions: tuple[Instructions, ...] = ()


class Cursor(Struct, frozen=True):
    """How far a source has been read, and what the adapter must remember there.

    `tail_hash` is the SHA-256 of the up to 4096 bytes before `offset`;
    `ordinal` the number of non-blank lines before it; `context` the adapter's
    own state as JSON.
    """

    offset: int
    tail_hash: str
    ordinal: int
    context: bytes
