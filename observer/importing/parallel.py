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
# A pipe holds 16 KiB at least everywhere: that many numbers of four bytes.
_MOST_NUMBERS = 4096
_NUMBER = struct.Struct("=I")

Results = list[tuple[int, Result]]
Work = Callable[[Sequence[Job], Iterator[int]], Results]
Progress = Callable[[int], None]


class Team:
    """Children at work on some jobs, beside this process, which takes its share with `numbers`.

    They are started at once. Where there are more jobs than numbers fit into
    the pipe, a number stands for every so many-th job from there on.
    """

    def __init__(self, jobs: Sequence[Job], work: Work) -> None:
        self._jobs = jobs
        self._numbers = min(len(jobs), _MOST_NUMBERS)
        self._take, give = os.pipe()
        os.write(give, b"".join(map(_NUMBER.pack, range(self._numbers))))
        os.close(give)
        self._children = [self._child(work) for _ in range(_workers(jobs))]

    def numbers(self, progress: Progress) -> Iterator[int]:
        """The jobs that this process takes; `progress` gets how many are taken by all."""
        while data := os.read(self._take, _NUMBER.size):
            yield from self._meant(data)
            left = fcntl.ioctl(self._take, termios.FIONREAD, b"\0" * _NUMBER.size)
            taken = self._numbers - _NUMBER.unpack(left)[0] // _NUMBER.size
            progress(len(self._jobs) * taken // self._numbers)
        if self._jobs:
            progress(len(self._jobs))

    def results(self) -> Results:
        """What the children report, once they have ended; of one that failed, nothing."""
        os.close(self._take)
        found: Results = []
        for pid, answers in self._children:
            with os.fdopen(answers, "rb") as stream:
                reported = stream.read()
            _, status = os.waitpid(pid, 0)
            if status == 0:
                found += msgspec.msgpack.decode(reported, type=Results)
        return found

    def _child(self, work: Work) -> tuple[int, int]:
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
            found = work(self._jobs, self._taken(parent))
            with os.fdopen(answer, "wb") as stream:
                stream.write(msgspec.msgpack.encode(found))
            status = 0
        finally:
            os._exit(status)

    def _taken(self, parent: int) -> Iterator[int]:
        """The jobs that a child takes, until all are taken or the parent is gone."""
        while os.getppid() == parent and (data := os.read(self._take, _NUMBER.size)):
            yield from self._meant(data)

    def _meant(self, data: bytes) -> range:
        return range(_NUMBER.unpack(data)[0], len(self._jobs), self._numbers)


def _workers(jobs: Sequence[Job]) -> int:
    """How many children are worth it."""
    if sum(job.size - job.cursor.offset for job in jobs) < WORTH_BYTES or len(jobs) < 2:
        return 0
    return min(os.cpu_count() or 1, _MOST_WORKERS, len(jobs)) - 1
