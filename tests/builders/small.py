"""A small machine for the command line: one session of each agent, a subagent, and what refusals look like."""

from typing import Any

from tests.builders.native import Claude, Codex
from tests.command_line import Answer, Cli

# Commands that read a ledger, with the words they need.
READING = (
    ("usage",),
    ("sessions", "list"),
    ("sessions", "show", "--session", "s1"),
    ("responses", "list"),
    ("faults", "list"),
    ("trace", "--session", "s1"),
    ("trace", "--task", "T-1"),
    ("task", "list"),
    ("task", "show", "--task", "T-1"),
    ("export", "--task", "T-1"),
)


def named(words: Any) -> str:
    """A call as the name of a test."""
    return " ".join(words) if isinstance(words, tuple) else str(words)


def lay(cli: Cli) -> None:
    """Lays the records."""
    Claude("s1").prompt("first", uuid="p1").response("msg_1", input=1000, output=100).lay(cli.home)
    Claude("s1", agent="a1").prompt("work").response("msg_2").lay(cli.home)
    Codex("t-1").turn("A").prompt("one", name="q1").record("resp_1").complete().lay(cli.home)


def fill(cli: Cli) -> Cli:
    """Records, imported, and a task that nothing belongs to yet."""
    lay(cli)
    assert cli("sync").code == 0
    assert cli("capture", "create-task", "--task", "T-1", "--title", "First").code == 0
    return cli


def refused(answer: Answer, *words: str) -> None:
    """Exit 2, nothing on stdout, the words on stderr, no traceback."""
    assert (answer.code, answer.out) == (2, ""), answer
    assert "Traceback" not in answer.err
    assert "a bug of ours" not in answer.err
    for word in words:
        assert word in answer.err
