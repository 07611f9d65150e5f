"""Whose comment is it? The decisions alone, without a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import comment, extract, ownership
from publish.ownership import Comment, Me
from tests.builders.evidence import evidence, used

ME = Me("octocat", "User")


def body(minute: int = 0, *, target: str = "pr:7") -> str:
    """The comment on a task as it was at some minute."""
    return comment.compose(target, [extract.subject(evidence(used(input=minute + 1), snapshot=str(minute)))])


def standing(
    number: int, text: str = "", *, login: str | None = "octocat", kind: str | None = "User", at: str = ""
) -> Comment:
    """A comment with that body."""
    return Comment(number, text or body(), login, kind, created=at or f"{number:06d}")


def test_our_comment_is_ours() -> None:
    """E232: a later publication finds the comment of the first."""
    there = standing(5)
    found = ownership.standing([there], ME, "pr:7")
    assert (found.owned, found.newest, found.lowest, found.foreign) == ((there,), there, there, ())
    assert (found.find(5), found.find(6)) == (there, None)


def test_nothing_there_is_nothing_of_ours() -> None:
    found = ownership.standing([], ME, "pr:7")
    assert (found.newest, found.lowest, found.owned) == (None, None, ())


@pytest.mark.parametrize(
    ("login", "kind"),
    [
        ("mallory", "User"),
        ("octocat", "Bot"),
        ("octocat[bot]", "User"),
        ("Octocat", "User"),
        (None, None),
        (None, "User"),
    ],
)
def test_a_comment_by_anybody_else_is_foreign(login: str | None, kind: str | None) -> None:
    """E233: the author counts, by login and type."""
    found = ownership.standing([standing(5, login=login, kind=kind)], ME, "pr:7")
    assert (found.owned, found.foreign) == ((), (5,))


def test_a_comment_that_nobody_wrote_is_not_by_somebody_without_a_name() -> None:
    assert ownership.standing([standing(5, login=None, kind=None)], Me(), "pr:7").owned == ()


def test_where_the_server_tells_authors_it_is_believed() -> None:
    there = standing(5, login="app[bot]", kind="Bot")
    assert ownership.standing([there], Me(wrote=frozenset({5})), "pr:7").owned == (there,)
    assert ownership.standing([there], Me(wrote=frozenset({6})), "pr:7").owned == ()


def test_of_several_the_newest_is_written_and_the_others_are_named() -> None:
    """E234: newest by creation, then update, then id."""
    there = [standing(number, at=at) for number, at in ((9, "1"), (3, "3"), (5, "3"), (7, "2"))]
    found = ownership.standing(there, ME, "pr:7")
    assert found.newest is not None
    assert (found.newest.id, found.beside(found.newest)) == (5, (3, 7, 9))
    assert found.lowest is not None
    assert found.lowest.id == 3


@pytest.mark.parametrize("target", ["pr:70", "pr:17", "commit:abcdef"])
def test_targets_are_compared_for_equality(target: str) -> None:
    """P05: a key that contains another one is another one."""
    found = ownership.standing([standing(5, body(target=target))], ME, "pr:7")
    assert (found.owned, found.foreign) == ((), ())


BODIES = [body(minute) for minute in range(3)] + ["text", "", "> " + body()]
COMMENTS = st.lists(
    st.builds(
        Comment,
        id=st.integers(1, 50),
        body=st.sampled_from(BODIES) | st.text(max_size=80),
        login=st.sampled_from(["octocat", "Octocat", "octocat[bot]", "mallory", "", None]),
        kind=st.sampled_from(["User", "Bot", "", None]),
        created=st.sampled_from(["", "1", "2"]),
        updated=st.sampled_from(["", "1", "2"]),
    ),
    unique_by=lambda each: each.id,
    max_size=12,
)


@given(COMMENTS)
def test_no_foreign_comment_is_ever_taken_for_ours(comments: list[Comment]) -> None:
    """P03: whatever stands there, only a marked comment of ours is one, and every marked one is accounted for."""
    found = ownership.standing(comments, ME, "pr:7")
    marked = {each.id for each in ownership.candidates(comments, "pr:7")}
    ours = {each.id for each in comments if each.id in marked and (each.login, each.kind) == ("octocat", "User")}
    assert {each.id for each in found.owned} == ours
    assert set(found.foreign) == marked - ours
    if found.newest is not None:
        assert ours == {found.newest.id, *found.beside(found.newest)}
