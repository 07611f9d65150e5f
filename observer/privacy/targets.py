"""Targets: the file or command an event is about, with nothing secret in it.

A path or command stays as it is but for what `patches`, `shell` and
`credentials` take out; it is never understood beyond that.
"""

from functools import lru_cache

from observer.privacy import credentials, patches, shell
from observer.privacy.plain import plain

LONGEST = 65_536
# Paths and ordinary commands come again and again; long ones are seldom the same.
_REMEMBERED_LENGTH = 512


def target(text: str | None) -> str | None:
    """The target as it may be kept, at most 65,536 characters; None for none."""
    if not text:
        return None
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _screened(text)


def _screened(text: str) -> str:
    # Payloads first: a replaced secret may have stood between their quotes.
    text = shell.without_payloads(patches.without_bodies(plain(text)))
    return credentials.redact(text)[:LONGEST]


_remembered = lru_cache(maxsize=8192)(_screened)
