"""Folders of other programs: what lies in them, listed and never opened.

What cannot be listed is empty. Links to folders are followed nowhere but where
a caller does it, and then never out of a given folder.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator


def entries(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    """What lies in a folder, by name; nothing when it cannot be listed."""
    try:
        with os.scandir(folder) as listed:
            return sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return []


def inside(folder: str, top: str) -> Iterator[os.DirEntry[str]]:
    """What lies in a folder, without links that lead nowhere or out of `top` (a real path)."""
    for entry in entries(folder):
        if not entry.is_symlink() or (
            os.path.realpath(entry.path).startswith(top + os.sep) and os.path.exists(entry.path)
        ):
            yield entry


def files(
    folder: str, name: re.Pattern[str], *, top: str | None = None, enters: re.Pattern[str] | None = None
) -> Iterator[str]:
    """Real paths of the files of such names at any depth of a folder.

    If given, only inside of `top`, and only in folders of the names `enters`.
    """
    for entry in entries(folder) if top is None else inside(folder, top):
        if name.fullmatch(entry.name) and os.path.isfile(entry.path):
            yield real(entry)
        elif entry.is_dir(follow_symlinks=False) and (enters is None or enters.fullmatch(entry.name)):
            yield from files(entry.path, name, top=top, enters=enters)


def folders(folder: str) -> list[str]:
    """The paths of the folders in a folder, without links, by name."""
    return [entry.path for entry in entries(folder) if entry.is_dir(follow_symlinks=False)]


def plain(folder: str, suffix: str) -> list[os.DirEntry[str]]:
    """The files in a folder whose names end so, without links, by name."""
    return [each for each in entries(folder) if each.name.endswith(suffix) and each.is_file(follow_symlinks=False)]


def seen(path: str) -> tuple[int, int]:
    """Size in bytes and time of change in nanoseconds; zeros for what is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def real(entry: os.DirEntry[str]) -> str:
    """Where an entry of a real folder really lies."""
    return os.path.realpath(entry.path) if entry.is_symlink() else entry.path


def written_ms(path: str | os.PathLike[str]) -> int | None:
    """When a file was last written; None when it cannot be seen."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None


def fingerprint(files: Iterable[tuple[str, str]]) -> str:
    """A digest of the names, sizes and times of these files (name, path); of one that cannot be seen, its name."""
    stamps = []
    for name, path in files:
        try:
            found = os.stat(path)
        except OSError:  # gone since it was listed, or a link to nowhere
            stamps.append(name)
        else:
            stamps.append(f"{name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(stamps).encode("utf-8", "surrogateescape")).hexdigest()
