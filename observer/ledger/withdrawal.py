"""Taking back what a source said of responses, so that it can say it anew by the rule of a first import.

Runs inside the transaction that writes the source. What a source does not
say again stays, unless the whole file is known to be the one that was read:
then the former reading was wrong, and its row goes.
"""

import json

from observer.ledger.open import Writer
from observer.ledger.responses import COLUMNS
from observer.ledger.retelling import uncopy

_FORMER = {"former_response": "response", "former_copy": "response_copy"}
_KEEP = (
    """
    INSERT INTO former_response SELECT * FROM response
    WHERE source_id = ? AND NOT EXISTS (SELECT 1 FROM response_copy WHERE response_copy.id = response.id)""",
    "INSERT INTO former_copy SELECT * FROM response_copy WHERE source_id = ?",
)
_TAKE = (
    "DELETE FROM response WHERE id IN (SELECT id FROM former_response)",
    "DELETE FROM response_copy WHERE (id, source_id) IN (SELECT id, source_id FROM former_copy)",
)
_SAID_AGAIN = "SELECT COUNT(*) FROM former_response WHERE id IN (SELECT id FROM response)"
_PUT_BACK = (
    "INSERT OR IGNORE INTO response SELECT * FROM former_response",
    "INSERT OR IGNORE INTO response_copy SELECT * FROM former_copy",
)
_LOST = "SELECT session_id FROM former_response WHERE id NOT IN (SELECT id FROM response)"
_DENIED = """
    SELECT id, session_id FROM former_copy AS old WHERE NOT EXISTS (
      SELECT 1 FROM response_copy AS new WHERE new.id = old.id AND new.source_id = old.source_id)"""
_IN = "(SELECT value FROM json_each(?))"
_HOLDERS = f"SELECT session_id FROM response_copy WHERE id IN {_IN}"
_SINGLE = f"SELECT id FROM response_copy WHERE id IN {_IN} GROUP BY id HAVING COUNT(*) = 1"
_NOT_CONTRADICTED = f"""
    DELETE FROM fault WHERE derived = 1
      AND (source_id, ordinal) IN (SELECT source_id, ordinal FROM response_copy WHERE id IN {_IN})"""
_ALONE = f"INSERT OR REPLACE INTO response ({COLUMNS}) SELECT {COLUMNS} FROM response_copy WHERE id IN {_IN}"
_NO_COPY = f"DELETE FROM response_copy WHERE id IN {_IN}"
_INSTRUCTIONS = "DELETE FROM instruction WHERE source_id = ?"


def begin(connection: Writer, source_id: int, *, intact: bool) -> None:
    """Sets aside all that the source says of responses. `intact`: what was read lies before us unchanged."""
    for former, table in _FORMER.items():
        connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {former} AS SELECT * FROM {table} WHERE 0")
        connection.execute(f"DELETE FROM {former}")
    for statement in _KEEP:
        connection.execute(statement, (source_id,))
    for statement in _TAKE:
        connection.execute(statement)
    if intact:
        connection.execute(_INSTRUCTIONS, (source_id,))


def end(connection: Writer, *, intact: bool) -> int:
    """Settles what was not said again; returns how many responses were known and are said again."""
    again = int(connection.execute(_SAID_AGAIN).fetchone()[0])
    if not intact:
        for statement in _PUT_BACK:
            connection.execute(statement)
    denied = connection.execute(_DENIED).fetchall()
    ids = json.dumps([row[0] for row in denied])
    touched = {row[0] for row in connection.execute(_LOST)} | {row[1] for row in denied}
    touched |= {row[0] for row in connection.execute(_HOLDERS, (ids,))}
    single = json.dumps([row[0] for row in connection.execute(_SINGLE, (ids,))])
    for statement in (_NOT_CONTRADICTED, _ALONE, _NO_COPY):
        connection.execute(statement, (single,))
    if touched:
        uncopy(connection, touched)
    return again
