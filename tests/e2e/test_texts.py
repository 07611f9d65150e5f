"""What a person reads in a pipe, word for word: sync, usage, sessions and the task report."""

import json

import pytest

from tests.builders.corpora import homes, lay
from tests.command_line import Cli, machine
from tests.golden_files import Golden, names
from tests.unit.pricing.examples import document

_HOMES = ("claude-code/subagents", "codex/errors-interrupt", "resumed", "forked")
_MAIN = "claude:2b21c496-9d98-409f-a0dd-a8454d1f9623"
_WHOLE = ("--exclusive", "--evidence", "its only work")

TEXTS = {
    "usage-by-model.txt": ("usage", "--by", "model", "--prices", "PRICES"),
    "usage-by-day.txt": ("usage", "--by", "day", "--harness", "codex", "--prices", "PRICES"),
    "usage-by-task.csv": ("usage", "--by", "task", "--csv", "--prices", "PRICES"),
    "usage-of-nothing.txt": ("usage", "--since", "2030-01-01"),
    "sessions-list.txt": ("sessions", "list"),
    "sessions-show.txt": ("sessions", "show", "--session", _MAIN),
    "sessions-show-fork.txt": ("sessions", "show", "--session", "codex:t-1"),
    "responses-list.txt": ("responses", "list", "--session", "codex:t-1"),
    "faults-list.csv": ("faults", "list", "--csv"),
    "trace-session.txt": ("trace", "--session", _MAIN, "--limit", "12"),
    "trace-task.txt": ("trace", "--task", "T-joint"),
    "trace-nothing.txt": ("trace", "--task", "T-empty", "--family", "permission"),
    "trace-capabilities.txt": ("trace", "--capabilities"),
    "task-list.txt": ("task", "list"),
    "task-whole.txt": ("task", "show", "--task", "T-whole", "--prices", "PRICES"),
    "task-gaps.txt": ("task", "show", "--task", "T-gaps", "--prices", "PRICES"),
    "task-joint.txt": ("task", "show", "--task", "T-joint", "--prices", "PRICES"),
    "task-empty.txt": ("task", "show", "--task", "T-empty", "--prices", "PRICES"),
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, str]:
    """A machine with records of both agents and four tasks, and what its first sync said."""
    cli = machine(tmp_path_factory.mktemp("texts"))
    for name in _HOMES:
        lay(cli.home, homes()[name])
    broken = cli.home / ".claude" / "projects" / "-srv-kit" / "broken.jsonl"
    broken.write_text('{"type":"assistant","message":{\n', "utf-8")
    first = cli("sync")
    assert first.code == 0
    (cli.home / "prices.json").write_text(json.dumps(document()), "utf-8")
    for task in ("T-whole", "T-gaps", "T-joint", "T-empty"):
        assert cli("capture", "create-task", "--task", task, "--title", f"The {task[2:]} one").code == 0
    for words in (
        ("assign-session", "--task", "T-whole", "--session", _MAIN, "--with-subagents", *_WHOLE),
        ("outcome", "--task", "T-whole", "--state", "complete", "--candidate", "octocat/hello-world#7"),
        ("assign", "--task", "T-gaps", "--submission", "claude:p1"),
        ("assign", "--task", "T-gaps", "--submission", "claude:p2", "--shared"),
        ("assign", "--task", "T-joint", "--submission", "claude:p2", "--shared"),
        ("assign-session", "--task", "T-joint", "--session", "codex:t-1", *_WHOLE),
    ):
        answer = cli("capture", *words)
        assert answer.code == 0, answer.err
    return cli, first.out + first.err


def test_what_a_sync_says(shown: tuple[Cli, str], golden: Golden) -> None:
    cli, first = shown
    again = cli("sync")
    golden("cli/sync.txt", first + "\n" + again.out + again.err)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_reads_as_it_did(shown: tuple[Cli, str], golden: Golden, name: str) -> None:
    """§12.5 for the task report; no text holds anything a person wrote."""
    cli, _ = shown
    words = [str(cli.home / "prices.json") if word == "PRICES" else word for word in TEXTS[name]]
    answer = cli(*words)
    assert answer.code in (0, 3), answer.err
    text = (answer.out + answer.err).replace(str(cli.home), "/home/dev")
    # When a task was created is the only thing that differs from run to run.
    golden(f"cli/{name}", _without_instants(text) if name == "task-list.txt" else text)


def test_no_golden_text_is_left_over() -> None:
    assert names("cli") == {*TEXTS, "sync.txt"}


def _without_instants(text: str) -> str:
    return "\n".join(line.rsplit(maxsplit=1)[0] for line in text.splitlines()) + "\n"
