"""List the places in the records that could not be used: where and why, never a value."""

import argparse

from observer.cli import options
from observer.cli.output import Output
from observer.facts import faults
from observer.ledger.open import reader


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="one row per place", description=__doc__)
    listing.add_argument("--harness", choices=options.HARNESS_NAMES, help="only this agent")
    listing.add_argument("--category", help="only this category, such as malformed_json")
    listing.add_argument("--csv", action="store_true", help="answer as comma-separated values")


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the faults."""
    with reader(options.ledger(args)) as connection:
        rows = faults.rows(connection, harness=args.harness, category=args.category)
    headers = ("harness", "path", "ordinal", "category", "keys")
    if out.wants_json:
        out.json({"faults": [dict(zip(headers, _cells(row), strict=True)) for row in rows]})
    elif args.csv:
        out.csv(headers, map(_cells, rows))
    elif rows:
        out.table(headers, map(_cells, rows))
    else:
        out.text("no faults: every record was understood")
    return 0


def _cells(row: faults.FaultRow) -> tuple[object, ...]:
    return (row.harness, row.path, row.ordinal, row.category, row.keys)
