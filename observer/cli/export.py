"""Write a task's evidence: sanitized JSON, sealed with the exact prices it was valued under.

Aggregates only: no path, prompt, title, branch or free text is in it. This is
what `publish --evidence` and the Action take.
"""

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path

from observer.base.errors import UsageError
from observer.cli import options
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
    content = build.encode(evidence(args, Destination(producer=args.producer)))
    if args.output is None:
        sys.stdout.write(content.decode("utf-8"))
        return 0
    _replace(args.output, content)
    out.note(f"wrote {args.output}")
    return 0


def evidence(args: argparse.Namespace, destination: Destination) -> Evidence:
    """The evidence of the task or sessions that the options name."""
    schedule = load(args.prices)
    with reader(options.ledger(args)) as connection:
        if args.task:
            report = task.of_task(connection, args.task, schedule)
        else:
            report = task.of_sessions(connection, args.session, schedule)
        return build.build(report, ledger_id=identity(connection), destination=destination)


def _replace(path: Path, content: bytes) -> None:
    """A reader of the file sees the old content or the new, never a half."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}", "choose another file with -o") from error
