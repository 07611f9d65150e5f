"""Submission: something that entered a conversation in the user's place.

Only `genuine` ones are prompts of a person; those alone own usage.
"""

from typing import Literal

from msgspec import Struct

Kind = Literal["genuine", "synthetic", "scaffolding", "interrupt", "command", "unknown"]


class RawSubmission(Struct, frozen=True, gc=False):
    """As the adapter reads it, with its full text; lives in memory only.

    `main` says that the session is proven to be a person's own (no subagent):
    only then may an excerpt be kept. `alias` is a second native id of the
    same prompt.
    """

    id: str
    session: str
    kind: Kind
    text: str
    ordinal: int
    at_ms: int | None = None
    turn: str | None = None
    main: bool = False
    alias: str | None = None


class Submission(Struct, frozen=True, gc=False):
    """What is kept: a kind, a short hash, and for genuine prompts an excerpt."""

    id: str
    session: str
    kind: Kind
    ordinal: int
    at_ms: int | None
    turn: str | None
    alias: str | None
    text_hash: str
    excerpt: str
