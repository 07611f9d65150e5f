"""Subjects that are one thing to a reader: the same task, seen by several ledgers.

Each ledger's subject keeps its own snapshot; together they are one row and
one verdict. Never joins two tasks, or a task with a selection of sessions.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from observer.records.evidence import Outcome
from publish import totals
from publish.figures import Figures, Subject, shown

DIFFER = "differ"


class Group(Struct, frozen=True):
    """One task or selection: its subjects, their figures added up, and the word for its outcome.

    `acceptance` is a key of words.ACCEPTANCE: `none` where nobody recorded an
    outcome, `differ` where two ledgers recorded different ones.
    """

    id: str
    is_task: bool
    subjects: tuple[Subject, ...]
    figures: Figures
    acceptance: str


def of(subjects: Sequence[Subject]) -> list[Group]:
    """Tasks by name, then selections by theirs; the order of the subjects changes nothing."""
    found: dict[tuple[bool, str], list[Subject]] = {}
    for each in sorted(subjects, key=lambda subject: subject.subject_id):
        found.setdefault((each.kind != "task", shown(each).id), []).append(each)
    return [_group(name, members, is_task=not selection) for (selection, name), members in sorted(found.items())]


def _group(name: str, members: Sequence[Subject], *, is_task: bool) -> Group:
    figures = totals.of(members)
    outcomes = [outcome for each in members if (outcome := shown(each).outcome) is not None]
    states = {each.state for each in outcomes}
    acceptance = DIFFER if len(states) > 1 else next(iter(states), "none")
    whole = msgspec.structs.replace(figures, outcome=_outcome(outcomes) if len(states) == 1 else None)
    return Group(name, is_task, tuple(members), whole, acceptance)


def _outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome that all who recorded one agree on; references that are not the same are left to each origin."""
    first = outcomes[0]
    return first if len(outcomes) == 1 else Outcome(first.state, withheld=sum(each.withheld for each in outcomes))
