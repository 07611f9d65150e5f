"""See it work: bundled records, a throw-away ledger, a task, its report and its comment.

Needs no records of yours, no network and no token, and leaves nothing behind.
The records were made by real agents working for a model server whose bill is
known.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from observer.base.data import demo_records
from observer.capture import bind
from observer.cli import main as command_line
from observer.cli import publish
from observer.cli.output import Output
from observer.facts.filters import Filter
from observer.ledger.open import reader, writer
from observer.reports import sessions

# The record sets that travel with the program (pyproject.toml puts them into the wheel).
_SETS = ("claude-code/multi-turn-tools", "claude-code/subagents", "codex/resume-model-switch", "codex/subagents")
_TASK = "DEMO-1"
_CANDIDATE = "3f9d2c1a0b"
_EVIDENCE = "the demo's records hold nothing else"
_NEXT = (
    ("agent-observer sync", "import your own agents' records"),
    ("agent-observer usage --by model", "see what they used"),
    ("agent-observer sessions list", "pick a task's sessions, then: agent-observer capture --help"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """The command has no options of its own."""
    parser.set_defaults(demo=True)


def run(_args: argparse.Namespace, out: Output) -> int:
    """Runs the ordinary commands, one after another, as a person would."""
    with tempfile.TemporaryDirectory(prefix="agent-observer-demo-") as folder:
        ledger = Path(folder) / "agent-observer" / "observer.db"
        show = _Stage(ledger, out)
        roots = [word for root in _roots() for word in ("--root", str(root))]
        show.step("Import what Claude Code and Codex have recorded", ["sync", *roots], shown=["sync"])
        show.step("How much was used, by model", ["usage", "--by", "model"])
        show.step("Say which work belongs together", ["capture", "create-task", "--task", _TASK])
        _assign_everything(ledger, show)
        show.step("", ["capture", "outcome", "--task", _TASK, "--state", "complete", "--candidate", _CANDIDATE])
        show.step("What the task cost, and how much of it is proven", ["task", "show", "--task", _TASK])
        words = ["publish", "--task", _TASK, "--repo", "octocat/hello-world", "--pr", "7", "--dry-run"]
        show.comment("The comment that would be kept on the pull request", words)
    out.text("\nNext, on your own records:\n")
    for words_to_run, meaning in _NEXT:
        out.text(f"  {words_to_run:34} {meaning}")
    return show.code


def _roots() -> Iterator[Path]:
    """The agents' homes inside the bundled record sets."""
    for name in _SETS:
        yield demo_records() / name / (".claude" if name.startswith("claude-code") else ".codex")


def _assign_everything(ledger: Path, show: "_Stage") -> None:
    """Gives every main session to the task; the first one is shown as the command it is."""
    with reader(ledger) as connection:
        found = [row["session"] for row in sessions.listed(connection, Filter()) if row["role"] != "subagent"]
    words = ["capture", "assign-session", "--task", _TASK, "--session", found[0], "--exclusive"]
    show.step("", [*words, "--with-subagents", "--evidence", _EVIDENCE])
    with writer(ledger) as connection:
        for session in found[1:]:
            bind.assign_sessions(connection, session, _TASK, evidence=_EVIDENCE, with_subagents=True)
    show.say(f"(and the same for the other {len(found) - 1} sessions)")


class _Stage:
    """Runs commands on the demo's ledger, shows what is run, and keeps the first exit code that is not 0."""

    def __init__(self, ledger: Path, out: Output) -> None:
        self._ledger, self._out = ledger, out
        self.code = 0

    def step(self, title: str, words: Sequence[str], *, shown: Sequence[str] | None = None) -> None:
        """One command, under a heading unless it continues the last one."""
        self._announce(title, shown or words)
        code = command_line.main(["--db", str(self._ledger), *words])
        self.code = self.code or code

    def comment(self, title: str, words: Sequence[str]) -> None:
        """The dry run of a publication, without the memory block that no person reads."""
        self._announce(title, words)
        parser = argparse.ArgumentParser()
        publish.configure(parser)
        args = parser.parse_args(words[1:], argparse.Namespace(db=str(self._ledger)))
        self.code = self.code or publish.run(args, _Readable())

    def say(self, line: str) -> None:
        """A line of the show, in order with what the commands print."""
        self._out.text(line)
        sys.stdout.flush()

    def _announce(self, title: str, words: Sequence[str]) -> None:
        if title:
            self.say(f"\n── {title}")
        quoted = (f'"{word}"' if " " in word else word for word in words)
        self.say(f"\n$ agent-observer {' '.join(quoted)}\n")


class _Readable(Output):
    """Leaves out what a comment keeps for the next publication."""

    def text(self, line: str = "") -> None:
        """The body up to its last line."""
        visible, _, memory = line.rstrip().rpartition("\n")
        super().text(f"{visible}\n(and {len(memory)} characters that only the next publication reads)")
