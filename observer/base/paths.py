"""Where things lie on this machine: the ledger and the agents' homes.

Only answers questions; creates nothing.
"""

import os
from collections.abc import Mapping
from pathlib import Path

LEDGER_VARIABLE = "AGENT_OBSERVER_DB"


def environment() -> Mapping[str, str]:
    """The process environment, read-only by convention."""
    return os.environ


def home() -> Path:
    """The user's home directory; `HOME` wins, as for the agents themselves."""
    return Path(os.environ.get("HOME") or os.path.expanduser("~"))


def ledger(option: str | None) -> Path:
    """The ledger file: `--db`, else `AGENT_OBSERVER_DB`, else the default."""
    chosen = option or os.environ.get(LEDGER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return home() / ".local" / "state" / "agent-observer" / "observer.db"


def chosen(environment: Mapping[str, str], variable: str, home: Path, *, separator: str | None = None) -> list[Path]:
    """The folders that a variable of an agent names; `~/` is the user's home. Empty when it names none."""
    said = environment.get(variable, "")
    names = [said] if separator is None else [name.strip() for name in said.split(separator)]
    return [home / name[2:] if name.startswith("~/") else Path(name) for name in names if name]
