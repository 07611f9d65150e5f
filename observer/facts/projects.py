"""The working directories that the ledger knows."""

from observer.ledger.open import Reader

_PROJECTS = "SELECT DISTINCT project FROM session WHERE project IS NOT NULL ORDER BY project"


def recorded(reader: Reader) -> list[str]:
    """Every directory a session was recorded in, as it was recorded."""
    return [row[0] for row in reader.execute(_PROJECTS)]
