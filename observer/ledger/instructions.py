"""Instruction identity: what sources prove, the release map, and which release a session ran.

A hash that a block states outranks a match of a text, and both outrank a
version in a path that was read. A hash that no release has stays unresolved:
weaker evidence does not stand in for it (behaviour §10).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from observer.ledger.open import Writer, transaction
from observer.privacy.direction import UNPARSED
from observer.records.identity import Instructions, Release

_FIELDS = Instructions.__struct_fields__[1:]
_INSERT = f"""
    INSERT OR REPLACE INTO instruction (session_id, source_id, {", ".join(_FIELDS)})
    VALUES (?, ?, {", ".join("?" * len(_FIELDS))})"""
_KNOWN = f"""
    SELECT session.key, session_id, source_id, {", ".join(_FIELDS)}
    FROM instruction JOIN session ON session.id = session_id"""
_FORGET_PLACE = "DELETE FROM instruction WHERE session_id = ? AND source_id = ? AND ordinal = ?"
_FORGET = "DELETE FROM instruction WHERE source_id = ?"
_BEFORE_PROOF = 3
_UNKNOWN = " AND ".join(f"{name} IS NULL" for name in _FIELDS[1:])
_REMEMBER_UNKNOWN = f"""
    INSERT OR IGNORE INTO instruction (session_id, source_id, ordinal) SELECT ?1, ?2, ?3
    WHERE NOT EXISTS (SELECT 1 FROM instruction WHERE session_id = ?1 AND source_id = ?2 AND {_UNKNOWN})"""
_FORGET_UNKNOWN = f"""
    DELETE FROM instruction WHERE source_id = ? AND {_UNKNOWN} AND EXISTS (
      SELECT 1 FROM instruction AS better
      WHERE better.session_id = instruction.session_id AND better.source_id = instruction.source_id
        AND COALESCE(better.instructions_sha256, better.matched_sha256) IS NOT NULL)"""
# Read before these releases were known, from a file that is still there, while one of them was out.
_UNDECIDED = f"""
    SELECT session.harness, COUNT(DISTINCT session_id) FROM instruction
    JOIN session ON session.id = session_id JOIN source ON source.id = source_id
    WHERE {_UNKNOWN} AND agentsmd_version IS NULL AND gone_ms IS NULL AND imported_ms < :since_ms
      AND (:released_ms IS NULL OR COALESCE(ended_ms, started_ms, :released_ms) >= :released_ms)
    GROUP BY 1"""
_RELEASE = "INSERT OR REPLACE INTO release (version, sha256, size_bytes, released_ms) VALUES (?, ?, ?, ?)"
_IN = "(SELECT value FROM json_each(?))"
_PROOFS = f"""
    SELECT instruction.session_id, instruction.instructions_sha256, instruction.matched_sha256
    FROM instruction JOIN source ON source.id = instruction.source_id
    WHERE instruction.session_id IN {_IN}
    ORDER BY instruction.session_id, instruction.ordinal, source.path"""
_PATHS = f"""
    SELECT session_id, target FROM event
    WHERE session_id IN {_IN} AND copied = 0
      AND family IN ('read', 'skill_read', 'skill_invoke') AND target LIKE '%/agentsmd/%'"""
_PLUGIN = re.compile(r"/agentsmd/([0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4})/")


def write(
    connection: Writer, source_id: int, sessions: dict[str, int], found: Iterable[Instructions], *, anew: bool = False
) -> None:
    """Writes what a batch proves; a repeat changes nothing. `anew`: it is all that the source proves now.

    Of texts that are of no known release the first is remembered, where the
    source proves nothing better of its session.
    """
    if anew:
        connection.execute(_FORGET, (source_id,))
    places = sorted(_by_place(found), key=lambda each: each.ordinal)
    rows = [(sessions[row[0]], source_id, *row[1:]) for row in map(msgspec.structs.astuple, places)]
    connection.executemany(_INSERT, [row for row in rows if any(row[_BEFORE_PROOF:])])
    unknown = [row for row in rows if not any(row[_BEFORE_PROOF:])]
    connection.executemany(_REMEMBER_UNKNOWN, [row[:_BEFORE_PROOF] for row in unknown])
    if rows:
        connection.execute(_FORGET_UNKNOWN, (source_id,))


class Place(Struct, frozen=True):
    """Where something was proved: row numbers of session and source, and the place in the source."""

    session_id: int
    source_id: int
    ordinal: int


def known(connection: Writer) -> list[tuple[Place, Instructions]]:
    """Everything that is kept of what texts proved."""
    rows = connection.execute(_KNOWN).fetchall()
    return [(Place(*row[1:4]), Instructions(row[0], *row[3:])) for row in rows]


def correct(connection: Writer, place: Place, kept: Instructions | None) -> None:
    """Puts something else in that place, or with None nothing."""
    key = msgspec.structs.astuple(place)
    connection.execute(_FORGET_PLACE, key)
    if kept is not None:
        connection.execute(_INSERT, (*key[:2], *msgspec.structs.astuple(kept)[1:]))


def _by_place(found: Iterable[Instructions]) -> Iterable[Instructions]:
    """One for each place: of several texts there the last good block, and the last match."""
    places: dict[tuple[str, int], Instructions] = {}
    for each in found:
        known = places.setdefault((each.session, each.ordinal), each)
        block = known if each.direction_status in (None, UNPARSED) and known.direction_status else each
        matched = each.matched_sha256 or known.matched_sha256
        places[each.session, each.ordinal] = msgspec.structs.replace(block, matched_sha256=matched)
    return places.values()


def releases(connection: Writer) -> list[Release]:
    """The release map."""
    return [Release(*row) for row in connection.execute("SELECT version, sha256, size_bytes, released_ms FROM release")]


def learn(connection: Writer, found: Sequence[Release]) -> list[Release]:
    """Adds to the release map; when it grew, every session is looked at again. Returns what is new.

    A file that is known keeps the earliest release that had it, whatever the
    repository shows of its history now.
    """
    known = {each.sha256: each for each in releases(connection)}
    fresh = [each for each in found if each.sha256 not in known or _precedes(each, known[each.sha256])]
    if fresh:
        with transaction(connection):
            connection.executemany(_RELEASE, map(msgspec.structs.astuple, fresh))
            connection.execute("UPDATE session SET unsettled = 1")
    return fresh


def undecided(connection: Writer, fresh: Sequence[Release], since_ms: int) -> dict[str, int]:
    """Sessions that may have run one of these releases, by harness: their instruction texts were read before
    `since_ms`, when it was not known, and only digests of known releases are kept of them.
    """
    if not fresh:
        return {}
    instants = [each.released_ms for each in fresh]
    known = [each for each in instants if each is not None]
    released_ms = min(known) if len(known) == len(instants) else None
    return dict(connection.execute(_UNDECIDED, {"since_ms": since_ms, "released_ms": released_ms}))


def resolve(connection: Writer, sessions: Sequence[int]) -> None:
    """Says which release each of these sessions ran, or that it is not known."""
    ids = json.dumps(list(sessions))
    versions = {each.sha256: each.version for each in releases(connection)}
    stated: dict[int, str] = {}
    matched: dict[int, str] = {}
    for session, said, match in connection.execute(_PROOFS, (ids,)):
        if said:
            stated[session] = said  # the last good block wins
        if match:
            matched[session] = match
    read: dict[int, Counter[str]] = {}
    for session, target in connection.execute(_PATHS, (ids,)):
        plugin = _PLUGIN.search(target)
        if plugin:
            read.setdefault(session, Counter())[plugin[1]] += 1
    connection.executemany(
        "UPDATE session SET agentsmd_version = ? WHERE id = ? AND agentsmd_version IS NOT ?",
        [
            (version, session, version)
            for session in sessions
            for version in [_version(session, stated, matched, read, versions)]
        ],
    )


def _version(
    session: int,
    stated: dict[int, str],
    matched: dict[int, str],
    read: dict[int, Counter[str]],
    versions: dict[str, str],
) -> str | None:
    for proof in (stated, matched):
        if session in proof:
            return versions.get(proof[session])
    if session not in read:
        return None
    most = max(read[session].values())
    return max((version for version, count in read[session].items() if count == most), key=_order)


def _precedes(release: Release, known: Release) -> bool:
    return _order(release.version) < _order(known.version)


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
