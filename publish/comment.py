"""The whole comment: marker, text and state block, within the length that a server takes.

What does not fit is left out section by section in one fixed order, and the
comment says so; nothing is ever cut in the middle.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from observer.base.errors import PublishRefused
from publish import render, state, summarize
from publish.figures import Figures, Section, Subject, shown
from publish.marker import Marker

# Servers refuse more than 65,536 UTF-16 units; the rest is room for what they add.
BUDGET = 60_000

_Step = Callable[[Subject], Subject]


def compose(target_key: str, subjects: Sequence[Subject], *, budget: int = BUDGET) -> str:
    """The body for these subjects: at most `budget` UTF-16 units, the marker on line 1.

    The same subjects always give the same body, in whatever order they come.
    ValueError when there is none or one of them has no figures;
    PublishRefused when even the shortest form is longer than the budget.
    """
    if not subjects:
        raise ValueError("a comment shows at least one subject")
    for seen, remembered in _shorter_and_shorter(sorted(subjects, key=lambda each: each.subject_id)):
        body = _body(target_key, seen, remembered)
        if render.units(body) <= budget:
            return body
    raise PublishRefused(
        f"the comment of {len(subjects)} subjects does not fit into {budget} characters", "publish fewer with --only"
    )


def _body(target_key: str, seen: Sequence[Subject], remembered: Sequence[Subject]) -> str:
    block = state.encode(remembered)
    marker = Marker(target_key, state.digest(block), state.newest(remembered))
    return f"{marker.line}\n{render.text(summarize.of(seen))}\n\n{state.line(block)}\n"


def _shorter_and_shorter(subjects: Sequence[Subject]) -> Iterator[tuple[Sequence[Subject], Sequence[Subject]]]:
    """What to show and what to remember, from everything to the least that is still honest."""
    yield subjects, subjects
    for step in _STEPS:
        subjects = [step(each) for each in subjects]
        yield subjects, subjects
    if len(subjects) == 1:
        # One subject is told again in full; of several, a comment without memory would lose all but one.
        yield subjects, [msgspec.structs.replace(each, figures=None) for each in subjects]


def _without(section: Section) -> _Step:
    def step(subject: Subject) -> Subject:
        figures = shown(subject)
        if section == "changes":
            left: Section | None = section if subject.before is not None else None
            subject = msgspec.structs.replace(subject, before=None)
        else:
            left = section if getattr(figures, section, True) else None  # it was empty: nothing is left out
        emptied: dict[str, list[object]] = {section: []} if hasattr(figures, section) else {}
        left_out = [*figures.left_out, left] if left is not None and left not in figures.left_out else figures.left_out
        return msgspec.structs.replace(subject, figures=msgspec.structs.replace(figures, left_out=left_out, **emptied))

    return step


def _at_most(rows: int) -> _Step:
    def shortened(figures: Figures) -> Figures:
        more = figures.more_models + max(0, len(figures.models) - rows)
        return msgspec.structs.replace(figures, models=figures.models[:rows], more_models=more)

    def step(subject: Subject) -> Subject:
        return msgspec.structs.replace(subject, figures=shortened(shown(subject)))

    return step


_STEPS: tuple[_Step, ...] = (
    _without("rates"),
    _without("tokens"),
    _at_most(20),
    _at_most(5),
    _without("changes"),
    _without("details"),
    _at_most(0),
    _without("flags"),
)
