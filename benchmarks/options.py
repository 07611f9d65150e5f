"""The parameters of a corpus."""

from dataclasses import dataclass
from pathlib import Path

# 2026-09-24T00:00:00Z: no session starts later.
END_SECONDS = 1_790_208_000
PROJECTS = (
    "/home/dev/work/orchard",
    "/home/dev/work/tide-api",
    "/home/dev/my-app_v2",
    "/home/dev/résumé site",
    "/srv/ci/build-agent",
    "/home/dev/work/orchard/.worktrees/fix-42",
)


@dataclass(frozen=True)
class Options:
    """`size` in bytes wins over `sessions`; shares are between 0 and 1, `messages` and `tool_bytes` are means."""

    out: Path
    size: int = 0
    sessions: int = 20
    messages: int = 90
    tool_bytes: int = 5000
    codex_share: float = 0.5
    record_share: float = 0.5
    subagent_share: float = 0.35
    resume_share: float = 0.04
    days: int = 60
    seed: int = 1
