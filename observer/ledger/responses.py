"""Writing responses: each once, whatever was written or copied how often.

Within one source the records are in order, so a rule over what is stored
decides: a provisional figure is replaced by a better one, a final one stays.
A response that another source also records is kept with each source's own
version (`response_copy`) and settled afterwards, because which of them is the
original must not depend on the order of import.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from observer.ledger.open import Writer
from observer.records.response import PROVEN, Response
from observer.records.semantics import parse
from observer.records.source import Quarantine
from observer.records.usage import context_tokens, shape

Row = tuple[Any, ...]
# Whether a later record of a source replaces what the source said before; files contradictions.
Rule = Callable[[Row, Row, list[Quarantine]], bool]
# How many responses are new, and the contradictions found.
Written = tuple[int, list[Quarantine]]

COLUMNS = (
    "id, source_id, session_id, ordinal, at_ms, turn, model, provider, effort, semantics, input, cached_input,"
    " cache_write_input, cache_write_5m, cache_write_1h, output, reasoning_output, total, final, origin, cumulative,"
    " native_cost_usd, service_tier, speed, web_search_requests, shape, context_tokens"
)
_NAMES = COLUMNS.split(", ")
_PLACE = {name: place for place, name in enumerate(_NAMES)}
COUNTERS = slice(_PLACE["input"], _PLACE["total"] + 1)
SOURCE, SESSION, ORDINAL, TURN = _PLACE["source_id"], _PLACE["session_id"], _PLACE["ordinal"], _PLACE["turn"]
PROVIDER = _PLACE["provider"]
OUTPUT, FINAL, ORIGIN = _PLACE["output"], _PLACE["final"], _PLACE["origin"]
_FIGURES = (*range(COUNTERS.start, COUNTERS.stop), FINAL, _PLACE["shape"], _PLACE["context_tokens"])
_HOLES = ", ".join("?" * len(_NAMES))

_INSERT = f"INSERT OR IGNORE INTO response ({COLUMNS}) VALUES ({_HOLES})"
_REPLACE = f"INSERT OR REPLACE INTO response ({COLUMNS}) VALUES ({_HOLES})"
_COPY = f"INSERT OR REPLACE INTO response_copy ({COLUMNS}) VALUES ({_HOLES})"
_STORED = f"SELECT {COLUMNS} FROM response WHERE id IN (SELECT value FROM json_each(?))"
_COPIES = f"SELECT {COLUMNS} FROM response_copy WHERE id IN (SELECT value FROM json_each(?))"
# Every source that shares a copied response with one of the given sessions.
_TOUCHED = """
    SELECT DISTINCT other.source_id FROM response_copy AS mine JOIN response_copy AS other USING (id)
    WHERE mine.session_id IN (SELECT value FROM json_each(?))"""
_VERSIONS = f"""
    SELECT {", ".join("copy." + name for name in _NAMES)}
    FROM response_copy AS copy
    JOIN session ON session.id = copy.session_id
    JOIN source ON source.id = copy.source_id
    WHERE copy.id IN (SELECT id FROM response_copy WHERE source_id IN (SELECT value FROM json_each(?)))
    ORDER BY copy.id, session.ended_ms IS NULL, session.ended_ms, session.key, source.path"""
# What a store's unit said of a turn before it knew any counter, once it names the responses of that turn.
_UNTOLD = """
    DELETE FROM {table} WHERE session_id = ? AND turn = ? AND source_id = ? AND final = 0
      AND COALESCE(input, cached_input, cache_write_input, output, reasoning_output, total) IS NULL
      AND id NOT IN (SELECT value FROM json_each(?))"""
_SAID = "SELECT id, session_id, turn, ordinal FROM response WHERE session_id = ? AND source_id = ?"
_TAKE_BACK = "DELETE FROM response WHERE id = ? AND NOT EXISTS (SELECT 1 FROM response_copy WHERE id = response.id)"
_CONFLICT = (
    "INSERT OR IGNORE INTO fault (source_id, ordinal, category, keys, derived) VALUES (?, ?, 'usage_conflict', '', 1)"
)


def write(
    connection: Writer,
    source_id: int,
    sessions: dict[str, int],
    responses: Iterable[Response],
    *,
    mutable: bool = False,
) -> Written:
    """Writes one batch of one source; returns how many are new, and the conflicts.

    `mutable`: the source's records change in place, what it says now replaces
    what it said before.
    """
    candidates, conflicts = _merged(_row(source_id, sessions[each.session], each) for each in responses)
    before = connection.total_changes
    connection.executemany(_INSERT, candidates.values())
    fresh = connection.total_changes - before
    if fresh < len(candidates):
        supersedes = _differs if mutable else _supersedes
        _reconcile(connection, source_id, candidates, conflicts, supersedes)
    if mutable:
        _forget_untold(connection, source_id, candidates)
        _take_back(connection, source_id, candidates)
    return fresh, conflicts


def _reconcile(
    connection: Writer, source_id: int, candidates: dict[str, Row], conflicts: list[Quarantine], supersedes: Rule
) -> None:
    """What becomes of responses that were known before: better figures, a copy, or a contradiction."""
    stored = _by_id(connection, _STORED, candidates)
    copies = _copies(connection, candidates)
    better, copied = [], []
    for name, row in candidates.items():
        known = stored[name]
        if known == row and name not in copies:
            continue  # inserted just now, or told again
        if name not in copies and known[SOURCE] == source_id:
            said = _remembering(row, known) if supersedes is _differs else row
            if supersedes(said, known, conflicts):
                better.append(said)
        else:
            if name not in copies:
                copied.append(known)
            own = copies.get(name, {}).get(source_id)
            said = _remembering(row, own) if own is not None and supersedes is _differs else row
            if own is None or supersedes(said, own, conflicts):
                copied.append(said)
    connection.executemany(_REPLACE, better)
    connection.executemany(_COPY, copied)


def _forget_untold(connection: Writer, source_id: int, candidates: dict[str, Row]) -> None:
    """A response without any counter goes when the unit tells of its turn under other names."""
    ids = json.dumps(list(candidates))
    turns = {(row[SESSION], row[TURN]) for row in candidates.values() if row[FINAL] and row[TURN] is not None}
    for table in ("response", "response_copy"):
        connection.executemany(_UNTOLD.format(table=table), [(*turn, source_id, ids) for turn in turns])


def _take_back(connection: Writer, source_id: int, candidates: dict[str, Row]) -> None:
    """A response goes when the unit tells another one of the same record: its id is made of what has changed.

    What the unit tells nothing of any more was made all the same, and stays.
    """
    told = {(row[SESSION], row[TURN], row[ORDINAL]) for row in candidates.values()}
    for session in {place[0] for place in told}:
        before = connection.execute(_SAID, (session, source_id)).fetchall()
        changed = [(name,) for name, *place in before if name not in candidates and tuple(place) in told]
        connection.executemany(_TAKE_BACK, changed)


def settle(connection: Writer, sessions: Iterable[int]) -> set[int]:
    """Chooses owner and figures of these sessions' copied responses anew; returns all sessions that hold a copy.

    The choice is a function of all versions, so any order of import ends
    alike: most certain origin, then the session that ended first (a copy goes
    on after its original), then its key. Contradicting versions are faults of
    their sources, found anew each time: other figures, unless they are
    unfinished, and another session that is as surely where it was made.
    """
    sources = json.dumps([row[0] for row in connection.execute(_TOUCHED, (json.dumps(list(sessions)),))])
    versions: dict[str, list[Row]] = {}
    for row in connection.execute(_VERSIONS, (sources,)):
        versions.setdefault(row[0], []).append(row)
    if not versions:
        return set()
    connection.execute(
        "DELETE FROM fault WHERE derived = 1 AND source_id IN (SELECT value FROM json_each(?))", (sources,)
    )
    for rows in versions.values():
        rows.sort(key=lambda row: -row[ORIGIN])  # stable: the statement ordered the rest
        figures = rows[0] if rows[0][FINAL] else _best(rows)
        chosen = list(rows[0])
        for place in _FIGURES:
            chosen[place] = figures[place]
        connection.execute(_REPLACE, chosen)
        connection.executemany(
            _CONFLICT,
            [(row[SOURCE], row[ORDINAL]) for row in rows if _contradicts(row, rows[0], figures)],
        )
    return {row[SESSION] for rows in versions.values() for row in rows}


def _contradicts(row: Row, owner: Row, figures: Row) -> bool:
    elsewhere = row[ORIGIN] == PROVEN and row[SESSION] != owner[SESSION]
    return elsewhere or bool(row[FINAL] and row[COUNTERS] != figures[COUNTERS])


def _row(source_id: int, session_id: int, response: Response) -> Row:
    usage, semantics = response.usage, parse(response.semantics)
    return (
        response.id, source_id, session_id, response.ordinal, response.at_ms, response.turn, response.model,
        response.provider, response.effort, response.semantics, usage.input, usage.cached_input,
        usage.cache_write_input, usage.cache_write_5m, usage.cache_write_1h, usage.output, usage.reasoning_output,
        usage.total, int(response.final), response.origin, response.cumulative, response.native_cost_usd,
        response.service_tier, response.speed, response.web_search_requests, shape(usage, semantics),
        context_tokens(usage, semantics),
    )  # fmt: skip


def _merged(rows: Iterable[Row]) -> tuple[dict[str, Row], list[Quarantine]]:
    """The batch's own repeats, by the rule of one source."""
    merged: dict[str, Row] = {}
    conflicts: list[Quarantine] = []
    for row in rows:
        known = merged.get(row[0])
        if known is None or _supersedes(row, known, conflicts):
            merged[row[0]] = row
    return merged, conflicts


def _supersedes(row: Row, known: Row, conflicts: list[Quarantine]) -> bool:
    """Whether a later record of the same source replaces what is known.

    A final record stays, but for a provider that was not known yet; a second
    final one with other figures is a conflict. Before that, final beats
    provisional and more output beats less.
    """
    if known[FINAL]:
        if row[FINAL] and row[COUNTERS] != known[COUNTERS]:
            conflicts.append(Quarantine(row[ORDINAL], "usage_conflict"))
        told = known[PROVIDER] is None and row[PROVIDER] is not None
        return told and row == (*known[:PROVIDER], row[PROVIDER], *known[PROVIDER + 1 :])
    return bool(row[FINAL]) or (row[OUTPUT] or 0) > (known[OUTPUT] or 0)


def _differs(row: Row, known: Row, _conflicts: list[Quarantine]) -> bool:
    """The same for a store: its newest reading is what holds."""
    return row != known


def _remembering(row: Row, known: Row) -> Row:
    """The row, with the model and effort that were known where it knows none: a vanished file denies nothing."""
    kept = list(row)
    for place in (_PLACE["model"], _PLACE["effort"]):
        kept[place] = known[place] if row[place] is None else row[place]
    return tuple(kept)


def _best(rows: list[Row]) -> Row:
    final = [row for row in rows if row[FINAL]]
    return final[0] if final else max(rows, key=lambda row: row[OUTPUT] or 0)


def _by_id(connection: Writer, statement: str, ids: Iterable[str]) -> dict[str, Row]:
    return {row[0]: row for row in connection.execute(statement, (json.dumps(list(ids)),))}


def _copies(connection: Writer, ids: Iterable[str]) -> dict[str, dict[int, Row]]:
    found: dict[str, dict[int, Row]] = {}
    for row in connection.execute(_COPIES, (json.dumps(list(ids)),)):
        found.setdefault(row[0], {})[row[SOURCE]] = row
    return found
