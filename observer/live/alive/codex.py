"""Whether a Codex process records what it does: a rollout of its directory, written since it started.

Reads the first line of the few rollouts that were written since, and for
resumed threads their end.
"""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from observer.adapters.codex.paths import discover

_FIRST_LINE = 4_000_000
_END = 1_000_000


class _Meta(Struct):
    cwd: str | None = None


class _Line(Struct):
    type: str
    payload: _Meta


_decoder = msgspec.json.Decoder(_Line)


def is_record(path: str) -> bool:
    """Whether a file that a process holds open is a rollout."""
    return os.path.basename(path).startswith("rollout-")


def wrote(home: Path, directories: frozenset[str], since_ms: int) -> bool:
    """Whether a thread of one of these directories was written since."""
    for file in discover(home):
        try:
            recent = not file.compressed and os.stat(file.path).st_mtime_ns >= since_ms * 1_000_000
            if recent and _is_of(file.path, directories):
                return True
        except OSError:
            continue  # gone or closed since it was listed: no evidence either way
    return False


def _is_of(path: str, directories: frozenset[str]) -> bool:
    """By the thread's own directory, or by that of a later turn (a thread may be resumed elsewhere)."""
    with open(path, "rb") as file:
        if _directory(file.readline(_FIRST_LINE)) in directories:
            return True
        file.seek(max(0, os.fstat(file.fileno()).st_size - _END))
        end = file.read(_END)
    wanted = (f'"cwd":{json.dumps(each, ensure_ascii=False)}' for each in directories)
    return any(text.encode("utf-8", "surrogateescape") in end for text in wanted)


def _directory(line: bytes) -> Any:
    try:
        first = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return first.payload.cwd if first.type == "session_meta" else None
