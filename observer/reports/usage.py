"""How much was used, and where: sums by day, model, project and so on."""

from collections.abc import Callable, Iterable
from datetime import date, tzinfo
from typing import Any

from observer.base.text import plural
from observer.base.zones import day_name, offsets
from observer.facts import usage
from observer.facts.filters import Filter
from observer.facts.usage import Grouped
from observer.ledger.open import Reader
from observer.pricing.bundle import thresholds
from observer.pricing.scope import valuate
from observer.records.valuation import PriceSchedule
from observer.reports import named, projects, shapes
from observer.reports.projects import Aliases

DIMENSIONS = ("day", "week", "month", "model", "project", "session", "harness", "task", "agentsmd")
_CALENDAR = ("day", "week", "month")
_EPOCH = date(1970, 1, 1)
NO_ALIASES: Aliases = {}


def build(
    reader: Reader, wanted: Filter, *, by: str, zone: tzinfo, schedule: PriceSchedule, aliases: Aliases = NO_ALIASES
) -> dict[str, Any]:
    """The `usage` document: one entry per key, in order of keys, unknown last. UnknownTask for a filter on none.

    A project's entry lists the recorded `directories` it is made of (reports.projects).
    """
    if wanted.task is not None:
        named.task(reader, wanted.task)
    by_key: dict[str | None, list[Grouped]] = {}
    name = projects.of(reader, aliases).named if by == "project" else _naming(by)
    for each in _groups(reader, wanted, by, zone, schedule):
        by_key.setdefault(name(each.key), []).append(each)
    entries = [_entry(key, by_key[key], schedule) for key in sorted(by_key, key=_last_if_unknown)]
    if by == "project":
        for entry in entries:
            entry["directories"] = sorted({str(each.key) for each in by_key[entry["key"]] if each.key is not None})
    return {"by": by, "groups": entries, "notes": _notes(by, by_key.values())}


def _groups(reader: Reader, wanted: Filter, by: str, zone: tzinfo, schedule: PriceSchedule) -> list[Grouped]:
    tiers = thresholds(schedule)
    if by not in _CALENDAR:
        return usage.groups(reader, wanted, by=by, thresholds=tiers)
    span = usage.span(reader, wanted)
    return usage.groups(reader, wanted, by="day", thresholds=tiers, offsets=offsets(zone, *span) if span else ())


def _entry(key: str | None, parts: list[Grouped], schedule: PriceSchedule) -> dict[str, Any]:
    groups = [each.usage for each in parts]
    return {
        "key": key,
        "responses": sum(each.responses for each in groups),
        "by_semantics": shapes.by_semantics(groups),
        "estimated_cost": shapes.estimate(valuate(groups, schedule)),
    }


def _naming(by: str) -> Callable[[str | int | None], str | None]:
    """From a group's key to what the report calls it."""

    def week(number: int) -> str:
        return day_name(number - (_EPOCH.weekday() + number) % 7)

    def month(number: int) -> str:
        return day_name(number)[:7]

    calendar = {"day": day_name, "week": week, "month": month}

    def name(key: str | int | None) -> str | None:
        if key is None:
            return None
        return calendar[by](key) if isinstance(key, int) else key

    return name


def _last_if_unknown(key: str | None) -> tuple[bool, str]:
    return (key is None, key or "")


def _notes(by: str, parts: Iterable[list[Grouped]]) -> list[str]:
    groups = [each.usage for part in parts for each in part]
    notes = []
    unfinished = sum(each.responses for each in groups if not each.final)
    if unfinished:
        notes.append(f"{plural(unfinished, 'response')} without closing figures: the output is a lower bound")
    if len({each.semantics for each in groups}) > 1:
        notes.append("counters of different meaning stand in separate groups and are never added")
    if by == "week":
        notes.append("weeks begin on Monday")
    return notes
