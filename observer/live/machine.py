"""The machine that health looks at: its processes, the present instant, and the homes that are looked in.

Compares homes by where they really lie; opens no record.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from observer.adapters.registry import HOSTS, adapter
from observer.live.agents import Agent, Host, working
from observer.native.processes import Details, Process, Processes

# A process's start is known to a second or so; a record may seem to be older than its writer.
SLACK_MS = 2_000
# Everything about a process that decides whether and where it keeps records.
_VARIABLES = (
    "HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_FORCE_SESSION_PERSISTENCE",
    "CLAUDE_CODE_SKIP_PROMPT_HISTORY", "CODEX_HOME", "XDG_DATA_HOME", "OPENCODE_DB", "GROK_HOME",
)  # fmt: skip
# A root may be named by the folder of sessions in it.
_INNER = ("sessions", "projects")


class Machine:
    """One moment of a machine. `extra`: places looked in beside the usual ones, by harness."""

    def __init__(
        self,
        processes: Processes,
        *,
        environment: Mapping[str, str],
        home: Path,
        extra: Mapping[str, Sequence[Path]],
        now_ms: int,
    ) -> None:
        self._processes, self._environment, self._home, self._extra = processes, environment, home, extra
        self.now_ms = now_ms

    @cached_property
    def running(self) -> dict[int, Process]:
        """The processes of this user, by number."""
        return {each.pid: each for each in self._processes.running()}

    @cached_property
    def agents(self) -> list[Agent]:
        """The agents at work."""
        return working(self.running.values())

    def details(self, pid: int) -> Details:
        """A closer look; nothing is known of a process that has just ended."""
        return self._processes.details(pid, _VARIABLES) or Details()

    def homes(self, host: Host) -> list[Path]:
        """The homes of an agent that sync looks in."""
        return list(dict.fromkeys(root.parent if root.name in _INNER else root for root in self._roots(host)))

    def homes_of(self, host: Host, details: Details) -> list[Path]:
        """Where a process keeps its records; the usual homes when its environment cannot be read."""
        if details.variables is None:
            return self.homes(host)
        return list(adapter(host).roots(details.variables, Path(details.variables.get("HOME") or self._home)))

    def unseen(self, host: Host, homes: Sequence[Path]) -> list[Path]:
        """Those of a process's homes in which sync does not look, also not as the state of a host of such homes."""
        known = {os.path.realpath(each) for each in self.homes(host)}
        keepers = [each for keeper, guests in HOSTS.items() if host in guests for each in self._roots(keeper)]
        around = tuple(os.path.realpath(each) + os.sep for each in keepers)
        return [each for each in homes if (real := os.path.realpath(each)) not in known and not real.startswith(around)]

    def _roots(self, harness: str) -> list[Path]:
        return [*adapter(harness).roots(self._environment, self._home), *self._extra.get(harness, ())]

    def age_ms(self, started_ms: int | None) -> int:
        """How long ago that was; 0 for an unknown instant and one in the future."""
        return 0 if started_ms is None else max(0, self.now_ms - started_ms)
