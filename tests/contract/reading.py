"""An adapter by itself: what it finds and what it reads, without an import around it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from observer.adapters.protocol import Adapter, Discovered, Reader
from observer.native import jsonl
from observer.native.decode import decode
from observer.records.source import RawBatch, SourceFile


def found(reader: Reader, home: Path) -> list[Discovered]:
    """Everything below the roots of a HOME, in the adapter's own order."""
    return [each for root in reader.roots({}, home) for each in reader.discover(root)]


def sources(reader: Reader, home: Path) -> list[SourceFile]:
    """What can be read of it."""
    return [each for each in found(reader, home) if isinstance(each, SourceFile)]


def batches(reader: Reader, source: SourceFile) -> list[RawBatch]:
    """All that a source says."""
    return _lines(reader, source)[0] if isinstance(reader, Adapter) else [reader.reader(source)]


def context_after(adapter: Adapter, source: SourceFile) -> Any:
    """What must be remembered after a whole line file."""
    return _lines(adapter, source)[1]


def _lines(adapter: Adapter, source: SourceFile) -> tuple[list[RawBatch], Any]:
    reader = adapter.reader
    context, decoder = reader.start(source), msgspec.json.Decoder(reader.line)
    read, ordinal = [], 0
    with jsonl.open_source(source.path, compressed=source.compressed) as stream:
        for chunk in jsonl.chunks(stream, 0):
            lines = decode(chunk.data, decoder, first=ordinal)
            read.append(reader.read(lines, context))
            ordinal += len(lines.records)
    return read, context


def everything(reader: Reader, home: Path) -> list[tuple[Discovered, list[RawBatch]]]:
    """Discovery and reading of a whole HOME."""
    return [(each, batches(reader, each) if isinstance(each, SourceFile) else []) for each in found(reader, home)]


@contextmanager
def listings_reversed() -> Iterator[None]:
    """Inside it, folders are listed the other way round: no file system promises an order."""
    entries, names = os.scandir, os.listdir

    def scandir(path: Any = ".") -> Any:
        with entries(path) as listed:
            return _Entries(sorted(listed, key=lambda entry: str(entry.name), reverse=True))

    def listdir(path: Any = ".") -> list[Any]:
        return sorted(names(path), reverse=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "scandir", scandir)
        patch.setattr(os, "listdir", listdir)
        yield


class _Entries(list[Any]):
    """A list that closes like the iterator it stands for."""

    def __enter__(self) -> "_Entries":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def close(self) -> None:
        self.clear()
