"""Words for instants: dates, date-times and spans such as `7d`.

A date given as an end includes that whole day; a date-time is exclusive.
Text that means nothing is refused, never taken as "no limit".
"""

import re
from datetime import date, datetime, timedelta, tzinfo

from observer.base.clock import DAY_MS, MS, now_ms
from observer.base.errors import UsageError
from observer.base.zones import day_start_ms

_SPAN = re.compile(r"(\d{1,6})\s*([mhdw])\Z")
_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}
_FORMS = "2026-09-24, 2026-09-24T10:00, or a span back from now such as 7d, 24h, 2w"


def since_ms(text: str | None, where: tzinfo) -> int | None:
    """The first instant meant; UsageError when the text is no time."""
    return _parse(text, where, option="--since")


def until_ms(text: str | None, where: tzinfo) -> int | None:
    """The first instant no longer meant; a date includes its day."""
    return _parse(text, where, option="--until")


def _parse(text: str | None, where: tzinfo, *, option: str) -> int | None:
    if text is None:
        return None
    span = _SPAN.match(text.strip().lower())
    if span:
        return now_ms() - int(span[1]) * _UNITS_MS[span[2]]
    day = _day(text)
    try:
        if day is not None:
            return day_start_ms(day + timedelta(days=1) if option == "--until" else day, where)
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=where)).timestamp() * MS)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{option} {text!r} is no time", _FORMS) from error


def _day(text: str) -> date | None:
    """The calendar day, in any form of ISO 8601 that names just a day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
