"""Machines whose processes a test makes up: what runs, where, and what its environment says."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from observer.live import health
from observer.live.machine import Machine
from observer.native.processes import Details, Process

NOW_MS = 1_790_000_000_000
MINUTE_MS = 60_000


@dataclass
class Table:
    """A process table; processes are an hour old unless a test says otherwise."""

    home: Path
    rows: dict[int, tuple[Process, Details]] = field(default_factory=dict)

    def add(
        self,
        pid: int,
        *words: str,
        parent: int = 1,
        age_ms: int = 60 * MINUTE_MS,
        birth: str | None = None,
        cwd: str | None = "/srv/kit",
        variables: dict[str, str] | None = None,
        readable: bool = True,
        files: tuple[str, ...] | None = (),
    ) -> Process:
        """A process; `readable`: whether its environment can be read."""
        process = Process(pid, parent, words, NOW_MS - age_ms, birth or f"birth-{pid}")
        told = {"HOME": str(self.home)} | (variables or {}) if readable else None
        self.rows[pid] = (process, Details(cwd, told, files))
        return process

    def running(self) -> list[Process]:
        """All of them."""
        return [process for process, _ in self.rows.values()]

    def details(self, pid: int, variables: Collection[str]) -> Details | None:
        """What was made up, with no more variables than were asked for."""
        found = self.rows[pid][1]
        if found.variables is None:
            return found
        kept = {name: value for name, value in found.variables.items() if name in variables}
        return Details(found.directory, kept, found.files)

    def machine(self, **extra: list[Path]) -> Machine:
        """The table on a machine whose user has `home`."""
        return Machine(self, environment={}, home=self.home, extra=extra, now_ms=NOW_MS)

    def check(self, *, young_ms: int = health.YOUNG_MS, **extra: list[Path]) -> dict[str, Any]:
        """The health document."""
        return health.check(self.machine(**extra), young_ms=young_ms)
