"""Whether a ledger is what it must be: the file, the references, and everything that can be derived anew.

Reads only, and repairs nothing: it says which rule does not hold, for how many
rows, and names one of them.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from observer.ledger.open import Reader
from observer.records.semantics import parse
from observer.records.usage import COUNTERS, TokenUsage, context_tokens, shape

_MOST_LINES = 20
_FIGURES = ", ".join(COUNTERS)
_RESPONSES = f"SELECT id, semantics, shape, context_tokens, {_FIGURES} FROM {{table}}"
_NEGATIVE = " OR ".join(f"{name} < 0" for name in COUNTERS)
_COPIED = """
    SELECT COUNT(*), MIN({name}) FROM {table} AS row JOIN session ON session.id = row.session_id
    WHERE session.unsettled = 0 AND row.copied <> COALESCE(row.at_ms <= session.copied_until_ms, 0)"""
# Rule → how many rows break it, and one of them.
_RULES = {
    "a counter is never negative": f"SELECT COUNT(*), MIN(id) FROM response WHERE {_NEGATIVE}",
    "a response carries its harness in its id": """
        SELECT COUNT(*), MIN(response.id) FROM response JOIN session ON session.id = response.session_id
        WHERE SUBSTR(response.id, 1, LENGTH(session.harness) + 1) <> session.harness || ':'""",
    "a session carries its harness in its key": """
        SELECT COUNT(*), MIN(key) FROM session WHERE SUBSTR(key, 1, LENGTH(harness) + 1) <> harness || ':'""",
    "every version of a response belongs to one": """
        SELECT COUNT(*), MIN(id) FROM response_copy WHERE id NOT IN (SELECT id FROM response)""",
    "only cumulative figures, and subagents told in their parent's turn, are covered by others": """
        SELECT COUNT(*), MIN(response.id) FROM response JOIN session ON session.id = response.session_id
        WHERE overlap = 1 AND semantics NOT LIKE '%;source=token_count'
          AND NOT (session.harness = 'grok' AND session.role IS 'subagent')""",
    "a person's prompts are in main sessions only": """
        SELECT COUNT(*), MIN(submission.id) FROM submission JOIN session ON session.id = submission.session_id
        WHERE kind = 'genuine' AND role = 'subagent' AND unsettled = 0""",
    "a prompt is a copy up to where its session is one": _COPIED.format(table="submission", name="row.id"),
    "an event is a copy up to where its session is one": _COPIED.format(table="event", name="row.native_id"),
    "the detail of an event is JSON": """
        SELECT COUNT(*), MIN(native_id) FROM event WHERE detail IS NOT NULL AND NOT json_valid(detail)""",
}
_UNSETTLED = "SELECT COUNT(*) FROM session WHERE unsettled = 1"
_IDENTITY = "SELECT COUNT(*) FROM meta WHERE name = 'ledger_id' AND LENGTH(value) = 32"


class Broken(Struct, frozen=True):
    """A rule that does not hold: for how many rows, and one of them."""

    rule: str
    rows: int
    example: str


def engine_version() -> str:
    """The version of SQLite that this program runs on."""
    return sqlite3.sqlite_version


def damage(reader: Reader) -> list[str]:
    """What SQLite finds wrong with the file and with references between tables; empty when all is well."""
    found = [row[0] for row in reader.execute(f"PRAGMA quick_check({_MOST_LINES})") if row[0] != "ok"]
    orphans: dict[tuple[str, str], int] = {}
    for table, _row, parent, _key in reader.execute("PRAGMA foreign_key_check"):
        orphans[table, parent] = orphans.get((table, parent), 0) + 1
    return found + [f"{rows} rows of {table} refer to no {parent}" for (table, parent), rows in sorted(orphans.items())]


def broken(reader: Reader) -> list[Broken]:
    """The rules that do not hold, figures derived anew first; empty when all do."""
    found = [each for table in ("response", "response_copy") for each in _underived(reader, table)]
    for rule, question in _RULES.items():
        rows, example = reader.execute(question).fetchone()
        if rows:
            found.append(Broken(rule, rows, str(example)))
    if not reader.execute(_IDENTITY).fetchone()[0]:
        found.append(Broken("a ledger has an identity", 1, "meta.ledger_id"))
    return found


def unsettled(reader: Reader) -> int:
    """How many sessions were written to by an import that did not come to its end."""
    return int(reader.execute(_UNSETTLED).fetchone()[0])


def _underived(reader: Reader, table: str) -> Iterator[Broken]:
    """Responses whose shape or context is not what their counters give."""
    wrong: dict[str, list[str]] = {"shape": [], "context_tokens": []}
    for row in reader.execute(_RESPONSES.format(table=table)):
        for name in _disagreeing(*row):
            wrong[name].append(row[0])
    for name, ids in wrong.items():
        if ids:
            yield Broken(f"{table}.{name} follows from the counters", len(ids), min(ids))


def _disagreeing(_id: str, semantics: str, kept_shape: int, kept_context: int | None, *counters: Any) -> Iterator[str]:
    usage, meaning = TokenUsage(*counters), parse(semantics)
    if shape(usage, meaning) != kept_shape:
        yield "shape"
    if context_tokens(usage, meaning) != kept_context:
        yield "context_tokens"
