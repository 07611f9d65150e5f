"""`capture export` and `capture import`: what was said here, for another machine's ledger.

The document holds titles and reasons: it is as private as the ledger, and no
evidence. Nothing an agent recorded is in it.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from observer.base.errors import CaptureRefused, UsageError
from observer.base.text import plural
from observer.capture import movement
from observer.cli import options, written
from observer.cli.output import Output
from observer.ledger.open import reader, writer
from observer.reports import named

ACTIONS = ("export", "import")


def configure(actions: Any) -> None:
    """The two actions and their options."""
    leaving = actions.add_parser("export", help="write all assertions with their history, for another machine")
    leaving.add_argument("--task", action="append", default=[], metavar="ID", help="only this task's (repeatable)")
    leaving.add_argument("-o", "--output", type=Path, metavar="FILE", help="write here instead of standard output")
    coming = actions.add_parser("import", help="take in what another ledger says; the newest word of each key holds")
    coming.add_argument("file", metavar="FILE", help="from capture export; - reads standard input")


def run(args: argparse.Namespace, out: Output) -> int:
    """Writes the document, or takes one in and says how much of it was new."""
    return _export(args, out) if args.action == "export" else _import(args, out)


def _export(args: argparse.Namespace, out: Output) -> int:
    with reader(options.ledger(args)) as connection:
        for task in args.task:
            named.task(connection, task)
        content = movement.encode(movement.document(connection, args.task))
    if args.output is None:
        sys.stdout.write(content.decode("utf-8"))
        return 0
    written.replace(args.output, content, private=True)
    out.note(f"wrote {args.output}: private, like the ledger")
    return 0


def _import(args: argparse.Namespace, out: Output) -> int:
    said = movement.decode(_content(args.file))
    with writer(options.ledger(args)) as connection:
        taken = movement.take(connection, said)
        unknown = list(movement.unknown_tasks(connection, taken.tasks))
    if out.wants_json:
        out.json({"ok": True, "taken": taken.taken, "known": taken.known, "tasks": taken.tasks})
    else:
        out.text(f"import: {plural(taken.taken, 'assertion')} new, {taken.known} known or older than what is said here")
    for task in unknown:
        out.note(f"nobody made {task} known here: agent-observer capture create-task --task {task}")
    return 0


def _content(name: str) -> bytes:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(movement.LARGEST_BYTES + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(movement.LARGEST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", "agent-observer capture export -o FILE") from error
    if len(data) > movement.LARGEST_BYTES:
        raise CaptureRefused("too large for assertions", "agent-observer capture export -o FILE")
    return data
