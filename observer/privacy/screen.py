"""RawBatch → Batch: the only maker of a Batch, and the only way to the ledger.

Fails closed: every field is checked by a rule that says what it may hold, and
what does not satisfy it is dropped (an identifier is replaced, behaviour §9).
Records and their order stay; only an event of no known family and a response
whose counters are no counts are left out, the latter with a fault.
"""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from msgspec.structs import astuple, replace

from observer.privacy import excerpt, names
from observer.privacy.detail import detail
from observer.privacy.names import identifier
from observer.privacy.targets import target
from observer.records import response as responses
from observer.records.event import Event, RawEvent
from observer.records.identity import Instructions, RawInstructions, Release
from observer.records.response import Response
from observer.records.router import RouterRecords
from observer.records.semantics import KNOWN
from observer.records.session import Role, Session, Turn, TurnState
from observer.records.source import Batch, Category, Quarantine, RawBatch
from observer.records.submission import Kind, RawSubmission, Submission
from observer.records.usage import LARGEST, TokenUsage

_ROLES = frozenset(get_args(Role))
_TURN_STATES = frozenset(get_args(TurnState))
_KINDS = frozenset(get_args(Kind))
_CATEGORIES = frozenset(get_args(Category))
_ORIGINS = frozenset((responses.COPIED, responses.RECORDED, responses.PROVEN))
# These families have no file or command; a thread or agent is all they may name.
_WITHOUT_TARGET = frozenset(("assistant_message", "compaction", "lifecycle"))

_PROJECT_LONGEST = 4096
_BRANCH_LONGEST = 255
_CLIENT_LONGEST = 64
_SEMANTICS = re.compile(r"[a-z]+:[a-z_,;=]{1,100}")
_UNKNOWN_SEMANTICS = "unknown:unverified"
_MONEY = re.compile(r"[0-9]{1,25}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")


def screen(raw: RawBatch, releases: Sequence[Release] = ()) -> Batch:
    """What of an adapter's batch may be kept, in the same order.

    `releases`: the known releases that instruction texts are compared with.
    """
    counted: list[Response] = []
    faults = raw.faults[:]
    for each in raw.responses:
        if _is_counted(each.usage):
            counted.append(each)
        else:
            faults.append(Quarantine(each.ordinal, "malformed_usage"))
    return Batch(
        tuple([_session(each) for each in raw.sessions]),
        tuple([_turn(each) for each in raw.turns]),
        tuple([_response(each) for each in counted]),
        tuple([_submission(each) for each in raw.submissions]),
        tuple([_event(each) for each in raw.events if each.family in names.FAMILIES]),
        tuple([_fault(each) for each in faults]),
        None if raw.router is None else _router(raw.router),
        tuple(_instructions(raw.instructions, releases)),
    )


def _router(raw: RouterRecords) -> RouterRecords:
    from observer.privacy.router import screen_router

    return screen_router(raw)


def _event(raw: RawEvent) -> Event:
    family, name, status, said = raw.family, raw.name, raw.status, raw.detail
    return Event(
        identifier(raw.session),
        family,
        identifier(raw.native_id),
        raw.ordinal,
        _count(raw.at_ms),
        None if raw.turn is None else identifier(raw.turn),
        None if name is None else names.event_name(family, name),
        _named(raw.target) if family in _WITHOUT_TARGET else target(raw.target),
        None if status is None else names.status(family, status),
        _count(raw.duration_ms),
        _count(raw.size_bytes),
        raw.truncated is True,
        None if said is None else detail(family, said),
    )


def _instructions(texts: Sequence[RawInstructions], releases: Sequence[Release]) -> Iterator[Instructions]:
    """What the texts prove; loaded only where there is one."""
    if texts:
        from observer.privacy.direction import instructions

        for raw in texts:
            found = instructions(replace(raw, session=identifier(raw.session)), releases)
            if found is not None:
                yield found


def _submission(raw: RawSubmission) -> Submission:
    kind: Kind = raw.kind if raw.kind in _KINDS else "unknown"
    return Submission(
        identifier(raw.id),
        identifier(raw.session),
        kind,
        raw.ordinal,
        _count(raw.at_ms),
        _optional(raw.turn),
        _optional(raw.alias),
        excerpt.text_hash(raw.text),
        excerpt.submission(raw.text) if kind == "genuine" and raw.main is True else "",
    )


def _response(raw: Response) -> Response:
    cost = raw.native_cost_usd
    return Response(
        identifier(raw.id),
        identifier(raw.session),
        raw.semantics if raw.semantics in KNOWN else _semantics(raw.semantics),
        raw.usage,
        raw.ordinal,
        _count(raw.at_ms),
        _optional(raw.turn),
        _model(raw.model),
        _model(raw.provider),
        _word(raw.effort),
        raw.final is True,
        raw.origin if raw.origin in _ORIGINS else responses.COPIED,
        _count(raw.cumulative),
        cost if cost is not None and _MONEY.fullmatch(cost) else None,
        _word(raw.service_tier),
        _word(raw.speed),
        _count(raw.web_search_requests),
    )


def _session(raw: Session) -> Session:
    key, harness = identifier(raw.key), names.name(raw.harness) or "unknown"
    return Session(
        key,
        harness,
        _native_id(raw, key),
        _optional(raw.parent),
        raw.role if raw.role in _ROLES else None,
        _label(raw.project, _PROJECT_LONGEST),
        _label(raw.branch, _BRANCH_LONGEST),
        _label(raw.client_version, _CLIENT_LONGEST),
        _label(raw.entry_point, _CLIENT_LONGEST),
        _optional(raw.forked_from),
        _count(raw.started_ms),
        _count(raw.ended_ms),
        _count(raw.copied_until_ms),
    )


def _native_id(raw: Session, key: str) -> str:
    """The id without its harness; of a replaced key the same digest."""
    prefix = raw.harness + ":"
    if raw.key == prefix + raw.native_id:
        return key.removeprefix(prefix)
    return identifier(raw.native_id)


def _turn(raw: Turn) -> Turn:
    return Turn(
        identifier(raw.session),
        identifier(raw.id),
        _count(raw.started_ms),
        _count(raw.ended_ms),
        _count(raw.duration_ms),
        raw.state if raw.state in _TURN_STATES else None,
        _model(raw.model),
        _word(raw.effort),
    )


def _fault(raw: Quarantine) -> Quarantine:
    category: Category = raw.category if raw.category in _CATEGORIES else "import_error"
    return Quarantine(_count(raw.ordinal), category, names.key_names(raw.keys) if raw.keys else ())


def _is_counted(usage: TokenUsage) -> bool:
    """Whether every counter is unknown or a count that the ledger can hold."""
    for value in astuple(usage):
        if value is not None and not (type(value) is int and 0 <= value <= LARGEST):
            return False
    return True


def _count(value: int | None) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST else None


def _optional(value: str | None) -> str | None:
    return None if value is None else identifier(value)


def _named(value: str | None) -> str | None:
    return value if value is not None and identifier(value) == value else None


def _label(value: str | None, longest: int) -> str | None:
    return None if value is None else names.label(value, longest)


def _model(value: str | None) -> str | None:
    return None if value is None else names.model(value)


def _word(value: str | None) -> str | None:
    return None if value is None else names.word(value)


def _semantics(label: str) -> str:
    return label if _SEMANTICS.fullmatch(label) else _UNKNOWN_SEMANTICS
