"""For how long Claude Code keeps transcripts: it deletes those not written to for longer, when it starts.

(public: `cleanupPeriodDays` in the home's settings, 30 days by default; 0 keeps none)
"""

from pathlib import Path

import msgspec
from msgspec import Struct

from observer.native.small import read_small

DEFAULT_DAYS = 30
SETTING = "cleanupPeriodDays"
_LARGEST_SETTINGS = 4_000_000


class _Settings(Struct):
    days: int | float = msgspec.field(default=DEFAULT_DAYS, name=SETTING)


_decoder = msgspec.json.Decoder(_Settings)


def days(settings: Path) -> float:
    """How many days after its last change a transcript is deleted, by the settings file of its home."""
    try:
        found = _decoder.decode(read_small(settings, _LARGEST_SETTINGS) or b"{}").days
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return DEFAULT_DAYS
    return found if found >= 0 else DEFAULT_DAYS
