"""Find live sessions of the agents that leave no records, and say what to do about each.

Exit status 4: there are such sessions. Looks at this user's processes and at
the newest records, and writes nothing. Needs no ledger; where there is one,
the quota levels that a model router read last are shown as well.
"""

import argparse
from typing import Any

from observer import config
from observer.base import paths
from observer.base.clock import MS, now_ms
from observer.base.errors import FINDINGS, LedgerMissing, ObserverError
from observer.base.text import plural
from observer.cli import options
from observer.cli.output import Output
from observer.facts import router
from observer.ledger.open import reader
from observer.live import health
from observer.live.machine import Machine
from observer.native.processes import System
from observer.reports import routerview


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--min-age", type=options.not_negative, default=health.YOUNG_MS // MS, metavar="SECONDS",
        help="leave sessions alone that are younger and may have written nothing yet (default: %(default)s)",
    )  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the findings; 4 when there are any."""
    machine = Machine(
        System(),
        environment=paths.environment(),
        home=paths.home(),
        extra=config.load().roots,
        now_ms=now_ms(),
    )
    document = health.check(machine, young_ms=args.min_age * MS) | {"quota_readings": _quotas(args, out)}
    out.json(document) if out.wants_json else show(document, out)
    return FINDINGS if document["findings"] else 0


def _quotas(args: argparse.Namespace, out: Output) -> list[dict[str, Any]]:
    """The newest levels; none without a ledger. One that cannot be read hides no finding."""
    try:
        with reader(options.ledger(args)) as connection:
            return routerview.quotas(router.quotas(connection))
    except LedgerMissing:
        return []
    except ObserverError as refused:
        out.note(f"no quota levels: {refused.message}")
        return []


def show(document: dict[str, Any], out: Output) -> None:
    """The document as text: a paragraph per finding, then what was looked at."""
    for each in document["findings"]:
        session = f", session {each['session']}" if each["session"] else ""
        out.text(f"{each['host']} (pid {each['pid']}{session}) in {each['cwd'] or 'an unknown directory'}")
        out.text(f"  {each['problem']}")
        out.text(f"  → {each['fix']}\n")
    looked = ", ".join(f"{host} {count}" for host, count in document["checked"].items())
    out.text(f"{plural(len(document['findings']), 'live session')} without records; looked at: {looked}")
    for level in document["quota_readings"]:
        out.text(routerview.quota_line(level))
    if document["young"]:
        out.note(f"{plural(len(document['young']), 'session')} too young to tell")
    if document["unknown"]:
        out.note(f"{plural(len(document['unknown']), 'session')} of which the system does not tell enough")
