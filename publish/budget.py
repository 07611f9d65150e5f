"""A budget against an estimate: over, within, or not to be told.

Pure. What is not priced is unknown, never free: a known part within the
budget proves nothing about the whole.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from observer.base.text import decimal_text
from observer.pricing import exact
from observer.records.evidence import Totals

Verdict = Literal["true", "false", "unknown"]


class Estimate(Struct, frozen=True):
    """US dollars at list prices: what is known, and the same as the total when that is everything."""

    known_usd: str
    total_usd: str | None


def estimate(parts: Sequence[Totals]) -> Estimate:
    """The subjects' own usage added up; a total only where every part has one."""
    known = decimal_text(exact.total(Decimal(part.subtotal_usd) for part in parts))
    return Estimate(known, known if parts and all(part.total_usd is not None for part in parts) else None)


def verdict(found: Estimate, budget: Decimal | None) -> Verdict | None:
    """Whether the budget is exceeded; None without a budget."""
    if budget is None:
        return None
    if Decimal(found.known_usd) > budget:
        return "true"
    return "unknown" if found.total_usd is None else "false"
