"""What the ledger knows of sources: how each was last read, and of the whole."""

from msgspec import Struct

from observer.ledger.open import Reader

_SOURCES = """
    SELECT path, size, mtime_ns, tail_hash, imported_ms, gone_ms FROM source WHERE harness = ?"""
_OVERVIEW = """
    SELECT (SELECT COUNT(*) FROM session), (SELECT COUNT(*) FROM response), (SELECT COUNT(*) FROM source),
      (SELECT COUNT(*) FROM source WHERE gone_ms IS NOT NULL), (SELECT COUNT(*) FROM fault),
      (SELECT MAX(imported_ms) FROM source)"""


class Known(Struct, frozen=True):
    """A source as it was last read; `mark` is the fingerprint of a unit, the tail hash of a file."""

    size: int
    mtime_ns: int
    mark: str
    imported_ms: int | None
    gone_ms: int | None


class Overview(Struct, frozen=True):
    """The size of a ledger, and when it was last written by a sync."""

    sessions: int
    responses: int
    sources: int
    gone: int
    faults: int
    last_import_ms: int | None


def known(reader: Reader, harness: str) -> dict[str, Known]:
    """All sources of a harness by path."""
    return {row[0]: Known(*row[1:]) for row in reader.execute(_SOURCES, (harness,))}


def overview(reader: Reader) -> Overview:
    """The ledger in six numbers."""
    return Overview(*reader.execute(_OVERVIEW).fetchone())
