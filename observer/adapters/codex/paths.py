"""Where Codex keeps its rollouts, and whose a rollout is by its name.

Lists folders only; opens nothing.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from observer.base.paths import chosen
from observer.native import folders
from observer.records.source import SourceFile

HARNESS = "codex"
_FOLDERS = ("sessions", "archived_sessions")
_ROLLOUT = re.compile(r"rollout-.*\.jsonl(?:\.zst)?", re.DOTALL)
_COMPRESSED = ".zst"
# Year, month and day below a folder of sessions.
_DATE = re.compile(r"\d{2}(?:\d{2})?")
_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl)", re.IGNORECASE)


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The agent's home: `CODEX_HOME`, else `~/.codex`."""
    return chosen(environment, "CODEX_HOME", home) or [home / ".codex"]


def discover(root: Path) -> Iterable[SourceFile]:
    """Every rollout below an agent's home or a folder of sessions, sorted by real path.

    A compressed rollout is left out while the plain one lies beside it: Codex
    unpacks before it appends, so the plain one is at least as long. Folders
    that cannot be listed are passed over; links to folders are not followed.
    A home without sessions holds other people's files, such as plugins with
    rollouts among their tests: without the known folders only dates are entered.
    """
    tops = [root / name for name in _FOLDERS if (root / name).is_dir()]
    enters = None if tops else _DATE
    found = {path for top in tops or [root] for path in folders.files(os.path.realpath(top), _ROLLOUT, enters=enters)}
    for path in sorted(found):
        packed = path.endswith(_COMPRESSED)
        if not (packed and path.removesuffix(_COMPRESSED) in found):
            yield SourceFile(HARNESS, path, packed)


def thread_of(path: str) -> str:
    """The thread id in a rollout's name; the base name when there is none."""
    name = os.path.basename(path)
    thread = _THREAD.search(name)
    return thread[0] if thread else name.removesuffix(_COMPRESSED).removesuffix(".jsonl")
