"""The state block: what a comment remembers of its subjects, for the next publication.

Compact JSON in one HTML comment, the last line of the body; its digest stands
in the marker. Whoever reads it back treats it as untrusted: a block that does
not match its digest, does not decode or does not add up is as good as none.
"""

import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal

import msgspec
from msgspec import Struct

from observer.pricing import exact
from publish.figures import Figures, Subject
from publish.marker import UNKNOWN, Marker, is_instant

_OPENING = "<!-- agent-observer:state:v1 "
_CLOSING = " -->"
_LONGEST = 65_536
# Characters that end an HTML comment or mean something to Markdown, as JSON may also write them. They can stand in
# strings only: the numbers here are whole and not negative.
_ESCAPED = str.maketrans({each: f"\\u{ord(each):04x}" for each in "-<>&@#`~$|*!'"})


class State(Struct, frozen=True):
    """The subjects of a comment, sorted by their id."""

    subjects: list[Subject]


_DECODER = msgspec.json.Decoder(State)


def encode(subjects: Sequence[Subject]) -> str:
    """The JSON text of the block: ASCII, and without anything that could end an HTML comment."""
    document = msgspec.to_builtins(State(sorted(subjects, key=lambda each: each.subject_id)))
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).translate(_ESCAPED)


def digest(text: str) -> str:
    """SHA-256 of the JSON text as it stands in the comment, 64 hex digits."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def line(text: str) -> str:
    """The last line of the comment."""
    return f"{_OPENING}{text}{_CLOSING}"


def newest(subjects: Sequence[Subject]) -> str:
    """The latest cutoff of the subjects, or `unknown`: what the marker says as `made`."""
    dated = (each.cutoff for each in subjects if each.cutoff is not None)
    return max(filter(is_instant, dated), default=UNKNOWN)


def read(body: str, marker: Marker) -> tuple[Subject, ...] | None:
    """The subjects that a comment remembers; None when its block is missing or was changed."""
    last = body.rstrip("\r\n").rpartition("\n")[2]
    if not (last.startswith(_OPENING) and last.endswith(_CLOSING)) or len(last) > _LONGEST:
        return None
    text = last[len(_OPENING) : -len(_CLOSING)]
    if not text.isascii() or digest(text) != marker.state:
        return None
    try:
        subjects = tuple(_DECODER.decode(text).subjects)
    except (msgspec.DecodeError, RecursionError):
        return None
    ids = [each.subject_id for each in subjects]
    sound = ids == sorted(set(ids)) and all(each.figures is None or _adds_up(each.figures) for each in subjects)
    return subjects if sound else None


def _adds_up(figures: Figures) -> bool:
    """Whether the parts of remembered figures give its sums, as far as the comment had room for them."""
    parts, priced, rows = figures.partitions, figures.priced, figures.models
    counts = (
        parts.attributed + parts.shared + parts.unassigned == parts.scope
        and parts.attributed == priced.responses
        and priced.priced_responses <= priced.responses
        and parts.shared == figures.shared.responses
        and all(row.priced <= row.responses for row in rows)
        and sum(row.responses for row in rows) <= priced.responses
    )
    if not counts or figures.more_models:
        return counts
    return sum(row.responses for row in rows) == priced.responses and exact.total(
        Decimal(row.usd) for row in rows
    ) == Decimal(priced.subtotal_usd)
