"""Print the JSON Schema of what `export` writes and `publish` accepts."""

import argparse

from observer.cli.output import Output
from observer.evidence.schema import schema


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("document", choices=("evidence",))


def run(_args: argparse.Namespace, out: Output) -> int:
    """Prints the schema, always as JSON."""
    out.json(schema())
    return 0
