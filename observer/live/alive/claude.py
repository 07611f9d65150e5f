"""Which Claude Code sessions run, as its registry says, and which have a transcript.

Reads registry entries and names of files only; never the keys beside them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from observer.native import folders
from observer.native.small import read_small

_ENTRY = re.compile(r"([1-9][0-9]{0,9})\.json")
_LARGEST_ENTRY = 65_536
_NO_LETTER_OR_DIGIT = re.compile(r"[^A-Za-z0-9]")


class Entry(Struct, frozen=True, rename="camel"):
    """One entry of the registry; the file stays behind when its process is killed."""

    pid: int
    session_id: str
    cwd: str | None = None
    started_at: int | None = None
    proc_start: str | None = None
    kind: str | None = None
    entrypoint: str | None = None


_decoder = msgspec.json.Decoder(Entry)


def registered(home: Path) -> Iterator[Entry]:
    """The registry of a home; an entry that makes no sense is none."""
    folder = home / "sessions"
    for found in folders.entries(folder):
        number = _ENTRY.fullmatch(found.name)
        data = read_small(folder / found.name, _LARGEST_ENTRY) if number else None
        try:
            entry = _decoder.decode(data) if data else None
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        if entry is not None and number is not None and entry.pid == int(number[1]) and entry.session_id:
            yield entry


def transcript(home: Path, session: str) -> int | None:
    """When the session's transcript was last written, in ms; None when there is none."""
    projects = home / "projects"
    if "/" in session or session.startswith("."):
        return None
    found = [folders.written_ms(Path(folder.path, f"{session}.jsonl")) for folder in folders.entries(projects)]
    return max((each for each in found if each is not None), default=None)


def written_in(home: Path, directory: str, since_ms: int) -> set[str]:
    """Sessions whose transcripts in the folder of that directory were written since."""
    folder = home / "projects" / _NO_LETTER_OR_DIGIT.sub("-", directory)
    found = [entry for entry in folders.entries(folder) if entry.name.endswith(".jsonl")]
    recent = [entry for entry in found if (folders.written_ms(entry.path) or -1) >= since_ms]
    return {entry.name.removesuffix(".jsonl") for entry in recent}
