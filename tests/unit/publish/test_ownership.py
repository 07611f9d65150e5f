"""Whose comment is it? The decisions alone, without a server."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import comment, figures, ownership
from publish.figures import Subject
from publish.ownership import Comment, Decision, Me, Proposal
from tests.builders.evidence import evidence, used

ME = Me("octocat", "User")
DAY = "2026-09-24T10:0{}:00.000Z"


def subject(minute: int = 0, *, task: str = "T-42", snapshot: str = "") -> Subject:
    """A task's figures as they were at some minute."""
    return figures.of(
        evidence(used(input=minute + 1), task=task, cutoff=DAY.format(minute), snapshot=snapshot or str(minute))
    )


def proposal(*subjects: Subject, target: str = "pr:7", **options: bool) -> Proposal:
    """What a publication of these subjects wants."""
    return Proposal(target, comment.compose(target, subjects), subjects, **options)


def standing(
    number: int, wanted: Proposal, *, login: str | None = "octocat", kind: str | None = "User", at: str = ""
) -> Comment:
    """A comment with exactly that body."""
    return Comment(number, wanted.body, login, kind, created=at or f"{number:06d}")


def test_nothing_there_means_create() -> None:
    """E232: the first publication creates."""
    assert ownership.decide([], ME, proposal(subject())) == Decision("create")


def test_our_comment_with_other_figures_is_updated_with_the_same_is_left_alone() -> None:
    """E232: the same figures again are no change."""
    there = standing(5, proposal(subject(1)))
    assert ownership.decide([there], ME, proposal(subject(2))).action == "update"
    same = ownership.decide([there], ME, proposal(subject(1)))
    assert (same.action, same.comment) == ("unchanged", there)


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
    decision = ownership.decide([standing(5, proposal(subject(1)), login=login, kind=kind)], ME, proposal(subject(2)))
    assert (decision.action, decision.foreign) == ("create", (5,))


def test_a_comment_that_nobody_wrote_is_not_by_somebody_without_a_name() -> None:
    nobody = standing(5, proposal(subject(1)), login=None, kind=None)
    assert ownership.decide([nobody], Me(), proposal(subject(2))).action == "create"


def test_where_the_server_tells_authors_it_is_believed() -> None:
    there = standing(5, proposal(subject(1)), login="app[bot]", kind="Bot")
    assert ownership.decide([there], Me(wrote=frozenset({5})), proposal(subject(2))).action == "update"
    assert ownership.decide([there], Me(wrote=frozenset({6})), proposal(subject(2))).action == "create"


def test_of_several_the_newest_is_ours_and_the_others_are_named() -> None:
    """E234: newest by creation, then update, then id."""
    there = [standing(number, proposal(subject(1)), at=at) for number, at in ((9, "1"), (3, "3"), (5, "3"), (7, "2"))]
    decision = ownership.decide(there, ME, proposal(subject(2)))
    assert decision.comment is not None
    assert (decision.comment.id, decision.duplicates) == (5, (3, 7, 9))


@pytest.mark.parametrize("target", ["pr:70", "pr:17", "commit:abcdef"])
def test_targets_are_compared_for_equality(target: str) -> None:
    """P05: a key that contains another one is another one."""
    there = standing(5, proposal(subject(1), target=target))
    decision = ownership.decide([there], ME, proposal(subject(2)))
    assert (decision.action, decision.foreign, decision.duplicates) == ("create", (), ())


def test_older_evidence_is_skipped_unless_forced() -> None:
    """P09: the comment already shows a newer snapshot."""
    there = standing(5, proposal(subject(5)))
    assert ownership.decide([there], ME, proposal(subject(1))).reason == ownership.OLDER
    assert ownership.decide([there], ME, proposal(subject(1), force=True)).action == "update"
    undated = msgspec.structs.replace(subject(1), cutoff=None)
    assert ownership.decide([there], ME, proposal(undated)).reason == ownership.OLDER


def test_of_equally_old_snapshots_the_one_published_last_stands() -> None:
    """An outcome is recorded without a new native record: the cutoff stays, the snapshot does not."""
    there = standing(5, proposal(subject(1, snapshot="before")))
    assert ownership.decide([there], ME, proposal(subject(1, snapshot="after"))).action == "update"


@pytest.mark.parametrize("name", ["non-prod", "a.b+c", "prod2"])
def test_another_subject_is_kept_by_refusing_unless_it_is_to_go(name: str) -> None:
    """P05: subjects are compared for equality; regular-expression characters mean nothing."""
    there = standing(5, proposal(subject(1, task=name)))
    assert ownership.decide([there], ME, proposal(subject(2, task="prod"))).reason == ownership.OTHER_SUBJECTS
    assert ownership.decide([there], ME, proposal(subject(2, task="prod"), only=True)).action == "update"
    assert ownership.decide([there], ME, proposal(subject(2, task=name))).action == "update"


def test_a_damaged_memory_is_reported_and_replaced() -> None:
    """A2: the block is discarded, and the result says so."""
    whole = standing(5, proposal(subject(5)))
    damaged = msgspec.structs.replace(whole, body=whole.body.replace("cutoff", "cut0ff"))
    decision = ownership.decide([damaged], ME, proposal(subject(1)))
    assert (decision.action, decision.state_discarded) == ("update", True)
    assert decision.previous_state is not None
    assert not ownership.decide([whole], ME, proposal(subject(6))).state_discarded


BODIES = [proposal(subject(minute)).body for minute in range(3)] + ["text", "", "> " + proposal(subject()).body]
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
WANTED = proposal(subject(1))


@given(COMMENTS)
def test_no_foreign_comment_is_ever_written(comments: list[Comment]) -> None:
    """P03: whatever stands there, only a marked comment of ours is touched, and all of ours are accounted for."""
    decision = ownership.decide(comments, ME, WANTED)
    marked = ownership.candidates(comments, "pr:7")
    ours = {each.id for each in marked if (each.login, each.kind) == ("octocat", "User")}
    assert (decision.action == "create") == (not ours)
    if decision.comment is not None:
        assert ours == {decision.comment.id, *decision.duplicates}
    assert set(decision.foreign) == {each.id for each in marked} - ours


@given(COMMENTS, st.integers(51, 99))
def test_settling_touches_nothing_but_ours_and_removes_only_what_it_created(
    comments: list[Comment], number: int
) -> None:
    created = Comment(number, WANTED.body, "octocat", "User")
    settled = ownership.settle([*comments, created], ME, WANTED, created=created)
    assert (settled.keep.login, settled.keep.kind) == ("octocat", "User")
    assert set(settled.remove) <= {number} - {settled.keep.id}
    assert not (settled.write and settled.keep.id == number)


@given(st.permutations(range(4)))
def test_of_publishers_that_met_only_the_newest_writes(minutes: list[int]) -> None:
    """P07: the lowest id stays, with the newest text, written once or there already."""
    wanted = [proposal(subject(minute)) for minute in minutes]
    there = [standing(number, each) for number, each in enumerate(wanted, 1)]
    settled = [ownership.settle(there, ME, each, created=own) for each, own in zip(wanted, there, strict=True)]
    assert {each.keep.id for each in settled} == {1}
    assert sorted(number for each in settled for number in each.remove) == [2, 3, 4]
    writers = [minute for minute, each in zip(minutes, settled, strict=True) if each.write]
    assert writers == ([] if minutes[0] == 3 else [3])
