"""Texts that may prove which agent instructions a session ran with, found the same way for every harness.

Only passes texts on, in memory; what they prove is decided by the privacy
room. Never looks at what a tool returned: a file that was read is no proof of
what was in force.
"""

from collections.abc import Iterable

from observer.privacy.direction import BEGIN
from observer.records.identity import RawInstructions, TextKind


def context(into: list[RawInstructions], session: str, ordinal: int, texts: Iterable[object]) -> None:
    """Files the texts among these that hold the marker of a Project Direction block."""
    for text in texts:
        if isinstance(text, str) and BEGIN in text:
            into.append(RawInstructions(session, "context", ordinal, text))  # noqa: PERF401 - nearly never


def is_context(text: str) -> bool:
    """Whether a text holds that marker."""
    return BEGIN in text


def file(into: list[RawInstructions], session: str, ordinal: int, kind: TextKind, text: object) -> None:
    """Files a text that is, or begins with, the content of an instruction file (`kind` says which)."""
    if isinstance(text, str) and text:
        into.append(RawInstructions(session, kind, ordinal, text))
