"""The processes of this user: what runs, since when, where, and a few named variables of its environment.

Looks only: sends no signal, and keeps no variable that it was not asked for. Only
this module knows psutil, and loads it when processes are really looked at.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from observer.base.clock import MS

# Linux marks the directory of a process that was deleted under it.
_DELETED = " (deleted)"
# `starttime` is field 22 of /proc/<pid>/stat; the fields before it end with the name in parentheses.
_BIRTH_AFTER_NAME = 19


class Process(Struct, frozen=True):
    """One running process.

    `words` is its command line. `birth` is what Linux calls its start time, as
    text: with the number it names one process for good; None elsewhere.
    """

    pid: int
    parent: int | None
    words: tuple[str, ...]
    started_ms: int | None = None
    birth: str | None = None


class Details(Struct, frozen=True):
    """What takes a closer look; None is what the system does not tell."""

    directory: str | None = None
    variables: Mapping[str, str] | None = None
    files: tuple[str, ...] | None = None


class Processes(Protocol):
    """A machine's processes; tests give their own."""

    def running(self) -> Collection[Process]:
        """The processes of this user, without dead ones that nobody has collected."""
        ...

    def details(self, pid: int, variables: Collection[str]) -> Details | None:
        """Directory, open files and the variables of these names; None when it has ended."""
        ...


class System:
    """The processes of this machine."""

    def running(self) -> list[Process]:
        """The processes of this user."""
        import psutil  # type: ignore[import-untyped]

        found = []
        for each in psutil.process_iter(["pid", "ppid", "cmdline", "create_time", "status", "uids"]):
            seen: dict[str, Any] = each.info
            if seen["uids"] is None or seen["uids"].real != os.getuid() or seen["status"] == psutil.STATUS_ZOMBIE:
                continue
            started = seen["create_time"]
            found.append(
                Process(
                    pid=seen["pid"],
                    parent=seen["ppid"],
                    words=tuple(seen["cmdline"] or ()),
                    started_ms=None if started is None else round(started * MS),
                    birth=_birth(seen["pid"]),
                )
            )
        return found

    def details(self, pid: int, variables: Collection[str]) -> Details | None:
        """A closer look at one process; what it refuses to tell is None."""
        import psutil

        def told(question: Any) -> Any:
            try:
                return question()
            except (psutil.AccessDenied, OSError):
                return None

        try:
            process = psutil.Process(pid)
            directory = told(process.cwd)
            environment = told(process.environ)
            files = told(process.open_files)
        except psutil.NoSuchProcess:
            return None
        return Details(
            directory=directory.removesuffix(_DELETED) if directory else None,
            variables=None
            if environment is None
            else {name: environment[name] for name in variables if name in environment},
            files=None if files is None else tuple(each.path for each in files),
        )


def _birth(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields[_BIRTH_AFTER_NAME] if len(fields) > _BIRTH_AFTER_NAME else None
