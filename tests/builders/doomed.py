"""A real sync, in a process of its own, that is killed at a place chosen beforehand: after so many SQL statements.

All its processes count together, so a busy machine changes nothing. `pause`
lets it run on for that long, so that it also dies inside a statement.
"""

import json
import mmap
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from tests.builders.imports import Machine
from tests.command_line import Cli
from tests.places import ROOT

_ORDERS = "DOOMED_SYNC"
_NEVER = 2**62
_COUNT = struct.Struct("=q")


class Doom(NamedTuple):
    """Where a sync dies, and whether its children die with it."""

    at: int = _NEVER
    pause: float = 0.0
    children: bool = True


def sync(found: Machine, doom: Doom) -> tuple[bool, int]:
    """Runs a sync; whether it was killed, and, if it was not, how many statements it took.

    Children that it leaves behind may still be at work.
    """
    environment = Cli(found.home, found.ledger).environment()
    with NamedTemporaryFile("r") as report:
        done = subprocess.run(
            [sys.executable, "-c", "from tests.builders import doomed; doomed.main()"],
            env=environment | {_ORDERS: json.dumps((doom, report.name)), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=120,
        )
        assert done.returncode in (0, -signal.SIGKILL)
        return done.returncode != 0, int(report.read() or 0)


def main() -> None:
    """The process: the sync of the command line, with every statement counted."""
    from observer.cli import main as command_line

    orders, report = json.loads(os.environ[_ORDERS])
    doom, first, shared = Doom(*orders), os.getpid(), mmap.mmap(-1, _COUNT.size)
    connect = sqlite3.connect

    def step(_statement: str) -> None:
        (count,) = _COUNT.unpack(shared[:])
        shared[:] = _COUNT.pack(count + 1)
        if count == doom.at:
            _die(doom, first)

    def watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.set_trace_callback(step)
        return connection

    sqlite3.connect = watched  # type: ignore[assignment]
    code = command_line.main(["sync"])
    Path(report).write_text(str(*_COUNT.unpack(shared[:])), encoding="utf-8")
    os._exit(code)


def _die(doom: Doom, first: int) -> None:
    """Kills at once, or lets another process do it a moment later."""
    if doom.pause:
        if os.fork():
            return
        time.sleep(doom.pause)
    if doom.children:
        os.killpg(first, signal.SIGKILL)
    os.kill(first, signal.SIGKILL)
    if doom.pause:
        os._exit(0)
