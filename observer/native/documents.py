"""Files of other programs that are read as a whole: their lines, or one document.

What is absent is empty, what cannot be read raises OSError. Nothing is kept open.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from observer.native import jsonl
from observer.native.decode import Lines, decode, faults
from observer.records.source import Quarantine

# So many documents are decoded at once: one may hold a tool's whole output.
_AT_ONCE = 200
_decoder = cache(msgspec.json.Decoder)


def lines(folder: str, name: str, kind: Any, first: int) -> Iterator[Lines]:
    """The lines of a file as records of a type, counted from `first`; one without its newline is yet unwritten."""
    try:
        stream = jsonl.open_source(os.path.join(folder, name), compressed=False)
    except FileNotFoundError:
        return
    with stream:
        for chunk in jsonl.chunks(stream, 0):
            found = decode(chunk.data, _decoder(kind), first=first)
            yield found
            first += len(found.records)


def ends_whole(folder: str, name: str) -> bool:
    """Whether the file is there, holds something, and ends with a newline."""
    try:
        with jsonl.open_source(os.path.join(folder, name), compressed=False) as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"
    except FileNotFoundError:
        return False
    except OSError:  # empty: nothing to seek in
        return False


def document(path: str, kind: Any, first: int) -> Lines:
    """One JSON document of any layout as a record of a type, the line `first`; no line when there is none."""
    try:
        with jsonl.open_source(path, compressed=False) as stream:
            data = stream.read()
    except FileNotFoundError:
        return Lines(first, [])
    return decode(b" ".join(data.splitlines()), _decoder(kind), first=first)


class Numbered:
    """The files of one folder, read one after the other, and their records numbered through all of them."""

    def __init__(self, folder: str) -> None:
        self.folder, self.count = folder, 0

    def give(self, name: str, kind: Any, take: Callable[[Lines], None]) -> None:
        """Hands on the lines of the next file as records of a type."""
        for found in lines(self.folder, name, kind, self.count):
            take(found)
            self.count = found.first + len(found.records)

    def each(self, folder: str, name: str, kind: Any) -> Iterator[Lines]:
        """The documents of one name in the folders of a folder, by these; none without it, OSError if it is shut."""
        try:
            owners = sorted(os.listdir(os.path.join(self.folder, folder)))
        except (FileNotFoundError, NotADirectoryError):
            return
        for owner in owners:
            self.count += 1
            yield document(os.path.join(self.folder, folder, owner, name), kind, self.count)

    def ends_whole(self, name: str) -> bool:
        """Whether the file is there, holds something, and ends with a newline."""
        return ends_whole(self.folder, name)


class Row(Struct, frozen=True):
    """One of many documents before decoding. `made_ms`: when its row or file was made, as far as that tells."""

    id: Any
    owner: Any
    made_ms: int | None
    data: Any


class Decoded(Struct, frozen=True):
    """One of many documents: its position, where it comes from, and whether something in its usage was cut out."""

    number: int
    row: Row
    record: Any
    is_cut: bool


def read_rows(files: Iterable[str], owner: str | None) -> Iterator[Row]:
    """The documents in files that are named by their ids."""
    for path in files:
        _, mtime_ns = jsonl.size(path)
        with jsonl.open_source(path, compressed=False) as file:
            data = file.read().decode("utf-8", "replace")
        yield Row(os.path.basename(path).removesuffix(".json"), owner, mtime_ns // 1_000_000, data)


def decoded(
    rows: Iterable[Row], kind: type, found: list[Quarantine], *, usage: str, first: int = 0
) -> Iterator[Decoded]:
    """Documents of one type, counted from `first`; what the decoder says of them goes into `found`.

    `usage` is where counters stand in them.
    """
    rows = iter(rows)
    while some := list(islice(rows, _AT_ONCE)):
        lines = decode("\n".join(map(_line, some)).encode("utf-8", "replace"), _decoder(kind), first=first)
        found += faults(lines, usage=(usage,))
        for index, (row, record) in enumerate(zip(some, lines.records, strict=True)):
            if record is not None:
                yield Decoded(first + index, row, record, lines.has_fault(index, usage))
        first += len(some)


def _line(row: Row) -> str:
    """A JSON document as one line; a line break can only stand between its values."""
    text = row.data.replace("\n", " ") if isinstance(row.data, str) else ""
    return text if text.strip() else "null"
