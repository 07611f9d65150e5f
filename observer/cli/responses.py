"""List single model responses, oldest first; on a terminal the newest 50."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from observer.base.clock import iso
from observer.cli import options
from observer.cli.output import Output
from observer.facts import responses
from observer.facts.responses import ResponseRow
from observer.ledger.open import reader
from observer.reports import named, projects
from observer.reports.shapes import token_fields

_SHOWN = 50


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="one row per response", description=__doc__)
    listing.add_argument("--csv", action="store_true", help="all rows as comma-separated values")
    listing.add_argument("--limit", type=options.positive, metavar="N", help="the newest N only")
    options.add_filters(listing)


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the responses."""
    wanted = options.filters(args, options.zone(args))
    whole = out.wants_json or args.csv
    with reader(options.ledger(args)) as connection:
        wanted = projects.narrowed(connection, wanted, options.aliases())
        if wanted.task is not None:
            named.task(connection, wanted.task)
        newest = args.limit if args.limit or whole or not sys.stdout.isatty() else _SHOWN
        rows = responses.rows(connection, wanted, newest=newest)
        if out.wants_json:
            out.json({"responses": [document(row) for row in rows]})
        elif args.csv:
            out.csv(_HEADERS, _table(rows))
        else:
            out.table(_HEADERS, _table(rows))
            total = responses.count(connection, wanted)
            if newest is not None and total > newest:
                out.note(f"{total - newest} older ones: --limit N, --csv or --json")
    return 0


def document(row: ResponseRow) -> dict[str, Any]:
    """A response row as JSON shows it."""
    return {
        "response_id": row.id,
        "session": row.session,
        "harness": row.harness,
        "project": row.project,
        "model": row.model,
        "provider": row.provider,
        "effort": row.effort,
        "time": iso(row.at_ms),
        "turn": row.turn,
        "semantics": row.semantics,
        **token_fields(row.usage),
        "native_cost_usd": row.native_cost_usd,
        "overlap": row.overlap,
        "final": row.final,
        "service_tier": row.service_tier,
        "speed": row.speed,
        "web_search_requests": row.web_search_requests,
    }


_HEADERS = ("time", "session", "model", "effort", "input", "cached", "write", "output", "reasoning", "total", "final")


def _table(rows: Iterator[ResponseRow]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        use = row.usage
        yield (iso(row.at_ms), row.session, row.model, row.effort, use.input, use.cached_input, use.cache_write_input,
               use.output, use.reasoning_output, use.total, "yes" if row.final else "no")  # fmt: skip
