"""argv → command → exit code; maps errors to words. No other logic."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from observer import __version__
from observer.base import errors
from observer.base.errors import ObserverError
from observer.cli import parsers
from observer.cli.output import Output
from observer.cli.parsers import PROGRAM
from observer.cli.registry import COMMANDS

_REPORT_BUGS = "please report it with the output of the same command under --debug"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code (docs/contracts.md)."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _guarded(words)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return errors.INTERRUPTED


def _guarded(words: list[str]) -> int:
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse: help or a usage message was printed
        sys.stdout.flush()
        return stop.code if isinstance(stop.code, int) else errors.REFUSED
    except ObserverError as error:
        _trace(words)
        sys.stderr.write(f"{PROGRAM}: {error.message}\n" + (f"  → {error.hint}\n" if error.hint else ""))
        return error.exit_code
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 (nothing may escape as a traceback that nobody asked for)
        _trace(words)
        sys.stderr.write(f"{PROGRAM}: a bug of ours: {type(error).__name__}: {error}\n  → {_REPORT_BUGS}\n")
        return errors.BUG


def _trace(words: list[str]) -> None:
    """The traceback of what is being handled, when it was asked for."""
    if "--debug" in words:
        import traceback

        traceback.print_exc()


def _run(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    given, rest = _split(words)
    if given.version:
        Output().text(f"{PROGRAM} {__version__}")
        return 0
    if given.command is None:
        _help(sys.stdout if given.help else sys.stderr)
        return 0 if given.help else errors.REFUSED
    parser = parsers.one(given.command)
    args = parser.parse_args(["--help"] if given.help else rest, namespace=given)
    code: int = parsers.module(given.command).run(args, Output(wants_json=args.json))
    return code


def _split(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options before the command, the command, and what belongs to it."""
    parser = argparse.ArgumentParser(prog=PROGRAM, add_help=False, allow_abbrev=False)
    parser.add_argument("--db", metavar="PATH", default=None)
    for name in ("--json", "--debug", "--version", "--help"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("-h", dest="help", action="store_true")
    parser.add_argument("command", nargs="?")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    rest = given.rest
    del given.rest
    return given, rest


def _help(stream: TextIO) -> None:
    width = max(map(len, COMMANDS))
    lines = [
        f"usage: {PROGRAM} [--db PATH] [--json] COMMAND …",
        "",
        "Exact usage, ownership and cost from coding agents' own records.",
        "",
        *(f"  {name.ljust(width)}  {words}" for name, (_, words) in COMMANDS.items()),
        "",
        f"{PROGRAM} COMMAND --help explains a command. Start with: {PROGRAM} demo",
    ]
    stream.write("\n".join(lines) + "\n")
