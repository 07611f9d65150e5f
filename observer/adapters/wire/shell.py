"""What a shell tool of OpenAI's models tells them: what became of a command, before its output, in three generations.

Says sizes, exit codes and times; keeps nothing of an output. Knows no harness.
"""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from observer.native import values

_LARGE_BYTES = 50_000
# What became of a command stands within so many characters.
_HEAD = 300
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_WALL = re.compile(r"^Wall time:? ([\d.]{1,12}) seconds$", re.MULTILINE)
_ABORTED = re.compile(r"^aborted by user", re.MULTILINE)
_RANGE = re.compile(r"\bsed -n '?(\d+),(\d+)p")
Code = Annotated[int, Meta(ge=-(2**31), lt=2**32)]


class _Metadata(Struct, gc=False):
    exit_code: Code | None = None
    duration_seconds: Annotated[float, Meta(ge=0, le=values.LONGEST_SECONDS)] | None = None


class _Oldest(Struct, gc=False):
    """The oldest format: JSON text."""

    output: str
    metadata: _Metadata


class Told(Struct, frozen=True, gc=False):
    """The output itself, and what is told of its command."""

    text: str
    exit_code: int | None
    duration_ms: int | None
    is_aborted: bool


_oldest = msgspec.json.Decoder(_Oldest)


def told(text: str) -> Told:
    """What a text tells; all of it is output where it is none of these formats."""
    exit_code, seconds = _outcome(text[:_HEAD])
    if text.startswith('{"output"'):
        try:
            old = _oldest.decode(text)
            text, exit_code, seconds = old.output, old.metadata.exit_code, old.metadata.duration_seconds
        except (msgspec.DecodeError, UnicodeEncodeError):
            pass
    duration_ms = None if seconds is None else round(seconds * 1000)
    # Looked for only where no exit code tells the end.
    return Told(text, exit_code, duration_ms, exit_code is None and _ABORTED.search(text[:_HEAD]) is not None)


def size(text: str) -> tuple[int, bool]:
    """UTF-8 length, and whether a part was left out or the whole is large."""
    count = values.size(text)
    is_cut = count >= _LARGE_BYTES or values.is_shortened(text, " truncated", "…") or "[... omitted " in text
    return count, is_cut


def printed_lines(command: str) -> tuple[int | None, int | None]:
    """First line and number of lines that a `sed -n` prints; None for any other command."""
    lines = _RANGE.search(command)
    if lines is None:
        return None, None
    first, last = int(lines[1][:9]), int(lines[2][:9])
    return first, last - first + 1 if last >= first else None


def _outcome(head: str) -> tuple[int | None, float | None]:
    """Exit code and seconds, as the head of an output tells them."""
    exited, wall = _EXIT.search(head), _WALL.search(head)
    try:
        return int(exited[1]) if exited else None, float(wall[1]) if wall else None
    except ValueError:
        return None, None
