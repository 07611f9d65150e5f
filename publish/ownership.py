"""Whose comment is it, and what may be done to it? Pure decisions; publish.posting obeys.

Ours is a comment with a valid marker for the target on its first line that
the identity behind the token wrote, by login and type. Whatever else a
comment says or looks like, it is never edited and never removed.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from publish import marker, state
from publish.figures import Subject

OLDER = "older"
OTHER_SUBJECTS = "other_subjects"


class Comment(Struct, frozen=True):
    """A comment as the server lists it; `login` and `kind` (User, Bot) are None when it has no author.

    `created` and `updated` sort as text.
    """

    id: int
    body: str
    login: str | None
    kind: str | None
    url: str = ""
    created: str = ""
    updated: str = ""


class Me(Struct, frozen=True):
    """Who the token speaks for: an account, or the comments that the server says are ours."""

    login: str | None = None
    kind: str | None = None
    wrote: frozenset[int] = frozenset()

    def is_author(self, comment: Comment) -> bool:
        """Whether the comment is by this identity."""
        by_account = self.login is not None and (comment.login, comment.kind) == (self.login, self.kind)
        return by_account or comment.id in self.wrote


class Proposal(Struct, frozen=True):
    """What is to be published: a body for a target key, and the subjects in it."""

    target: str
    body: str
    subjects: tuple[Subject, ...]
    only: bool = False
    force: bool = False


class Decision(Struct, frozen=True):
    """What to do, to which comment, and what was seen on the way."""

    action: Literal["create", "update", "unchanged", "skip", "refuse"]
    comment: Comment | None = None
    reason: str | None = None
    duplicates: tuple[int, ...] = ()
    foreign: tuple[int, ...] = ()
    previous_state: str | None = None
    state_discarded: bool = False


class Settlement(Struct, frozen=True):
    """After a creation: which comment stays, whether it still has to be written, which of ours go."""

    keep: Comment
    write: bool
    remove: tuple[int, ...]
    reason: str | None = None


def candidates(comments: Iterable[Comment], target: str) -> list[Comment]:
    """The comments that claim to be ours for this target, whoever wrote them."""
    return [each for each in comments if (found := marker.find(each.body)) is not None and found.target == target]


def decide(comments: Sequence[Comment], me: Me, proposal: Proposal) -> Decision:
    """What a publication does, given everything that stands on the target now."""
    claiming = candidates(comments, proposal.target)
    foreign = tuple(sorted(each.id for each in claiming if not me.is_author(each)))
    owned = sorted(
        (each for each in claiming if me.is_author(each)), key=lambda each: (each.created, each.updated, each.id)
    )
    if not owned:
        return Decision("create", foreign=foreign)
    kept = owned[-1]
    remembered = _remembered(kept)
    action, reason = _against(kept, remembered, proposal)
    return Decision(
        action,
        comment=kept,
        reason=reason,
        duplicates=tuple(sorted(each.id for each in owned[:-1])),
        foreign=foreign,
        previous_state=_state_digest(kept),
        state_discarded=remembered is None,
    )


def settle(comments: Sequence[Comment], me: Me, proposal: Proposal, *, created: Comment) -> Settlement:
    """Which of several comments that were created at the same time survives.

    The one with the lowest id stays. Its text becomes that of the newest
    evidence; only the publisher who has that writes it, and each removes what
    it created itself.
    """
    owned = [each for each in candidates(comments, proposal.target) if me.is_author(each)]
    if created.id not in {each.id for each in owned}:
        owned.append(created)
    keep = min(owned, key=lambda each: each.id)
    if keep.id == created.id:
        return Settlement(keep, write=False, remove=())
    newest = max(owned, key=lambda each: (_cutoff(each, proposal), -each.id))
    action, reason = _against(keep, _remembered(keep), proposal)
    if action == "update" and newest.id != created.id and not proposal.force:
        action, reason = "skip", OLDER
    return Settlement(keep, write=action == "update", remove=(created.id,), reason=reason)


def _against(
    kept: Comment, remembered: Sequence[Subject] | None, proposal: Proposal
) -> tuple[Literal["update", "unchanged", "skip", "refuse"], str | None]:
    """What the comment that is there allows."""
    if marker.same_text(kept.body, proposal.body):
        return "unchanged", None
    if remembered is None or proposal.force:
        return "update", None
    ours = {each.subject_id: each for each in proposal.subjects}
    if any(_is_newer(each, ours[each.subject_id]) for each in remembered if each.subject_id in ours):
        return "skip", OLDER
    if not proposal.only and any(each.subject_id not in ours for each in remembered):
        return "refuse", OTHER_SUBJECTS
    return "update", None


def _is_newer(remembered: Subject, ours: Subject) -> bool:
    """Whether the comment already shows a later snapshot. Of equal age, the one published last stands."""
    same = remembered.snapshot_id == ours.snapshot_id
    return not same and remembered.cutoff is not None and (ours.cutoff is None or remembered.cutoff > ours.cutoff)


def _remembered(comment: Comment) -> tuple[Subject, ...] | None:
    found = marker.find(comment.body)
    return None if found is None else state.read(comment.body, found)


def _state_digest(comment: Comment) -> str | None:
    found = marker.find(comment.body)
    return None if found is None else found.state


def _cutoff(comment: Comment, proposal: Proposal) -> str:
    """How new the comment is for the subjects at hand; empty when it does not say."""
    ours = {each.subject_id for each in proposal.subjects}
    return max((each.cutoff or "" for each in _remembered(comment) or () if each.subject_id in ours), default="")
