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

from observer.ledger.open import Writer, transaction
from observer.privacy.direction import UNPARSED
from observer.records.identity import Instructions, Release

_FIELDS = Instructions.__struct_fields__[1:]
_INSERT = f"""
    INSERT OR REPLACE INTO instruction (session_id, source_id, {", ".join(_FIELDS)})
    VALUES (?, ?, {", ".join("?" * len(_FIELDS))})"""
_FORGET = "DELETE FROM instruction WHERE source_id = ?"
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
    """Writes what a batch proves; a repeat changes nothing. `anew`: it is all that the source proves now."""
    if anew:
        connection.execute(_FORGET, (source_id,))
    rows = map(msgspec.structs.astuple, _by_place(found))
    connection.executemany(_INSERT, [(sessions[row[0]], source_id, *row[1:]) for row in rows])


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


def learn(connection: Writer, found: Sequence[Release]) -> None:
    """Adds to the release map; when it grew, every session is looked at again.

    A file that is known keeps the earliest release that had it, whatever the
    repository shows of its history now.
    """
    known = {each.sha256: each for each in releases(connection)}
    fresh = [each for each in found if each.sha256 not in known or _precedes(each, known[each.sha256])]
    if not fresh:
        return
    with transaction(connection):
        connection.executemany(_RELEASE, map(msgspec.structs.astuple, fresh))
        connection.execute("UPDATE session SET unsettled = 1")


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
