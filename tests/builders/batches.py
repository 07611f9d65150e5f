"""Batches as the privacy screen makes them, written straight into a ledger: no adapter in between."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from observer.ledger import open as opening
from observer.ledger import settle, write
from observer.ledger.write import Inserted, ReadState
from observer.records.event import Event
from observer.records.identity import Instructions
from observer.records.response import Response
from observer.records.semantics import CLAUDE, CODEX
from observer.records.session import Session, Turn
from observer.records.source import Batch, Cursor, Quarantine, SourceFile
from observer.records.submission import Submission
from observer.records.usage import TokenUsage

MINUTE_MS = 60_000
START_MS = 1_790_000_000_000


def session(key: str, **fields: Any) -> Session:
    """A session of that key."""
    harness, _, native = key.partition(":")
    return Session(key, harness, native, **({"role": "main", "started_ms": START_MS, "ended_ms": START_MS} | fields))


def response(name: str, owner: str, *, total: int | None = 100, minute: int = 0, **fields: Any) -> Response:
    """A response of `total` tokens, a tenth of them output; None: its counters are unknown."""
    given = {"semantics": CLAUDE.label if owner.startswith("claude:") else CODEX.label, "ordinal": 0,
             "at_ms": START_MS + minute * MINUTE_MS, "usage": usage(total), "model": "gpt-6-astra"}  # fmt: skip
    return Response(id=name, session=owner, **(given | fields))


def usage(total: int | None) -> TokenUsage:
    """All counters known, nothing cached; None: nothing known."""
    if total is None:
        return TokenUsage()
    output = total // 10
    return TokenUsage(total - output, 0, 0, 0, 0, output, 0, total)


def submission(name: str, owner: str, *, turn: str | None = None, minute: int = 0, **fields: Any) -> Submission:
    """A genuine prompt."""
    given = {"kind": "genuine", "ordinal": 0, "at_ms": START_MS + minute * MINUTE_MS, "alias": None,
             "text_hash": "0" * 16, "excerpt": "please"}  # fmt: skip
    return Submission(id=name, session=owner, turn=turn, **(given | fields))


def event(name: str, owner: str, family: Any = "tool_call", **fields: Any) -> Event:
    """An event of a family."""
    given = dict.fromkeys(("at_ms", "turn", "name", "target", "status", "duration_ms", "size_bytes", "detail"))
    return Event(session=owner, family=family, native_id=name, ordinal=0, truncated=False, **(given | fields))


def batch(*records: Any) -> Batch:
    """The batch that holds these records, each list in the order given."""
    kinds = (Session, Turn, Response, Submission, Event, Quarantine)
    proofs = tuple(each for each in records if isinstance(each, Instructions))
    return Batch(*(tuple(each for each in records if isinstance(each, kind)) for kind in kinds), instructions=proofs)


class Book:
    """A ledger to write batches into, one source per path."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "agent-observer" / "observer.db"

    def write(self, path: str, *records: Any, again: bool = False) -> Inserted:
        """What one source says, in one transaction; `again`: it is read from its beginning."""
        with opening.writer(self.path) as connection, opening.transaction(connection):
            source = write.source(connection, SourceFile("codex", path))
            if again:
                write.forget_faults(connection, source)
            inserted = write.batch(connection, source, batch(*records))
            write.cursor(connection, source, Cursor(1, "", 1, b""), ReadState(1, 1, 1, 1, 1))
        return inserted

    def settle(self) -> None:
        """What follows every import."""
        with opening.writer(self.path) as connection:
            settle.settle(connection)

    def told(self, path: str, *records: Any) -> Inserted:
        """Writes and settles: one sync of one source."""
        inserted = self.write(path, *records)
        self.settle()
        return inserted

    def reader(self) -> AbstractContextManager[opening.Reader]:
        """The ledger for a report."""
        return opening.reader(self.path)

    def writer(self) -> AbstractContextManager[opening.Writer]:
        """The ledger for a coordinator."""
        return opening.writer(self.path)

    def rows(self, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        """The rows of a question no command asks."""
        with self.reader() as connection:
            return connection.execute(statement, given).fetchall()
