"""What the command line tells of an import, added up by the test itself."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.command_line import Answer, Cli

Row = dict[str, Any]

# Short name → field of a response row.
COUNTERS = {
    "input": "input_tokens",
    "cached": "cached_input_tokens",
    "write": "cache_write_input_tokens",
    "write_5m": "cache_write_5m_tokens",
    "write_1h": "cache_write_1h_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_output_tokens",
    "total": "total_tokens",
}
_INSERTED = ("responses_inserted", "submissions_inserted", "events_inserted", "malformed")


class Told:
    """The answers about one imported HOME; each command runs once."""

    def __init__(self, cli: Cli, synced: Answer) -> None:
        self.cli, self.synced = cli, synced
        self.rows: list[Row] = [
            row for row in cli("responses", "list", "--json").json["responses"] if not row["overlap"]
        ]
        self.sessions: list[Row] = cli("sessions", "list", "--json").json["sessions"]
        self._shown: list[Row] | None = None

    @property
    def shown(self) -> list[Row]:
        """Every session in full."""
        if self._shown is None:
            keys = [session["session"] for session in self.sessions]
            self._shown = [self.cli("sessions", "show", "--session", key, "--json").json for key in keys]
        return self._shown

    def events(self, family: str) -> int:
        """Events of a family over all sessions."""
        return sum(session["events"].get(family, 0) for session in self.shown)

    def usage(self, by: str, *more: object) -> list[Row]:
        """The groups of `usage --by`."""
        groups: list[Row] = self.cli("usage", "--by", by, *more, "--json").json["groups"]
        return groups

    def faults(self, category: str) -> int:
        """Faults of a category."""
        return sum(fault["category"] == category for fault in self.cli("faults", "list", "--json").json["faults"])

    def root(self, key: str) -> str:
        """The main session that a session works for."""
        parents = {session["session"]: session["parent"] for session in self.sessions}
        while parents.get(key):
            key = parents[key]
        return key


def inserted(answer: Answer) -> dict[str, int]:
    """What a sync says it added, without the zeros."""
    return {
        f"{row['harness']} {name}": row[name] for row in answer.json["harnesses"] for name in _INSERTED if row[name]
    }


def sums(rows: Iterable[Row]) -> dict[str, int]:
    """Sums of the known counters; `input?` counts the rows that do not know theirs."""
    found: dict[str, int] = defaultdict(int)
    for row in rows:
        found["responses"] += 1
        for name, field in COUNTERS.items():
            if row[field] is None:
                found[f"{name}?"] += 1
            else:
                found[name] += row[field]
    return found


def by_model(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each model."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row["model"])].append(row)
    return dict(found)


def native(key: str) -> str:
    """A key without its harness."""
    return key.partition(":")[2]


def contents(home: Path) -> dict[str, bytes]:
    """Every file below a HOME but what the program itself may keep there."""
    found = (path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(home)): path.read_bytes() for path in found if not _is_own(path, home)}


def _is_own(path: Path, home: Path) -> bool:
    """Whether it lies in the ledger's folder."""
    return path.is_relative_to(home / ".local" / "state" / "agent-observer")
