"""The screen for rows that are kept already: today's rules over what an older version let through.

Every rule is idempotent, so a row that satisfies it stays as it is. A row is
made into the record it came from and goes the one way to the ledger again.
"""

from collections.abc import Callable
from typing import get_args

import msgspec

from observer.privacy import direction, names, screen
from observer.privacy.router import screen_router
from observer.records.event import Family, RawDetail, RawEvent
from observer.records.identity import Instructions
from observer.records.router import RouterRecords
from observer.records.session import Session
from observer.records.source import RawBatch
from observer.records.submission import Kind, RawSubmission

_KINDS = frozenset(get_args(Kind))
_SESSION = Session("claude:s", "claude", "s")
Rule = Callable[[str], str | None]
# Name, target, status and detail of an event.
Said = tuple[str | None, str | None, str | None, str | None]


class _Detail(msgspec.Struct):
    """The detail of any family, as it is stored."""

    paths: tuple[str, ...] = ()
    path: str | None = None
    skill: str | None = None
    command: str | None = None
    exit_code: int | None = None
    start_line: int | None = None
    line_count: int | None = None
    excerpt: str | None = None


_decode = msgspec.json.Decoder(_Detail).decode


def excerpt(kind: str, text: str) -> str:
    """What may be kept of the excerpt of a submission of that kind."""
    if kind not in _KINDS:
        return ""
    raw = RawSubmission("claude:p", "claude:s", msgspec.convert(kind, Kind), text, 0, main=True)
    return screen.screen(RawBatch(submissions=[raw])).submissions[0].excerpt


def event(family: str, said: Said) -> Said:
    """What may be kept of an event of that family; nothing of a family that is not known."""
    if family not in names.FAMILIES:
        return None, None, None, None
    known: Family = msgspec.convert(family, Family)
    name, target, status, text = said
    raw = RawEvent("claude:s", known, "e", 0, name=name, target=target, status=status, detail=_detail(text))
    kept = screen.screen(RawBatch(events=[raw])).events[0]
    return kept.name, kept.target, kept.status, kept.detail


def instructions(known: Instructions) -> Instructions | None:
    """What may be kept of what a text proved; None: nothing."""
    return direction.again(known)


def routed(known: RouterRecords) -> RouterRecords:
    """What may be kept of what a router told."""
    return screen_router(known)


def _detail(text: str | None) -> RawDetail | None:
    """The detail behind its JSON; None for one that cannot be read, of which nothing is kept."""
    if text is None:
        return None
    try:
        found = _decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    kept = {name: getattr(found, name) for name in RawDetail.__struct_fields__ if name != "text"}
    return RawDetail(**kept, text=found.excerpt)


def _label(column: str) -> Rule:
    def keep(text: str) -> str | None:
        described = msgspec.structs.replace(_SESSION, **{column: text})
        kept: str | None = getattr(screen.screen(RawBatch(sessions=[described])).sessions[0], column)
        return kept

    return keep


def _keys(text: str) -> str:
    return ",".join(names.key_names(text.split(",")))


# What may be kept of a word, by the column it is in.
WORDS: dict[str, Rule] = {
    **{column: _label(column) for column in ("project", "branch", "client_version", "entry_point")},
    **dict.fromkeys(("model", "provider"), names.model),
    **dict.fromkeys(("effort", "service_tier", "speed"), names.word),
    "keys": _keys,
}
