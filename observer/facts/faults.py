"""Faults: places in sources that could not be used."""

from msgspec import Struct

from observer.ledger.open import Reader

_FAULTS = """
    SELECT source.harness, source.path, NULLIF(fault.ordinal, -1), fault.category, fault.keys
    FROM fault JOIN source ON source.id = fault.source_id
    WHERE (:harness IS NULL OR source.harness = :harness) AND (:category IS NULL OR fault.category = :category)
    ORDER BY source.harness, source.path, fault.ordinal, fault.category"""


class FaultRow(Struct, frozen=True):
    """Where, what kind, and the record's key names. `ordinal` None: the whole source."""

    harness: str
    path: str
    ordinal: int | None
    category: str
    keys: str


def rows(reader: Reader, *, harness: str | None = None, category: str | None = None) -> list[FaultRow]:
    """All faults, by place."""
    return [FaultRow(*row) for row in reader.execute(_FAULTS, {"harness": harness, "category": category})]
