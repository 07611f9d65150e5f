"""Syncs inside the test process: a HOME, a ledger, and what came of each run."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from observer.importing.engine import Imported, Request, sync
from tests.builders.wholes import Whole, whole

# No law depends on the disk; where the system keeps files in memory, they are proved ten times as fast.
_MEMORY = Path("/dev/shm")


class Machine:
    """One HOME and one ledger below a folder of the test's own; `home` if several ledgers are to share one."""

    def __init__(self, folder: Path, *, home: Path | None = None) -> None:
        self.home, self.ledger = home or folder / "home", folder / "ledger" / "observer.db"
        self.home.mkdir(parents=True, exist_ok=True)

    def sync(self, **request: Any) -> dict[str, Imported]:
        """Imports what lies below HOME; the answers by harness."""
        answers = sync(
            self.ledger, Request(**request), environment={}, home=self.home, progress=lambda _done, _total: None
        )
        return {answer.harness: answer for answer in answers}

    def whole(self, *without: str) -> Whole:
        """The ledger in normal form, paths relative to HOME."""
        return whole(self.ledger, home=self.home, without=without)

    def contents(self) -> dict[str, bytes]:
        """Every file below HOME."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }


@contextlib.contextmanager
def machine() -> Iterator[Machine]:
    """A machine that is gone afterwards."""
    with TemporaryDirectory(prefix="machine-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Machine(Path(folder))


def inserted(answers: dict[str, Imported]) -> int:
    """Rows that are new over all harnesses."""
    return sum(
        each.responses_inserted + each.submissions_inserted + each.events_inserted + each.malformed
        for each in answers.values()
    )
