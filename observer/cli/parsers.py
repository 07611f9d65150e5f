"""The argument parsers: one command's, and all of them under one roof.

Built from each command module's own `configure`, so that running a command,
completing it in a shell and checking a documented line use the same options.
Runs nothing and prints nothing.
"""

import argparse
import importlib
from types import ModuleType

from observer.base.errors import UsageError
from observer.cli.registry import COMMANDS

PROGRAM = "agent-observer"


def module(command: str) -> ModuleType:
    """The module of a command; UsageError with the nearest names for a word that is none."""
    if command not in COMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(command, COMMANDS, 3, 0.5)
        raise UsageError(
            f"no command {command!r}",
            f"did you mean {' or '.join(near)}?" if near else f"{PROGRAM} --help lists them all",
        )
    return importlib.import_module(COMMANDS[command][0])


def one(command: str) -> argparse.ArgumentParser:
    """The parser of one command, with the global options on every level."""
    owner = module(command)
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} {command}", description=owner.__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    owner.configure(parser)
    _everywhere(parser)
    return parser


def every() -> argparse.ArgumentParser:
    """One parser with all commands below it; loads every command module."""
    root = argparse.ArgumentParser(prog=PROGRAM, allow_abbrev=False)
    root.add_argument("--version", action="store_true", help="print the version")
    commands = root.add_subparsers(dest="command", required=True)
    for name, (_, words) in COMMANDS.items():
        module(name).configure(commands.add_parser(name, help=words, description=words, allow_abbrev=False))
    _everywhere(root)
    return root


def _everywhere(parser: argparse.ArgumentParser) -> None:
    """The global options once more, so that they may also follow the command."""
    group = parser.add_argument_group("global")
    group.add_argument("--db", metavar="PATH", default=argparse.SUPPRESS, help="the ledger file")
    group.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer as one JSON document")
    group.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks")
    for below in subparsers(parser):
        _everywhere(below)


def subparsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers directly below this one."""
    return [
        below
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for below in action.choices.values()
    ]
