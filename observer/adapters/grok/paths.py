"""Where Grok Build keeps its sessions, how to tell that one has changed, and what its ids are called here.

Lists and stats only; opens nothing. Links to folders are not followed.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from observer.adapters.protocol import Discovered
from observer.records.source import SourceFile, Unreadable

HARNESS = "grok"
UPDATES, EVENTS, HISTORY, SUMMARY = FILES = ("updates.jsonl", "events.jsonl", "chat_history.jsonl", "summary.json")
SUBAGENTS, META = "subagents", "meta.json"
_UNIT = "#session"
# A home's sessions folder, a folder per working directory, a folder per session.
_DEPTH = 2
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The agent's home: `GROK_HOME`, else `~/.grok`."""
    chosen = environment.get("GROK_HOME")
    if not chosen:
        return [home / ".grok"]
    return [home / chosen[2:] if chosen.startswith("~/") else Path(chosen)]


def discover(root: Path) -> Iterator[Discovered]:
    """Every session below a home, a sessions folder or a folder in it, or the one that a file is of."""
    inner = root / "sessions"
    top = inner if inner.is_dir() else root.parent if root.is_file() else root
    return _sessions(os.path.realpath(top), _DEPTH)


def folder_of(path: str) -> str:
    """The session's folder, of a unit's path."""
    return path.removesuffix(_UNIT)


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
            yield SourceFile(HARNESS, folder + _UNIT, fingerprint=_fingerprint(listed))
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
    """A digest of sizes and times of everything that `read` opens."""
    seen = [_stamp(name, listed[name].path) for name in FILES if name in listed]
    if SUBAGENTS in listed and os.path.isdir(listed[SUBAGENTS].path):
        with os.scandir(listed[SUBAGENTS].path) as children:
            seen.extend(sorted(_stamp(child.name, os.path.join(child.path, META)) for child in children))
    return hashlib.sha256("\n".join(seen).encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(name: str, path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:  # gone since it was listed, or a link to nowhere
        return name
    return f"{name} {found.st_size} {found.st_mtime_ns}"
