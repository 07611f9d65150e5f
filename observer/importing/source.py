"""One source: read from where we stopped, adapt, screen, write, all or nothing.

Decides between resuming, reading anew and leaving alone; knows no harness.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from observer.adapters.protocol import Adapter
from observer.base.clock import now_ms
from observer.ledger import write
from observer.ledger.cursors import Known
from observer.ledger.lock import Turn
from observer.ledger.open import Writer, transaction
from observer.native import jsonl
from observer.native.decode import decode
from observer.privacy.credentials import redact
from observer.privacy.screen import screen
from observer.privacy.version import PRIVACY_VERSION
from observer.records.source import Batch, Category, Cursor, Quarantine, SourceFile

_START = Cursor(0, "", 0, b"")
# So many rows are kept in memory before they are written (about 10 MB).
_MOST_ROWS = 4000
# A record that our own code stumbles over costs its source, not the sync.
_STUMBLES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, msgspec.MsgspecError)


class Job(Struct, frozen=True):
    """One source to read, from `cursor` on."""

    file: SourceFile
    cursor: Cursor
    size: int
    mtime_ns: int


class Result(Struct, frozen=True):
    """What came of one job. `error` is set when the source could not be read."""

    harness: str
    path: str
    inserted: write.Inserted
    error: str | None = None


def plan(file: SourceFile, adapter: Adapter, known: Known | None, *, full: bool) -> Job | None:
    """What is to be done for a file; None: nothing, it is unchanged.

    Everything before the offset is trusted only as far as the hash of the last
    4096 bytes proves it; otherwise the file is read from its beginning.
    OSError when it cannot be examined.
    """
    size, mtime_ns = jsonl.size(file.path)
    again = Job(file, _START, size, mtime_ns)
    if known is None or full:
        return again
    if (known.adapter_version, known.privacy_version) != (adapter.version, PRIVACY_VERSION):
        return again
    offset = known.cursor.offset
    if size < offset or jsonl.tail_hash(file.path, offset) != known.cursor.tail_hash:
        return again
    if size == known.size and (offset == size or mtime_ns == known.mtime_ns):
        return None
    return again if file.compressed else Job(file, known.cursor, size, mtime_ns)


class Importer:
    """Imports sources one after another on one connection.

    Several small sources share a transaction, because a commit writes every
    page it touched; a large one has its own and is written while it is read.
    Either way a source is in the ledger as a whole, cursor included, or not at
    all. Results are complete after `finish`.
    """

    def __init__(self, connection: Writer, turn: Turn) -> None:
        self._connection, self._turn = connection, turn
        self._read: list[tuple[int, _Reading, list[Batch]]] = []
        self._rows = 0
        self._results: list[tuple[int, Result]] = []

    def take(self, number: int, adapter: Adapter, job: Job) -> None:
        """Imports one source. One that cannot be read is a result, not an exception."""
        try:
            self._import(number, _Reading(adapter, job))
        except (OSError, EOFError, jsonl.damaged()) as error:
            self._fail(number, job, error, category="source_unreadable")
        except _STUMBLES as error:
            self._fail(number, job, error, category="import_error")

    def finish(self) -> list[tuple[int, Result]]:
        """Writes what is still in memory; the results by number."""
        self._flush()
        return self._results

    def _import(self, number: int, reading: "_Reading") -> None:
        batches, collected = reading.batches(), []
        rows = 0
        for content in batches:
            collected.append(content)
            rows += _size(content)
            if rows > _MOST_ROWS:
                break
        else:
            reading.end()
            self._read.append((number, reading, collected))
            self._rows += rows
            if self._rows > _MOST_ROWS:
                self._flush()
            return
        self._flush()
        with self._turn, transaction(self._connection):
            result = reading.write(self._connection, chain(collected, batches))
        self._results.append((number, result))

    def _flush(self) -> None:
        if not self._read:
            return
        group, self._read, self._rows = self._read, [], 0
        try:
            with self._turn, transaction(self._connection):
                results = [(number, reading.write(self._connection, batches)) for number, reading, batches in group]
        except _STUMBLES:
            for number, reading, batches in group:  # each by itself: the one at fault costs nobody else
                self._alone(number, reading, batches)
        else:
            self._results.extend(results)

    def _alone(self, number: int, reading: "_Reading", batches: list[Batch]) -> None:
        try:
            with self._turn, transaction(self._connection):
                result = reading.write(self._connection, batches)
        except _STUMBLES as error:
            self._fail(number, reading.job, error, category="import_error")
        else:
            self._results.append((number, result))

    def _fail(self, number: int, job: Job, error: Exception, *, category: Category) -> None:
        self._results.append((number, failed(self._connection, self._turn, job.file, error, category=category)))


def failed(connection: Writer, turn: Turn, file: SourceFile, error: Exception, *, category: Category) -> Result:
    """Files the failure as a fault of the source and says it in words."""
    with turn, transaction(connection):
        write.faults(connection, write.source(connection, file), [Quarantine(None, category)])
    words = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__}: {error}"
    return Result(file.harness, file.path, write.Inserted(), words)


def _size(content: Batch) -> int:
    return len(content.responses) + len(content.submissions) + len(content.events)


def _holds_secret(value: Any) -> bool:
    """Whether a secret stands in any text of a JSON-like value."""
    if isinstance(value, dict):
        return any(_holds_secret(name) or _holds_secret(each) for name, each in value.items())
    if isinstance(value, list | tuple):
        return any(map(_holds_secret, value))
    return isinstance(value, str) and redact(value) != value


@cache
def _decoder(adapter: Adapter) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(adapter.line)


class _Reading:
    """The batches of one source, and where reading them has led to."""

    def __init__(self, adapter: Adapter, job: Job) -> None:
        self._adapter, self.job = adapter, job
        self._offset, self._ordinal = job.cursor.offset, job.cursor.ordinal
        kept = job.cursor.context
        self._context: Any = msgspec.json.decode(kept, type=adapter.context) if kept else adapter.start(job.file)
        self._reached: Cursor | None = None

    def batches(self) -> Iterator[Batch]:
        """Screened batches in file order; stops before a last line without newline."""
        file = self.job.file
        with jsonl.open_source(file.path, compressed=file.compressed) as stream:
            if self._offset:
                stream.seek(self._offset)
            for chunk in jsonl.chunks(stream, self._offset):
                lines = decode(chunk.data, _decoder(self._adapter), first=self._ordinal)
                yield screen(self._adapter.read(lines, self._context))
                self._offset, self._ordinal = chunk.end, self._ordinal + len(lines.records)

    def end(self) -> Cursor:
        """The cursor after the last batch; a compressed file is always read whole.

        A context goes past the screen. One that holds a secret is not kept,
        and the file is read from its beginning whenever it has changed.
        """
        if self._reached is None:
            file = self.job.file
            if _holds_secret(msgspec.to_builtins(self._context)):
                self._reached = Cursor(0, jsonl.tail_hash(file.path, 0), 0, b"")
            else:
                offset = self.job.size if file.compressed else self._offset
                context = msgspec.json.encode(self._context)
                self._reached = Cursor(offset, jsonl.tail_hash(file.path, offset), self._ordinal, context)
        return self._reached

    def write(self, connection: Writer, batches: Iterable[Batch]) -> Result:
        """Writes everything of this source, inside the caller's transaction."""
        file, inserted = self.job.file, write.Inserted()
        source_id = write.source(connection, file)
        if not self.job.cursor.offset:
            write.forget_faults(connection, source_id)
        for content in batches:
            inserted.add(write.batch(connection, source_id, content))
        state = write.ReadState(self.job.size, self.job.mtime_ns, self._adapter.version, PRIVACY_VERSION, now_ms())
        write.cursor(connection, source_id, self.end(), state)
        return Result(file.harness, file.path, inserted)
