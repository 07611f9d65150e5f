"""Canonical JSON and the digests made of it.

Standard library JSON with sorted keys and compact separators, never another
encoder: the text of a float differs between encoders, and an identity must
not.
"""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> bytes:
    """The one JSON form of a value. Decimals must be given as strings."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()
