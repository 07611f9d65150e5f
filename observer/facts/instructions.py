"""Which agent instructions a session ran with, as its records prove it: digests, status words and paths."""

from msgspec import Struct

from observer.ledger.open import Reader

_BLOCK = (
    "direction_status, instructions_sha256, preferences_sha256, preferences_status, direction_sha256,"
    " repository_root, git_head, instructions_path"
)
# The newest block that could be read; one that could not only stands in where there is no other.
_NEWEST_BLOCK = f"""
    SELECT {_BLOCK} FROM instruction JOIN source ON source.id = instruction.source_id
    WHERE session_id = ? AND direction_status IS NOT NULL
    ORDER BY direction_status = 'unparsed', instruction.ordinal DESC, source.path DESC LIMIT 1"""
_NEWEST_MATCH = """
    SELECT matched_sha256 FROM instruction JOIN source ON source.id = instruction.source_id
    WHERE session_id = ? AND matched_sha256 IS NOT NULL
    ORDER BY instruction.ordinal DESC, source.path DESC LIMIT 1"""


class Proof(Struct, frozen=True):
    """What the newest Project Direction block states, and the release found in a text. None: nothing says."""

    direction_status: str | None = None
    instructions_sha256: str | None = None
    preferences_sha256: str | None = None
    preferences_status: str | None = None
    direction_sha256: str | None = None
    repository_root: str | None = None
    git_head: str | None = None
    instructions_path: str | None = None
    matched_sha256: str | None = None


def proof(reader: Reader, number: int) -> Proof | None:
    """The proof of one session; None when it has none."""
    block = reader.execute(_NEWEST_BLOCK, (number,)).fetchone()
    match = reader.execute(_NEWEST_MATCH, (number,)).fetchone()
    if block is None and match is None:
        return None
    return Proof(*[*(block or [None] * 8), match[0] if match else None])
