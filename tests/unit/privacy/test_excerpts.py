"""Excerpts: where they end, who has one, and how long they are."""

import pytest

from observer.privacy import excerpt
from observer.privacy.screen import screen
from observer.records.source import RawBatch
from observer.records.submission import Kind, RawSubmission, Submission
from tests.unit.privacy import planted


def screened(text: str, kind: Kind = "genuine", *, main: bool = True) -> Submission:
    raw = RawSubmission("claude:p1", "claude:s1", kind, text, 0, main=main)
    return screen(RawBatch(submissions=[raw])).submissions[0]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("fix <system-reminder>x", "fix"),
        ("fix </x> that", "fix"),
        ("fix <!-- x", "fix"),
        ("<<<BLOCK", ""),
        ("<é", ""),
        ("a < b and c << d", "a < b and c << d"),
        ("<①", "<①"),
        ("a <3 b <", "a <3 b <"),
        ("  a\t b\n\n c ", "a b c"),
        ("a\x00\x1b[1mb", "a [1mb"),
    ],
)
def test_a_prompt_is_kept_up_to_its_first_marker(text: str, kept: str) -> None:
    """E128, E129: a marker is `<` before a letter, a slash or an exclamation mark, or three `<`."""
    assert screened(text).excerpt == kept


def test_an_excerpt_has_at_most_300_characters() -> None:
    assert screened("word " * 100).excerpt == ("word " * 60).rstrip()
    assert len(screened("x" * 5000).excerpt) == excerpt.SUBMISSION_LONGEST


@pytest.mark.parametrize("kind", ["synthetic", "scaffolding", "interrupt", "command", "unknown"])
def test_only_genuine_prompts_have_an_excerpt(kind: Kind) -> None:
    """E132: the kind is kept, and a hash; nothing of the text."""
    kept = screened("Base directory for this skill: /x", kind)
    assert (kept.kind, kept.excerpt) == (kind, "")
    assert kept.text_hash == excerpt.text_hash("Base directory for this skill: /x")


def test_a_subagents_prompt_has_no_excerpt() -> None:
    """E131: nor has one whose session is not proven to be a person's."""
    assert screened("do it", main=False).excerpt == ""


def test_a_prompt_without_an_allowed_excerpt_still_counts() -> None:
    """E029."""
    kept = screened("<task-notification>x")
    assert (kept.kind, kept.excerpt, len(kept.text_hash)) == ("genuine", "", 16)


def test_a_kind_nobody_knows_is_unknown() -> None:
    assert screened("x", "made up").kind == "unknown"  # type: ignore[arg-type]


def test_a_hash_is_the_beginning_of_a_sha256() -> None:
    assert excerpt.text_hash("abc") == "ba7816bf8f01cfea"
    assert excerpt.text_hash("\ud800") == excerpt.text_hash("?")


@pytest.mark.parametrize("kind", planted.FORMED)
def test_a_secret_in_a_prompt_is_replaced_also_where_the_excerpt_ends(kind: str) -> None:
    for filler in (0, 280, 290, 299):
        kept = screened("x" * filler + " " + planted.FORMED[kind] + " and so on").excerpt
        assert planted.LETTERS[:6] not in kept
        assert planted.CAPITALS[:6] not in kept


def test_an_answers_last_400_characters_are_kept() -> None:
    """E130: a marker before them does not matter."""
    text = "<b>" + "x" * 500 + "\nDone. Should I also update the changelog?"
    assert excerpt.answer(text) == text[-400:]


def test_an_answer_with_a_marker_among_them_is_not() -> None:
    """E130."""
    assert excerpt.answer("Done.<b> " + "x" * 300) == ""


@pytest.mark.parametrize("kind", planted.FORMED)
def test_a_secret_in_an_answer_is_replaced_also_where_the_excerpt_begins(kind: str) -> None:
    for filler in range(340, 420, 4):
        kept = excerpt.answer("y " * 500 + planted.FORMED[kind] + " " + "x " * (filler // 2))
        assert planted.LETTERS[-6:] not in kept
        assert planted.CAPITALS[-6:] not in kept


def test_the_end_of_an_endless_word_is_no_excerpt() -> None:
    """It may be the end of a secret."""
    assert excerpt.answer("token=" + planted.LETTERS * 100) == ""
    key = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + (planted.LETTERS + "\n") * 100
    assert planted.LETTERS not in excerpt.answer(key)
