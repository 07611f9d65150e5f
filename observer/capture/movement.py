"""Assertions between machines: all that was said here as one document, and what another ledger said taken in.

The newest word of a key holds, whichever ledger it comes from, so two ledgers
that take each other's document agree. Taking one in again changes nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from observer.base.canon import canonical
from observer.base.clock import iso, parse_iso
from observer.base.errors import CaptureRefused
from observer.capture import words
from observer.facts import ownership
from observer.facts.ledger import identity
from observer.ledger import assertions
from observer.ledger.open import Reader, Writer, transaction
from observer.records.assertion import FORMAT, KINDS, VERSION, Assertions, AssignmentSaid, DispatchSaid, Said

# Larger than any ledger's assertions; a file of another kind is not read into memory.
LARGEST_BYTES = 64 * 1024 * 1024
_FLAGS = ("withdrawn", "shared", "usable")


class Taken(msgspec.Struct, frozen=True):
    """How many rows were new here, and how many were known or are older than what is said here."""

    taken: int
    known: int
    tasks: tuple[str, ...]


def document(connection: Reader, tasks: Sequence[str]) -> Assertions:
    """Every row with its history; of these tasks only, unless none is named.

    A dispatch belongs to the tasks that its prompt was ever bound to.
    """
    rows = [_said(kind, row) for kind in KINDS for row in assertions.history(connection, kind)]
    if tasks:
        wanted = frozenset(tasks)
        prompts = {each.submission for each in rows if isinstance(each, AssignmentSaid) and each.task in wanted}
        rows = [
            each
            for each in rows
            if (each.submission in prompts if isinstance(each, DispatchSaid) else each.task in wanted)
        ]
    return Assertions(FORMAT, VERSION, identity(connection), rows)


def encode(said: Assertions) -> bytes:
    """The document as it is written: one row a line, fields that say nothing left out."""
    head = canonical({"format": said.format, "ledger_id": said.ledger_id, "version": said.version})
    rows = b",\n".join(canonical(_fields(each)) for each in said.assertions)
    return head[:-1] + b',"assertions":[\n' + rows + b"\n]}\n"


def decode(data: bytes) -> Assertions:
    """The document in these bytes. CaptureRefused, with the place and never the value, when it is none."""
    try:
        found = msgspec.json.decode(data, type=Assertions)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaptureRefused(f"no assertions of another ledger: {error}", "capture export writes them") from error
    for place, each in enumerate(found.assertions):
        try:
            words.check({name: text for name, text in _fields(each).items() if name != "kind"})
        except CaptureRefused as refused:
            raise CaptureRefused(f"$.assertions[{place}]: {refused.message}", refused.hint) from refused
    return found


def take(connection: Writer, said: Assertions) -> Taken:
    """Takes in every row that is newer than what is known of its key; all or none."""
    taken = 0
    with transaction(connection):
        for each in said.assertions:
            kind, row = _row(each)
            before = assertions.newest(connection, kind, row)
            if before is None or _age(kind, before) < _age(kind, row):
                assertions.add(connection, kind, row)
                taken += 1
    named = {each.task for each in said.assertions if not isinstance(each, DispatchSaid)}
    return Taken(taken, len(said.assertions) - taken, tuple(sorted(named)))


def _said(kind: str, row: dict[str, Any]) -> Said:
    fields = {name: bool(value) if name in _FLAGS and value is not None else value for name, value in row.items()}
    make: Callable[..., Said] = KINDS[kind]
    return make(recorded=iso(fields.pop("recorded_ms")), **fields)


def _fields(said: Said) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(said)
    return {name: value for name, value in fields.items() if value is not None}


def _row(said: Said) -> tuple[str, dict[str, Any]]:
    fields: dict[str, Any] = msgspec.to_builtins(said)
    at_ms = parse_iso(fields.pop("recorded"))
    if at_ms is None:
        raise CaptureRefused("a row was recorded at an instant that is none", "capture export writes them")
    return fields.pop("kind"), fields | {"recorded_ms": at_ms}


def _age(kind: str, row: dict[str, Any]) -> tuple[int, bytes]:
    """When it was said; of two rows of one instant the same one everywhere."""
    fields = {name: int(value) if name in _FLAGS and value is not None else value for name, value in row.items()}
    return row["recorded_ms"], canonical({"kind": kind, **fields})


def unknown_tasks(connection: Reader, named: Sequence[str]) -> Iterator[str]:
    """Those of these tasks that nobody made known here, by assertion or by a router."""
    return (task for task in named if ownership.task(connection, task) is None)
