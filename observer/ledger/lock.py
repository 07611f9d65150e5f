"""Turns at writing: one process at a time, without polling.

SQLite's own waiting sleeps between tries; several importers of one ledger
would spend their time there. The kernel's lock on a file beside the ledger
queues them, and is released when a process dies.
"""

import fcntl
import os
from pathlib import Path
from types import TracebackType


class Turn:
    """A context that holds the write turn of one ledger. Close it at the end."""

    def __init__(self, ledger: Path) -> None:
        self._file = os.open(f"{ledger}.lock", os.O_CREAT | os.O_RDWR, 0o600)

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Gives the lock file back."""
        os.close(self._file)
