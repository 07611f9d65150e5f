"""Write a task's evidence: sanitized JSON, sealed with the exact prices it was valued under.

Aggregates only: no path, prompt, title, branch or free text is in it. This is
what `publish --evidence` and the Action take.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from observer.cli import options, written
from observer.cli.output import Output
from observer.evidence import build
from observer.evidence.build import Destination
from observer.facts.ledger import identity
from observer.ledger.open import reader
from observer.pricing.bundle import load
from observer.records.evidence import Evidence
from observer.reports import task


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument("--task", metavar="ID", help="this task")
    subject.add_argument("--session", action="append", metavar="KEY", help="these sessions (repeatable)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write here instead of standard output")
    parser.add_argument(
        "--producer", metavar="LABEL", help="who says so, such as ci:owner/repo (default: the ledger's id)"
    )
    options.add_prices(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Writes the document to standard output or, whole or not at all, to a file."""
    (exported,) = evidence(
        options.ledger(args),
        tasks=[args.task] if args.task else [],
        sessions=args.session or [],
        prices=args.prices,
        destination=Destination(producer=args.producer),
    )
    content = build.encode(exported)
    if args.output is None:
        sys.stdout.write(content.decode("utf-8"))
        return 0
    written.replace(args.output, content)
    out.note(f"wrote {args.output}")
    return 0


def evidence(
    ledger: Path, *, tasks: Sequence[str], sessions: Sequence[str], prices: Path | None, destination: Destination
) -> list[Evidence]:
    """The evidence of every task, then of the selection of all these sessions, as they are at one moment."""
    schedule = load(prices)
    with reader(ledger) as connection:
        reports = [task.of_task(connection, each, schedule) for each in dict.fromkeys(tasks)]
        if sessions:
            reports.append(task.of_sessions(connection, list(sessions), schedule))
        ledger_id = identity(connection)
        return [build.build(report, ledger_id=ledger_id, destination=destination) for report in reports]
