"""`prices list|show|check|new`: which prices are used, where they come from, and a start for new ones.

Parses and prints; what a schedule means is decided in `observer.pricing`.
Never changes a price file and never looks prices up.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from observer.base import clock
from observer.base.errors import UsageError
from observer.pricing import bundle, fields, figures
from observer.records.valuation import BUCKETS, ModelPrices, PriceSchedule, Rates

if TYPE_CHECKING:
    from observer.cli.output import Output

_HEADER = """\
# List prices in USD per million tokens, started from the schedule of {origin}.
# Look up every rate at its source and take out what cannot be confirmed:
# usage without a rate is counted and named, a wrong price is just wrong.

"""
_RATE_COLUMNS = ("input", "cached", "cache write", "output", "reasoning")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands and their options."""
    commands = parser.add_subparsers(dest="action", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="the bundled schedules, and every model of the one in force")
    show = commands.add_parser("show", help="what one model costs, and why")
    show.add_argument("model", metavar="MODEL", help="exact model id, or an alias that the schedule lists")
    for command in (listing, show):
        command.add_argument(
            "--prices", type=Path, metavar="FILE", help="this schedule instead of the newest bundled one"
        )
    check = commands.add_parser("check", help="validate a schedule; names every faulty place")
    check.add_argument("file", type=Path, metavar="FILE", help="TOML or JSON")
    new = commands.add_parser("new", help="write a new dated schedule, started from the newest bundled one")
    new.add_argument("file", type=Path, metavar="FILE", help="TOML file to create; an existing one is never touched")


def run(args: argparse.Namespace, out: Output) -> int:
    """Does what was asked. ScheduleError and UsageError mean exit code 2."""
    if args.action == "list":
        _list(args.prices, out)
    elif args.action == "show":
        _show(args.model, args.prices, out)
    elif args.action == "check":
        _check(args.file, out)
    else:
        _new(args.file, out)
    return 0


def _list(path: Path | None, out: Output) -> None:
    schedule = bundle.load(path)
    in_force = bundle.newest() if path is None else path
    bundled = [
        {"file": each.name, "in_force": each == in_force, **_summary(bundle.load(each))} for each in bundle.files()
    ]
    entries = _entries(schedule)
    if out.wants_json:
        models = [figures.entry(each) for each in entries]
        out.json({"bundled": bundled, "schedule": _summary(schedule), "models": models})
        return
    out.table(
        ("bundled", "as of", "models", "schedule id", "in force"),
        [
            (row["file"], row["as_of"], row["models"], row["price_schedule_id"], _yes(row["in_force"]))
            for row in bundled
        ],
    )
    out.text("")
    out.text(f"As of {schedule.as_of}, USD per million tokens:")
    out.table(("model", *_RATE_COLUMNS, "long context"), [_row(each) for each in entries])


def _show(model: str, path: Path | None, out: Output) -> None:
    schedule = bundle.load(path)
    prices = schedule.find(model)
    if prices is None:
        raise UsageError(
            f"the schedule of {schedule.as_of} has no entry for {model!r}: its usage is counted and stays unpriced",
            "agent-observer prices list shows the ids that have one; ids match exactly",
        )
    if out.wants_json:
        out.json({"schedule": _summary(schedule), "asked": model, **figures.entry(prices)})
        return
    for line in _description(model, prices, schedule):
        out.text(line)


def _check(path: Path, out: Output) -> None:
    schedule = bundle.load(path)
    if out.wants_json:
        out.json({"file": str(path), "valid": True, "schedule": _summary(schedule)})
        return
    out.text(f"{path}: valid, as of {schedule.as_of}, {len(_entries(schedule))} models")
    out.text(f"price_schedule_id {schedule.schedule_id}")


def _new(path: Path, out: Output) -> None:
    if path.suffix.lower() != ".toml":
        raise UsageError(f"{path}: a new schedule is a TOML file", "agent-observer prices new YYYY-MM-DD.toml")
    origin = bundle.load(None)
    # A file named after a day is the schedule of that day; any other name says nothing, so it is today's.
    day = path.stem if fields.is_day(path.stem) else (clock.iso(clock.now_ms()) or "")[:10]
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_draft(origin, day))
    except FileExistsError:
        raise UsageError(f"{path} exists; a schedule is never overwritten", "choose another name") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "choose a place that can be written") from None
    summary = _summary(bundle.load(path))
    if out.wants_json:
        out.json({"file": str(path), "started_from": origin.as_of, "schedule": summary})
    else:
        out.text(f"{path}: {summary['models']} models of {origin.as_of}, dated {day}")
    out.note(f"Confirm every rate at its source, then: agent-observer prices check {path}")


def _draft(origin: PriceSchedule, day: str) -> str:
    """The schedule again under another date, with the remarks that its identity leaves out."""
    import tomli_w

    models = {}
    for prices in _entries(origin):
        models[prices.model] = dict(origin.document["models"][prices.model])
        if prices.basis is not None:
            models[prices.model]["basis"] = prices.basis
    document = {key: value for key, value in origin.document.items() if key not in ("models", "effective_date")}
    return _HEADER.format(origin=origin.as_of) + tomli_w.dumps({**document, "as_of": day, "models": models})


def _entries(schedule: PriceSchedule) -> list[ModelPrices]:
    """Each entry once, in the order of the file: the table holds it under its aliases too."""
    return [prices for name, prices in schedule.models.items() if name == prices.model]


def _summary(schedule: PriceSchedule) -> dict[str, Any]:
    return {
        "as_of": schedule.as_of,
        "models": len(_entries(schedule)),
        "price_schedule_id": schedule.schedule_id,
        "source_url": schedule.source_url,
    }


def _row(prices: ModelPrices) -> tuple[str, ...]:
    return (prices.model, *_cells(prices.rates), _long_context(prices))


def _cells(rates: Rates) -> list[str]:
    known = figures.rates(rates)
    cells = []
    for bucket in BUCKETS:
        rate = known.get(bucket, "-")
        cells.append(", ".join(f"{life} {each}" for life, each in rate.items()) if isinstance(rate, dict) else rate)
    return cells


def _long_context(prices: ModelPrices) -> str:
    if prices.long_context_threshold is None:
        return ""
    word = "from" if prices.long_context_comparison == "at_least" else "over"
    priced = "" if prices.long_context_rates is not None else ", unpriced"
    return f"{word} {prices.long_context_threshold:,}{priced}"


def _description(model: str, prices: ModelPrices, schedule: PriceSchedule) -> list[str]:
    """The entry line by line, each with what it says about the price."""
    lines = [model if model == prices.model else f"{model}, an alias of {prices.model}"]
    lines.append("  USD per million tokens")
    lines += _rate_lines(prices.rates)
    if prices.long_context_threshold is not None:
        lines.append(f"  requests {_long_context(prices)} input tokens, cache included")
        lines += [] if prices.long_context_rates is None else _rate_lines(prices.long_context_rates)
    facts = figures.entry(prices)
    if facts["web_search_usd_per_1000"] is not None:
        lines.append(f"  web search {facts['web_search_usd_per_1000']} USD per 1,000 requests")
    lines += [f"  counted as {label}" for label in prices.semantics]
    for name in ("basis", "valid_from", "valid_until"):
        if facts[name] is not None:
            lines.append(f"  {name.replace('_', ' ')} {facts[name]}")
    lines.append(f"  source {prices.source_url or schedule.source_url}, as of {schedule.as_of}")
    return lines


def _rate_lines(rates: Rates) -> list[str]:
    cells = zip(_RATE_COLUMNS, _cells(rates), strict=True)
    return [f"    {name:<12}{'no rate' if cell == '-' else cell}" for name, cell in cells]


def _yes(answer: object) -> str:
    return "yes" if answer else ""
