"""Opening a session's files: whole lines, and single documents. What is absent is empty; what cannot be read raises."""

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from observer.native import jsonl
from observer.native.decode import Lines, decode


def lines(folder: str, name: str, decoder: msgspec.json.Decoder[Any], first: int) -> Iterator[Lines]:
    """The decoded lines of a file, counted from `first`; a line without its newline is still being written."""
    try:
        stream = jsonl.open_source(os.path.join(folder, name), compressed=False)
    except FileNotFoundError:
        return
    with stream:
        for chunk in jsonl.chunks(stream, 0):
            found = decode(chunk.data, decoder, first=first)
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


def document(path: str, decoder: msgspec.json.Decoder[Any], first: int) -> Lines:
    """One JSON document of any layout, as the line `first`; no line when there is none."""
    try:
        with jsonl.open_source(path, compressed=False) as stream:
            data = stream.read()
    except FileNotFoundError:
        return Lines(first, [])
    return decode(b" ".join(data.splitlines()), decoder, first=first)
