"""Reading line files in pieces: nothing is lost, nothing is told before its newline."""

import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.native import jsonl

lines = st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=30)


class Trickle(io.RawIOBase):
    """A file that gives at most so many bytes at a time, as a pipe or a slow disk does."""

    def __init__(self, data: bytes, sizes: Sequence[int]) -> None:
        self._file, self._sizes, self._reads = io.BytesIO(data), sizes, 0

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._reads += 1
        piece = self._file.read(min(len(buffer), self._sizes[self._reads % len(self._sizes)]))
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces so small that every line is longer than some of them."""
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 16)
    monkeypatch.setattr(jsonl, "_spare", [])


@given(lines, st.binary(max_size=50).filter(lambda rest: b"\n" not in rest), st.lists(st.integers(1, 20), min_size=1))
def test_the_pieces_are_the_whole_lines_of_the_file(whole: list[bytes], rest: bytes, sizes: list[int]) -> None:
    """However it is cut while it is read; what follows the last newline is left for later."""
    data = b"".join(line + b"\n" for line in whole)
    found, end = b"", 7
    for chunk in jsonl.chunks(Trickle(data + rest, sizes), 7):
        piece = bytes(chunk.data)
        assert piece.endswith(b"\n")
        found, end = found + piece, end + len(piece)
        assert chunk.end == end
    assert found == data


@given(lines, lines)
def test_two_files_may_be_read_side_by_side(left: list[bytes], right: list[bytes]) -> None:
    """Each has memory of its own, even where memory is used again."""
    files = [b"".join(line + b"\n" for line in each) for each in (left, right)]
    readings = [jsonl.chunks(io.BytesIO(data), 0) for data in files]
    found = [b"", b""]
    open_ones = {0, 1}
    while open_ones:
        pieces = {place: next(readings[place], None) for place in sorted(open_ones)}
        open_ones = {place for place, chunk in pieces.items() if chunk is not None}
        for place, chunk in pieces.items():
            found[place] += bytes(chunk.data) if chunk is not None else b""
    assert found == files


def test_the_memory_of_an_ordinary_file_is_used_again() -> None:
    for _ in range(3):
        list(jsonl.chunks(io.BytesIO(b"a line\n" * 9), 0))
    assert [len(buffer) for buffer in jsonl._spare] == [16]
    list(jsonl.chunks(io.BytesIO(b"a line longer than a piece\n"), 0))
    assert jsonl._spare == []
