"""Sync: find every source, import what is new, settle, say what happened."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from msgspec import Struct

from observer.adapters.protocol import Adapter
from observer.adapters.registry import HARNESSES, adapter
from observer.base.clock import now_ms
from observer.base.errors import SourceMissing
from observer.importing import parallel, source
from observer.importing.source import Importer, Job, Result
from observer.ledger import cursors
from observer.ledger.cursors import Known
from observer.ledger.lock import Turn
from observer.ledger.open import Writer, writer
from observer.ledger.settle import settle
from observer.records.source import SourceFile


class Failure(Struct, frozen=True):
    """A source that could not be imported, and why."""

    path: str
    error: str


class Imported(Struct):
    """What a sync did for one harness (counts of rows that are new)."""

    harness: str
    sources: int = 0
    unchanged: int = 0
    gone: int = 0
    responses_inserted: int = 0
    submissions_inserted: int = 0
    events_inserted: int = 0
    malformed: int = 0
    failed: list[Failure] = []

    def add(self, result: Result) -> None:
        """Counts one source's result in."""
        self.responses_inserted += result.inserted.responses
        self.submissions_inserted += result.inserted.submissions
        self.events_inserted += result.inserted.events
        self.malformed += result.inserted.faults
        if result.error is not None:
            self.failed.append(Failure(result.path, result.error))


class Request(Struct, frozen=True):
    """What to import. Empty `harnesses`: all. `roots` and `only` replace the
    usual places; `full` reads everything from its beginning.
    """

    harnesses: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
    only: Path | None = None
    full: bool = False


Progress = Callable[[int, int], None]


def sync(
    ledger: Path, request: Request, *, environment: Mapping[str, str], home: Path, progress: Progress
) -> list[Imported]:
    """Imports everything new; one answer per harness.

    `progress` gets (sources done, sources to read). A source that fails is
    reported and the others go on. SourceMissing when a named root or source
    does not exist.
    """
    answers = {harness: Imported(harness) for harness in request.harnesses or HARNESSES}
    found = {harness: _found(adapter(harness), request, environment, home) for harness in answers}
    jobs: list[Job] = []
    with writer(ledger) as connection:
        turn = Turn(ledger)
        for harness, files in found.items():
            jobs.extend(_planned(connection, turn, answers[harness], files, request))
        turn.close()
    jobs.sort(key=lambda job: job.cursor.offset - job.size)  # the longest first: all end at about the same time
    work = _work(ledger)
    for result in parallel.run(jobs, work, lambda done: progress(done, len(jobs))):
        answers[result.harness].add(result)
    with writer(ledger) as connection:
        turn = Turn(ledger)
        with turn:
            settle(connection)
        turn.close()
    return list(answers.values())


def _found(reader: Adapter, request: Request, environment: Mapping[str, str], home: Path) -> list[SourceFile]:
    """The harness's files, each once however it was reached."""
    if request.only is not None:
        if not request.only.is_file():
            raise SourceMissing(f"no such source: {request.only}")
        path = request.only.resolve()
        return [SourceFile(reader.harness, str(path), path.suffix == ".zst")]
    roots = request.roots or tuple(reader.roots(environment, home))
    for root in request.roots:
        if not root.is_dir():
            raise SourceMissing(f"no such root: {root}")
    files = {file.path: file for root in roots for file in reader.discover(root)}
    return [files[path] for path in sorted(files)]


def _planned(
    connection: Writer, turn: Turn, answer: Imported, files: Sequence[SourceFile], request: Request
) -> Iterator[Job]:
    """The jobs of one harness; counts what is unchanged, gone or unreadable."""
    reader = adapter(answer.harness)
    known = cursors.known(connection, answer.harness)
    answer.sources = len(files)
    for file in files:
        try:
            job = source.plan(file, reader, known.get(file.path), full=request.full)
        except OSError as error:
            answer.add(source.failed(connection, turn, file, error, category="source_unreadable"))
            continue
        if job is None:
            answer.unchanged += 1
        else:
            yield job
    if request.only is None and not request.roots:
        answer.gone = _gone(connection, turn, known, {file.path for file in files})


def _gone(connection: Writer, turn: Turn, known: Mapping[str, Known], present: set[str]) -> int:
    """Marks sources whose files have vanished, and those that are back; how many are missing in all."""
    missing = [each for path, each in known.items() if path not in present and not Path(path).exists()]
    fresh = [each.source_id for each in missing if each.gone_ms is None]
    back = [each.source_id for path, each in known.items() if path in present and each.gone_ms is not None]
    for sources, at_ms in ((fresh, now_ms()), (back, None)):
        if sources:
            with turn:
                cursors.mark_gone(connection, sources, at_ms)
    return len(missing)


def _work(ledger: Path) -> parallel.Work:
    """What each process does with the sources it takes."""

    def work(jobs: Sequence[Job], numbers: Iterator[int]) -> list[tuple[int, Result]]:
        first = next(numbers, None)
        if first is None:
            return []
        with writer(ledger) as connection:
            turn = Turn(ledger)
            importer = Importer(connection, turn)
            for number in chain((first,), numbers):
                job = jobs[number]
                importer.take(number, adapter(job.file.harness), job)
            results = importer.finish()
            turn.close()
        return results

    return work
