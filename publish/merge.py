"""What a comment shows next: what it remembers, and what is published now.

Pure. A subject that is published replaces what was remembered of it unless
that is newer; the others stay. Never adds the figures of two snapshots of one
subject.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from publish.figures import Before, Subject


class Merged(Struct, frozen=True):
    """The subjects of the next comment, in the order of their ids.

    `older`: subject ids whose published snapshot is older than the remembered
    one, which stays. `lost`: remembered subjects without figures, which
    nothing can show any more.
    """

    subjects: tuple[Subject, ...]
    older: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def merge(remembered: Sequence[Subject], published: Sequence[Subject], *, only: bool, force: bool) -> Merged:
    """The comment's subjects after this publication.

    `only` drops the subjects that are not published now; `force` takes the
    published snapshots even where the remembered ones are newer.
    """
    known = {each.subject_id: each for each in remembered}
    ours = {each.subject_id for each in published}
    older = []
    found: dict[str, Subject] = {}
    for each in remembered:
        if each.subject_id not in ours and not only:
            found[each.subject_id] = each
    for each in published:
        there = known.get(each.subject_id)
        if there is not None and not force and is_newer(there, each):
            older.append(each.subject_id)
            found[each.subject_id] = there
        else:
            found[each.subject_id] = each if there is None else _after(there, each)
    lost = sorted(name for name, each in found.items() if each.figures is None)
    kept = (each for _, each in sorted(found.items()) if each.figures is not None)
    return Merged(tuple(kept), tuple(sorted(older)), tuple(lost))


def is_newer(remembered: Subject, published: Subject) -> bool:
    """Whether the comment already shows a later snapshot. Of equal age, the one published last stands."""
    same = remembered.snapshot_id == published.snapshot_id
    return (
        not same
        and remembered.cutoff is not None
        and (published.cutoff is None or remembered.cutoff > published.cutoff)
    )


def _after(there: Subject, now: Subject) -> Subject:
    """The published subject, with what the comment said before.

    The same snapshot again changes nothing, so that its comment does not either;
    the same export that was published beside others, neither: what it shared
    with them is still counted once.
    """
    if there.evidence_id == now.evidence_id and _elsewhere(there) > _elsewhere(now):
        return there
    if there.snapshot_id == now.snapshot_id:
        return msgspec.structs.replace(now, before=there.before)
    return msgspec.structs.replace(now, before=_brief(there))


def _elsewhere(subject: Subject) -> int:
    return 0 if subject.figures is None else subject.figures.elsewhere


def _brief(there: Subject) -> Before | None:
    figures = there.figures
    if figures is None:
        return None
    return Before(
        responses=figures.priced.responses,
        priced=figures.priced.priced_responses,
        usd=figures.priced.subtotal_usd,
        price_schedule_id=figures.price_schedule_id,
        acceptance=None if figures.outcome is None else figures.outcome.state,
    )
