"""A record set after its import: the ledger, the answers, and the machine before and after."""

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.builders.answers import Row
from tests.builders.imports import Machine, machine
from tests.builders.inside import Inside
from tests.builders.wholes import Whole
from tests.contract.record_sets import RecordSet

# Where each file stands: its bytes (a folder and a link: none), where a link leads, and when it was changed.
Tree = dict[str, tuple[bytes, str, int]]


class Imported:
    """One sync of everything in the set's HOME, and a second one."""

    def __init__(self, record_set: RecordSet) -> None:
        self._opened = ExitStack()
        self.machine: Machine = self._opened.enter_context(machine())
        record_set.lay(self.machine.home)
        self.before = tree(self.machine.home)
        self.first = self.machine.sync()
        self.again = self.machine.sync()
        self.after = tree(self.machine.home)
        self.ask = Inside(self.machine.ledger)

    def close(self) -> None:
        """Removes the machine."""
        self._opened.close()

    @cached_property
    def whole(self) -> Whole:
        """The ledger in normal form."""
        return self.machine.whole()

    @cached_property
    def rows(self) -> list[Row]:
        """Every response, as `responses list` tells it."""
        found: list[Row] = self.ask("responses", "list", "--json").json["responses"]
        return found

    @property
    def counted(self) -> list[Row]:
        """Those that are summed: no other record covers them."""
        return [row for row in self.rows if not row["overlap"]]

    @cached_property
    def sessions(self) -> list[Row]:
        """Every session, as `sessions list` tells it."""
        found: list[Row] = self.ask("sessions", "list", "--json").json["sessions"]
        return found

    @cached_property
    def faults(self) -> list[Row]:
        """Every fault."""
        found: list[Row] = self.ask("faults", "list", "--json").json["faults"]
        return found

    def usage(self, by: str) -> list[Row]:
        """The groups of `usage --by`."""
        groups: list[Row] = self.ask("usage", "--by", by, "--json").json["groups"]
        return groups


def tree(home: Path) -> Tree:
    """Everything below a folder."""
    found: dict[str, Any] = {}
    for path in sorted(home.rglob("*")):
        kept = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        leads = str(path.readlink()) if path.is_symlink() else ""
        found[str(path.relative_to(home))] = (kept, leads, path.lstat().st_mtime_ns)
    return found
