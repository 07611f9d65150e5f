"""A toy adapter, sound where its folder is named `toy`; `toy<defect>` has that one defect.

Holds what a new adapter must have and no more: the laws of the folder above
are tried on it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from observer.adapters.protocol import Adapter
from observer.records.source import SourceFile

HARNESS = Path(__file__).parent.name
DEFECT = HARNESS.removeprefix("toy")


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The agent's home, called after its folder."""
    chosen = os.environ.get("TOY_HOME") if DEFECT == "misplaced" else None
    return [Path(chosen or environment.get("TOY_HOME") or home / f".{HARNESS}")]


def discover(root: Path) -> Iterator[SourceFile]:
    """Every log below a home."""
    folder = Path(os.path.realpath(root / "log"))
    if not folder.is_dir():
        return
    if DEFECT == "writing":
        (root / "seen").write_text("x", encoding="utf-8")
    if DEFECT == "reaching":
        __import__("socket").socket().close()
    listed = os.listdir(folder) if DEFECT == "unordered" else sorted(os.listdir(folder))
    places = [folder / name for name in listed]
    if DEFECT == "wandering":
        places += [path for linked in places if linked.is_symlink() and linked.is_dir() for path in linked.iterdir()]
    for path in places:
        if path.name.endswith(".jsonl") and not path.is_symlink() and path.is_file():
            yield SourceFile(HARNESS, os.path.realpath(path))


ADAPTER = Adapter(HARNESS, 1, roots, discover)
