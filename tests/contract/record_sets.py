"""The real records that every adapter of the registry is held against, and where they lie in a HOME.

A new adapter needs no line here: `tests/fixtures/records/<harness>/<set>` is
a HOME of its own, with `expected.json` beside it. Only what lies otherwise is
named.
"""

import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple

from observer.adapters import registry
from observer.adapters.protocol import Reader
from observer.adapters.registry import adapter
from tests.places import RECORDS

_BILL = "expected.json"
# Harness → the folder of its sets, where it has another name.
FOLDERS = {"claude": RECORDS / "claude-code", "grok": RECORDS / "grok-build", "router": RECORDS / "model-router"}
# Harness → what lies where: a part of the set, its place in HOME. "" is the whole set.
_PLACES = {
    "grok": {"sessions": ".grok/sessions", "logs": ".grok/logs"},
    "opencode": {"": ".local/share/opencode"},
    "router": {
        "durable-runner": ".local/share/durable-runner",
        "model-router-legacy-v2": ".local/state/model-router",
        "codex-home": ".codex",
        "opencode": ".local/share/opencode",
    },
}
# Sets whose records are known to be incomplete or odd: their faults and gaps are facts of their own tests.
ODD = frozenset(("router/legacy-incomplete",))


class RecordSet(NamedTuple):
    """One set: the state of one machine. `bill` is the file that says what was really done, if there is one."""

    harness: str
    name: str
    folder: Path
    bill: Path | None

    @property
    def reader(self) -> Reader:
        """The adapter whose records these are."""
        return adapter(self.harness)

    def lay(self, home: Path) -> Path:
        """Puts the records where their agent keeps them; returns `home`."""
        for part, place in _PLACES.get(self.harness, {"": ""}).items():
            if (self.folder / part).is_dir():
                shutil.copytree(
                    self.folder / part,
                    home / place,
                    symlinks=True,
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns(_BILL, "databases.json"),
                )
        return home


@cache
def of(harness: str) -> tuple[RecordSet, ...]:
    """The sets of a harness. One that holds several states of a machine is as many sets, without a bill."""
    found = []
    for bill in sorted(FOLDERS.get(harness, RECORDS / harness).glob(f"*/{_BILL}")):
        name = f"{harness}/{bill.parent.name}"
        states = sorted(bill.parent.glob("v[0-9]*"))
        found += [RecordSet(harness, f"{name}/{state.name}", state, None) for state in states]
        found += [] if states else [RecordSet(harness, name, bill.parent, bill)]
    return tuple(found)


def every() -> list[RecordSet]:
    """The sets of all harnesses in the registry."""
    return [each for harness in registry.HARNESSES for each in of(harness)]
