"""Where Grok Build keeps its sessions, how to tell that one has changed, and what its ids are called here.

Lists and stats only; opens nothing. Links to folders are not followed.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from observer.adapters.protocol import Discovered
from observer.base.paths import chosen
from observer.native import folders
from observer.records.source import SourceFile, Unreadable

HARNESS = "grok"
UPDATES, EVENTS, HISTORY, SUMMARY = FILES = ("updates.jsonl", "events.jsonl", "chat_history.jsonl", "summary.json")
SUBAGENTS, META = "subagents", "meta.json"
UNIT = "#session"
# A home's sessions folder, a folder per working directory, a folder per session.
_DEPTH = 2
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The agent's home: `GROK_HOME`, else `~/.grok`."""
    return chosen(environment, "GROK_HOME", home) or [home / ".grok"]


def discover(root: Path) -> Iterator[Discovered]:
    """Every session below a home, a sessions folder or a folder in it, or the one that a file is of."""
    inner = root / "sessions"
    top = inner if inner.is_dir() else root.parent if root.is_file() else root
    return _sessions(os.path.realpath(top), _DEPTH)


def plain(native: str) -> str:
    """An id as it is, or a digest of one that could not stand in a longer id."""
    return native if _PLAIN.fullmatch(native) else hashlib.sha256(native.encode("utf-8", "replace")).hexdigest()[:32]


def session_key(native: str) -> str:
    """`grok:<session id>`."""
    return f"{HARNESS}:{plain(native)}"


def _sessions(folder: str, depth: int) -> Iterator[Discovered]:
    try:
        with os.scandir(folder) as entries:
            listed = {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
        if not listed.keys().isdisjoint(FILES):
            yield SourceFile(HARNESS, folder + UNIT, fingerprint=_fingerprint(listed))
            return
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield Unreadable(HARNESS, folder, error.strerror or type(error).__name__)
        return
    for entry in listed.values() if depth else ():
        if entry.is_dir(follow_symlinks=False):
            yield from _sessions(entry.path, depth - 1)


def _fingerprint(listed: Mapping[str, os.DirEntry[str]]) -> str:
    """Of everything that `read` opens."""
    files = [(name, listed[name].path) for name in FILES if name in listed]
    if SUBAGENTS in listed and os.path.isdir(listed[SUBAGENTS].path):
        with os.scandir(listed[SUBAGENTS].path) as children:
            files += sorted((child.name, os.path.join(child.path, META)) for child in children)
    return folders.fingerprint(files)
