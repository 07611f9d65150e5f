"""Import what the coding agents have recorded since last time.

Reads their files only; writes only to the ledger. Repeating it is cheap and
changes nothing that is known already.
"""

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from observer import config
from observer.adapters.registry import HARNESSES
from observer.base import paths
from observer.base.errors import FAILED
from observer.base.text import plural
from observer.cli import options
from observer.cli.output import Output
from observer.facts.ledger import contracts, releases
from observer.importing.engine import Imported, Request, sync
from observer.ledger.open import reader


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--harness", action="append", choices=HARNESSES, default=[], help="only this agent (repeatable)"
    )
    parser.add_argument("--root", action="append", type=Path, default=[], metavar="PATH",
                        help="look here instead: an agent's home or its sessions folder (repeatable)")  # fmt: skip
    parser.add_argument(
        "--source", type=Path, metavar="PATH", help="only this file; of the --harness given, else Codex"
    )
    parser.add_argument(
        "--agentsmd-repo", type=Path, metavar="PATH", help="a clone whose tags are releases of the agent instructions"
    )
    parser.add_argument("--full", action="store_true", help="read every source from its beginning")


def run(args: argparse.Namespace, out: Output) -> int:
    """Imports, prints what is new per agent; 1 when a source failed."""
    harnesses = tuple(args.harness) or (("codex",) if args.source else ())
    roots = tuple(path.expanduser() for path in args.root)
    request = Request(harnesses, roots, args.source, args.full, config.load().roots, args.agentsmd_repo)
    ledger = options.ledger(args)
    with _progress() as progress:
        answers = sync(ledger, request, environment=paths.environment(), home=paths.home(), progress=progress)
    if out.wants_json:
        with reader(ledger) as connection:
            out.json(
                {
                    "harnesses": [_document(each) for each in answers],
                    "agentsmd_versions": releases(connection),
                    "contracts": contracts(connection),
                }
            )
    else:
        _show(answers, out)
    for answer in answers:
        if answer.undecided:
            again = f"agent-observer sync --full --harness {answer.harness}"
            repository = f" --agentsmd-repo {shlex.quote(str(args.agentsmd_repo))}" if args.agentsmd_repo else ""
            out.note(
                f"{answer.harness}: {plural(answer.undecided, 'session')} may have run a release of the agent"
                f" instructions that was not known when they were read: {again}{repository}"
            )
    return FAILED if any(each.failed for each in answers) else 0


def _document(answer: Imported) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(answer)
    return fields


def _show(answers: list[Imported], out: Output) -> None:
    headers = ("agent", "sources", "unchanged", "responses", "submissions", "events", "faults", "gone")
    out.table(
        headers,
        [
            (each.harness, each.sources, each.unchanged, each.responses_inserted, each.submissions_inserted,
             each.events_inserted, each.malformed, each.gone)
            for each in answers
        ],
    )  # fmt: skip
    for answer in answers:
        for failure in answer.failed:
            out.note(f"could not read {failure.path}: {failure.error}")
    for answer in answers:
        if answer.replayed:
            out.note(
                f"{answer.harness}: {answer.replayed} sources read again under newer rules,"
                f" {answer.submissions_updated} submissions and {answer.events_updated} events changed"
            )
    if any(each.malformed for each in answers):
        out.note("some records could not be used: agent-observer faults list")
    if not any(each.sources for each in answers):
        out.note("no records found; agent-observer sync --root PATH looks elsewhere, agent-observer demo needs none")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr when a person looks, nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("importing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # No refresh thread: the importer forks, and a process with threads must not.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("importing", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            bar.refresh()

        yield show
