"""A few megabytes of made-up transcripts with every counting trap, against their exact truth."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import check, corpus
from benchmarks.options import Options
from tests.command_line import Cli, machine

# Many copied histories and subagents, small tool output: the traps without the bulk.
_TRAPS = {"messages": 30, "tool_bytes": 300, "resume_share": 0.4, "subagent_share": 0.8}


@pytest.fixture(scope="module", params=[1, 2], ids="seed {}".format)
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, dict[str, Any]]:
    """A machine whose HOME is a corpus, after one sync, and the corpus's truth."""
    cli = machine(tmp_path_factory.mktemp("corpus"))
    truth = corpus.build(Options(out=cli.home, size=4_000_000, seed=request.param, **_TRAPS))
    answer = cli("sync", "--json")
    assert answer.code == 0, answer.err
    return cli, truth


def test_every_total_is_exact(imported: tuple[Cli, dict[str, Any]]) -> None:
    cli, truth = imported
    assert check.differences(truth, lambda *words: cli(*words).json) == []


def test_a_second_sync_adds_nothing(imported: tuple[Cli, dict[str, Any]]) -> None:
    """E010, E026: unchanged sources stay unread and nothing is inserted."""
    cli, truth = imported
    again = {row["harness"]: row for row in cli("sync", "--json").json["harnesses"]}
    for harness in ("claude", "codex"):
        row = again[harness]
        assert row["unchanged"] == row["sources"] == truth[harness]["files"]
        assert (row["responses_inserted"], row["submissions_inserted"], row["events_inserted"]) == (0, 0, 0)


def test_a_full_sync_changes_no_figure(imported: tuple[Cli, dict[str, Any]]) -> None:
    """E020: everything read again gives the same rows and no further faults."""
    cli, truth = imported
    before = cli("faults", "list", "--json").json
    assert cli("sync", "--full", "--json").code == 0
    assert check.differences(truth, lambda *words: cli(*words).json) == []
    assert cli("faults", "list", "--json").json == before


def test_the_corpus_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    truths = []
    for folder in (first, second):
        folder.mkdir()
        truths.append(corpus.build(Options(out=folder, sessions=3, messages=10, tool_bytes=200, seed=5)))
    assert truths[0] == truths[1]
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    assert all((first / path).read_bytes() == (second / path).read_bytes() for path in files)
