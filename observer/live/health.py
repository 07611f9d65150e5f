"""Health: live sessions that leave no records where they are looked for."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import msgspec

from observer.live import claude, elsewhere
from observer.live.agents import Host
from observer.live.machine import Machine
from observer.live.verdict import Finding, Verdict

# A session that has just started may have written nothing yet.
YOUNG_MS = 120_000
_HOSTS: tuple[Host, ...] = ("claude", "codex", "opencode", "grok")
_NOTE = (
    "looks at this user's processes on this machine; a session that was asked nothing yet looks like one that records"
    " nothing"
)


def check(machine: Machine, *, young_ms: int = YOUNG_MS) -> dict[str, Any]:
    """The `health` document: findings, and how many sessions of each agent were looked at."""
    found = list(
        chain(
            claude.verdicts(machine, young_ms=young_ms),
            *(elsewhere.verdicts(machine, host, young_ms=young_ms) for host in _HOSTS if host != "claude"),
        )
    )
    return {
        "findings": [msgspec.to_builtins(each.said) for each in found if isinstance(each.said, Finding)],
        "checked": {host: sum(each.host == host for each in found) for host in _HOSTS},
        "young": _where(found, "young"),
        "unknown": _where(found, "unknown"),
        "note": _NOTE,
    }


def _where(found: Iterable[Verdict], state: str) -> list[dict[str, Any]]:
    return [{"host": each.host, "pid": each.pid} for each in found if each.said == state]
