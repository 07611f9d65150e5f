"""Days in a time zone: which calendar day an instant falls on, and when days begin."""

import os
import time
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from observer.base.clock import DAY_MS, MS
from observer.base.errors import UsageError

_EPOCH = date(1970, 1, 1)
_LAST_DAY = (date.max - _EPOCH).days
_HORIZON_MS = (date(2100, 1, 1) - _EPOCH).days * DAY_MS
_STEP_MS = 7 * DAY_MS


def zone(name: str | None) -> tzinfo:
    """`local` (or None), `utc`, or an IANA name such as `Europe/Berlin`."""
    if name is None or name.lower() == "local":
        return _local()
    if name.lower() == "utc":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"unknown time zone {name!r}", "--timezone local, utc, or a name such as Europe/Berlin"
        ) from error


def day_start_ms(day: date, where: tzinfo) -> int:
    """The first instant of a calendar day."""
    return int(datetime(day.year, day.month, day.day, tzinfo=where).timestamp()) * MS


def day_name(number: int) -> str:
    """`YYYY-MM-DD` of a day number (days since 1970-01-01); what lies beyond the calendar is its last day."""
    return (_EPOCH + timedelta(days=min(number, _LAST_DAY))).isoformat()


def offsets(where: tzinfo, first_ms: int, last_ms: int) -> list[tuple[int, int]]:
    """The zone's offsets over a span: (valid from this instant, offset in ms), in order.

    Transitions are found to the second; two within one week would be missed,
    which no zone has had since 1970. From 2100 on the last offset holds: only
    a broken clock writes such times, and nobody should wait for its rules.
    """
    first_ms, last_ms = min(first_ms, _HORIZON_MS), min(last_ms, _HORIZON_MS)
    found = [(first_ms, _offset_ms(where, first_ms))]
    at_ms = first_ms
    while at_ms < last_ms:
        step_ms = min(at_ms + _STEP_MS, last_ms)
        if _offset_ms(where, step_ms) != found[-1][1]:
            change_ms = _transition_ms(where, at_ms, step_ms)
            found.append((change_ms, _offset_ms(where, change_ms)))
        at_ms = step_ms
    return found


def _transition_ms(where: tzinfo, low_ms: int, high_ms: int) -> int:
    before = _offset_ms(where, low_ms)
    while high_ms - low_ms > 1:
        middle_ms = (low_ms + high_ms) // 2
        if _offset_ms(where, middle_ms) == before:
            low_ms = middle_ms
        else:
            high_ms = middle_ms
    return high_ms


def _offset_ms(where: tzinfo, at_ms: int) -> int:
    offset = datetime.fromtimestamp(at_ms / MS, where).utcoffset() or timedelta()
    return offset // timedelta(milliseconds=1)


def _local() -> tzinfo:
    """The machine's zone, with its transitions where its rules can be found."""
    name = os.environ.get("TZ")
    if name:
        try:
            return ZoneInfo(name.removeprefix(":"))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return _Process()
    return _Process()


class _Process(tzinfo):
    """The zone of this process, as the C library knows it."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        """The offset in force; for a wall time in a gap, the one after it."""
        if moment is None:
            return timedelta()
        seconds = time.mktime((*moment.timetuple()[:8], -1))
        return timedelta(seconds=time.localtime(seconds).tm_gmtoff)

    def dst(self, _moment: datetime | None) -> timedelta:
        """Not told apart from the offset."""
        return timedelta()

    def tzname(self, _moment: datetime | None) -> str:
        """The zone has no name of its own here."""
        return "local"

    def fromutc(self, moment: datetime) -> datetime:
        """Exact, from the instant."""
        seconds = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        return moment + timedelta(seconds=time.localtime(seconds).tm_gmtoff)
