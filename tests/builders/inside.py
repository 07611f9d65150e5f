"""The command line inside the test process, for laws that ask it often; and everything a ledger keeps or answers."""

import contextlib
import io
from pathlib import Path

from observer.cli import main as command_line
from tests.command_line import Answer


class Inside:
    """Commands on one ledger; answers what `tests.command_line.Cli` would, without a process."""

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger

    def __call__(self, *words: object) -> Answer:
        """Runs one command to its end and returns what it said, whatever the exit code."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command_line.main(["--db", str(self.ledger), *map(str, words)])
            out.flush()
            err.flush()
        return Answer(code, *(each.buffer.getvalue().decode("utf-8") for each in (out, err)))  # type: ignore[attr-defined]


def kept(ledger: Path) -> bytes:
    """Everything that is kept or answered: the ledger's files, each command, both exports."""
    ask = Inside(ledger)
    said = [path.read_bytes() for path in sorted(ledger.parent.iterdir())]
    sessions = [row["session"] for row in ask("sessions", "list", "--json").json["sessions"]]
    ask("capture", "create-task", "--task", "T-1")
    for session in sessions:
        ask("capture", "assign-session", "--task", "T-1", "--session", session, "--exclusive", "--evidence", "planted")
    tasks = [row["task"] for row in ask("task", "list", "--json").json["tasks"]]
    questions = [
        *(("sessions", "show", "--session", session, "--json") for session in sessions),
        *(("usage", "--by", by, "--json") for by in ("day", "model", "project", "task")),
        *((*words, *form) for words in (("sessions", "list"), ("responses", "list"), ("faults", "list"))
          for form in ((), ("--json",))),
        *(("task", "show", "--task", task, *form) for task in tasks for form in ((), ("--json",))),
        *(("trace", "--session", session, "--json") for session in sessions[:3]),
        *(("export", "--task", task) for task in tasks),
        *(("export", "--session", session) for session in sessions[:2]),
    ]  # fmt: skip
    for words in questions:
        answer = ask(*words)
        assert answer.code in (0, 3), (words, answer)
        said.append(answer.out.encode())
    return b"\0".join(said)
