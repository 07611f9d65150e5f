"""Who speaks in a user message of OpenCode, and which turn it belongs to."""

from pathlib import Path
from typing import Any

import pytest

from observer.records.submission import RawSubmission
from tests.unit.adapters.opencode.stores import (
    KEY,
    PROMPT,
    START_MS,
    Database,
    answer,
    categories,
    files,
    read,
    text,
    user,
)


def said(folder: Path, *parts: Any) -> RawSubmission:
    """The submission of one user message in a main session."""
    with Database(folder) as store:
        [found] = store.session().message(PROMPT, user(), *parts).batch().submissions
    return found


def test_typed_text_is_a_prompt(tmp_path: Path) -> None:
    found = said(tmp_path, text("fix it"), text("and test it"), {"type": "file", "url": "file:///srv/notes.md"})
    assert (found.id, found.session, found.kind, found.main) == ("opencode:msg_u1", KEY, "genuine", True)
    assert (found.text, found.turn, found.at_ms) == ("fix it\nand test it", PROMPT, START_MS)


@pytest.mark.parametrize("flag", ["false", "true", 0, 1, None, [], True])
def test_only_a_json_false_says_that_text_was_typed(tmp_path: Path, flag: Any) -> None:
    """E095: the string "false" is none."""
    assert said(tmp_path, text("injected", synthetic=flag)).kind == "synthetic"


def test_a_json_false_says_so(tmp_path: Path) -> None:
    assert said(tmp_path, text("typed", synthetic=False)).kind == "genuine"


def test_of_mixed_parts_only_the_typed_text_counts(tmp_path: Path) -> None:
    """E096: and all synthetic parts are no prompt."""
    found = said(tmp_path / "a", text("file contents", synthetic=True), text("what is it?"))
    assert (found.kind, found.text) == ("genuine", "what is it?")
    assert said(tmp_path / "b", text("one", synthetic=True), text("two", synthetic=True)).kind == "synthetic"


@pytest.mark.parametrize("words", ["", " \n", None, 7, ["x"]])
def test_without_valid_text_nothing_is_claimed(tmp_path: Path, words: Any) -> None:
    found = said(tmp_path, text(words))
    assert (found.kind, found.text) == ("unknown", "")


def test_a_compaction_request_is_no_prompt_and_goes_on_with_the_turn(tmp_path: Path) -> None:
    """Its answer, and the answers to the injected "continue", belong to the prompt before."""
    with Database(tmp_path) as store:
        store.session().message(PROMPT, user(), text()).message(
            "msg_u2", user(2000), {"type": "compaction", "auto": True}
        )
        store.message("msg_a2", answer(2100, parentID="msg_u2"))
        store.message("msg_u3", user(3000), text("continue", synthetic=True))
        store.message("msg_a3", answer(3100, parentID="msg_u3"))
        batch = store.batch()
    assert [each.kind for each in batch.submissions] == ["genuine", "synthetic"]
    assert {response.turn for response in batch.responses} == {PROMPT}
    assert [turn.id for turn in batch.turns] == [PROMPT]


def test_a_childs_text_was_dispatched(tmp_path: Path) -> None:
    """E099: role subagent with its parent, and no prompt of a person although no part says so."""
    with Database(tmp_path) as store:
        store.session("ses_0").session(parent="ses_0").message(PROMPT, user(), text("map the repository"))
        batch = store.message("msg_1", answer()).batch()
    [session], [found] = batch.sessions, batch.submissions
    assert (session.role, session.parent, session.project) == ("subagent", "opencode:ses_0", "/srv/kit")
    assert (found.kind, found.main) == ("synthetic", False)
    assert batch.responses[0].turn == PROMPT


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ('"Fix add() now."', "Fix add() now."),
        ('"Fix add() now."\n', "Fix add() now."),
        (r'"say \"hello\" twice"', 'say "hello" twice'),
        ('"oneword"', '"oneword"'),
        ('"a b" and "c d"', '"a b" and "c d"'),
        ("plain words", "plain words"),
    ],
)
def test_quotes_of_the_command_line_were_not_typed(tmp_path: Path, stored: str, typed: str) -> None:
    assert said(tmp_path, text(stored)).text == typed


def test_how_a_turn_ended_is_what_its_last_answer_says(tmp_path: Path) -> None:
    aborted = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    refused = {"name": "APIError", "data": {"statusCode": 400}}
    with Database(tmp_path) as store:
        store.session()
        for number, last in enumerate([{}, {"error": aborted}, {"error": refused}, {"completed": None}]):
            store.message(f"msg_u{number}", user(number * 1000), text())
            store.message(f"msg_a{number}", answer(number * 1000 + 1, parentID=f"msg_u{number}", finish="tool-calls"))
            store.message(f"msg_b{number}", answer(number * 1000 + 2, parentID=f"msg_u{number}", **last))
        states = [turn.state for turn in store.batch().turns]
    assert states == ["complete", "cancelled", "failed", None]


def test_a_session_that_the_store_does_not_describe_is_proven_to_be_nobodys(tmp_path: Path) -> None:
    """No excerpt may be kept of its prompts."""
    storage = tmp_path / "storage"
    files(storage, {PROMPT: user(parts=[text()]), "msg_1": answer()})
    batch = read(storage)
    assert (batch.sessions[0].role, batch.submissions[0].main, len(batch.responses)) == (None, False, 1)


def test_a_session_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    with Database(tmp_path) as store:
        batch = store.batch("ses_none")
    assert (batch.sessions, batch.faults) == ([], [])


def test_json_files_say_the_same_as_the_database(tmp_path: Path) -> None:
    head = {"directory": "/srv/kit", "version": "1.1.65", "parentID": "ses_0", "time": {"created": START_MS}}
    files(tmp_path / "storage", {PROMPT: user(parts=[text("map")]), "msg_1": answer()}, head=head)
    (tmp_path / "storage" / "message" / "ses_1" / "msg_2.json").write_text("{half", encoding="utf-8")
    batch = read(tmp_path / "storage")
    [session] = batch.sessions
    assert (session.role, session.parent, session.client_version) == ("subagent", "opencode:ses_0", "1.1.65")
    assert [each.kind for each in batch.submissions] == ["synthetic"]
    assert categories(batch) == ["malformed_json"]
