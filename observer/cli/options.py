"""Options that several commands share, and what they mean."""

import argparse
from collections.abc import Mapping
from datetime import tzinfo
from pathlib import Path

from observer import config
from observer.base import paths, when, zones
from observer.facts.filters import Filter

HARNESS_NAMES = config.HARNESSES


def add_filters(parser: argparse.ArgumentParser) -> None:
    """--harness --model --project --session --task --since --until --timezone."""
    group = parser.add_argument_group("which records")
    group.add_argument(
        "--harness", action="append", choices=HARNESS_NAMES, default=[], help="only this agent (repeatable)"
    )
    group.add_argument("--model", action="append", default=[], help="only this model, exactly as recorded (repeatable)")
    group.add_argument(
        "--project", action="append", default=[], metavar="PATH",
        help="only this project: an alias, a path that usage --by project shows, or a recorded directory (repeatable)",
    )  # fmt: skip
    group.add_argument("--session", action="append", default=[], metavar="KEY", help="only this session (repeatable)")
    group.add_argument("--task", help="only what this task's prompts and sessions cover")
    group.add_argument("--since", metavar="WHEN", help="a date, a date-time, or a span such as 7d")
    group.add_argument("--until", metavar="WHEN", help="the same; a date includes that day")
    group.add_argument("--timezone", metavar="ZONE", help="local (default), utc, or a name such as Europe/Berlin")


def add_prices(parser: argparse.ArgumentParser) -> None:
    """--prices FILE."""
    parser.add_argument(
        "--prices", type=Path, metavar="FILE", help="value under this schedule instead of the bundled one"
    )


def positive(text: str) -> int:
    """A count of at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def not_negative(text: str) -> int:
    """A count of at least 0."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def filters(args: argparse.Namespace, zone: tzinfo) -> Filter:
    """The filter that the options describe."""
    return Filter(
        harnesses=tuple(args.harness),
        models=tuple(args.model),
        projects=tuple(args.project),
        sessions=tuple(args.session),
        task=args.task,
        since_ms=when.since_ms(args.since, zone),
        until_ms=when.until_ms(args.until, zone),
    )


def zone(args: argparse.Namespace) -> tzinfo:
    """The time zone that decides days: the option, else the settings, else the machine's."""
    return zones.zone(config.load().timezone if args.timezone is None else args.timezone)


def aliases() -> Mapping[str, tuple[str, ...]]:
    """The project aliases of the settings."""
    return config.load().projects


def ledger(args: argparse.Namespace) -> Path:
    """The ledger file."""
    return paths.ledger(args.db)
