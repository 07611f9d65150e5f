"""Writing what sources say: one batch after another, idempotent.

Runs inside a transaction of the caller (one per source, cursor included), so
a crash leaves all or nothing of a source. Only a Batch, which the privacy
screen alone can make, is accepted.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from observer.ledger import instructions, responses, router
from observer.ledger.open import Writer
from observer.ledger.retelling import Retelling
from observer.records.session import Session
from observer.records.source import Batch, Cursor, Quarantine, SourceFile

_SESSION = """
    INSERT INTO session (key, harness, native_id, parent, role, project, branch, client_version, entry_point,
                         forked_from, started_ms, ended_ms, marked_copied_until_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET
      parent = COALESCE(parent, excluded.parent),
      role = CASE WHEN 'subagent' IN (role, excluded.role) THEN 'subagent' ELSE COALESCE(role, excluded.role) END,
      project = COALESCE(project, excluded.project),
      branch = COALESCE(branch, excluded.branch),
      client_version = COALESCE(client_version, excluded.client_version),
      entry_point = COALESCE(entry_point, excluded.entry_point),
      forked_from = COALESCE(forked_from, excluded.forked_from),
      started_ms = MIN(COALESCE(started_ms, excluded.started_ms), COALESCE(excluded.started_ms, started_ms)),
      ended_ms = MAX(COALESCE(ended_ms, excluded.ended_ms), COALESCE(excluded.ended_ms, ended_ms)),
      marked_copied_until_ms = MAX(COALESCE(marked_copied_until_ms, excluded.marked_copied_until_ms),
                                   COALESCE(excluded.marked_copied_until_ms, marked_copied_until_ms)),
      unsettled = 1
    RETURNING id"""
_TURN = """
    INSERT INTO turn (session_id, id, started_ms, ended_ms, duration_ms, state, model, effort)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, id) DO UPDATE SET
      started_ms = MIN(COALESCE(started_ms, excluded.started_ms), COALESCE(excluded.started_ms, started_ms)),
      ended_ms = MAX(COALESCE(ended_ms, excluded.ended_ms), COALESCE(excluded.ended_ms, ended_ms)),
      duration_ms = COALESCE(duration_ms, excluded.duration_ms),
      state = CASE WHEN COALESCE(state, 'active') = 'active' THEN COALESCE(excluded.state, state) ELSE state END,
      model = COALESCE(model, excluded.model),
      effort = COALESCE(effort, excluded.effort)"""
_SUBMISSION = """
    INSERT INTO submission (session_id, id, kind, ordinal, at_ms, turn, alias, text_hash, excerpt)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, id) DO UPDATE SET
      alias = COALESCE(alias, excluded.alias), turn = COALESCE(turn, excluded.turn),
      excerpt = CASE WHEN kind = excluded.kind AND excerpt = '' THEN excluded.excerpt ELSE excerpt END
    WHERE (alias IS NULL AND excluded.alias IS NOT NULL) OR (turn IS NULL AND excluded.turn IS NOT NULL)
      OR (kind = excluded.kind AND excerpt = '' AND excluded.excerpt <> '')"""
_EVENT = """
    INSERT OR IGNORE INTO event (session_id, family, native_id, ordinal, at_ms, turn, name, target, status, duration_ms,
                                 size_bytes, truncated, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# A store's records change in place: the newest reading of a unit replaces the one before, unless another source's
# version of the session outranks it (0007_versions.sql).
_OUTRANKS = """
    (source_id IS NULL OR source_id = excluded.source_id OR (
      SELECT (mine.told_until_ms, mine.told, other.path) > (other.told_until_ms, other.told, mine.path)
      FROM source AS mine, source AS other WHERE mine.id = excluded.source_id AND other.id = source_id))"""
_SUBMISSION_ANEW = f"""
    INSERT INTO submission (session_id, id, kind, ordinal, at_ms, turn, alias, text_hash, excerpt, source_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, id) DO UPDATE SET
      kind = excluded.kind, ordinal = excluded.ordinal, at_ms = excluded.at_ms, turn = excluded.turn,
      alias = excluded.alias, text_hash = excluded.text_hash, excerpt = excluded.excerpt,
      source_id = excluded.source_id
    WHERE (kind, ordinal, at_ms, turn, alias, text_hash, excerpt, source_id) IS NOT (excluded.kind, excluded.ordinal,
      excluded.at_ms, excluded.turn, excluded.alias, excluded.text_hash, excluded.excerpt, excluded.source_id)
      AND {_OUTRANKS}"""
_EVENT_ANEW = f"""
    INSERT INTO event (session_id, family, native_id, ordinal, at_ms, turn, name, target, status, duration_ms,
                       size_bytes, truncated, detail, source_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, family, native_id) DO UPDATE SET
      ordinal = excluded.ordinal, at_ms = excluded.at_ms, turn = excluded.turn, name = excluded.name,
      target = excluded.target, status = excluded.status, duration_ms = excluded.duration_ms,
      size_bytes = excluded.size_bytes, truncated = excluded.truncated, detail = excluded.detail,
      source_id = excluded.source_id
    WHERE (at_ms, turn, name, target, status, duration_ms, size_bytes, truncated, detail, source_id) IS NOT (
      excluded.at_ms, excluded.turn, excluded.name, excluded.target, excluded.status, excluded.duration_ms,
      excluded.size_bytes, excluded.truncated, excluded.detail, excluded.source_id)
      AND {_OUTRANKS}"""
_RANK = "UPDATE source SET told_until_ms = ?, told = ? WHERE id = ?"
_FAULT = "INSERT OR IGNORE INTO fault (source_id, ordinal, category, keys) VALUES (?, ?, ?, ?)"
_CURSOR = """
    UPDATE source SET read_to = ?, tail_hash = ?, ordinal = ?, context = ?, size = ?, mtime_ns = ?, adapter_version = ?,
                      privacy_version = ?, imported_ms = ?, gone_ms = NULL
    WHERE id = ?"""


class Inserted(Struct):
    """How many rows are new."""

    responses: int = 0
    submissions: int = 0
    events: int = 0
    faults: int = 0
    submissions_updated: int = 0
    events_updated: int = 0

    def add(self, other: "Inserted") -> None:
        """Adds another count to this one."""
        self.responses += other.responses
        self.submissions += other.submissions
        self.events += other.events
        self.faults += other.faults
        self.submissions_updated += other.submissions_updated
        self.events_updated += other.events_updated


class ReadState(Struct, frozen=True):
    """What is remembered of a source besides its cursor."""

    size: int
    mtime_ns: int
    adapter_version: int
    privacy_version: int
    imported_ms: int


def source(connection: Writer, file: SourceFile) -> int:
    """The number of a source, which is made known if it is new."""
    connection.execute("INSERT OR IGNORE INTO source (harness, path) VALUES (?, ?)", (file.harness, file.path))
    found = connection.execute("SELECT id FROM source WHERE harness = ? AND path = ?", (file.harness, file.path))
    return int(found.fetchone()[0])


def batch(
    connection: Writer, source_id: int, content: Batch, *, mutable: bool = False, retelling: Retelling | None = None
) -> Inserted:
    """Writes one batch; repeats change nothing.

    `mutable`: the source is a unit of a store, whose records change in place;
    what it says now replaces what it said before. `retelling`: a replay goes
    on, rows of before it give way.
    """
    if retelling is not None:
        retelling.clear_sessions(content)
    sessions = {each.key: _session(connection, each) for each in _joined(content.sessions)}
    for key in _named(content) - sessions.keys():
        sessions[key] = _session(connection, _bare(key))
    if retelling is not None:
        retelling.clear_rows(sessions, content)
    connection.executemany(_TURN, [(sessions[row[0]], *row[1:]) for row in map(msgspec.structs.astuple, content.turns)])
    if content.router is not None:
        router.write(connection, source_id, content.router)
    instructions.write(connection, source_id, sessions, content.instructions, anew=mutable)
    new_responses, conflicts = responses.write(connection, source_id, sessions, content.responses, mutable=mutable)
    whose: tuple[int, ...] = ()
    if mutable:
        connection.execute(_RANK, (*_rank(content), source_id))
        whose = (source_id,)
    return Inserted(
        responses=new_responses,
        submissions=_insert(
            connection,
            _SUBMISSION_ANEW if mutable else _SUBMISSION,
            [
                (sessions[each.session], each.id, each.kind, each.ordinal, each.at_ms, each.turn, each.alias,
                 each.text_hash, each.excerpt, *whose)
                for each in content.submissions
            ],
        ),
        events=_insert(
            connection,
            _EVENT_ANEW if mutable else _EVENT,
            [(sessions[row[0]], *row[1:], *whose) for row in map(msgspec.structs.astuple, content.events)],
        ),
        faults=faults(connection, source_id, (*content.faults, *conflicts)),
    )  # fmt: skip


def _rank(content: Batch) -> tuple[int, int]:
    """Until when a unit tells, and how much: its prompts and events, and what it knows of their kinds and ends."""
    ends = (each.ended_ms for each in content.sessions if each.ended_ms is not None)
    prompts = sum(1 + (each.kind != "unknown") + (each.turn is not None) for each in content.submissions)
    events = sum(1 + (each.status is not None) + (each.duration_ms is not None) for each in content.events)
    return max(ends, default=-1), prompts + events


def faults(connection: Writer, source_id: int, found: Sequence[Quarantine]) -> int:
    """Files faults of a source; a known one stays one."""
    rows = [
        (source_id, -1 if each.ordinal is None else each.ordinal, each.category, ",".join(each.keys)) for each in found
    ]
    return _insert(connection, _FAULT, rows)


def forget_faults(connection: Writer, source_id: int) -> None:
    """A source that is read from its beginning files its faults anew."""
    connection.execute("DELETE FROM fault WHERE source_id = ?", (source_id,))


def cursor(connection: Writer, source_id: int, reached: Cursor, state: ReadState) -> None:
    """Remembers how far a source was read; part of the source's transaction."""
    connection.execute("DELETE FROM fault WHERE source_id = ? AND ordinal = -1", (source_id,))
    connection.execute(
        _CURSOR,
        (reached.offset, reached.tail_hash, reached.ordinal, reached.context, state.size, state.mtime_ns,
         state.adapter_version, state.privacy_version, state.imported_ms, source_id),
    )  # fmt: skip


def _session(connection: Writer, session: Session) -> int:
    return int(connection.execute(_SESSION, msgspec.structs.astuple(session)).fetchone()[0])


def _joined(sessions: Sequence[Session]) -> list[Session]:
    """Each key once where the batch says the same thing again (the common case)."""
    return list(dict.fromkeys(sessions))


def _named(content: Batch) -> set[str]:
    """Keys that rows name without saying anything about the session itself."""
    keys = {each.session for each in content.responses}
    keys.update(each.session for each in content.turns)
    keys.update(each.session for each in content.submissions)
    keys.update(each.session for each in content.events)
    keys.update(each.session for each in content.instructions)
    return keys


def _bare(key: str) -> Session:
    harness, _, native_id = key.partition(":")
    return Session(key, harness, native_id)


def _insert(connection: Writer, statement: str, rows: list[tuple[Any, ...]]) -> int:
    """Runs a statement for all rows; how many rows it really added or changed."""
    if not rows:
        return 0
    before = connection.total_changes
    connection.executemany(statement, rows)
    return connection.total_changes - before
