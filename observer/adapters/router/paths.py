"""Where the router keeps its ledger, and the agents' homes that lie beside it.

Lists folders, and looks into a ledger only far enough to know its shape.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from observer.adapters.protocol import Discovered
from observer.adapters.router.tables import refusal
from observer.base.paths import chosen
from observer.native.sqlite_ro import StoreError, digest, opened
from observer.records.source import SourceFile, Unreadable

HARNESS = "router"
VARIABLE = "DURABLE_RUNNER_STATE_DIR"
_PLACES = (".local/share/durable-runner", ".local/state/model-router")
_LEDGER = "jobs.db"
_CODEX = "codex"


def roots(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The state directory the environment names, the usual one, and the one of older releases: all that exist count."""
    return [*chosen(environment, VARIABLE, home), *(home / place for place in _PLACES)]


def discover(root: Path) -> Iterable[Discovered]:
    """The ledger in a state directory, or the ledger file itself: one unit.

    A ledger of another schema than 2 is refused as a whole, with what lies
    beside it (FACTS.md).
    """
    path = os.path.realpath(root if root.is_file() else root / _LEDGER)
    if not os.path.isfile(path):
        return
    try:
        fingerprint = digest(path)
        with opened(path) as connection:
            reason = refusal(connection)
    except (OSError, StoreError) as error:
        yield Unreadable(HARNESS, path, getattr(error, "strerror", None) or str(error))
    else:
        if reason is None:
            yield SourceFile(HARNESS, path, fingerprint=fingerprint)
        else:
            yield Unreadable(HARNESS, path, reason, "unsupported_schema")


def homes(unit: str) -> Iterator[tuple[str, Path]]:
    """Codex homes beside a ledger: the shared folder of rollouts, and the isolated homes of single runs."""
    state = Path(unit).parent
    shared = state / "codex-sessions"
    if shared.is_dir():
        yield _CODEX, shared
    try:
        kits = sorted(os.listdir(state / "kits"))
    except OSError:
        return
    for kit in kits:
        home = state / "kits" / kit
        if (home / "sessions").is_dir():
            yield _CODEX, home
