"""Correcting rows in place: every kept text passes a screen again, also where its file has vanished.

Knows where texts are kept, not what may be kept: that is asked of the caller.
Hashes, numbers and the ids of agents stay. What cannot be screened is cleared.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from observer.ledger import instructions, router
from observer.ledger.open import Writer, transaction
from observer.records.identity import Instructions
from observer.records.router import RouterRecords

_SCREENED = "SELECT value FROM meta WHERE name = 'screened_under'"
_REMEMBER = "INSERT OR REPLACE INTO meta (name, value) VALUES ('screened_under', ?)"
_OTHERWISE_READ = "SELECT 1 FROM source WHERE privacy_version NOT IN (0, ?) LIMIT 1"
# No version tells any more what is stored of a source: it is read again, also by the program of before. Then the
# adapter's own state, which nobody can screen, is not needed; where the source is gone it never will be.
_READ_AGAIN = "UPDATE source SET adapter_version = 0, context = NULL WHERE privacy_version <> 0"
_GONE = "UPDATE source SET privacy_version = ? WHERE gone_ms IS NOT NULL AND privacy_version <> 0"
_SUBMISSIONS = """
    SELECT session.harness, session_id, submission.id, kind, excerpt
    FROM submission JOIN session ON session.id = session_id
    WHERE excerpt <> ''"""
_EVENTS = """
    SELECT session.harness, session_id, family, event.native_id, name, target, status, detail
    FROM event JOIN session ON session.id = session_id
    WHERE COALESCE(name, target, status, detail) IS NOT NULL"""
_EXCERPT = "UPDATE submission SET excerpt = ? WHERE session_id = ? AND id = ?"
_EVENT = """
    UPDATE event SET name = ?, target = ?, status = ?, detail = ?
    WHERE session_id = ? AND family = ? AND native_id = ?"""
_UNSETTLE = "UPDATE session SET unsettled = 1 WHERE id IN (SELECT value FROM json_each(?))"
# Texts that few rows differ in are looked at once each.
_WORDS = {
    ("session", "project"),
    ("session", "branch"),
    ("session", "client_version"),
    ("session", "entry_point"),
    ("fault", "keys"),
    *((table, column) for table in ("turn", "response", "response_copy") for column in ("model", "effort")),
    *((table, column) for table in ("response", "response_copy") for column in ("provider", "service_tier", "speed")),
}
# What may be kept of these words, by column; None: nothing.
Words = Mapping[str, Callable[[str], str | None]]
# Name, target, status and detail of an event.
Said = tuple[str | None, str | None, str | None, str | None]


class Screen(Protocol):
    """What may be kept of a row's texts today."""

    words: Words

    def excerpt(self, kind: str, text: str) -> str:
        """Of a submission's excerpt."""

    def event(self, family: str, said: Said) -> Said:
        """Of an event."""

    def instructions(self, known: Instructions) -> Instructions | None:
        """Of what an instruction text proved; None: nothing."""

    def routed(self, known: RouterRecords) -> RouterRecords:
        """Of what a router told, its ids too: they are in no other record."""


class Corrected(Struct):
    """How many rows say something else now."""

    submissions: int = 0
    events: int = 0


def rescreen(connection: Writer, screen: Screen, privacy_version: int) -> dict[str, Corrected]:
    """Screens every row under this version, once; the rows corrected, by harness.

    All in one transaction. Sources that are gone are under this version then;
    the others when they have been read again.
    """
    corrected: dict[str, Corrected] = {}
    if connection.execute(_SCREENED).fetchone() == (str(privacy_version),):
        return corrected
    with transaction(connection):
        if connection.execute(_OTHERWISE_READ, (privacy_version,)).fetchone() is not None:
            _submissions(connection, screen, corrected)
            _events(connection, screen, corrected)
            for table, column in sorted(_WORDS):
                _words(connection, table, column, screen.words[column])
            _instructions(connection, screen)
            _routers(connection, screen)
            connection.execute(_READ_AGAIN)
            connection.execute(_GONE, (privacy_version,))
        connection.execute(_REMEMBER, (str(privacy_version),))
    return corrected


def _submissions(connection: Writer, screen: Screen, corrected: dict[str, Corrected]) -> None:
    changes = []
    for harness, session, name, kind, excerpt in connection.execute(_SUBMISSIONS):
        kept = screen.excerpt(kind, excerpt)
        if kept != excerpt:
            changes.append((kept, session, name))
            corrected.setdefault(harness, Corrected()).submissions += 1
    connection.executemany(_EXCERPT, changes)


def _events(connection: Writer, screen: Screen, corrected: dict[str, Corrected]) -> None:
    changes: list[tuple[Any, ...]] = []
    for harness, session, family, name, *texts in connection.execute(_EVENTS):
        said: Said = (texts[0], texts[1], texts[2], texts[3])
        kept = screen.event(family, said)
        if kept != said:
            changes.append((*kept, session, family, name))
            corrected.setdefault(harness, Corrected()).events += 1
    connection.executemany(_EVENT, changes)
    connection.execute(_UNSETTLE, (json.dumps(sorted({change[4] for change in changes})),))


def _instructions(connection: Writer, screen: Screen) -> None:
    changed = set()
    for place, known in instructions.known(connection):
        kept = screen.instructions(known)
        if kept != known:
            instructions.correct(connection, place, kept)
            changed.add(place.session_id)
    connection.execute(_UNSETTLE, (json.dumps(sorted(changed)),))


def _routers(connection: Writer, screen: Screen) -> None:
    router.clear_unreadable(connection)
    for source_id in router.sources(connection):
        known = router.told(connection, source_id)
        kept = screen.routed(known)
        if kept != known:
            router.write(connection, source_id, kept)


def _words(connection: Writer, table: str, column: str, keep: Callable[[str], str | None]) -> None:
    found = connection.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()
    changes = [(kept, word) for (word,) in found if (kept := keep(word)) != word]
    connection.executemany(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", changes)
