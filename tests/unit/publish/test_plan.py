"""What our comment should become: merging subjects, old and new snapshots, reviewed texts."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.base.errors import PublishRefused
from observer.records.evidence import Outcome
from publish import comment, extract, marker, plan
from publish.figures import Subject
from publish.ownership import Comment
from publish.plan import Plan, Proposal
from tests.builders.evidence import LEDGER, evidence, used

DAY = "2026-09-24T10:0{}:00.000Z"


def subject(minute: int = 0, *, task: str = "T-42", snapshot: str = "", ledger: str = LEDGER) -> Subject:
    """A task's figures as they were at some minute."""
    given = evidence(
        used(input=minute + 1),
        task=task,
        cutoff=DAY.format(minute),
        snapshot=snapshot or str(minute),
        ledger=ledger,
        outcome=Outcome("complete" if minute > 5 else "active"),
    )
    return extract.subject(given)


def proposal(*subjects: Subject, target: str = "pr:7", **options: bool) -> Proposal:
    """What a publication of these subjects wants."""
    return Proposal(target, subjects, **options)


def standing(*subjects: Subject) -> Comment:
    """Our comment that shows them."""
    return Comment(5, comment.compose("pr:7", subjects), "octocat", "User")


def shown(made: Plan) -> dict[str, Subject]:
    """The subjects in the body that a plan makes."""
    found = plan.remembered_by(Comment(1, made.body, None, None))
    assert found is not None
    return {each.subject_id: each for each in found}


def test_without_a_comment_one_is_created() -> None:
    """E232: the first publication creates."""
    made = plan.make(None, proposal(subject()))
    assert (made.action, made.body) == ("create", comment.compose("pr:7", [subject()]))


def test_other_figures_update_and_the_same_are_left_alone() -> None:
    """E232: the same figures again are no change, however often."""
    there = standing(subject(1))
    assert plan.make(there, proposal(subject(1))).action == "unchanged"
    changed = plan.make(there, proposal(subject(2)))
    assert changed.action == "update"
    again = plan.make(Comment(5, changed.body, "octocat", "User"), proposal(subject(2)))
    assert (again.action, again.body) == ("unchanged", changed.body)


def test_an_update_says_what_changed_since_the_snapshot_before() -> None:
    """A6: a delta line, which stays as long as the snapshot does."""
    made = plan.make(standing(subject(1)), proposal(subject(6)))
    assert (
        "Since the snapshot before: 1 → 1 response, under USD 0.01" in made.body
        or "In progress → Accepted" in made.body
    )
    assert "Since the snapshot before" not in comment.compose("pr:7", [subject(6)])


def test_another_subject_joins_and_the_one_there_stays() -> None:
    """A2, P05: subjects are merged, compared for equality; regular-expression characters mean nothing."""
    for name in ("non-prod", "a.b+c", "prod2"):
        there, ours = subject(1, task=name), subject(2, task="prod")
        made = plan.make(standing(there), proposal(ours))
        assert made.action == "update"
        assert shown(made) == {there.subject_id: there, ours.subject_id: ours}
        assert f"`{name}`" in made.body
        assert "`prod`" in made.body


def test_only_drops_the_others() -> None:
    there, ours = subject(1, task="other"), subject(2)
    made = plan.make(standing(there, subject(1)), proposal(ours, only=True))
    assert set(shown(made)) == {ours.subject_id}


def test_an_older_snapshot_is_skipped_unless_forced() -> None:
    """P09: the comment already shows a newer snapshot."""
    there = standing(subject(5))
    made = plan.make(there, proposal(subject(1)))
    assert (made.action, made.reason, made.body) == ("skip", plan.OLDER, there.body)
    assert plan.make(there, proposal(subject(1), force=True)).action == "update"
    undated = msgspec.structs.replace(subject(1), cutoff=None)
    assert plan.make(there, proposal(undated)).reason == plan.OLDER


def test_of_several_subjects_the_older_ones_stay_and_the_newer_ones_are_taken() -> None:
    old, new = subject(1), subject(9, task="T-43")
    newer = subject(5)
    made = plan.make(standing(newer, subject(1, task="T-43")), proposal(old, new))
    assert (made.action, made.older) == ("update", (old.subject_id,))
    assert shown(made)[newer.subject_id].snapshot_id == newer.snapshot_id
    assert shown(made)[new.subject_id].snapshot_id == new.snapshot_id


def test_of_equally_old_snapshots_the_one_published_last_stands() -> None:
    """An outcome is recorded without a new native record: the cutoff stays, the snapshot does not."""
    there = standing(subject(1, snapshot="before"))
    assert plan.make(there, proposal(subject(1, snapshot="after"))).action == "update"


def test_a_damaged_memory_is_reported_and_replaced() -> None:
    """A2: the block is discarded, and the result says so."""
    whole = standing(subject(5))
    damaged = msgspec.structs.replace(whole, body=whole.body.replace("cutoff", "cut0ff"))
    made = plan.make(damaged, proposal(subject(1)))
    assert (made.action, made.discarded) == ("update", True)
    assert made.previous is not None
    assert not plan.make(whole, proposal(subject(6))).discarded


def test_a_memory_that_does_not_add_up_is_none() -> None:
    """A2: whoever may edit the comment may not make it say other figures with a digest that fits."""
    one = subject(1)
    assert one.figures is not None
    forged = msgspec.structs.replace(
        one, figures=msgspec.structs.replace(one.figures, priced=msgspec.structs.replace(
            one.figures.priced, responses=999)))  # fmt: skip
    there = standing(forged)
    assert marker.find(there.body) is not None
    assert plan.make(there, proposal(subject(2))).discarded


def test_a_reviewed_text_is_posted_as_it_is_or_not_at_all() -> None:
    """A3: nothing is merged into a text that somebody approved."""
    ours = subject(2)
    text = comment.compose("pr:7", [ours])
    wanted = Proposal("pr:7", (ours,), reviewed=text)
    assert plan.make(None, wanted).body == text
    assert plan.make(standing(subject(1)), wanted).body == text
    assert plan.make(standing(ours), wanted).action == "unchanged"
    refused = plan.make(standing(subject(1, task="other")), wanted)
    assert (refused.action, refused.reason) == ("refuse", plan.OTHER_SUBJECTS)
    assert plan.make(standing(subject(1, task="other")), msgspec.structs.replace(wanted, only=True)).body == text
    assert plan.make(standing(subject(3)), wanted).reason == plan.OLDER


def test_too_many_subjects_are_refused_and_nothing_is_lost() -> None:
    many = [subject(1, task=f"T-{number}") for number in range(150)]
    with pytest.raises(PublishRefused, match="150 subjects"):
        plan.make(None, proposal(*many))


SNAPSHOTS = [subject(minute, task=task) for task in ("A", "B", "C") for minute in (1, 2, 3)]


@given(st.lists(st.sampled_from(SNAPSHOTS), min_size=1, max_size=8))
def test_the_newest_snapshot_of_every_subject_stays_in_whatever_order_they_come(published: list[Subject]) -> None:
    """A2: an older snapshot never overwrites a newer one, and no subject is ever lost."""
    there: Comment | None = None
    for each in published:
        made = plan.make(there, proposal(each))
        there = Comment(5, made.body, "octocat", "User")
        assert plan.holds(there, proposal(each))
    newest: dict[str, str] = {}
    for each in published:
        newest[each.subject_id] = max(newest.get(each.subject_id, ""), each.cutoff or "")
    assert there is not None
    remembered = plan.remembered_by(there)
    assert remembered is not None
    assert {each.subject_id: each.cutoff for each in remembered} == newest
