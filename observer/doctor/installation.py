"""The program itself: its version, what runs it, and the libraries it needs.

Looks for libraries without loading them.
"""

import platform
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from observer import __version__
from observer.doctor.finding import Finding
from observer.ledger.verify import engine_version

# STRICT tables.
_SQLITE = (3, 37)
_PYTHON = (3, 11)
_LIBRARIES = {
    "msgspec": "everything",
    "rich": "tables on a terminal",
    "jinja2": "publish",
    "github": "publish",
    "httpx": "publish",
    "psutil": "health",
    "tomli_w": "config init",
    "tzdata": "named time zones",
}
# What changes where things are looked for.
_VARIABLES = (
    "AGENT_OBSERVER_DB", "AGENT_OBSERVER_CONFIG", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "OPENCODE_DB", "GROK_HOME", "DURABLE_RUNNER_STATE_DIR",
)  # fmt: skip


def facts(environment: Mapping[str, str]) -> dict[str, Any]:
    """Versions, the interpreter's place, and the variables that were set."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": engine_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "prefix": sys.prefix,
        "variables": {name: environment[name] for name in _VARIABLES if environment.get(name)},
    }


def findings() -> list[Finding]:
    """What is too old or missing."""
    found = []
    if sys.version_info < _PYTHON:
        found.append(_old("Python", platform.python_version(), _PYTHON))
    if tuple(map(int, engine_version().split("."))) < _SQLITE:
        found.append(_old("SQLite", engine_version(), _SQLITE))
    for name, purpose in (_LIBRARIES | _compression()).items():
        if not _is_there(name):
            found.append(
                Finding("installation", name, f"is not installed; {purpose} needs it", "install the program again")
            )
    return found


def _compression() -> dict[str, str]:
    return {} if sys.version_info >= (3, 14) else {"backports.zstd": "compressed rollouts of Codex"}


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _old(name: str, present: str, wanted: tuple[int, int]) -> Finding:
    number = ".".join(map(str, wanted))
    return Finding("installation", name, f"{present} is too old", f"use {name} {number} or newer")
