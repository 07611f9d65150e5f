"""What the process does to the machine while something runs: files opened for writing, networks, processes.

Python tells its own audit hook. What SQLite does inside is seen by what lies
on the disk afterwards.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
            "os.chown", "os.utime", "os.setxattr", "shutil.", "tempfile.", "fcntl.flock", "fcntl.lockf")  # fmt: skip
_OUTSIDE = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "urllib.", "ctypes.")

_seen: list[str] | None = None
_paths: set[str] | None = None


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if _paths is not None and event == "open":
        _paths.add(str(given[0]))
    if _paths is not None and event == "sqlite3.connect":
        _paths.add(unquote(str(given[0]).removeprefix("file:").partition("?")[0]))
    if _seen is None:
        return
    if event == "open":
        path, mode, flags = given
        if (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & _WRITING):
            _seen.append(f"open {path} {mode or flags}")
    elif event == "sqlite3.connect":
        if "mode=ro" not in str(given[0]):
            _seen.append(f"connect {given[0]}")
    elif event.startswith((*_CHANGES, *_OUTSIDE)):
        _seen.append(f"{event} {given}")


sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    """What was written, changed or reached for inside; a hook cannot be removed, so it sleeps outside."""
    global _seen  # noqa: PLW0603 (an audit hook has no other way to know)
    _seen = found = []
    try:
        yield found
    finally:
        _seen = None


@contextmanager
def opened() -> Iterator[set[str]]:
    """Which files were opened inside, databases included."""
    global _paths  # noqa: PLW0603 (as above)
    _paths = found = set()
    try:
        yield found
    finally:
        _paths = None
