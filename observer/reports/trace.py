"""Traces: what happened in a task, session or turn, event by event, with calls joined to results.

Says where the records of an agent cannot show something, so that an absent
event is never read as "did not happen".
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from observer.adapters import capability
from observer.base.clock import iso
from observer.base.errors import UnknownTurn
from observer.base.text import plural
from observer.facts import events, ownership
from observer.facts.events import Scope
from observer.ledger.open import Reader
from observer.records.event import Event, Family
from observer.reports import named
from observer.rules.join import CallKey, join


def build(reader: Reader, scope: Scope, *, family: Family | None, limit: int) -> dict[str, Any]:
    """The `trace` document: the first `limit` events, and the join over all of the scope.

    UnknownTask, UnknownSession or UnknownTurn for a scope that is not there.
    """
    scope, sessions = _resolved(reader, scope)
    counts = events.families(reader, scope)
    total = sum(count for (_, name), count in counts.items() if family in (None, name))
    rows = events.rows(reader, scope, family=family, limit=limit)
    blind = _blind({key.partition(":")[0] for key in sessions}, family)
    return {
        "scope": msgspec.to_builtins(scope),
        "sessions": list(sessions),
        "family": family,
        "families": _by_family(counts),
        "total": total,
        "limit": limit,
        "truncated": total > len(rows),
        "events": [_document(row) for row in rows],
        "join": _join(reader, scope),
        "not_shown": blind,
        "notes": _notes(reader, scope, sessions, blind),
        "event_contract": capability.EVENT_CONTRACT,
    }


def capabilities(harnesses: Sequence[str]) -> dict[str, Any]:
    """What each harness's records can and cannot show."""
    return {
        "event_contract": capability.EVENT_CONTRACT,
        "harnesses": {
            harness: [
                {"family": subject, "supported": each.supported, "says": each.says}
                for subject, each in capability.of(harness).items()
            ]
            for harness in harnesses
        },
    }


def _resolved(reader: Reader, scope: Scope) -> tuple[Scope, tuple[str, ...]]:
    """The scope with its session's key, and the sessions it touches."""
    if scope.task is not None:
        named.task(reader, scope.task)
        return scope, ownership.scope(reader, scope.task).sessions
    key = None if scope.session is None else named.session(reader, scope.session)
    if scope.turn is None:
        return Scope(session=key), () if key is None else (key,)
    sessions = tuple(each for each in events.sessions_of_turn(reader, scope.turn) if key in (None, each))
    if not sessions:
        where = "" if key is None else f" in {key}"
        raise UnknownTurn(f"no turn {scope.turn!r}{where}", "agent-observer responses list --json")
    return Scope(session=key, turn=scope.turn), sessions


def _join(reader: Reader, scope: Scope) -> dict[str, Any]:
    """Over every call and result of the scope, whatever the list below is cut to."""
    found = join(events.ids(reader, scope, "tool_call"), events.ids(reader, scope, "tool_result"))
    return {
        "calls": found.calls,
        "results": found.results,
        "joined": _keys(found.joined),
        "unmatched_results": _keys(found.unmatched_results),
        "unanswered_calls": _keys(found.unanswered_calls),
    }


def _keys(found: Iterable[CallKey]) -> list[dict[str, str]]:
    return [{"session": session, "id": name} for session, name in found]


def _by_family(counts: dict[tuple[str, str], int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for (_, family), count in counts.items():
        found[family] = found.get(family, 0) + count
    return found


def _blind(harnesses: Iterable[str], family: Family | None) -> list[dict[str, str]]:
    """What the records of these harnesses do not, or not fully, show of the families asked for."""
    return [
        {"harness": harness, "family": subject, "supported": each.supported, "says": each.says}
        for harness in sorted(harnesses)
        for subject, each in capability.of(harness).items()
        if subject in capability.FAMILIES and each.supported != "yes" and family in (None, subject)
    ]


def _notes(reader: Reader, scope: Scope, sessions: Sequence[str], blind: Sequence[dict[str, str]]) -> list[str]:
    notes = []
    for harness in dict.fromkeys(each["harness"] for each in blind):
        never = [each["family"] for each in blind if each["harness"] == harness and each["supported"] == "no"]
        if never:
            notes.append(f"records of {harness} cannot show: {', '.join(never)}")
    if scope.task is not None and not sessions:
        notes.append("no prompt or session is bound to this task: agent-observer capture assign")
    copies = events.copied(reader, scope)
    if copies:
        notes.append(f"{plural(copies, 'event')} copied from another session's history: shown there, not here")
    return notes


def _document(row: Event) -> dict[str, Any]:
    return {
        "session": row.session,
        "family": row.family,
        "id": row.native_id,
        "ordinal": row.ordinal,
        "time": iso(row.at_ms),
        "turn": row.turn,
        "name": row.name,
        "target": row.target,
        "status": row.status,
        "duration_ms": row.duration_ms,
        "size_bytes": row.size_bytes,
        "truncated": row.truncated,
        "detail": None if row.detail is None else msgspec.json.decode(row.detail),
    }
