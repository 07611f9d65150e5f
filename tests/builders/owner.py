"""The program that owns a database, as a process of its own: it does what it is told, or writes without end.

`Owner(path)` starts one; `run(sql)` makes it execute a statement and waits for
it, `kill()` ends it as a crash does. `Owner(path, writes=…)` writes one
transaction after the other until it is stopped.
"""

import json
import select
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from tests.places import ROOT

# Others must get their turn, and a database stay small.
_PAUSE_SECONDS = 0.002
# Statements of one transaction; `{n}` in them stands for the number of the transaction.
Writes = Sequence[str]


class Owner:
    """One process; `with` ends it in good order."""

    def __init__(self, path: Path, *first: str, writes: Writes = (), reopens: bool = False) -> None:
        orders = json.dumps({"path": str(path), "first": first, "writes": writes, "reopens": reopens})
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tests.builders import owner; owner.serve()"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._tell(orders)
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, *statements: str) -> Self:
        """Executes them, one after the other."""
        for statement in statements:
            self._tell(json.dumps(statement))
            self._answer()
        return self

    def written(self) -> int:
        """How many transactions of `writes` are committed by now."""
        self._tell(json.dumps(None))
        return int(self._answer())

    def stop(self) -> None:
        """Lets it close the database and end."""
        if self._process.poll() is None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(30)
        self._close()

    def kill(self) -> None:
        """A crash: nothing is tidied up."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline().strip()
        assert answer, "the owner has ended"
        return answer


def serve() -> None:
    """The process: orders on stdin, an answer to each on stdout."""
    orders = json.loads(sys.stdin.readline())
    connection = _opened(orders["path"], orders["first"])
    print("ready", flush=True)
    if orders["writes"]:
        _write(connection, orders)
        return
    for line in sys.stdin:
        connection.execute(json.loads(line))
        print("done", flush=True)
    connection.close()


def _opened(path: str, first: Iterable[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    for statement in first:
        connection.execute(statement)
    return connection


def _write(connection: sqlite3.Connection, orders: dict[str, Any]) -> None:
    """One transaction after the other; asked between two of them how many there are."""
    count = 0
    while True:
        ready = select.select([sys.stdin], [], [], _PAUSE_SECONDS)[0]
        if ready:
            if not sys.stdin.readline():
                break
            print(count, flush=True)
        count += 1
        connection.execute("BEGIN IMMEDIATE")
        for statement in orders["writes"]:
            connection.execute(statement.replace("{n}", str(count)))
        connection.execute("COMMIT")
        if orders["reopens"]:
            connection.close()
            connection = _opened(orders["path"], orders["first"])
    connection.close()
