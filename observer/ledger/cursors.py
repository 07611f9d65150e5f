"""What the ledger remembers of sources: how far they were read, and what is gone."""

from collections.abc import Iterable

from msgspec import Struct

from observer.ledger.open import Writer, transaction
from observer.records.source import Cursor


class Known(Struct, frozen=True):
    """A source as it was last read; `failed`: it could not be, the last time it was tried."""

    source_id: int
    cursor: Cursor
    size: int
    mtime_ns: int
    adapter_version: int
    privacy_version: int
    gone_ms: int | None
    failed: bool


def known(connection: Writer, harness: str) -> dict[str, Known]:
    """All sources of a harness by path."""
    rows = connection.execute(
        "SELECT path, id, read_to, tail_hash, ordinal, context, size, mtime_ns, adapter_version, privacy_version,"
        " gone_ms, EXISTS (SELECT 1 FROM fault WHERE source_id = source.id AND ordinal = -1)"
        " FROM source WHERE harness = ?",
        (harness,),
    )
    return {row[0]: Known(*(row[1], Cursor(*(*row[2:5], row[5] or b"")), *row[6:11], bool(row[11]))) for row in rows}


def mark_gone(connection: Writer, source_ids: Iterable[int], at_ms: int | None) -> None:
    """Notes that files have vanished, or with None that they are back; their records stay either way."""
    with transaction(connection):
        connection.executemany("UPDATE source SET gone_ms = ? WHERE id = ?", [(at_ms, each) for each in source_ids])
