"""What our comment should become: its subjects, its text, and whether it is written at all.

Pure. Takes the comment that is there and what is published; publish.posting
carries the plan out.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from publish import comment, marker, merge, state
from publish.figures import Subject
from publish.ownership import Comment

OLDER = "older"
OTHER_SUBJECTS = "other_subjects"


class Proposal(Struct, frozen=True):
    """What is to be published on a target.

    `only` drops the comment's other subjects, `force` also replaces newer
    snapshots. `reviewed` is a body that was looked at: it is posted as it is,
    or not at all.
    """

    target: str
    subjects: tuple[Subject, ...]
    only: bool = False
    force: bool = False
    reviewed: str | None = None


class Plan(Struct, frozen=True):
    """What to do with the comment, and the body that it has afterwards.

    `older` and `lost`: see publish.merge. `previous`: digest of the state that
    is there; `discarded`: that state cannot be read, and is lost.
    """

    action: Literal["create", "update", "unchanged", "skip", "refuse"]
    body: str
    reason: str | None = None
    older: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    previous: str | None = None
    discarded: bool = False


def make(there: Comment | None, proposal: Proposal) -> Plan:
    """The plan for our comment; None when there is none yet.

    PublishRefused when its subjects do not fit into one comment.
    """
    if there is None:
        return Plan("create", proposal.reviewed or comment.compose(proposal.target, proposal.subjects))
    remembered = remembered_by(there)
    known = () if remembered is None else remembered
    merged = merge.merge(known, proposal.subjects, only=proposal.only, force=proposal.force)
    action, reason, body = _decided(there, known, merged, proposal)
    found = marker.find(there.body)
    return Plan(
        action,
        body,
        reason,
        older=merged.older,
        lost=merged.lost,
        previous=None if found is None else found.state,
        discarded=remembered is None,
    )


def holds(there: Comment, proposal: Proposal) -> bool:
    """Whether the comment shows what is published, or something newer in its place."""
    known = {each.subject_id: each for each in remembered_by(there) or ()}
    return marker.same_text(there.body, proposal.reviewed or "") or all(
        (shown := known.get(each.subject_id)) is not None
        and (shown.evidence_id == each.evidence_id or merge.is_newer(shown, each))
        for each in proposal.subjects
    )


def remembered_by(there: Comment) -> tuple[Subject, ...] | None:
    """The subjects in a comment's memory; None when it has none that can be read."""
    found = marker.find(there.body)
    return None if found is None else state.read(there.body, found)


def _decided(
    there: Comment, known: Sequence[Subject], merged: merge.Merged, proposal: Proposal
) -> tuple[Literal["update", "unchanged", "skip", "refuse"], str | None, str]:
    ours = {each.subject_id for each in proposal.subjects}
    if len(merged.older) == len(ours):
        return "skip", OLDER, there.body
    if proposal.reviewed is not None:
        if merged.older:
            return "skip", OLDER, there.body
        if not proposal.only and any(each.subject_id not in ours for each in known):
            return "refuse", OTHER_SUBJECTS, there.body
        body = proposal.reviewed
    else:
        body = comment.compose(proposal.target, merged.subjects)
    return ("unchanged" if marker.same_text(there.body, body) else "update"), None, body
