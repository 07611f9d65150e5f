"""The whole comment: marker, text and state block, within the length that a server takes.

What does not fit is left out section by section in one fixed order, and the
comment says so; nothing is ever cut in the middle.
"""

from collections.abc import Callable, Sequence

import msgspec

from observer.base.errors import PublishRefused, UsageError
from publish import render, state, summarize
from publish.figures import Figures, Section, Subject
from publish.marker import Marker

# Servers refuse more than 65,536 UTF-16 units; the rest is room for what they add.
BUDGET = 60_000

_Step = Callable[[Figures], Figures]


def compose(target_key: str, subjects: Sequence[Subject], *, budget: int = BUDGET) -> str:
    """The body for these subjects: at most `budget` UTF-16 units, the marker on line 1.

    The same subjects always give the same body. PublishRefused when even the
    shortest form is longer than the budget.
    """
    if len(subjects) != 1:
        raise UsageError("a comment shows one subject at a time", "choose one of them")
    (subject,) = subjects
    for shortened in _shorter_and_shorter(subject):
        body = _body(target_key, *shortened)
        if render.units(body) <= budget:
            return body
    raise PublishRefused(f"the comment does not fit into {budget} characters")


def _body(target_key: str, shown: Subject, remembered: Subject) -> str:
    if shown.figures is None:
        raise ValueError("a subject without figures cannot be shown")
    block = state.encode([remembered])
    marker = Marker(target_key, state.digest(block), state.newest([remembered]))
    text = render.text(summarize.of(shown, shown.figures))
    return f"{marker.line}\n{text}\n\n{state.line(block)}\n"


def _shorter_and_shorter(subject: Subject) -> list[tuple[Subject, Subject]]:
    """What to show and what to remember, from everything to the least that is still honest."""
    if subject.figures is None:
        raise ValueError("a subject without figures cannot be shown")
    figures = subject.figures
    found = [(subject, subject)]
    for step in _STEPS:
        figures = step(figures)
        shorter = msgspec.structs.replace(subject, figures=figures)
        found.append((shorter, shorter))
    shown = found[-1][0]
    return [*found, (shown, msgspec.structs.replace(shown, figures=None))]


def _without(section: Section) -> _Step:
    def step(figures: Figures) -> Figures:
        if not getattr(figures, section, True):
            return figures  # it was empty: nothing is left out
        emptied: dict[str, list[object]] = {section: []} if hasattr(figures, section) else {}
        return msgspec.structs.replace(figures, left_out=[*figures.left_out, section], **emptied)

    return step


def _at_most(rows: int) -> _Step:
    def step(figures: Figures) -> Figures:
        more = figures.more_models + max(0, len(figures.models) - rows)
        return msgspec.structs.replace(figures, models=figures.models[:rows], more_models=more)

    return step


_STEPS: tuple[_Step, ...] = (
    _without("rates"),
    _without("tokens"),
    _at_most(20),
    _at_most(5),
    _without("details"),
    _at_most(0),
    _without("flags"),
)
