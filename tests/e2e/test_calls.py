"""How a call is read: options, unknown words, JSON, help; exit 2 for what is wrong, with nothing on stdout."""

import json
from pathlib import Path

import pytest

from observer.cli.registry import COMMANDS
from tests.builders.small import READING, named, refused
from tests.command_line import Cli


def test_without_arguments_it_helps_and_exits_2(cli: Cli) -> None:
    answer = cli()
    assert (answer.code, answer.out) == (2, "")
    for command in COMMANDS:
        assert command in answer.err


@pytest.mark.parametrize(
    ("word", "near"), [("usgae", "usage"), ("seassions", "sessions"), ("tasks", "task"), ("prize", "prices")]
)
def test_an_unknown_command_names_the_nearest(cli: Cli, word: str, near: str) -> None:
    refused(cli(word), word, near)


def test_a_command_that_is_like_no_other_points_to_help(cli: Cli) -> None:
    refused(cli("xyzzy"), "xyzzy", "--help")


@pytest.mark.parametrize(
    "words",
    [
        ("usage", "--nope"),
        ("--nope", "usage"),
        ("sessions",),
        ("usage", "--by", "colour"),
        ("task", "show"),
        ("sync", "--harness", "vim"),
        ("responses", "list", "--limit", "-1"),
        ("sessions", "list", "--limit", "-1"),
        ("responses", "list", "--limit", "many"),
    ],
    ids=named,
)
def test_wrong_words_are_refused(shared: Cli, words: tuple[str, ...]) -> None:
    refused(shared(*words))


def test_json_may_be_asked_for_before_or_after(shared: Cli) -> None:
    before, after = shared("--json", "usage", "--by", "model"), shared("usage", "--by", "model", "--json")
    assert before.json == after.json
    assert before.out == after.out
    assert shared("--json", "sessions", "list").json == shared("sessions", "list", "--json").json
    assert shared("sessions", "--json", "list").json == shared("sessions", "list", "--json").json


@pytest.mark.parametrize("words", [*READING, ("sync",)], ids=named)
def test_json_is_one_document_with_sorted_keys(shared: Cli, words: tuple[str, ...]) -> None:
    answer = shared(*words, "--json")
    assert answer.out == answer.out.strip() + "\n"
    pairs: list[list[str]] = []
    json.loads(answer.out, object_pairs_hook=lambda found: pairs.append([name for name, _ in found]) or dict(found))
    assert all(names == sorted(names) for names in pairs)


def test_db_may_stand_before_or_after_and_wins_over_the_variable(shared: Cli, tmp_path: Path) -> None:
    """E007."""
    nowhere = tmp_path / "nowhere.db"
    refused(shared("--db", nowhere, "usage"), str(nowhere))
    refused(shared("usage", "--db", nowhere), str(nowhere))
    assert shared("usage", "--db", shared.ledger, env={"AGENT_OBSERVER_DB": str(nowhere)}).code == 0


def test_every_command_explains_itself(cli: Cli) -> None:
    for command in COMMANDS:
        answer = cli(command, "--help")
        assert answer.code == 0, answer.err
        assert command in answer.out


def test_debug_shows_the_traceback_and_keeps_the_exit_code(cli: Cli) -> None:
    for words in (("--debug", "usage"), ("usage", "--debug")):
        answer = cli(*words)
        assert answer.code == 2
        assert "Traceback" in answer.err
        assert "LedgerMissing" in answer.err
