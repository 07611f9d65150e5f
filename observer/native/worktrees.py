"""Which directories are one repository, as git's own small files prove it.

Looks at names, links and git's pointer files (regular, a few bytes); runs no
program, writes nothing, and never guesses from how a path is spelt.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from observer.native.small import read_small

# A pointer file is one path.
_LARGEST_POINTER = 8192
_POINTER = "gitdir:"


class Place(Struct, frozen=True):
    """A directory: where its links lead, and the same place in its repository's main working tree."""

    real: str
    main: str


def places(recorded: Iterable[str]) -> dict[str, Place]:
    """The place of each directory, by the directory as it was recorded.

    A place inside a linked worktree is the same place in the repository's
    main tree (a bare repository stands for itself). A directory that is gone
    counts as a worktree while git still lists it, in a repository around it
    or around another directory given. Everything else is itself.
    """
    directories = sorted(set(recorded))
    absolute = [each for each in directories if each.startswith("/") and "\0" not in each]
    found = {each: _standing(each) for each in absolute if os.path.isdir(each)}
    gone = [each for each in absolute if each not in found]
    if gone:
        known = {common for each in absolute if (common := _common_around(os.path.realpath(each)))}
        listed = dict(pair for common in sorted(known) for pair in _listed(common))
        found |= {each: Place(each, main) for each in gone if (main := _former(each, listed))}
    return {each: found.get(each) or Place(each, each) for each in directories}


def _standing(path: str) -> Place:
    """The place of a directory that exists."""
    real = os.path.realpath(path)
    top = _top(real)
    common = None if top is None else _common(os.path.join(top, ".git"))
    return Place(real, real if top is None or common is None else _same_place(real, top, common))


def _former(path: str, listed: dict[str, str]) -> str | None:
    """The place of a directory that is gone, if it lay in a worktree that git still lists."""
    for top in _upwards(path):
        if top in listed:
            return _same_place(path, top, listed[top])
    return None


def _same_place(path: str, top: str, common: str) -> str:
    main = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return os.path.normpath(os.path.join(main, os.path.relpath(path, top)))


def _listed(common: str) -> Iterator[tuple[str, str]]:
    """The linked worktrees a repository knows: (their top, the repository)."""
    folder = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        pointer = _text(os.path.join(folder, name, "gitdir"))
        if pointer and os.path.basename(pointer) == ".git":
            yield os.path.dirname(os.path.normpath(os.path.join(folder, name, pointer))), common


def _common_around(path: str) -> str | None:
    """The repository a place lies in, whether or not the place itself still exists."""
    top = _top(path)
    if top is None:
        return None
    entry = os.path.join(top, ".git")
    return _common(entry) or (os.path.realpath(entry) if os.path.isdir(entry) else None)


def _top(path: str) -> str | None:
    return next((each for each in _upwards(path) if os.path.lexists(os.path.join(each, ".git"))), None)


def _upwards(path: str) -> Iterator[str]:
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _common(entry: str) -> str | None:
    """The shared repository behind a worktree's `.git` file; None when it is no linked worktree.

    A submodule has such a file too, but its repository says of no other that it is shared.
    """
    text = _text(entry)
    if not text or not text.startswith(_POINTER):
        return None
    own = os.path.join(os.path.dirname(entry), text[len(_POINTER) :].strip())
    shared = _text(os.path.join(own, "commondir"))
    return os.path.realpath(os.path.join(own, shared)) if shared else None


def _text(path: str) -> str | None:
    """A pointer file's one line; None for anything that is not a small regular file."""
    data = read_small(Path(path), _LARGEST_POINTER)
    text = data.decode("utf-8", "surrogateescape").strip() if data else ""
    return text if text and "\0" not in text else None
