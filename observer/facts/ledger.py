"""What the ledger says of itself."""

from observer.ledger.open import Reader


def identity(reader: Reader) -> str:
    """The ledger's random id, made once; it says nothing about the machine."""
    return str(reader.execute("SELECT value FROM meta WHERE name = 'ledger_id'").fetchone()[0])


def contracts(reader: Reader) -> dict[str, int]:
    """The version numbers a script can rely on: ledger schema, capture, evidence."""
    schema = int(reader.execute("PRAGMA user_version").fetchone()[0])
    return {"ledger_schema": schema, "capture": 1, "evidence": 1}


def releases(reader: Reader) -> int:
    """How many releases of the agent instructions are known."""
    return int(reader.execute("SELECT COUNT(*) FROM release").fetchone()[0])
