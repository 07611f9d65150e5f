"""Replays: everything an agent's sources say, told again under new versions, row by row.

A replay lasts until every source that is still there was read again, over any
number of syncs. The first source that tells a row again replaces it, by the
same statements as a first import; later sources add to it as they always do.
Which rows those are is remembered in the ledger, so a replay may be
interrupted anywhere. Never reads a source and never decides what is current.
"""

from msgspec import Struct

from observer.ledger.open import Writer, transaction

# Sources that were read under other versions; one that was never read as a whole has nothing to replace.
_STALE = """
    harness = :harness AND gone_ms IS NULL AND (adapter_version, privacy_version) <> (0, 0)
      AND (adapter_version, privacy_version) <> (:adapter_version, :privacy_version)"""
_KNOWN = "SELECT adapter_version, privacy_version FROM replay WHERE harness = :harness"
_OPEN = "INSERT OR REPLACE INTO replay VALUES (:harness, :adapter_version, :privacy_version)"
# A source that is current already tells its rows again as well: another one's must not stand for them.
_ALL_AGAIN = """
    UPDATE source SET adapter_version = 0 WHERE harness = :harness AND gone_ms IS NULL
      AND (adapter_version, privacy_version) = (:adapter_version, :privacy_version)"""
_FORGET = "DELETE FROM retold WHERE session_id IN (SELECT id FROM session WHERE harness = :harness)"
_CLOSE = "DELETE FROM replay WHERE harness = :harness"
# Rows of one source are looked for once per source: worth an index as long as that lasts.
_INDEXES = {"response": "replay_response", "response_copy": "replay_response_copy"}


class Replay(Struct, frozen=True):
    """A harness whose sources are being read again, and under which versions."""

    harness: str
    adapter_version: int
    privacy_version: int


def begin(connection: Writer, wanted: Replay) -> None:
    """Opens the replay unless it is open or no source needs one; one under other versions begins anew."""
    given = _given(wanted)
    stale = connection.execute(f"SELECT 1 FROM source WHERE {_STALE} LIMIT 1", given).fetchone()
    if stale is None or connection.execute(_KNOWN, given).fetchone() == (
        wanted.adapter_version,
        wanted.privacy_version,
    ):
        return
    with transaction(connection):
        for table, index in _INDEXES.items():
            connection.execute(f"CREATE INDEX IF NOT EXISTS {index} ON {table} (source_id)")
        for statement in (_FORGET, _OPEN, _ALL_AGAIN):
            connection.execute(statement, given)


def under_way(connection: Writer) -> list[Replay]:
    """The replays that have begun and not ended."""
    return [Replay(*row) for row in connection.execute("SELECT * FROM replay ORDER BY harness")]


def unread(connection: Writer, replay: Replay) -> list[str]:
    """The paths of sources that are still to be read again."""
    found = connection.execute(f"SELECT path FROM source WHERE {_STALE}", _given(replay))
    return [row[0] for row in found]


def end(connection: Writer, replay: Replay) -> None:
    """Forgets what was told again: from now on every source adds to what is known."""
    with transaction(connection):
        for statement in (_FORGET, _CLOSE):
            connection.execute(statement, _given(replay))
        if not under_way(connection):
            for index in _INDEXES.values():
                connection.execute(f"DROP INDEX IF EXISTS {index}")


def _given(replay: Replay) -> dict[str, str | int]:
    return {
        "harness": replay.harness,
        "adapter_version": replay.adapter_version,
        "privacy_version": replay.privacy_version,
    }
