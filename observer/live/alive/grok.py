"""Whether a Grok Build process records what it does: a session of its directory, written since it started."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from observer.adapters.grok.paths import FILES
from observer.native import folders
from observer.native.small import read_small

# A directory whose encoded name would be too long has a short one, and its path in this file.
_LONG_NAME = ".cwd"
_LARGEST_PATH = 65_536


def is_record(path: str) -> bool:
    """Whether a file that a process holds open is a session's."""
    return os.path.basename(path) in FILES


def wrote(home: Path, directories: frozenset[str], since_ms: int) -> bool:
    """Whether a file of a session of one of these directories was written since."""
    for group in _groups(home / "sessions", directories):
        for session in _below(group):
            if any((folders.written_ms(session / name) or -1) >= since_ms for name in FILES):
                return True
    return False


def _groups(folder: Path, directories: frozenset[str]) -> Iterator[Path]:
    names = {quote(each, safe="") for each in directories}
    for group in _below(folder):
        if group.name in names:
            yield group
        else:
            path = read_small(group / _LONG_NAME, _LARGEST_PATH)
            if path is not None and path.decode("utf-8", "surrogateescape").strip() in directories:
                yield group


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []
