"""One source: read from where we stopped, adapt, screen, write, all or nothing.

Decides between resuming, reading anew and leaving alone; knows no harness.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from observer.adapters.protocol import Adapter, Reader, Store
from observer.base.clock import now_ms
from observer.importing import replay
from observer.ledger import instructions, write
from observer.ledger.cursors import Known
from observer.ledger.lock import Turn
from observer.ledger.open import Writer, transaction
from observer.native import jsonl
from observer.native.decode import Lines, decode
from observer.native.sqlite_ro import StoreError
from observer.privacy import version
from observer.privacy.credentials import redact
from observer.privacy.screen import screen
from observer.records.identity import Release
from observer.records.source import Batch, Category, Cursor, Quarantine, RawBatch, SourceFile

_START = Cursor(0, "", 0, b"")
# So many rows are kept in memory before they are written (about 10 MB).
_MOST_ROWS = 4000
# So much of a file is kept as one batch until what its lines are judged by is there.
_MOST_AHEAD_BYTES = 8 << 20
# A record that our own code stumbles over costs its source, not the sync.
_STUMBLES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, msgspec.MsgspecError)


class Job(Struct, frozen=True):
    """One source to read, from `cursor` on.

    `stale`: it was read under other versions; `intact`: it still begins with
    what was read then.
    """

    file: SourceFile
    cursor: Cursor
    size: int
    mtime_ns: int
    stale: bool = False
    intact: bool = False


class Result(Struct, frozen=True):
    """What came of one job. `error` is set when the source could not be read."""

    harness: str
    path: str
    inserted: write.Inserted
    error: str | None = None
    replayed: bool = False


def plan(file: SourceFile, adapter: Reader, known: Known | None, *, full: bool) -> Job | None:
    """What is to be done for a file or unit; None: nothing, it is unchanged.

    Everything before the offset is trusted only as far as the hash of the last
    4096 bytes proves it; otherwise the file is read from its beginning.
    OSError when it cannot be examined.
    """
    size, mtime_ns = jsonl.size(file.path) if file.fingerprint is None else (0, 0)
    again = Job(file, _START, size, mtime_ns)
    if known is None:
        return again
    if replay.is_stale(known, adapter.version, version.PRIVACY_VERSION):
        intact = file.fingerprint is None and known.cursor.offset > 0 and _is_intact(file, known, size)
        return Job(file, _START, size, mtime_ns, stale=True, intact=intact)
    if full or known.privacy_version == 0:
        return again
    if file.fingerprint is not None:
        return None if known.cursor.tail_hash == file.fingerprint and not known.failed else again
    if not _is_intact(file, known, size):
        return again
    offset = known.cursor.offset
    if size == known.size and (offset == size or mtime_ns == known.mtime_ns) and not known.failed:
        return None
    return again if file.compressed else Job(file, known.cursor, size, mtime_ns)


def _is_intact(file: SourceFile, known: Known, size: int) -> bool:
    """Whether the bytes before the offset are those that were read, as far as their tail tells."""
    offset = known.cursor.offset
    return size >= offset and jsonl.tail_hash(file.path, offset) == known.cursor.tail_hash


class Importer:
    """Imports sources one after another on one connection.

    Several small sources share a transaction, because a commit writes every
    page it touched; a large one has its own and is written while it is read.
    Either way a source is in the ledger as a whole, cursor included, or not at
    all. Results are complete after `finish`.
    """

    def __init__(self, connection: Writer, turn: Turn) -> None:
        self._connection, self._turn = connection, turn
        self._releases = instructions.releases(connection)
        self._replayed = replay.under_way(connection)
        self._read: list[tuple[int, _Reading | _Unit, list[Batch]]] = []
        self._rows = 0
        self._results: list[tuple[int, Result]] = []

    def take(self, number: int, adapter: Reader, job: Job) -> None:
        """Imports one source. One that cannot be read is a result, not an exception."""
        try:
            retold = job.file.harness in self._replayed
            if isinstance(adapter, Store):
                self._import(number, _Unit(adapter, job, self._releases, retold=retold))
            else:
                self._import(number, _Reading(adapter, job, self._releases, retold=retold))
        except (OSError, EOFError, StoreError, jsonl.damaged()) as error:
            self._fail(number, job, error, category="source_unreadable")
        except _STUMBLES as error:
            self._fail(number, job, error, category="import_error")

    def finish(self) -> list[tuple[int, Result]]:
        """Writes what is still in memory; the results by number."""
        self._flush()
        return self._results

    def _import(self, number: int, reading: "_Reading | _Unit") -> None:
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

    def _alone(self, number: int, reading: "_Reading | _Unit", batches: list[Batch]) -> None:
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
    words = str(error) if isinstance(error, StoreError) else f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.strerror:
        words = error.strerror
    return Result(file.harness, file.path, write.Inserted(), words)


def readable(connection: Writer, turn: Turn, source_id: int) -> None:
    """A store that once could not be looked into and now can has no fault of its own; its units have theirs."""
    with turn, transaction(connection):
        write.forget_faults(connection, source_id)


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
    return msgspec.json.Decoder(adapter.reader.line)


class _Reading:
    """The batches of one source, and where reading them has led to."""

    def __init__(self, adapter: Adapter, job: Job, releases: Sequence[Release], *, retold: bool) -> None:
        self._releases, self._retold = releases, retold
        self._adapter, self._reader, self.job = adapter, adapter.reader, job
        self._offset, self._ordinal = job.cursor.offset, job.cursor.ordinal
        kept = job.cursor.context
        self._context: Any = (
            msgspec.json.decode(kept, type=self._reader.context) if kept else self._reader.start(job.file)
        )
        self._reached: Cursor | None = None
        self._early: Lines | None = None

    def batches(self) -> Iterator[Batch]:
        """Screened batches in file order; stops before a last line without newline."""
        file = self.job.file
        early: RawBatch | None = None
        with jsonl.open_source(file.path, compressed=file.compressed) as stream:
            if self._offset:
                stream.seek(self._offset)
            for chunk in jsonl.chunks(stream, self._offset):
                lines = decode(chunk.data, _decoder(self._adapter), first=self._ordinal)
                self._offset, self._ordinal = chunk.end, self._ordinal + len(lines.records)
                if self._early is not None:
                    lines = self._early.followed_by(lines)
                batch = self._reader.read(lines, self._context)
                if self._is_early():
                    self._early, early = lines, batch
                    self._context = self._reader.start(file)
                else:
                    self._early = early = None
                    yield screen(batch, self._releases)
        if early is not None:
            yield screen(early, self._releases)

    def _is_early(self) -> bool:
        """Whether what the lines are judged by may still come: they are read again together with the next ones."""
        ready = self._reader.ready
        if ready is None or self.job.cursor.offset or self._offset > _MOST_AHEAD_BYTES:
            return False
        return not ready(self._context)

    def end(self) -> Cursor:
        """The cursor after the last batch; a compressed file is always read whole.

        A context goes past the screen. One that holds a secret is not kept,
        and the file is read from its beginning whenever it has changed; so is
        one whose lines may be judged otherwise when it has grown.
        """
        if self._reached is None:
            file = self.job.file
            if self._early is not None or _holds_secret(msgspec.to_builtins(self._context)):
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
        part = _part(connection, source_id, self.job, withdraws=self.job.stale) if self._retold else None
        for content in batches:
            inserted.add(write.batch(connection, source_id, content, retelling=part.retelling if part else None))
        if part is not None:
            part.end(inserted)
        write.cursor(connection, source_id, self.end(), _state(self.job, self._adapter))
        return Result(file.harness, file.path, inserted, replayed=self.job.stale)


class _Unit:
    """One unit of a store, read as a whole; what it says replaces what it said before."""

    def __init__(self, store: Store, job: Job, releases: Sequence[Release], *, retold: bool) -> None:
        self._store, self.job, self._releases, self._retold = store, job, releases, retold

    def batches(self) -> Iterator[Batch]:
        """The one batch."""
        yield screen(self._store.reader(self.job.file), self._releases)

    def end(self) -> Cursor:
        """The unit as it was discovered: what changed since then is read next time."""
        return Cursor(0, self.job.file.fingerprint or "", 0, b"")

    def write(self, connection: Writer, batches: Iterable[Batch]) -> Result:
        """Writes everything of this unit, inside the caller's transaction."""
        file, inserted = self.job.file, write.Inserted()
        source_id = write.source(connection, file)
        write.forget_faults(connection, source_id)
        part = _part(connection, source_id, self.job, withdraws=False) if self._retold else None
        for content in batches:
            retelling = part.retelling if part else None
            inserted.add(write.batch(connection, source_id, content, mutable=True, retelling=retelling))
        if part is not None:
            part.end(inserted)
        write.cursor(connection, source_id, self.end(), _state(self.job, self._store))
        return Result(file.harness, file.path, inserted, replayed=self.job.stale)


def _state(job: Job, adapter: Reader) -> write.ReadState:
    return write.ReadState(job.size, job.mtime_ns, adapter.version, version.PRIVACY_VERSION, now_ms())


def _part(connection: Writer, source_id: int, job: Job, *, withdraws: bool) -> replay.Part:
    return replay.Part(connection, source_id, withdraws=withdraws, intact=job.intact)
