"""The two programs that are compared, and how each is asked."""

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.process import Measured, measure

ROOT = Path(__file__).resolve().parent.parent
CCUSAGE = "ccusage@20.0.24"
_POINTING_ELSEWHERE = ("AGENT_OBSERVER_", "CLAUDE", "CODEX", "OPENCODE", "XDG_")
_TASK, _TASK_SESSIONS = "benchmark", 20


def variables(home: Path) -> dict[str, str]:
    """An environment in which both programs see the corpus and nothing else."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_POINTING_ELSEWHERE)}
    return kept | {"HOME": str(home), "TZ": "UTC"}


class Observer:
    """Our command line on one corpus, with a ledger that is kept and one that is thrown away."""

    def __init__(self, command: str, home: Path, ledgers: Path) -> None:
        self.command, self.home = command, home
        self.kept, self.fresh = ledgers / "kept" / "observer.db", ledgers / "fresh" / "observer.db"

    def call(self, *words: str, ledger: Path | None = None, accepted: Sequence[int] = (0,)) -> Measured:
        """One call, measured."""
        line = [self.command, "--db", str(ledger or self.kept), *words]
        return measure(line, variables(self.home), accepted=accepted)

    def ask(self, *words: str) -> Any:
        """The JSON of one answer from the kept ledger."""
        return json.loads(self.call(*words).out)

    def prepare(self) -> None:
        """Fills the kept ledger and gives a task the sessions with the most responses."""
        self.call("sync", "--json")
        sessions = self.ask("sessions", "list", "--json")["sessions"]
        main = [row for row in sessions if row["role"] == "main"]
        main.sort(key=lambda row: (-row["responses"], row["session"]))
        self.call("capture", "create-task", "--task", _TASK)
        for row in main[:_TASK_SESSIONS]:
            owned = ("--session", row["session"], "--exclusive", "--evidence", "made for the benchmark")
            self.call("capture", "assign-session", "--task", _TASK, *owned)

    def cold_import(self) -> Measured:
        """Everything read into a ledger that does not exist yet."""
        for path in self.fresh.parent.glob(f"{self.fresh.name}*"):
            path.unlink()
        return self.call("sync", "--json", ledger=self.fresh)

    def unchanged_sync(self) -> Measured:
        """Nothing new since the last one."""
        return self.call("sync", "--json")

    def usage(self) -> Measured:
        """The question people ask first."""
        return self.call("usage", "--by", "day", "--timezone", "utc", "--json")

    def task(self) -> Measured:
        """One whole task report; its sessions' subagents are unowned, so that gaps are expected."""
        return self.call("task", "show", "--task", _TASK, "--json", accepted=(0, 3))


class Ccusage:
    """The npm package, pinned, which reads all files on every call."""

    def __init__(self, cache: Path, home: Path) -> None:
        self.home, self.folder = home, cache / "ccusage"

    def install(self) -> None:
        """Once per cache folder."""
        if not (self.folder / "node_modules" / "ccusage").is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            words = ["npm", "install", "--prefix", str(self.folder), CCUSAGE, "--no-audit", "--no-fund", "--silent"]
            subprocess.run(words, check=True)

    def daily(self) -> Measured:
        """Usage by day of all agents, without asking for prices online."""
        command = str(self.folder / "node_modules" / ".bin" / "ccusage")
        return measure([command, "daily", "--json", "--offline", "--timezone", "UTC"], variables(self.home))

    @staticmethod
    def differences(truth: dict[str, Any], answer: bytes) -> list[str]:
        """Models whose output tokens differ from the truth; what it calls input differs by design."""
        sums: dict[str, int] = defaultdict(int)
        for day in json.loads(answer)["daily"]:
            for row in day["modelBreakdowns"]:
                sums[row["modelName"]] += row["outputTokens"]
        expected = {
            model: row["output_tokens"]
            for side in ("claude", "codex")
            for model, row in truth[side]["by_model"].items()
        }
        return [
            f"ccusage {model}: expected {expected.get(model)}, got {sums.get(model)} output tokens"
            for model in sorted(expected.keys() | sums.keys())
            if expected.get(model) != sums.get(model)
        ]
