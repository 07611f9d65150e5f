"""Line files of other programs: whole lines from an offset, in bounded pieces.

Only a newline ends a record; what stands after the last one is still being
written and is left for the next time. Files are opened for reading only.
"""

import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

# Large enough that decoding whole chunks pays, small enough for 64 MiB in all.
CHUNK_BYTES = 1 << 20
TAIL_BYTES = 4096


# Buffers that no reading uses. Reading into memory that was used just now is twice as fast as into new memory.
_spare: list[bytearray] = []

Stream = io.RawIOBase | io.BufferedIOBase


class Chunk(Struct, frozen=True):
    """Whole lines, to be used before the next ones are asked for; `end` is the offset after the last of them."""

    data: memoryview
    end: int


def chunks(file: Stream, offset: int) -> Iterator[Chunk]:
    """Pieces of whole lines from `offset` on; a single line may be of any length."""
    buffer = _spare.pop() if _spare else bytearray(CHUNK_BYTES)
    filled = 0
    try:
        while count := file.readinto(memoryview(buffer)[filled:]):
            filled += count
            cut = buffer.rfind(b"\n", filled - count, filled) + 1
            if cut:
                offset += cut
                yield Chunk(memoryview(buffer)[:cut], offset)
                buffer[: filled - cut] = buffer[cut:filled]
                filled -= cut
            elif filled == len(buffer):
                buffer = buffer + bytes(len(buffer))
    finally:
        if len(buffer) == CHUNK_BYTES:
            _spare.append(buffer)


def open_source(path: str, *, compressed: bool) -> Stream:
    """The file's decompressed bytes. OSError when it cannot be read."""
    if not compressed:
        return open(path, "rb", buffering=0)
    return _zstd_open(path)


def tail_hash(path: str, offset: int) -> str:
    """SHA-256 of the up to 4096 bytes before `offset` in the file as it lies on disk.

    Empty text when the file is shorter than that: then it is another file.
    """
    with open(path, "rb", buffering=0) as file:
        start = max(0, offset - TAIL_BYTES)
        file.seek(start)
        data = file.read(offset - start)
    return hashlib.sha256(data).hexdigest() if len(data) == offset - start else ""


def size(path: str) -> tuple[int, int]:
    """Size in bytes and modification time in nanoseconds."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def damaged() -> type[Exception]:
    """What a broken compressed file raises while it is read."""
    error: type[Exception] = _zstd().ZstdError
    return error


def _zstd_open(path: str) -> Stream:
    stream: Stream = _zstd().open(Path(path), "rb")
    return stream


def _zstd() -> Any:
    """The zstd reader; the standard library has it from Python 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
