"""What an adapter is: a description the import engine can drive.

The engine owns resume, dedupe, conflicts, replay, quarantine and privacy,
once for all harnesses. An adapter only turns decoded lines into a RawBatch.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from observer.native.decode import Lines
from observer.records.source import RawBatch, SourceFile


class Adapter(Struct, frozen=True):
    """One harness.

    `version` rises when the same bytes would give other records: sources read
    under another version are read again. `line` is the typed line (a tagged
    union of Structs) for the decoder. `context` is a Struct that holds all
    that must be remembered between two batches of one file; it is stored as
    JSON with the cursor, so it must stay small. `start` makes the context at
    byte 0 of a source. `read` may change the context and nothing else: it
    does no I/O. `roots` lists the places this user's records lie in, from the
    environment and the home directory; `discover` lists the files below a
    root, which may be the agent's home or its sessions folder.
    """

    harness: str
    version: int
    line: Any
    context: type[Struct]
    roots: Callable[[Mapping[str, str], Path], list[Path]]
    discover: Callable[[Path], Iterable[SourceFile]]
    start: Callable[[SourceFile], Struct]
    read: Callable[[Lines, Any], RawBatch]
