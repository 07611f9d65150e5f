"""The ledger: whether it is there, private, undamaged, and true to its own rules."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from observer.base.clock import iso
from observer.base.errors import ObserverError
from observer.doctor.finding import Check, Finding
from observer.facts import sources
from observer.facts.ledger import contracts
from observer.ledger import verify
from observer.ledger.open import Reader

_SIBLINGS = ("", "-wal", "-shm", "-journal", ".lock")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OWN_FOLDER = "agent-observer"


def facts(reader: Reader, path: Path) -> dict[str, Any]:
    """Size, schema, and what is in it."""
    found = sources.overview(reader)
    return {
        "path": str(path),
        "bytes": path.stat().st_size,
        **contracts(reader),
        "sessions": found.sessions,
        "responses": found.responses,
        "sources": found.sources,
        "gone": found.gone,
        "faults": found.faults,
        "last_import": iso(found.last_import_ms),
    }


def permissions(path: Path) -> Iterator[Finding]:
    """Who else may read or replace the file."""
    for name in (f"{path}{ending}" for ending in _SIBLINGS):
        yield from _private(name, _OTHERS, "600")
    folder = path.parent
    # A folder of the user's own choice may be readable: the ledger in it is not.
    yield from _private(str(folder), _OTHERS if folder.name == _OWN_FOLDER else _WRITE, "700")


def refusal(path: Path, error: ObserverError) -> Finding:
    """A ledger that cannot be read at all, in the words of the refusal."""
    check: Check = "integrity" if error.slug == "ledger-damaged" else "ledger"
    return Finding(check, str(path), error.message, error.hint)


def integrity(reader: Reader, path: Path) -> Iterator[Finding]:
    """Damage, rules that do not hold, and an import that was cut off."""
    anew = (
        f"restore a backup, or: mv {quote(str(path))} {quote(str(path))}.old && agent-observer sync (keep the old file)"
    )
    for line in verify.damage(reader):
        yield Finding("integrity", str(path), line, anew)
    for each in verify.broken(reader):
        yield Finding("integrity", str(path), f"{each.rule}: not so for {each.rows} rows, such as {each.example}", anew)
    cut_off = verify.unsettled(reader)
    if cut_off:
        problem = f"an import was cut off; {cut_off} sessions are not settled"
        yield Finding("integrity", str(path), problem, "agent-observer sync")


def _private(name: str, forbidden: int, wanted: str) -> Iterator[Finding]:
    try:
        seen = os.stat(name)
    except OSError:
        return
    if seen.st_uid != os.getuid():
        yield Finding("permissions", name, "belongs to another user", f"sudo chown {os.getuid()} {quote(name)}")
    elif seen.st_mode & forbidden:
        mode = stat.S_IMODE(seen.st_mode)
        yield Finding("permissions", name, f"is open to others (mode {mode:03o})", f"chmod {wanted} {quote(name)}")
