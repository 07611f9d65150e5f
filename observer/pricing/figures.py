"""Rates and entries as JSON reports show them: decimal strings, names of the buckets.

Only puts known values into words; computes nothing.
"""

from typing import Any

from observer.base.text import decimal_text
from observer.records.valuation import BUCKETS, ModelPrices, Rates


def rates(table: Rates) -> dict[str, Any]:
    """Bucket → decimal string, USD per million tokens; cache writes by lifetime where the rate depends on it.

    Buckets without a rate are absent.
    """
    write: Any = table.cache_write
    if table.cache_write_by_lifetime is not None:
        write = {lifetime: decimal_text(rate) for lifetime, rate in table.cache_write_by_lifetime.items()}
    values = (table.input, table.cached_input, write, table.output, table.reasoning_output)
    shown = zip(BUCKETS, values, strict=True)
    return {name: each if isinstance(each, dict) else decimal_text(each) for name, each in shown if each is not None}


def entry(prices: ModelPrices) -> dict[str, Any]:
    """Everything that a schedule says of one model; None where it says nothing."""
    long = prices.long_context_rates
    search = prices.web_search_usd_per_1000
    return {
        "model": prices.model,
        "aliases": list(prices.aliases),
        "semantics": list(prices.semantics),
        "rates": rates(prices.rates),
        "long_context_threshold": prices.long_context_threshold,
        "long_context_comparison": prices.long_context_comparison if prices.long_context_threshold else None,
        "long_context_rates": None if long is None else rates(long),
        "web_search_usd_per_1000": None if search is None else decimal_text(search),
        "source_url": prices.source_url,
        "basis": prices.basis,
        "valid_from": prices.valid_from,
        "valid_until": prices.valid_until,
    }
