"""One source's part in a replay: its rows give way to what it says now, and the changes are counted.

Runs inside the transaction that writes the source. Responses are a matter of
their own (ledger.withdrawal), because the ledger knows whose they are.
"""

import json
from collections.abc import Iterable

from msgspec import Struct

from observer.ledger.open import Writer
from observer.records.source import Batch

_TABLES = {"former_submission": "submission", "former_event": "event"}
_TELLING = """
    CREATE TEMP TABLE IF NOT EXISTS telling (session_id, kind, id, PRIMARY KEY (session_id, kind, id)) WITHOUT ROWID"""
_KNOWN_KEYS = """
    DELETE FROM telling WHERE EXISTS (
      SELECT 1 FROM retold WHERE retold.session_id = telling.session_id AND retold.kind = telling.kind
        AND retold.id = telling.id)"""
_KEEP = """
    INSERT INTO former_{table} SELECT {table}.* FROM telling CROSS JOIN {table}
    ON {table}.session_id = telling.session_id AND {matches}"""
_MATCHES = {
    "submission": "telling.kind = 'submission' AND submission.id = telling.id",
    "event": "event.family = telling.kind AND event.native_id = telling.id",
}
_DROP_TURNS = "DELETE FROM turn WHERE (session_id, id) IN (SELECT session_id, id FROM telling WHERE kind = 'turn')"
_DROP_SUBMISSIONS = """
    DELETE FROM submission
    WHERE (session_id, id) IN (SELECT session_id, id FROM telling WHERE kind = 'submission')"""
_DROP_EVENTS = "DELETE FROM event WHERE (session_id, family, native_id) IN (SELECT session_id, kind, id FROM telling)"
_REMEMBER = "INSERT OR IGNORE INTO retold SELECT session_id, kind, id FROM telling"
_COUNT = "SELECT COUNT(*) FROM telling WHERE kind = 'submission'"
_COUNT_EVENTS = "SELECT COUNT(*) FROM telling WHERE kind NOT IN ('session', 'submission', 'turn')"
_CHANGED_SUBMISSIONS = """
    SELECT COUNT(*) FROM former_submission AS old JOIN submission AS new USING (session_id, id)
    WHERE (old.kind, old.ordinal, old.at_ms, old.turn, old.alias, old.text_hash, old.excerpt)
      IS NOT (new.kind, new.ordinal, new.at_ms, new.turn, new.alias, new.text_hash, new.excerpt)"""
_CHANGED_EVENTS = """
    SELECT COUNT(*) FROM former_event AS old JOIN event AS new USING (session_id, family, native_id)
    WHERE (old.ordinal, old.at_ms, old.turn, old.name, old.target, old.status, old.duration_ms, old.size_bytes,
      old.truncated, old.detail) IS NOT (new.ordinal, new.at_ms, new.turn, new.name, new.target, new.status,
      new.duration_ms, new.size_bytes, new.truncated, new.detail)"""

_FIRST_TOLD = """
    SELECT id FROM session WHERE key IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM retold WHERE session_id = session.id AND kind = 'session')"""
_IN = "(SELECT value FROM json_each(?))"
_CLEAR_LABELS = f"""
    UPDATE session SET project = NULL, branch = NULL, client_version = NULL, entry_point = NULL WHERE id IN {_IN}"""
# A file that has vanished may have been the proof of these.
_CLEAR_PROOFS = f"""
    UPDATE session SET parent = NULL, role = NULL, forked_from = NULL, started_ms = NULL, ended_ms = NULL,
                       marked_copied_until_ms = NULL
    WHERE id IN {_IN}
      AND NOT EXISTS (SELECT 1 FROM source WHERE source.harness = session.harness AND gone_ms IS NOT NULL)"""
_UNCOPY = (
    f"UPDATE session SET copied_until_ms = NULL, unsettled = 1 WHERE id IN {_IN}",
    f"UPDATE submission SET copied = 0 WHERE copied = 1 AND session_id IN {_IN}",
    f"UPDATE event SET copied = 0 WHERE copied = 1 AND session_id IN {_IN}",
)


class Changes(Struct, frozen=True):
    """Rows of a retold source: those that are new, and those that say something else now."""

    submissions: int
    events: int
    submissions_updated: int
    events_updated: int


class Retelling:
    """Makes room for one source's rows, batch by batch."""

    def __init__(self, connection: Writer) -> None:
        self._connection = connection
        self._submissions = self._events = 0
        connection.execute(_TELLING)
        for former, table in _TABLES.items():
            connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {former} AS SELECT * FROM {table} WHERE 0")
            connection.execute(f"DELETE FROM {former}")

    def clear_sessions(self, content: Batch) -> None:
        """What is known of sessions goes where this batch is the first to describe them again."""
        keys = json.dumps(sorted({each.key for each in content.sessions}))
        first = [row[0] for row in self._connection.execute(_FIRST_TOLD, (keys,))]
        if first:
            ids = json.dumps(first)
            for statement in (_CLEAR_LABELS, _CLEAR_PROOFS):
                self._connection.execute(statement, (ids,))
            uncopy(self._connection, first)

    def clear_rows(self, sessions: dict[str, int], content: Batch) -> None:
        """The same for turns, submissions and events; remembers all of them as told again."""
        connection = self._connection
        connection.executemany("INSERT OR IGNORE INTO telling VALUES (?, ?, ?)", _keys(sessions, content))
        connection.execute(_KNOWN_KEYS)
        self._submissions += connection.execute(_COUNT).fetchone()[0]
        self._events += connection.execute(_COUNT_EVENTS).fetchone()[0]
        for table in _TABLES.values():
            connection.execute(_KEEP.format(table=table, matches=_MATCHES[table]))
        for statement in (_DROP_TURNS, _DROP_SUBMISSIONS, _DROP_EVENTS, _REMEMBER, "DELETE FROM telling"):
            connection.execute(statement)

    def changes(self) -> Changes:
        """What came of it, once the source was written as a whole."""
        return Changes(
            self._submissions - self._number("SELECT COUNT(*) FROM former_submission"),
            self._events - self._number("SELECT COUNT(*) FROM former_event"),
            self._number(_CHANGED_SUBMISSIONS),
            self._number(_CHANGED_EVENTS),
        )

    def _number(self, question: str) -> int:
        return int(self._connection.execute(question).fetchone()[0])


def uncopy(connection: Writer, sessions: Iterable[int]) -> None:
    """How far these sessions are copies is not known any more; settling finds it anew."""
    ids = json.dumps(sorted(sessions))
    for statement in _UNCOPY:
        connection.execute(statement, (ids,))


def _keys(sessions: dict[str, int], content: Batch) -> list[tuple[int, str, str]]:
    keys = [(sessions[each.key], "session", "") for each in content.sessions]
    keys += [(sessions[each.session], "turn", each.id) for each in content.turns]
    keys += [(sessions[each.session], "submission", each.id) for each in content.submissions]
    keys += [(sessions[each.session], each.family, each.native_id) for each in content.events]
    return keys
