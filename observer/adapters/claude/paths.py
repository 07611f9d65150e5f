"""Where Claude Code keeps transcripts, and which files are some.

Lists and stats only; opens nothing. Follows no link that leads out of the
projects folder, so notes or other trees linked into it stay unread.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from observer.records.source import SourceFile

HARNESS = "claude"
_PROJECTS = "projects"
_SUBAGENTS = "subagents"
_AGENT = "agent-"
_SUFFIX = ".jsonl"


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The homes of the agent: `CLAUDE_CONFIG_DIR` (several, by comma), else the usual ones."""
    chosen = [name.strip() for name in environment.get("CLAUDE_CONFIG_DIR", "").split(",")]
    if any(chosen):
        return [home / name[2:] if name.startswith("~/") else Path(name) for name in chosen if name]
    older = home / ".config" / "claude"
    return [home / ".claude", *([older] if older.is_dir() else [])]


def discover(root: Path) -> Iterable[SourceFile]:
    """Every transcript below an agent's home or its projects folder, sorted by real path.

    Empty when there is none; folders that cannot be listed are passed over.
    """
    inner = root / _PROJECTS
    top = os.path.realpath(inner if inner.is_dir() else root)
    found: set[str] = set()
    for project in _inside(top, top):
        if project.is_dir():
            found.update(_project(_real(project), top))
    return [SourceFile(HARNESS, path) for path in sorted(found)]


def owner(path: str) -> tuple[str | None, str | None]:
    """Session id and agent id that a path shows; the session of an agent's file may be unknown."""
    folder, name = os.path.split(path)
    stem = name.removesuffix(_SUFFIX)
    if not stem.startswith(_AGENT):
        return stem, None
    before, inside, _ = folder.partition(os.sep + _SUBAGENTS)
    return (os.path.basename(before) if inside else None), stem[len(_AGENT) :]


def _project(path: str, top: str) -> Iterator[str]:
    """Transcripts of one project: sessions, and what lies below a session's subagents folder."""
    for entry in _inside(path, top):
        if entry.name.endswith(_SUFFIX):
            yield from _file(entry)
        elif entry.is_dir():
            yield from _agents(os.path.join(_real(entry), _SUBAGENTS), top)


def _agents(path: str, top: str) -> Iterator[str]:
    for entry in _inside(path, top):
        if entry.name.startswith(_AGENT) and entry.name.endswith(_SUFFIX):
            yield from _file(entry)
        elif entry.is_dir(follow_symlinks=False):
            yield from _agents(entry.path, top)


def _file(entry: os.DirEntry[str]) -> Iterator[str]:
    if entry.is_file():
        yield _real(entry)


def _real(entry: os.DirEntry[str]) -> str:
    return os.path.realpath(entry.path) if entry.is_symlink() else entry.path


def _inside(path: str, top: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder, without links that lead elsewhere or nowhere."""
    try:
        with os.scandir(path) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if not entry.is_symlink() or (
            os.path.realpath(entry.path).startswith(top + os.sep) and os.path.exists(entry.path)
        ):
            yield entry
