"""A budget against an estimate: over, within, or not to be told.

Pure. What is not priced is unknown, never free: a known part within the
budget proves nothing about the whole.
"""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

from observer.base.text import decimal_text
from publish.api import Prepared

Verdict = Literal["true", "false", "unknown"]


class Estimate(Struct, frozen=True):
    """US dollars at list prices: what is known, and the same as the total when that is everything."""

    known_usd: str
    total_usd: str | None


def estimate(prepared: Prepared) -> Estimate | None:
    """What the tasks in the evidence cost, each response once; None without a task: nothing else has a cost."""
    if not any(each.kind == "task" for each in prepared.subjects):
        return None
    known, whole = prepared.cost
    text = decimal_text(known)
    return Estimate(text, text if whole else None)


def verdict(found: Estimate | None, budget: Decimal | None) -> Verdict | None:
    """Whether the budget is exceeded; None without a budget."""
    if budget is None:
        return None
    if found is None:
        return "unknown"
    if Decimal(found.known_usd) > budget:
        return "true"
    return "unknown" if found.total_usd is None else "false"
