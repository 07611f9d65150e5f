"""What an adapter is: a description the import engine can drive.

The engine owns resume, dedupe, conflicts, replay, quarantine and privacy,
once for all harnesses. An adapter only turns decoded lines into a RawBatch.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from observer.native.decode import Lines
from observer.records.source import RawBatch, SourceFile, Unreadable

Discovered = SourceFile | Unreadable


class LineReader(Struct, frozen=True):
    """How the lines of one harness are read.

    `line` is the typed line (a tagged union of Structs) for the decoder.
    `context` is a Struct that holds all that must be remembered between two
    batches of one file; it is stored as JSON with the cursor, so it must stay
    small. `start` makes the context at byte 0 of a source. `read` may change
    the context and nothing else: it does no I/O. `ready` says whether a context
    has seen what lines are judged by (None: it always has): until then all
    lines of the file are read as one batch, and from the beginning when it
    grows.
    """

    line: Any
    context: type[Struct]
    start: Callable[[SourceFile], Struct]
    read: Callable[[Lines, Any], RawBatch]
    ready: Callable[[Any], bool] | None = None


class Adapter(Struct, frozen=True):
    """One harness that writes line files.

    `version` rises when the same bytes would give other records: sources read
    under another version are read again. `roots` lists the places this user's
    records lie in, from the environment and the home directory; `discover`
    lists the files below a root, which may be the agent's home or its sessions
    folder. How they are read is the READER of the harness's module `read`.
    """

    harness: str
    version: int
    roots: Callable[[Mapping[str, str], Path], list[Path]]
    discover: Callable[[Path], Iterable[Discovered]]

    @property
    def reader(self) -> LineReader:
        """How its lines are read; loaded only now, for a harness without sources never."""
        reader: LineReader = load(self.harness).READER
        return reader


class Store(Struct, frozen=True):
    """One harness that keeps sessions in a database or a folder of documents.

    Its records change in place, so a unit is always read as a whole and what
    it says replaces what it said before. `discover` lists the units below a
    root with their fingerprints, opening foreign files read-only, through
    observer.native alone. `homes` lists the homes of other agents that lie
    beside a unit, given its path, and are imported with it: (harness, root).
    """

    harness: str
    version: int
    roots: Callable[[Mapping[str, str], Path], list[Path]]
    discover: Callable[[Path], Iterable[Discovered]]
    homes: Callable[[str], Iterable[tuple[str, Path]]] | None = None

    @property
    def reader(self) -> Callable[[SourceFile], RawBatch]:
        """`read` of the harness's module of that name, loaded only now: one unit's records.

        It raises OSError or observer.native.sqlite_ro.StoreError when the unit
        cannot be read.
        """
        read: Callable[[SourceFile], RawBatch] = load(self.harness).read
        return read


Reader = Adapter | Store


def load(harness: str) -> Any:
    """The module that reads a harness's records, loaded now if it was not yet."""
    return importlib.import_module(f"observer.adapters.{harness}.read")
