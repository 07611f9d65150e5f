"""Show what happened in a task, a session or a turn, event by event.

A call is joined to its result by equal call ids only. `--capabilities` says
what the records of each agent can and cannot show: an event that is absent
may have happened where they cannot.
"""

import argparse
from typing import Any, get_args

from observer.adapters.registry import HARNESSES
from observer.base.errors import UsageError
from observer.base.text import duration
from observer.cli import options
from observer.cli.output import Output
from observer.facts.events import Scope
from observer.ledger.open import reader
from observer.records.event import Family
from observer.reports import trace

_LIMIT = 200
_SHOWN = 50
_LONGEST_TARGET = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    scope = parser.add_argument_group("which events (one is required)")
    scope.add_argument("--task", metavar="ID", help="its bound turns and whole sessions")
    scope.add_argument("--session", metavar="KEY", help="a session, by key or native id")
    scope.add_argument("--turn", metavar="ID", help="a turn, also one of --session")
    parser.add_argument("--family", choices=get_args(Family), help="only events of this kind")
    parser.add_argument(
        "--limit", type=options.positive, metavar="N", help=f"the first N events (default: {_LIMIT}; {_SHOWN} as text)"
    )
    parser.add_argument("--capabilities", action="store_true", help="what each agent's records can and cannot show")


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the events, or the capabilities."""
    given = (args.task, args.session, args.turn)
    if args.capabilities:
        if any(each is not None for each in given):
            raise UsageError("--capabilities speaks of all records: no --task, --session or --turn with it")
        _capabilities(out)
        return 0
    if all(each is None for each in given):
        raise UsageError("trace needs --task, --session or --turn", "agent-observer sessions list")
    if args.task is not None and (args.session is not None or args.turn is not None):
        raise UsageError("--task stands alone", "agent-observer trace --task ID")
    limit = args.limit or (_LIMIT if out.wants_json else _SHOWN)
    with reader(options.ledger(args)) as connection:
        document = trace.build(connection, Scope(*given), family=args.family, limit=limit)
    out.json(document) if out.wants_json else _show(document, out)
    return 0


def _show(document: dict[str, Any], out: Output) -> None:
    several = len(document["sessions"]) > 1
    headers = (*(("session",) if several else ()), "time", "family", "name", "status", "took", "target")
    if document["events"]:
        out.table(headers, [_cells(each, several=several) for each in document["events"]])
    joined = document["join"]
    out.text(
        f"\ncalls {joined['calls']}, results {joined['results']}, joined {len(joined['joined'])},"
        f" results without a call {len(joined['unmatched_results'])},"
        f" calls without a result {len(joined['unanswered_calls'])}"
    )
    if document["truncated"]:
        out.note(f"{document['total'] - len(document['events'])} more: --limit N, or --json")
    if not document["total"]:
        out.note("no such events; what the records cannot show: agent-observer trace --capabilities")
    for note in document["notes"]:
        out.note(note)


def _cells(event: dict[str, Any], *, several: bool) -> tuple[object, ...]:
    took = None if event["duration_ms"] is None else duration(event["duration_ms"])
    target = " ".join((event["target"] or "").split())
    if len(target) > _LONGEST_TARGET:
        target = target[: _LONGEST_TARGET - 1] + "…"
    session = (event["session"],) if several else ()
    return (*session, event["time"], event["family"], event["name"], event["status"], took, target)


def _capabilities(out: Output) -> None:
    document = trace.capabilities(HARNESSES)
    if out.wants_json:
        out.json(document)
        return
    out.text(f"event contract {document['event_contract']}")
    for harness, rows in document["harnesses"].items():
        out.text(f"\n{harness}")
        out.table(("what", "shown", ""), [(each["family"], each["supported"], each["says"]) for each in rows])
