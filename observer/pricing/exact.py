"""Multiplying and adding money without rounding.

Owns the decimal context of this room: a result that would have to be rounded
is an error, never a slightly different amount. Rounds nothing; the only
rounding is in the text that a person reads.
"""

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact, InvalidOperation

# Seven digits of rate, nineteen of count and eighteen decimals fit twice over; the caller's own context plays no part.
_EXACT = Context(prec=100, traps=[Inexact, InvalidOperation])
_MILLION = -6
_THOUSAND = -3


def per_million(count: int, rate: Decimal) -> Decimal:
    """USD for `count` tokens at a rate per million."""
    return _EXACT.multiply(Decimal(count), rate).scaleb(_MILLION, _EXACT)


def per_thousand(count: int, rate: Decimal) -> Decimal:
    """USD for `count` requests at a rate per thousand."""
    return _EXACT.multiply(Decimal(count), rate).scaleb(_THOUSAND, _EXACT)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """The sum, 0 for no amounts."""
    result = Decimal(0)
    for amount in amounts:
        result = _EXACT.add(result, amount)
    return result
