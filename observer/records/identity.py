"""Instruction identity: which agent instructions a session ran with, as hashes and versions.

Texts pass through memory only; what is kept are digests, a status word and
validated paths (behaviour §10).
"""

from typing import Literal

from msgspec import Struct

# "context": text that a hook or host put before the model, which may hold a
# Project Direction block. "loaded": the content of an instruction file.
# "embedded": host text that begins with an instruction file's content.
TextKind = Literal["context", "loaded", "embedded"]


class RawInstructions(Struct, frozen=True):
    """A text that may prove an identity, as the adapter reads it; memory only."""

    session: str
    kind: TextKind
    ordinal: int
    text: str


class Release(Struct, frozen=True):
    """One release of the agent instructions: version and its instruction file."""

    version: str
    sha256: str
    size_bytes: int
    released_ms: int | None = None


class Instructions(Struct, frozen=True):
    """What one text proves. None: it does not say.

    `matched_sha256` is the digest of a known release found in an embedded or
    loaded text. One that says nothing at all: such a text was there, and it is
    of no release that was known when it was read.
    """

    session: str
    ordinal: int
    direction_status: str | None = None
    instructions_sha256: str | None = None
    instructions_path: str | None = None
    preferences_sha256: str | None = None
    preferences_status: str | None = None
    direction_sha256: str | None = None
    repository_root: str | None = None
    git_head: str | None = None
    matched_sha256: str | None = None
