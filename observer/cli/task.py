"""List the tasks, or report what one cost, which models it used and what is missing.

Exit status 3: the report is complete as far as it goes, but ownership has
gaps or conflicts, which it names.
"""

import argparse

from observer.base.clock import iso
from observer.base.errors import GAPS
from observer.cli import options
from observer.cli.output import Output
from observer.facts import ownership
from observer.ledger.open import reader
from observer.pricing.bundle import load
from observer.reports import task, tasktext, taskview


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="all tasks")
    showing = actions.add_parser("show", help="the whole report of one task", description=__doc__)
    showing.add_argument("--task", required=True, metavar="ID")
    options.add_prices(showing)


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the list, or the report (3 when it has gaps)."""
    return _list(args, out) if args.action == "list" else _show(args, out)


def _list(args: argparse.Namespace, out: Output) -> int:
    with reader(options.ledger(args)) as connection:
        rows = ownership.tasks(connection)
    headers = ("task", "project", "family", "title", "issue_url", "origin", "created")
    cells = [
        (each.id, each.project, each.family, each.title, each.issue_url, each.origin, iso(each.created_ms))
        for each in rows
    ]
    if out.wants_json:
        out.json({"tasks": [dict(zip(headers, row, strict=True)) for row in cells]})
    elif rows:
        out.table(headers, cells)
    else:
        out.text("no tasks yet: agent-observer capture create-task --task T-1")
    return 0


def _show(args: argparse.Namespace, out: Output) -> int:
    schedule = load(args.prices)
    with reader(options.ledger(args)) as connection:
        report = task.of_task(connection, args.task, schedule)
    document = taskview.document(report)
    if out.wants_json:
        out.json(document)
    else:
        for line in tasktext.lines(document):
            out.text(line)
    return GAPS if report.coverage.has_gaps else 0
