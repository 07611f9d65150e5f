"""Replaying: what is stored under older versions is corrected, and every source is read again.

When the privacy rules change, all stored texts are screened first, so that
nothing a newer rule forbids stays, wherever its file is. Then, and when an
adapter changes, each source's rows are replaced by what it says now
(ledger.replay). Never reads a source itself.
"""

from pathlib import Path

from observer.adapters.registry import adapter
from observer.ledger import cursors, replay, rescreen, withdrawal
from observer.ledger.cursors import Known
from observer.ledger.lock import Turn
from observer.ledger.open import Writer
from observer.ledger.replay import Replay
from observer.ledger.rescreen import Corrected, Said, Words
from observer.ledger.retelling import Retelling
from observer.ledger.write import Inserted
from observer.privacy import stored
from observer.records.identity import Instructions
from observer.records.router import RouterRecords


class _Today:
    """Today's rules for rows."""

    words: Words = stored.WORDS

    def excerpt(self, kind: str, text: str) -> str:
        return stored.excerpt(kind, text)

    def event(self, family: str, said: Said) -> Said:
        return stored.event(family, said)

    def instructions(self, known: Instructions) -> Instructions | None:
        return stored.instructions(known)

    def routed(self, known: RouterRecords) -> RouterRecords:
        return stored.routed(known)


def correct(connection: Writer, turn: Turn, privacy_version: int) -> dict[str, Corrected]:
    """Screens what is stored, if that was not done under this version; the rows corrected, by harness."""
    with turn:
        return rescreen.rescreen(connection, _Today(), privacy_version)


def is_stale(known: Known, version: int, privacy_version: int) -> bool:
    """Whether a source was read as a whole, and under other versions."""
    read_under = (known.adapter_version, known.privacy_version)
    return read_under not in ((0, 0), (version, privacy_version))


def begin(
    connection: Writer, turn: Turn, harness: str, known: dict[str, Known], privacy_version: int
) -> dict[str, Known]:
    """Opens the harness's replay if sources that are there were read under other versions; what is known then.

    `known`: what was known of the harness's sources before they were looked
    for. A replay that another program began, and that none of the sources
    needs, is over.
    """
    version = adapter(harness).version
    wanted = Replay(harness, version, privacy_version)
    others = [each for each in replay.under_way(connection) if each.harness == harness and each != wanted]
    if not others and not any(is_stale(each, version, privacy_version) for each in known.values()):
        return known
    with turn:
        for each in others:
            replay.end(connection, each)
        replay.begin(connection, wanted)
    return cursors.known(connection, harness)


def finish(connection: Writer, turn: Turn) -> None:
    """Ends the replays of which no source is left that could still be read."""
    for each in replay.under_way(connection):
        if not any(Path(path).exists() for path in replay.unread(connection, each)):
            with turn:
                replay.end(connection, each)


def under_way(connection: Writer) -> frozenset[str]:
    """The harnesses whose sources are being read again."""
    return frozenset(each.harness for each in replay.under_way(connection))


class Part:
    """One source's part in its harness's replay, inside the transaction that writes it.

    `withdraws`: what it said of responses is taken back first, to be said
    anew; `intact`: the file begins with what was read before.
    """

    def __init__(self, connection: Writer, source_id: int, *, withdraws: bool, intact: bool) -> None:
        self._connection, self._withdraws, self._intact = connection, withdraws, intact
        self.retelling = Retelling(connection)
        if withdraws:
            withdrawal.begin(connection, source_id, intact=intact)

    def end(self, inserted: Inserted) -> None:
        """Settles what the source did not say again, and counts what it changed."""
        if self._withdraws:
            inserted.responses -= withdrawal.end(self._connection, intact=self._intact)
        changes = self.retelling.changes()
        inserted.submissions, inserted.events = changes.submissions, changes.events
        inserted.submissions_updated, inserted.events_updated = changes.submissions_updated, changes.events_updated
