"""Result: what became of a publication, in one of six words.

The shape of `publish --json` (cli.md) and of the exit code that goes with it.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from observer.base.errors import FAILED, REFUSED
from observer.base.text import plural
from publish.target import Target

Outcome = Literal["created", "updated", "unchanged", "skipped", "refused", "failed"]


class Stop(Exception):
    """Ends a publication with a word, a reason in one word, and a sentence for a person."""

    def __init__(self, outcome: Outcome, reason: str, message: str) -> None:
        super().__init__(message)
        self.outcome: Outcome = outcome
        self.reason = reason
        self.message = message


class Result(Struct, frozen=True):
    """`reason` is one word, `message` a sentence; both are empty when all is said.

    `duplicates`: further comments of ours, left alone. `foreign_markers`:
    comments of others that carry our marker, never touched. `previous_state`:
    the digest in the comment that was there before; `state_discarded`: its
    memory was unreadable and is lost. `target_state`: open, closed or merged.
    Subject ids: `other_subjects` that the comment shows too, `older` ones whose
    newer snapshot in the comment stays, `lost` ones that it had no room to
    remember. `overlap_responses`: how many stood in more than one export and are
    counted once. `body`: the text of the comment as it stands now.
    """

    result: Outcome
    target: Target
    subjects: list[str]
    reason: str | None = None
    message: str = ""
    comment_id: int | None = None
    comment_url: str | None = None
    duplicates: list[int] = []
    foreign_markers: list[int] = []
    previous_state: str | None = None
    state_discarded: bool = False
    target_state: str | None = None
    other_subjects: list[str] = []
    older: list[str] = []
    lost: list[str] = []
    overlap_responses: int = 0
    body: str | None = None

    @property
    def exit_code(self) -> int:
        """0 when the comment is as it should be or left on purpose, 1 failed, 2 refused."""
        return {"failed": FAILED, "refused": REFUSED}.get(self.result, 0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else there is to say to a person, each in one line."""
        counted = (
            (self.other_subjects, "also shown, from earlier publications: {}"),
            (self.older, "left alone, because the comment shows it newer: {}"),
            (self.lost, "no longer shown, for lack of room: {}"),
        )
        named = (
            (self.duplicates, "further comments of this identity, left alone: {}"),
            (self.foreign_markers, "comments by others that carry our marker, left alone: {}"),
        )
        found = [text.format(plural(len(ids), "subject")) for ids, text in counted if ids]
        if self.state_discarded:
            found.append("the comment's memory of earlier subjects was unreadable and is lost")
        found += (text.format(", ".join(map(str, ids))) for ids, text in named if ids)
        return tuple(found)

    def document(self) -> dict[str, Any]:
        """The JSON form."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        del fields["body"]
        return fields | {"target": target(self.target)}


def target(chosen: Target) -> dict[str, Any]:
    """The JSON form of a target."""
    return {"repo": chosen.repo, "pr": chosen.pr, "commit": chosen.commit}
