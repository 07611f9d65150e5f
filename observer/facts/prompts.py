"""The genuine prompts of a session, and which tasks own them."""

from msgspec import Struct

from observer.ledger.open import Reader

_PROMPTS = """
    SELECT submission.id, submission.at_ms, submission.turn, submission.excerpt,
      (SELECT GROUP_CONCAT(task) FROM assignment WHERE assignment.submission = submission.id)
    FROM submission
    WHERE session_id = ? AND kind = 'genuine' AND copied = 0
    ORDER BY at_ms IS NULL, at_ms, ordinal, id"""


class PromptRow(Struct, frozen=True):
    """One prompt; the excerpt never leaves the machine."""

    id: str
    at_ms: int | None
    turn: str | None
    excerpt: str
    tasks: tuple[str, ...]


def rows(reader: Reader, session_number: int) -> list[PromptRow]:
    """The prompts in order of time."""
    found = reader.execute(_PROMPTS, (session_number,))
    return [PromptRow(*(*row[:4], tuple(sorted(row[4].split(","))) if row[4] else ())) for row in found]
