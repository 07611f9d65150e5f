"""Check the installation, the ledger and the places records are read from, and say what to do.

Exit status 4: something should be done. Reads only; creates no ledger. Live
sessions are looked at by `agent-observer health`.
"""

import argparse
from typing import Any

from observer.base import paths
from observer.base.clock import now_ms
from observer.base.errors import FINDINGS
from observer.base.text import plural
from observer.cli import options
from observer.cli.output import Output
from observer.doctor.examination import examine

_NAMES = {
    "installation": "installation",
    "settings": "settings",
    "ledger": "ledger can be read",
    "permissions": "ledger is private",
    "integrity": "ledger is sound",
    "sources": "sources can be read",
    "retention": "nothing is about to be lost",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """The command has no options of its own."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints every check and finding; 4 when there are findings."""
    document = examine(options.ledger(args), environment=paths.environment(), home=paths.home(), now_ms=now_ms())
    out.json(document) if out.wants_json else _show(document, out)
    return FINDINGS if document["findings"] else 0


def _show(document: dict[str, Any], out: Output) -> None:
    program = document["installation"]
    out.text(
        f"agent-observer {program['version']} · Python {program['python']} · SQLite {program['sqlite']}"
        f" · {program['platform']}\n"
    )
    for check, name in _NAMES.items():
        if check in document["checks"]:
            out.text(f"{'ok' if document['checks'][check] else '!!'}  {name}")
        else:
            out.text(f"--  {name}: not looked at")
    found = document["ledger"]
    if found is not None:
        counts = ", ".join(plural(found[f"{word}s"], word) for word in ("session", "response", "fault"))
        out.text(f"\nledger {found['path']}: {counts}, last import {found['last_import'] or 'never'}")
    out.text()
    out.table(
        ("agent", "place", "exists", "sources", "not imported"),
        [
            (each["harness"], each["path"], "yes" if each["exists"] else "no", each["sources"], each["not_imported"])
            for each in document["sources"]
        ],
    )
    for each in document["findings"]:
        out.text(f"\n{each['where']}\n  {each['problem']}\n  → {each['fix']}")
    out.text(f"\n{plural(len(document['findings']), 'finding')}")
