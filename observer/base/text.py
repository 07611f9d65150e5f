"""Figures as people read them: money, decimals, counts, spans of time.

The only place where money is rounded, and where unknown becomes a word. Never
turns unknown into 0 (behaviour §12.4, §12.5).
"""

from decimal import ROUND_HALF_UP, Context, Decimal

UNKNOWN = "unknown"

_CENT = Decimal("0.01")
_HALF_A_CENT = Decimal("0.005")
_WIDE = Context(prec=100)
_SECOND = 1000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE


def money(amount: Decimal | None, *, partial: bool) -> str:
    """USD to the cent, half a cent upward: `$1,234.50`, `at least $0.07`, `under $0.01`.

    None is `unknown`; a true zero is `$0.00`. `partial` says that more was
    used than is priced.
    """
    if amount is None:
        return UNKNOWN
    if 0 < amount < _HALF_A_CENT:
        shown = "under $0.01"
    else:
        shown = f"${amount.quantize(_CENT, ROUND_HALF_UP, _WIDE):,}"
    return f"at least {shown}" if partial else shown


def decimal_text(number: Decimal) -> str:
    """Exact, in plain notation, without needless zeros: `0.0078`, `1000`, `0`."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def count(number: int | None, unknown: int) -> str:
    """`1,234`; `>=1,234 (lower bound)` when `unknown` parts did not report it; `unknown` for None."""
    if number is None:
        return UNKNOWN
    return f">={number:,} (lower bound)" if unknown else f"{number:,}"


def plural(number: int, word: str) -> str:
    """`1 response`, `1,204 responses`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def duration(ms: int | None) -> str:
    """`42ms`, `1.5s`, `10s`, `1m 1s`, `2h 3m`: rounded to the unit shown, from one hour on cut to minutes.

    A negative span is `0ms`, None is `unknown` (read-model §8).
    """
    if ms is None:
        return UNKNOWN
    if ms < _SECOND:
        return f"{max(ms, 0)}ms"
    tenths = (ms + 50) // 100
    if tenths < 100:
        return f"{tenths // 10}.{tenths % 10}s"
    seconds = (ms + 500) // _SECOND
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60}s"
    # 59 min 59.5 s is shown as the hour that rounding to seconds has made of it.
    minutes = max(ms // _MINUTE, 60)
    return f"{minutes // 60}h {minutes % 60}m"
