"""Several sources at once: this process and a few of its children, one ledger.

Children are forked before any database is open and take sources from a pipe
that holds their numbers; a child that dies loses nothing, because whatever it
did not report is imported by this process afterwards. Results do not depend
on who imports what, or in which order (ledger.settle).
"""

import fcntl
import os
import struct
import sys
import termios
from collections.abc import Callable, Iterator, Sequence

import msgspec

from observer.importing.source import Job, Result

# Below this much to read, a second process costs more than it brings.
WORTH_BYTES = 8_000_000
_MOST_WORKERS = 4
# A pipe holds 64 KiB at least 16 KiB everywhere: numbers of four bytes.
_ROUND = 4096
_NUMBER = struct.Struct("=I")

Work = Callable[[Sequence[Job], Iterator[int]], list[tuple[int, Result]]]
Progress = Callable[[int], None]


def run(jobs: Sequence[Job], work: Work, progress: Progress) -> list[Result]:
    """Runs all jobs; results in no particular order. `progress` gets the number done."""
    workers = _workers(jobs)
    results: dict[int, Result] = {}
    for start in range(0, len(jobs), _ROUND):
        part = range(start, min(start + _ROUND, len(jobs)))
        results.update(_round(jobs, part, work, progress, workers))
        progress(len(results))
    return list(results.values())


def _workers(jobs: Sequence[Job]) -> int:
    """How many children are worth it."""
    if sum(job.size - job.cursor.offset for job in jobs) < WORTH_BYTES or len(jobs) < 2:
        return 0
    return min(os.cpu_count() or 1, _MOST_WORKERS, len(jobs)) - 1


def _round(
    jobs: Sequence[Job], numbers: range, work: Work, progress: Progress, workers: int
) -> Iterator[tuple[int, Result]]:
    take, give = os.pipe()
    os.write(give, b"".join(map(_NUMBER.pack, numbers)))
    os.close(give)
    children = [_child(jobs, take, work) for _ in range(workers)]
    done = set()
    for number, result in work(jobs, _watched(take, len(numbers), numbers.start, progress)):
        done.add(number)
        yield number, result
    os.close(take)
    for pid, answers in children:
        with os.fdopen(answers, "rb") as stream:
            reported = stream.read()
        _, status = os.waitpid(pid, 0)
        if status == 0:
            for number, result in msgspec.msgpack.decode(reported, type=list[tuple[int, Result]]):
                done.add(number)
                yield number, result
    yield from work(jobs, iter([number for number in numbers if number not in done]))


def _child(jobs: Sequence[Job], take: int, work: Work) -> tuple[int, int]:
    """Starts one child; its process number and the pipe its results come through."""
    answers, answer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(answer)
        return pid, answers
    status = 1
    try:
        os.close(answers)
        found = work(jobs, _taken(take, parent))
        with os.fdopen(answer, "wb") as stream:
            stream.write(msgspec.msgpack.encode(found))
        status = 0
    finally:
        os._exit(status)


def _taken(take: int, parent: int) -> Iterator[int]:
    """Numbers from the shared pipe, until it is empty or the parent is gone."""
    while os.getppid() == parent and (data := os.read(take, _NUMBER.size)):
        yield _NUMBER.unpack(data)[0]


def _watched(take: int, count: int, before: int, progress: Progress) -> Iterator[int]:
    """The same for this process, telling after each one how many are taken by all."""
    while data := os.read(take, _NUMBER.size):
        yield _NUMBER.unpack(data)[0]
        left = fcntl.ioctl(take, termios.FIONREAD, b"\0" * _NUMBER.size)
        progress(before + count - _NUMBER.unpack(left)[0] // _NUMBER.size)
