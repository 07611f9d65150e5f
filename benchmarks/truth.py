"""What a corpus really holds, counted while it is written and never read back from it."""

from collections.abc import Mapping
from typing import Any

CLAUDE_COUNTERS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_5m",
    "cache_1h",
    "cache_read_input_tokens",
    "output_tokens",
)
CODEX_COUNTERS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)
GROUPS = ("by_model", "by_day", "by_project", "by_session")
_SIZES = ("files", "subagent_files", "lines", "bytes", "usage_lines", "tool_output_bytes")


class Side:
    """One harness: sizes of what was written, and totals in all and by group."""

    def __init__(self, counters: tuple[str, ...]) -> None:
        self.counters = counters
        self.responses = 0
        self.sizes = dict.fromkeys(_SIZES, 0)
        self.totals: dict[str, int] = {}
        self.groups: dict[str, dict[str, dict[str, int]]] = {name: {} for name in GROUPS}

    def add(self, usage: Mapping[str, int], *, model: str, day: str, project: str, session: str) -> None:
        """Counts one response, once."""
        self.responses += 1
        rows = [self.totals]
        for group, key in zip(GROUPS, (model, day, project, session), strict=True):
            row = self.groups[group].setdefault(key, {"responses": 0})
            row["responses"] += 1
            rows.append(row)
        for row in rows:
            for name in self.counters:
                row[name] = row.get(name, 0) + usage[name]

    def document(self) -> dict[str, Any]:
        """Its part of truth.json."""
        return {"responses": self.responses, "totals": self.totals, **self.groups, **self.sizes}
