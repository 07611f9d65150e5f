"""A ledger that also takes what a model router says, for tests of what follows from it."""

from pathlib import Path
from typing import Any

from observer.facts import ownership
from observer.ledger import open as opening
from observer.ledger import write
from observer.records.ownership import Outcome, Task
from observer.records.router import RouterInvocation, RouterJob, RouterReading, RouterRecords
from observer.records.source import Batch, Cursor, SourceFile
from observer.records.usage import TokenUsage
from tests.builders import mini
from tests.builders.batches import START_MS, Book
from tests.builders.mini import S

OLD, NEW = "/state/old/jobs.db", "/state/new/jobs.db"


class Shelf(Book):
    """A ledger that also takes what routers say."""

    def routed(self, path: str, *rows: Any, settled: bool = True) -> None:
        """What one router's ledger says now, in place of what it said before."""
        kinds = (RouterJob, RouterInvocation, type(None), RouterReading)
        records = RouterRecords(*(tuple(each for each in rows if isinstance(each, kind)) for kind in kinds))
        with opening.writer(self.path) as connection, opening.transaction(connection):
            source = write.source(connection, SourceFile("router", path))
            write.forget_faults(connection, source)
            write.batch(connection, source, Batch((), (), (), (), (), (), records), mutable=True)
            write.cursor(connection, source, Cursor(0, "f", 0, b""), write.ReadState(0, 0, 1, 1, 1))
        if settled:
            self.settle()

    def bindings(self) -> list[tuple[Any, ...]]:
        """Whole sessions and their tasks, whoever says so."""
        return self.rows("SELECT session, task, evidence FROM session_assignment ORDER BY 1, 2")

    def conflicts(self) -> list[tuple[Any, ...]]:
        """Where usage contradicts itself."""
        return self.rows(
            "SELECT path, fault.ordinal FROM fault JOIN source ON source.id = source_id"
            " WHERE category = 'usage_conflict' ORDER BY 1, 2"
        )

    def outcome(self, task: str = "T-42") -> Outcome | None:
        """What is recorded of a task's end."""
        with self.reader() as reader:
            return ownership.outcome(reader, task)

    def task(self, name: str = "T-42") -> Task | None:
        """A task in force."""
        with self.reader() as reader:
            return ownership.task(reader, name)


def shelf(folder: Path) -> Shelf:
    """The mini rollout, and nothing of a router yet."""
    found = Shelf(folder)
    found.told("/mini", *mini.records())
    return found


def job(request: str = "job-1", task: str | None = "T-42", **fields: Any) -> RouterJob:
    """A running job of a task, or of its own (None)."""
    given = {"status": "running", "project": "kit", "created_ms": START_MS, "updated_ms": START_MS}
    return RouterJob(request, task or f"router:{request}", **(given | fields))


def run(name: str = "run-1", request: str = "job-1", *, session: str | None = S, **fields: Any) -> RouterInvocation:
    """A run that has ended well, in the mini session unless told otherwise."""
    given = {"ordinal": 1, "state": "complete", "kind": "codex_dispatch", "started_ms": START_MS}
    return RouterInvocation(id=name, request_id=request, session=session, **(given | fields))


def copied(total: int) -> TokenUsage:
    """The mini session's way of counting: a tenth of it output."""
    return TokenUsage(total - total // 10, 0, 0, None, None, total // 10, 0)


def reading(used: float, **fields: Any) -> RouterReading:
    """A quota level."""
    return RouterReading(
        **({"pool": "codex", "model": "", "window": "5h", "observed_ms": START_MS, "used": used} | fields)
    )
