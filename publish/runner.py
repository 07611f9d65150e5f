"""The runner of GitHub Actions: inputs, outputs, annotations and the job summary.

The only module that knows its files and its commands. Everything that goes
out is made harmless first: a value can neither begin another output nor
another command, and the summary never outgrows what the service takes.
"""

import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TextIO

from observer.base.paths import environment
from publish.result import Stop

Level = Literal["notice", "warning", "error"]

# The service drops a summary that is longer, all of it.
LARGEST_SUMMARY = 1_048_576
TITLE = "Agent Observer"
_LONGEST_MESSAGE = 2000


class Runner:
    """One step of a job. `variables` are its environment, `out` is what the runner reads commands from."""

    def __init__(self, variables: Mapping[str, str] | None = None, out: TextIO | None = None) -> None:
        self._variables = environment() if variables is None else variables
        self._out = out or sys.stdout

    def input(self, name: str) -> str:
        """An input of action.yml, without surrounding white space; empty when it is not given."""
        return self.variable(f"INPUT_{name.upper().replace('-', '_')}")

    def variable(self, name: str) -> str:
        """A variable of the step, without surrounding white space; empty when there is none."""
        return self._variables.get(name, "").strip()

    def file(self, name: str) -> Path:
        """A file that the runner names in a variable. Stop (no_runner) when it names none."""
        place = self.variable(name)
        if not place:
            raise Stop("refused", "no_runner", f"{name} is not set: this runs in GitHub Actions only")
        return Path(place)

    def say(self, line: str) -> None:
        """A line for the log."""
        sys.stderr.write(f"agent-observer: {one_line(line)}\n")

    def annotate(self, level: Level, message: str) -> None:
        """An annotation on the run."""
        text = one_line(message).replace("%", "%25")
        self._out.write(f"::{level} title={TITLE}::{text}\n")
        self._out.flush()

    def outputs(self, values: Mapping[str, str]) -> None:
        """Sets the outputs of the step; values may have several lines."""
        if not self.variable("GITHUB_OUTPUT"):
            return
        with self.file("GITHUB_OUTPUT").open("a", encoding="utf-8") as file:
            for name, value in values.items():
                # Nobody who wrote a part of the value can know the line that ends it.
                end = f"end_{secrets.token_hex(16)}"
                file.write(f"{name}<<{end}\n{value}\n{end}\n")

    def summarize(self, text: str, *, shorter: str) -> None:
        """Adds to the job summary: the text, or the shorter one when the text does not fit any more."""
        if not self.variable("GITHUB_STEP_SUMMARY"):
            return
        file = self.file("GITHUB_STEP_SUMMARY")
        there = file.stat().st_size if file.exists() else 0
        for each in (text, shorter):
            data = ("\n\n" * (there > 0) + each).encode("utf-8", "replace")
            if there + len(data) < LARGEST_SUMMARY:
                with file.open("ab") as opened:
                    opened.write(data)
                return
        self.say("the job summary is full")

    def keep(self, name: str, text: str) -> Path | None:
        """A file for later steps, in a new folder of the runner's own; its path, or None without such a folder."""
        if not self.variable("RUNNER_TEMP"):
            return None
        folder = self.file("RUNNER_TEMP") / f"agent-observer-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        return path


def one_line(text: str) -> str:
    """The text on one line, without any character that is not printable, and not endless."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    return re.sub(r"\s{2,}", " ", plain)[:_LONGEST_MESSAGE]
