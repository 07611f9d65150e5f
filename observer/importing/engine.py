"""Sync: find every source, import what is new, settle, say what happened."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

from msgspec import Struct

from observer.adapters.protocol import Discovered, Reader, Store, load
from observer.adapters.registry import HARNESSES, HOSTS, adapter
from observer.base.clock import now_ms
from observer.base.errors import SourceMissing
from observer.importing import parallel, replay, source, versions
from observer.importing.homes import add_homes
from observer.importing.source import Importer, Job, Result
from observer.ledger import cursors, instructions
from observer.ledger.cursors import Known
from observer.ledger.lock import Turn
from observer.ledger.open import Writer, writer
from observer.ledger.settle import settle
from observer.native.sqlite_ro import StoreError
from observer.privacy import version
from observer.records.source import SourceFile, Unreadable


class Failure(Struct, frozen=True):
    """A source that could not be imported, and why."""

    path: str
    error: str


class Imported(Struct):
    """What a sync did for one harness (counts of rows that are new).

    `replayed` sources were read again because of a new version; the rows
    `updated` say something else since then. `undecided` sessions may have run
    a release of the agent instructions that was not known when they were read.
    """

    harness: str
    sources: int = 0
    unchanged: int = 0
    gone: int = 0
    responses_inserted: int = 0
    submissions_inserted: int = 0
    events_inserted: int = 0
    malformed: int = 0
    replayed: int = 0
    submissions_updated: int = 0
    events_updated: int = 0
    undecided: int = 0
    failed: list[Failure] = []

    def add(self, result: Result) -> None:
        """Counts one source's result in."""
        self.responses_inserted += result.inserted.responses
        self.submissions_inserted += result.inserted.submissions
        self.events_inserted += result.inserted.events
        self.malformed += result.inserted.faults
        self.replayed += result.replayed
        self.submissions_updated += result.inserted.submissions_updated
        self.events_updated += result.inserted.events_updated
        if result.error is not None:
            self.failed.append(Failure(result.path, result.error))


class Request(Struct, frozen=True):
    """What to import. Empty `harnesses`: all. `roots` and `only` replace the
    usual places, `extra` (by harness) adds to them; `full` reads everything
    from its beginning; `agentsmd_repo` holds the releases of the agent
    instructions.
    """

    harnesses: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
    only: Path | None = None
    full: bool = False
    extra: Mapping[str, tuple[Path, ...]] = {}
    agentsmd_repo: Path | None = None


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
    found = _discovered(tuple(answers), request, environment, home)
    known = versions.releases(versions.repository(request.agentsmd_repo, environment, home))
    began_ms = now_ms()
    jobs: list[Job] = []
    with writer(ledger) as connection:
        turn = Turn(ledger)
        with turn:
            fresh = instructions.learn(connection, known)
        remembered = _remembered(connection, turn, answers, found, request)
        for harness, files in found.items():
            jobs.extend(_planned(connection, turn, answers[harness], files, remembered[harness], full=request.full))
        turn.close()
    jobs.sort(key=lambda job: job.cursor.offset - job.size)  # the longest first: all end at about the same time
    for harness in {job.file.harness for job in jobs}:
        load(harness)  # once, before there are children
    # Children first: SQLite must not be carried over a fork. From here on one connection stays open, so that what
    # all have written goes from the log into the ledger once, at the end.
    team = parallel.Team(jobs, _elsewhere(ledger))
    with writer(ledger) as connection, closing(Turn(ledger)) as turn:
        results = _imported(connection, turn, jobs, team.numbers(lambda done: progress(done, len(jobs))))
        results += team.results()
        lost = set(range(len(jobs))).difference(number for number, _ in results)
        results += _imported(connection, turn, jobs, iter(sorted(lost)))
        for _, result in results:
            answers[result.harness].add(result)
        replay.finish(connection, turn)
        with turn:
            settle(connection)
        for harness, sessions in instructions.undecided(connection, fresh, began_ms).items():
            if harness in answers:
                answers[harness].undecided = sessions
    return list(answers.values())


def _discovered(
    harnesses: Sequence[str], request: Request, environment: Mapping[str, str], home: Path
) -> dict[str, list[Discovered]]:
    """Every harness's sources. A host of other agents' homes is looked into for these, asked for or not."""
    found = {harness: _found(adapter(harness), request, environment, home) for harness in harnesses}
    if request.only is None:
        needed = [host for host, guests in HOSTS.items() if guests & found.keys()]
        absent = {host: _found(adapter(host), request, environment, home) for host in needed if host not in found}
        add_homes(found, {host: (found | absent)[host] for host in needed})
    return found


def _found(reader: Reader, request: Request, environment: Mapping[str, str], home: Path) -> list[Discovered]:
    """The harness's sources, each once however it was reached, and what could not be looked into."""
    if request.only is not None:
        return _only(reader, request.only)
    roots = request.roots or (*reader.roots(environment, home), *request.extra.get(reader.harness, ()))
    for root in request.roots:
        if not root.is_dir():
            raise SourceMissing(f"no such root: {root}")
    found = {each.path: each for root in roots for each in reader.discover(root)}
    return [found[path] for path in sorted(found)]


def _only(reader: Reader, path: Path) -> list[Discovered]:
    """The one source that was named; of a store, all units in that file."""
    if not path.exists():
        raise SourceMissing(f"no such source: {path}")
    path = path.resolve()
    if isinstance(reader, Store):
        return list(reader.discover(path))
    return [SourceFile(reader.harness, str(path), path.suffix == ".zst")]


def _remembered(
    connection: Writer,
    turn: Turn,
    answers: Mapping[str, Imported],
    found: Mapping[str, Sequence[Discovered]],
    request: Request,
) -> dict[str, dict[str, Known]]:
    """What the ledger knows of every source, after those that are gone are marked and replays have begun."""
    known = {harness: cursors.known(connection, harness) for harness in found}
    for harness, files in found.items():
        _mark_back(connection, turn, known[harness], files)
        if request.only is None and not request.roots:
            answers[harness].gone = _gone(connection, turn, known[harness], files)
    for harness, corrected in replay.correct(connection, turn, version.PRIVACY_VERSION).items():
        if harness in answers:
            answers[harness].submissions_updated += corrected.submissions
            answers[harness].events_updated += corrected.events
    for harness in found:
        known[harness] = replay.begin(connection, turn, harness, known[harness], version.PRIVACY_VERSION)
    return known


def _planned(
    connection: Writer,
    turn: Turn,
    answer: Imported,
    found: Sequence[Discovered],
    known: Mapping[str, Known],
    *,
    full: bool,
) -> Iterator[Job]:
    """The jobs of one harness; counts what is unchanged or unreadable."""
    reader = adapter(answer.harness)
    answer.sources = len(found)
    for each in found:
        if isinstance(each, Unreadable):
            file = SourceFile(each.harness, each.path)
            answer.add(source.failed(connection, turn, file, StoreError(each.reason), category=each.category))
            continue
        try:
            job = source.plan(each, reader, known.get(each.path), full=full)
        except OSError as error:
            answer.add(source.failed(connection, turn, each, error, category="source_unreadable"))
            continue
        if job is None:
            answer.unchanged += 1
        else:
            yield job
    opened = {each.path.rpartition("#")[0] for each in found if isinstance(each, SourceFile) and each.fingerprint}
    for path in opened & known.keys():
        source.readable(connection, turn, known[path].source_id)


def _gone(connection: Writer, turn: Turn, known: Mapping[str, Known], found: Sequence[Discovered]) -> int:
    """Marks sources whose files have vanished; how many are missing in all.

    A unit is gone when its store no longer lists it; of a store that could
    not be read nothing is known.
    """
    present = {each.path for each in found}
    shut = tuple(each.path for each in found if isinstance(each, Unreadable))
    missing = [
        each
        for path, each in known.items()
        if path not in present and not Path(path).exists() and not (shut and path.startswith(shut))
    ]
    fresh = [each.source_id for each in missing if each.gone_ms is None]
    if fresh:
        with turn:
            cursors.mark_gone(connection, fresh, now_ms())
    return len(missing)


def _mark_back(connection: Writer, turn: Turn, known: Mapping[str, Known], found: Sequence[Discovered]) -> None:
    """Marks sources that were gone and are there again."""
    present = {each.path for each in found}
    back = [each.source_id for path, each in known.items() if each.gone_ms is not None and path in present]
    if back:
        with turn:
            cursors.mark_gone(connection, back, None)


def _elsewhere(ledger: Path) -> parallel.Work:
    """What a child does with the jobs it takes, on a connection of its own."""

    def work(jobs: Sequence[Job], numbers: Iterator[int]) -> parallel.Results:
        first = next(numbers, None)
        if first is None:
            return []
        with writer(ledger) as connection, closing(Turn(ledger)) as turn:
            return _imported(connection, turn, jobs, chain((first,), numbers))

    return work


def _imported(connection: Writer, turn: Turn, jobs: Sequence[Job], numbers: Iterator[int]) -> parallel.Results:
    """The results of the jobs that are taken, by number."""
    importer = Importer(connection, turn)
    for number in numbers:
        job = jobs[number]
        importer.take(number, adapter(job.file.harness), job)
    return importer.finish()
