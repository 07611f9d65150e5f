"""How much was used, and where: by day, week, month, model, project, session, agent or task.

Counters of different meaning are never added; what an agent did not record is
unknown and makes a sum a lower bound (>=).
"""

import argparse
from typing import Any

from observer.base.text import count, money
from observer.cli import options
from observer.cli.output import Output
from observer.ledger.open import reader
from observer.pricing.bundle import load
from observer.reports import projects, usage

_COLUMNS = ("input", "cached_input", "cache_write_input", "output", "reasoning_output")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--by", choices=usage.DIMENSIONS, default="day", help="what to group by (default: %(default)s)")
    parser.add_argument("--csv", action="store_true", help="answer as comma-separated values")
    options.add_prices(parser)
    options.add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints one row per group and counter semantics."""
    zone = options.zone(args)
    wanted = options.filters(args, zone)
    aliases = options.aliases()
    schedule = load(args.prices)
    with reader(options.ledger(args)) as connection:
        wanted = projects.narrowed(connection, wanted, aliases)
        document = usage.build(connection, wanted, by=args.by, zone=zone, schedule=schedule, aliases=aliases)
    if out.wants_json:
        out.json(document)
        return 0
    headers = (args.by, "meaning", "responses", "input", "cached", "cache write", "output", "reasoning", "est. USD")
    if args.csv:
        out.csv(headers, _rows(document, plain=True))
        return 0
    out.table(headers, _rows(document, plain=False))
    for note in document["notes"]:
        out.note(note)
    if not document["groups"]:
        out.note("nothing recorded in that range; agent-observer sync imports what is new")
    return 0


def _rows(document: dict[str, Any], *, plain: bool) -> list[list[object]]:
    rows: list[list[object]] = []
    for group in document["groups"]:
        cost = group["estimated_cost"]
        text = cost["estimated_cost_usd_partial"] if plain else _money(cost)
        for label, sums in group["by_semantics"].items():
            unknown = sums["unknown_counts"]
            cells = [
                sums[f"{name}_tokens"] if plain else count(sums[f"{name}_tokens"], unknown.get(f"{name}_tokens", 0))
                for name in _COLUMNS
            ]
            rows.append([group["key"] or "unknown", _meaning(label), sums["responses"], *cells, text])
            text = "" if plain else "″"
    return rows


def _meaning(label: str) -> str:
    """A counter semantics in short: the agent, and where the counters are from when that is not its usual record."""
    source = label.partition(";source=")[2]
    return label.partition(":")[0] + (f" {source}" if source else "")


def _money(cost: dict[str, Any]) -> str:
    from decimal import Decimal

    known = cost["estimated_cost_usd_partial"]
    return money(None if known is None else Decimal(known), partial=not cost["complete"])
