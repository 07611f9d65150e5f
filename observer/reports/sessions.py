"""Sessions as documents: a row each, and everything about one."""

from typing import Any

import msgspec

from observer.base.clock import iso
from observer.facts import instructions, lookup, prompts, sessions
from observer.facts.filters import Filter
from observer.facts.sessions import SessionRow
from observer.ledger.open import Reader
from observer.reports import named, shapes


def listed(reader: Reader, wanted: Filter) -> list[dict[str, Any]]:
    """All sessions that the filter leaves, the one that ended last first. UnknownTask for a filter on none."""
    if wanted.task is not None:
        named.task(reader, wanted.task)
    return [_row(row) for row in sessions.rows(reader, wanted)]


def shown(reader: Reader, name: str) -> dict[str, Any]:
    """One session, by key or unique native id. UnknownSession otherwise."""
    row = sessions.rows(reader, Filter(sessions=(named.session(reader, name),)))[0]
    detail: dict[str, Any] = msgspec.to_builtins(sessions.detail(reader, row.number))
    return {
        **_row(row),
        **detail,
        "instructions": msgspec.to_builtins(instructions.proof(reader, row.number)),
        "subagents": lookup.children(reader, row.key),
        "prompts": [
            {
                "submission": each.id,
                "time": iso(each.at_ms),
                "turn": each.turn,
                "excerpt": each.excerpt,
                "tasks": list(each.tasks),
            }
            for each in prompts.rows(reader, row.number)
        ],
    }


def _row(row: SessionRow) -> dict[str, Any]:
    return {
        "session": row.key,
        "harness": row.harness,
        "role": row.role,
        "parent": row.parent,
        "project": row.project,
        "branch": row.branch,
        "client_version": row.client_version,
        "started": iso(row.started_ms),
        "ended": iso(row.ended_ms),
        "agentsmd_version": row.agentsmd_version,
        "responses": sum(each.responses for each in row.usage),
        "genuine_prompts": row.genuine_prompts,
        "by_semantics": shapes.by_semantics(row.usage),
    }
