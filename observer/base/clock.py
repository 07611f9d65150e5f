"""Instants: integer milliseconds since 1970-01-01 UTC, in and out.

The only module that reads the clock. Anything that is no time is None, never 0
(behaviour: an unknown time stays unknown).
"""

import time
from datetime import UTC, datetime, timedelta

MS = 1000
DAY_MS = 86_400_000
# Epoch numbers above this are milliseconds, below it seconds.
_MILLISECONDS_FROM = 10**11
# 9999-12-31T23:59:59.999Z: what datetime and every report can still print.
_LATEST_MS = 253_402_300_799_999
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def now_ms() -> int:
    """The present instant."""
    return time.time_ns() // 1_000_000


def iso(at_ms: int | None) -> str | None:
    """ISO 8601 UTC with milliseconds, `2026-09-23T10:00:00.000Z`."""
    if at_ms is None:
        return None
    moment = _EPOCH + timedelta(milliseconds=at_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % MS:03d}Z"


def parse_instant(value: object) -> int | None:
    """ISO text, epoch seconds or epoch milliseconds; None for anything else.

    A text without offset is UTC, as every harness writes it.
    """
    if isinstance(value, str):
        return parse_iso(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value != value or not 0 <= value <= _LATEST_MS:
        return None
    return int(value) if value > _MILLISECONDS_FROM else round(value * MS)


def parse_iso(text: str) -> int | None:
    """The instant of an ISO 8601 text, None when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        at_ms = (moment - _EPOCH) // _MILLISECOND
    except OverflowError:
        return None
    return at_ms if 0 <= at_ms <= _LATEST_MS else None


def uuid_instant(name: str | None) -> int | None:
    """When a version 7 UUID was made, which is part of it; None for any other name."""
    if name is None or len(name) != 36 or name[14] != "7":
        return None
    try:
        return int(name[:8] + name[9:13], 16)
    except ValueError:
        return None
