"""PriceSchedule from a document: validated, reduced to what counts, identified.

The form is that of behaviour §15.1 with aliases, comparisons, validity dates
and search fees (cli.md, "Prices"). Opens no file and knows no bundled
schedule. Unknown keys are tolerated and dropped; known ones are never guessed.
"""

import json
from decimal import Decimal
from typing import Any, Literal, NoReturn, cast

from observer.base import canon
from observer.base.errors import ScheduleError
from observer.pricing.fields import Table, step
from observer.records.valuation import BUCKETS, Comparison, ModelPrices, PriceSchedule, Rates

CURRENCY = "USD"
UNIT = "USD per million tokens"
HINT = "agent-observer prices new FILE.toml writes a valid example; prices/README.md describes the form"

_WRITE = "cache_write_input_tokens"


def read(data: bytes, *, form: Literal["toml", "json"]) -> PriceSchedule:
    """The schedule in the bytes of a file. ScheduleError when it is not well-formed or not valid."""
    try:
        text = data.decode("utf-8-sig")
        document = _toml(text) if form == "toml" else _json(text)
    except (ValueError, RecursionError) as error:
        raise ScheduleError(f"the price schedule is not {form.upper()}: {error}", HINT) from None
    return parse(document)


def parse(document: Any) -> PriceSchedule:
    """The schedule that a decoded document says.

    `schedule_id` is the digest of the known fields as given, without `basis`.
    ScheduleError names every faulty place by its dotted path, one a line.
    """
    faults: list[str] = []
    if not isinstance(document, dict):
        _refuse(["the whole document: must be a table"])
    top = Table(document, "", faults)
    source_url, as_of = _heading(top)
    models = _models(top)
    if faults or source_url is None or as_of is None:
        _refuse(faults)
    return PriceSchedule(
        schedule_id=canon.digest(top.kept), source_url=source_url, as_of=as_of, models=models, document=top.kept
    )


def _toml(text: str) -> Any:
    # Here because only files are TOML: reading evidence must not pay for it.
    import tomllib

    return tomllib.loads(text, parse_float=Decimal)


def _json(text: str) -> Any:
    # Infinity and NaN pass here, so that the fault can name their place.
    return json.loads(text, parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets a name appear twice; which of two prices is meant nobody can tell."""
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{json.dumps(twice)} is named twice")
    return result


def _refuse(faults: list[str]) -> NoReturn:
    places = "1 place" if len(faults) == 1 else f"{len(faults)} places"
    raise ScheduleError("\n  ".join([f"the price schedule is invalid in {places}:", *faults]), HINT)


def _heading(top: Table) -> tuple[str | None, str | None]:
    """Source and date; both are required."""
    source_url = top.address("source_url")
    if "source_url" not in top.value:
        top.fault("source_url", "is missing")
    as_of, effective = top.day("as_of"), top.day("effective_date")
    if "as_of" not in top.value and "effective_date" not in top.value:
        top.fault("as_of", "is missing")
    if as_of is not None and effective is not None and as_of != effective:
        top.fault("effective_date", "must be the same day as as_of")
    top.word("currency", CURRENCY)
    top.word("unit", UNIT)
    return source_url, as_of or effective


def _models(top: Table) -> dict[str, ModelPrices]:
    """All entries, by their own id and by every alias."""
    if "models" not in top.value:
        top.fault("models", "is missing")
    table = top.table("models")
    if table is None:
        return {}
    found: dict[str, ModelPrices] = {}
    for name in table.value:
        if not isinstance(name, str) or not name.strip():
            table.fault(str(name), "the model id must not be empty")
            continue
        entry = table.table(name)
        if entry is not None:
            found[name] = _entry(entry, name)
            table.kept[name] = entry.kept
    top.kept["models"] = table.kept
    return _with_aliases(found, table)


def _with_aliases(entries: dict[str, ModelPrices], table: Table) -> dict[str, ModelPrices]:
    keyed = dict(entries)
    for name, entry in entries.items():
        for alias in entry.aliases:
            if alias in keyed or alias in table.value:
                place = f"{step(table.path, name)}.aliases"
                table.faults.append(f"{place}: {json.dumps(alias)} already names {json.dumps(_owner(keyed, alias))}")
            else:
                keyed[alias] = entry
    return keyed


def _owner(keyed: dict[str, ModelPrices], alias: str) -> str:
    return keyed[alias].model if alias in keyed else alias


def _entry(table: Table, name: str) -> ModelPrices:
    semantics = table.texts("semantics")
    if table.value.get("semantics", []) == []:
        table.fault("semantics", "must list at least one counter semantics")
    if "rates" not in table.value:
        table.fault("rates", "is missing")
    threshold = table.positive_count("long_context_threshold")
    comparison = table.word("long_context_comparison", "over", "at_least")
    for dependent in ("long_context_comparison", "long_context_rates"):
        if dependent in table.value and "long_context_threshold" not in table.value:
            table.fault(dependent, "needs long_context_threshold")
    valid_from, valid_until = table.day("valid_from"), table.day("valid_until")
    if valid_from is not None and valid_until is not None and valid_until < valid_from:
        table.fault("valid_until", "must not be before valid_from")
    return ModelPrices(
        model=name,
        semantics=semantics,
        rates=_rates(table, "rates") or Rates(),
        aliases=table.texts("aliases"),
        long_context_threshold=threshold,
        long_context_comparison=cast("Comparison", comparison or "over"),
        long_context_rates=_rates(table, "long_context_rates"),
        web_search_usd_per_1000=table.rate("web_search_usd_per_1000"),
        source_url=table.address("source_url"),
        basis=table.text("basis"),
        valid_from=valid_from,
        valid_until=valid_until,
    )


def _rates(entry: Table, key: str) -> Rates | None:
    table = entry.table(key)
    if table is None:
        return None
    for name in table.value:
        if name not in BUCKETS:
            table.fault(str(name), "is no bucket; buckets are " + ", ".join(BUCKETS))
    by_lifetime = _lifetimes(table) if isinstance(table.value.get(_WRITE), dict) else None
    write = table.rate(_WRITE) if by_lifetime is None else None
    rates = Rates(
        input=table.rate("input_tokens"),
        cached_input=table.rate("cached_input_tokens"),
        cache_write=write,
        cache_write_by_lifetime=by_lifetime,
        output=table.rate("output_tokens"),
        reasoning_output=table.rate("reasoning_output_tokens"),
    )
    entry.kept[key] = table.kept
    return rates


def _lifetimes(rates: Table) -> dict[str, Decimal]:
    """Cache-write rates by lifetime: `5m`, `1h`; others are kept and never used."""
    table = rates.table(_WRITE)
    found: dict[str, Decimal] = {}
    for lifetime in table.value if table is not None else ():
        if not isinstance(lifetime, str) or not lifetime.strip():
            rates.fault(_WRITE, "a lifetime must not be empty")
        elif table is not None and (rate := table.rate(lifetime)) is not None:
            found[lifetime] = rate
    if table is not None:
        rates.kept[_WRITE] = table.kept
    return found
