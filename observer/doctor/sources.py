"""The places records are read from: which there are, what cannot be read, what is about to be deleted."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from observer.adapters.protocol import Discovered
from observer.adapters.registry import adapter
from observer.base.clock import DAY_MS, iso
from observer.base.text import plural
from observer.doctor import retention
from observer.doctor.finding import Finding
from observer.facts.sources import Known
from observer.records.source import SourceFile, Unreadable

# So many days before the agent deletes a transcript it is high time to import it.
WARNING_DAYS = 5
_SHOWN = 5
_MS_NS = 1_000_000
# Folders of an agent's home that hold sessions.
_INNER = ("projects", "sessions", "archived_sessions", "storage")
_NO_PERMISSION = "no permission"
_MEND = {_NO_PERMISSION: "give yourself read permission"}
_ELSE = "see whether the agent itself can open it; nothing of it is imported until then"

MayRead = Callable[[str], bool]


class Root(Struct, frozen=True):
    """A place that sync looks in, and what is there. `fresh`: sources that are new or changed since the last sync."""

    harness: str
    path: Path
    configured: bool
    exists: bool
    sources: tuple[SourceFile, ...]
    unreadable: tuple[Unreadable, ...]
    fresh: tuple[SourceFile, ...]

    def document(self) -> dict[str, Any]:
        """The place as JSON shows it."""
        return {
            "harness": self.harness,
            "path": str(self.path),
            "from": "settings" if self.configured else "default",
            "exists": self.exists,
            "sources": len(self.sources),
            "not_imported": len(self.fresh),
            "unreadable": [each.path for each in self.unreadable],
        }


def may_read(path: str) -> bool:
    """Whether this process may read a file, or list and enter a folder."""
    return os.access(path, os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK)


def root(
    harness: str, path: Path, known: Mapping[str, Known], *, configured: bool, readable: MayRead = may_read
) -> Root:
    """Looks at one place."""
    exists = path.exists()
    shut = {each.path: each for each in _shut(harness, path, readable)} if exists else {}
    listed: Iterable[Discovered] = () if not exists or str(path) in shut else adapter(harness).discover(path)
    files = []
    for each in listed:
        if isinstance(each, Unreadable):
            shut[each.path] = each
        elif each.path not in shut:
            files.append(each)
    return Root(
        harness=harness,
        path=path,
        configured=configured,
        exists=exists,
        sources=tuple(files),
        unreadable=tuple(shut[name] for name in sorted(shut)),
        fresh=tuple(each for each in files if _is_fresh(each, known.get(each.path))),
    )


def findings(roots: Sequence[Root]) -> Iterator[Finding]:
    """Configured places that are not there, and what cannot be read."""
    for each in roots:
        if each.configured and not each.exists:
            yield Finding("sources", str(each.path), "is named in the settings and does not exist",
                          f"mount or make it, or take it out of roots.{each.harness}")  # fmt: skip
        for closed in each.unreadable:
            yield Finding("sources", closed.path, f"cannot be read: {closed.reason}", _MEND.get(closed.reason, _ELSE))


def expiring(roots: Sequence[Root], now_ms: int) -> Iterator[Finding]:
    """Transcripts that Claude Code will soon delete and the ledger does not hold as they are now."""
    for each in roots:
        if each.harness != "claude" or not each.exists:
            continue
        settings = (each.path.parent if each.path.name == "projects" else each.path) / "settings.json"
        days = retention.days(settings)
        if days == 0:
            problem = f"{retention.SETTING} is 0: no transcript is kept"
            yield Finding("retention", str(settings), problem, f"set {retention.SETTING} to a number of days")
            continue
        before_ms = now_ms - int((days - WARNING_DAYS) * DAY_MS)
        old = sorted((at_ms, file.path) for file in each.fresh if (at_ms := _written_ms(file.path)) <= before_ms)
        if old:
            first = iso(old[0][0] + int(days * DAY_MS)) or ""
            names = ", ".join(path for _, path in old[:_SHOWN]) + (" …" if len(old) > _SHOWN else "")
            yield Finding(
                "retention",
                str(each.path),
                f"Claude Code deletes transcripts after {days:g} days; from {first[:10]} on {plural(len(old), 'file')}"
                f" that the ledger does not hold: {names}",
                f"agent-observer sync (and raise {retention.SETTING} in {settings})",
            )


def _shut(harness: str, path: Path, readable: MayRead) -> Iterator[Unreadable]:
    """Folders and files of a place that may not be read; links are not followed."""
    if not readable(str(path)):
        yield Unreadable(harness, str(path), _NO_PERMISSION)
        return
    if not path.is_dir():
        return
    tops = [path / name for name in _INNER if (path / name).is_dir()] or [path]
    for top in tops:
        for folder, _, names in os.walk(top):
            if not readable(folder):
                yield Unreadable(harness, os.path.realpath(folder), _NO_PERMISSION)
            for name in names:
                file = os.path.join(folder, name)
                if not os.path.islink(file) and not readable(file):
                    yield Unreadable(harness, os.path.realpath(file), _NO_PERMISSION)


def _is_fresh(file: SourceFile, known: Known | None) -> bool:
    """Whether the next sync would read something of it."""
    if known is None or known.imported_ms is None:
        return True
    if file.fingerprint is not None:
        return known.mark != file.fingerprint
    try:
        seen = os.stat(file.path)
    except OSError:
        return False  # gone since it was listed
    return (seen.st_size, seen.st_mtime_ns) != (known.size, known.mtime_ns)


def _written_ms(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns // _MS_NS
    except OSError:
        return 0
