"""Where Claude Code keeps transcripts, and which files are some.

Lists and stats only; opens nothing. Follows no link that leads out of the
projects folder, so notes or other trees linked into it stay unread.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from observer.base.paths import chosen
from observer.native import folders
from observer.records.source import SourceFile

HARNESS = "claude"
_SUBAGENTS = "subagents"
_AGENT = "agent-"
_SUFFIX = ".jsonl"
_AGENT_FILE = re.compile(r"agent-.*\.jsonl", re.DOTALL)


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The homes of the agent: `CLAUDE_CONFIG_DIR` (several, by comma), else the usual ones."""
    older = home / ".config" / "claude"
    usual = [home / ".claude", *([older] if older.is_dir() else [])]
    return chosen(environment, "CLAUDE_CONFIG_DIR", home, separator=",") or usual


def discover(root: Path) -> Iterable[SourceFile]:
    """Every transcript below an agent's home or its projects folder, sorted by real path.

    Empty when there is none; folders that cannot be listed are passed over.
    """
    inner = root / "projects"
    top = os.path.realpath(inner if inner.is_dir() else root)
    projects = (folders.real(each) for each in folders.inside(top, top) if each.is_dir())
    return [SourceFile(HARNESS, path) for path in sorted({path for each in projects for path in _project(each, top)})]


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
    for entry in folders.inside(path, top):
        if entry.name.endswith(_SUFFIX) and entry.is_file():
            yield folders.real(entry)
        elif entry.is_dir():
            yield from folders.files(os.path.join(folders.real(entry), _SUBAGENTS), _AGENT_FILE, top=top)
