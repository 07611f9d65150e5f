"""Print a script that completes commands, options and their values in your shell.

Made from the program's own parsers, so it knows what this version knows. Load
it anew after an update; docs/completion.md says where each shell looks.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from observer.cli import parsers
from observer.cli.output import Output

SHELLS = ("bash", "zsh", "fish")
_ZONES = "_agent_observer_zones"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that will read the script")


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the script for one shell."""
    text = script(args.shell).rstrip("\n")
    if out.wants_json:
        out.json({"script": text, "shell": args.shell})
    else:
        out.text(text)
    return 0


def script(shell: str) -> str:
    """The completion script for a shell of SHELLS, from the parsers of all commands."""
    import shtab

    root = parsers.every()
    zones = _zones()
    for action in _actions(root):
        if action.metavar == "ZONE":
            action.complete = zones  # type: ignore[attr-defined]
        elif action.type is Path or action.metavar in ("FILE", "PATH"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return shtab.complete(root, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    yield from parser._actions
    for below in parsers.subparsers(parser):
        yield from _actions(below)


def _zones() -> dict[str, str | dict[str, str]]:
    """What completes a time zone: one function per shell, so that six hundred names stand in the script once."""
    from zoneinfo import available_timezones

    names = " ".join(["local", "utc", *sorted(available_timezones() - {"localtime"})])
    return {
        "bash": _ZONES,
        "zsh": _ZONES,
        "fish": f"({_ZONES})",
        "preamble": {
            "bash": f'{_ZONES}() {{\n  compgen -W "{names}" -- "$1"\n}}',
            "zsh": f"{_ZONES}() {{\n  compadd -- {names}\n}}",
            "fish": f"function {_ZONES}\n  printf '%s\\n' {names}\nend",
        },
    }
