"""Private file modes: directory 0700, ledger and siblings 0600, any umask.

Existing files with wider modes are narrowed; a directory that already existed
is only narrowed when it is the ledger's own (named `agent-observer`), so that
`--db ~/ledger.db` does not change the home directory's mode.
"""

import os
import stat
from pathlib import Path

_SIBLINGS = ("", "-wal", "-shm", "-journal", ".lock")


def directory(path: Path) -> None:
    """Makes the ledger's directory, private."""
    folder = path.parent
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    elif folder.name == "agent-observer" and stat.S_IMODE(folder.stat().st_mode) != 0o700:
        folder.chmod(0o700)


def create(path: Path) -> None:
    """Makes an empty file with mode 0600 unless it exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass


def files(path: Path) -> None:
    """Narrows the ledger and what SQLite keeps beside it to 0600."""
    for ending in _SIBLINGS:
        name = f"{path}{ending}"
        try:
            mode = os.stat(name).st_mode
            if stat.S_ISREG(mode) and stat.S_IMODE(mode) != 0o600:
                os.chmod(name, 0o600)
        except FileNotFoundError:
            continue
