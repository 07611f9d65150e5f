"""List the agents' sessions, or show everything the ledger knows of one.

`show` names the prompts that `capture assign` takes.
"""

import argparse
import sys
from typing import Any

from observer.base.text import count
from observer.cli import options
from observer.cli.output import Output
from observer.ledger.open import reader
from observer.reports import projects, sessions

_SHOWN = 50
_HEADERS = ("session", "role", "project", "ended", "prompts", "responses", "total tokens")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="one row per session, the last one first")
    listing.add_argument("--csv", action="store_true", help="all rows as comma-separated values")
    listing.add_argument("--limit", type=options.positive, metavar="N", help="the newest N only")
    options.add_filters(listing)
    showing = actions.add_parser("show", help="one session: usage, turns, events, prompts, faults")
    showing.add_argument("--session", required=True, metavar="KEY", help="its key, or its native id if that is unique")


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the sessions, or one of them."""
    with reader(options.ledger(args)) as connection:
        if args.action == "show":
            document = sessions.shown(connection, args.session)
            out.json(document) if out.wants_json else _show(document, out)
            return 0
        wanted = projects.narrowed(connection, options.filters(args, options.zone(args)), options.aliases())
        found = sessions.listed(connection, wanted)
    limit = args.limit or (None if out.wants_json or args.csv or not sys.stdout.isatty() else _SHOWN)
    rows = found[:limit]
    if out.wants_json:
        out.json({"sessions": rows})
    elif args.csv:
        out.csv(_HEADERS, map(_cells, rows))
    else:
        out.table(_HEADERS, map(_cells, rows))
        if len(found) > len(rows):
            out.note(f"{len(found) - len(rows)} older ones: --limit N, --csv or --json")
    return 0


def _cells(row: dict[str, Any]) -> tuple[object, ...]:
    return (row["session"], row["role"] or "unknown", row["project"], row["ended"], row["genuine_prompts"],
            row["responses"], _total(row["by_semantics"]))  # fmt: skip


def _show_instructions(document: dict[str, Any], out: Output) -> None:
    """The release of the agent instructions, and what proves it."""
    proof = document["instructions"]
    if proof is None and document["agentsmd_version"] is None:
        return
    out.text(f"{'agentsmd':16}{document['agentsmd_version'] or 'unknown'}")
    for name, value in (proof or {}).items():
        if value is not None:
            out.text(f"  {name.replace('_', ' '):22}{value}")


def _total(by_semantics: dict[str, Any]) -> str:
    if len(by_semantics) != 1:
        return "mixed semantics" if by_semantics else "0"
    sums = next(iter(by_semantics.values()))
    return count(sums["total_tokens"], sums["unknown_counts"].get("total_tokens", 0))


def _show(document: dict[str, Any], out: Output) -> None:
    for name in ("session", "role", "parent", "project", "branch", "client_version", "started", "ended"):
        out.text(f"{name.replace('_', ' '):16}{document[name] if document[name] is not None else 'unknown'}")
    for name in ("models", "turns", "events", "submissions", "faults"):
        counts = document[name]
        out.text(f"{name:16}{', '.join(f'{key} {number}' for key, number in counts.items()) or 'none'}")
    _show_instructions(document, out)
    for label, sums in document["by_semantics"].items():
        out.text(f"\n{label}")
        unknown = sums["unknown_counts"]
        for name in ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens",
                     "reasoning_output_tokens", "total_tokens"):  # fmt: skip
            out.text(f"  {name:26}{count(sums[name], unknown.get(name, 0))}")
    if document["prompts"]:
        out.text("\nprompts")
        out.table(
            ("submission", "time", "tasks"),
            [(each["submission"], each["time"], ", ".join(each["tasks"])) for each in document["prompts"]],
        )
