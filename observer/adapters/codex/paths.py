"""Where Codex keeps its rollouts, and whose a rollout is by its name.

Lists folders only; opens nothing.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from observer.records.source import SourceFile

HARNESS = "codex"
_FOLDERS = ("sessions", "archived_sessions")
# Year, month and day below a folder of sessions.
_DATE = re.compile(r"\d{2}(?:\d{2})?")
_PLAIN = ".jsonl"
_COMPRESSED = ".jsonl.zst"
_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl)", re.IGNORECASE)


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The agent's home: `CODEX_HOME`, else `~/.codex`."""
    chosen = environment.get("CODEX_HOME")
    if not chosen:
        return [home / ".codex"]
    return [home / chosen[2:] if chosen.startswith("~/") else Path(chosen)]


def discover(root: Path) -> Iterable[SourceFile]:
    """Every rollout below an agent's home or a folder of sessions, sorted by real path.

    A compressed rollout is left out while the plain one lies beside it: Codex
    unpacks before it appends, so the plain one is at least as long. Folders
    that cannot be listed are passed over; links to folders are not followed.
    A home without sessions holds other people's files, such as plugins with
    rollouts among their tests: without the known folders only dates are entered.
    """
    tops = [root / name for name in _FOLDERS if (root / name).is_dir()]
    found = {path for top in tops or [root] for path in _rollouts(os.path.realpath(top), dates_only=not tops)}
    for path in sorted(found):
        packed = path.endswith(_COMPRESSED)
        if not (packed and path.removesuffix(".zst") in found):
            yield SourceFile(HARNESS, path, packed)


def thread_of(path: str) -> str:
    """The thread id in a rollout's name; the base name when there is none."""
    name = os.path.basename(path)
    thread = _THREAD.search(name)
    return thread[0] if thread else name.removesuffix(".zst").removesuffix(_PLAIN)


def _rollouts(folder: str, *, dates_only: bool) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if not dates_only or _DATE.fullmatch(entry.name):
                yield from _rollouts(entry.path, dates_only=dates_only)
        elif (
            entry.name.startswith("rollout-")
            and entry.name.endswith((_PLAIN, _COMPRESSED))
            and os.path.isfile(entry.path)
        ):
            yield os.path.realpath(entry.path) if entry.is_symlink() else entry.path
