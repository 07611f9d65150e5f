"""Usage sums: every dimension holds every response once, and days are the reader's days."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.base import when
from observer.base.errors import UnknownTask
from observer.base.zones import zone
from observer.facts import usage as facts
from observer.facts.filters import Filter
from observer.reports import usage as reporting
from tests.builders import mini
from tests.builders.batches import START_MS, Book, response, session, submission, usage
from tests.builders.mini import P1, P2, S, assign, create, report, whole

_ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/Santiago",
    "Australia/Lord_Howe",
)


def build(book: Book, *, by: str, wanted: Filter | None = None, where: str = "UTC") -> dict[str, Any]:
    with book.reader() as connection:
        return reporting.build(connection, wanted or Filter(), by=by, zone=zone(where), schedule=mini.schedule())


def responses(document: dict[str, Any]) -> dict[str | None, int]:
    return {group["key"]: group["responses"] for group in document["groups"]}


def filled(folder: Path, instants: Iterable[int | None], key: str = "claude:s") -> Book:
    book = Book(folder)
    rows = [response(f"claude:r{number}", key, at_ms=at_ms, turn="t") for number, at_ms in enumerate(instants)]
    book.told("/a", session(key), *rows)
    return book


@given(
    instants=st.lists(st.integers(1_700_000_000_000, 1_800_000_000_000), min_size=1, max_size=6),
    where=st.sampled_from(_ZONES),
)
def test_days_are_those_of_the_zone(instants: list[int], where: str, tmp_path_factory: Any) -> None:
    """Against the standard library's own arithmetic, over DST changes and odd offsets."""
    book = filled(tmp_path_factory.mktemp("book"), instants)
    expected: dict[str | None, int] = {}
    for at_ms in sorted(instants):
        day = datetime.fromtimestamp(at_ms / 1000, ZoneInfo(where)).date().isoformat()
        expected[day] = expected.get(day, 0) + 1
    assert responses(build(book, by="day", where=where)) == expected


@pytest.mark.parametrize(
    "where", ["Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia"]
)
def test_the_days_of_a_change_of_clocks_are_exact_to_the_second(tmp_path: Path, where: str) -> None:
    """Around every change of a year: the second before and the second of each midnight."""
    own = ZoneInfo(where)
    instants = []
    for number in range(365):
        day = datetime(2026, 1, 1, tzinfo=own) + timedelta(days=number)
        if day.utcoffset() != (day + timedelta(days=1)).utcoffset():
            for each in (day, day + timedelta(days=1)):
                midnight = int(each.timestamp()) * 1000
                instants += [midnight - 1000, midnight, midnight + 3_600_000]
    assert instants or where == "Pacific/Apia"
    book = filled(tmp_path, instants or [START_MS])
    expected: dict[str | None, int] = {}
    for at_ms in instants or [START_MS]:
        day_name = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(own).date().isoformat()
        expected[day_name] = expected.get(day_name, 0) + 1
    assert responses(build(book, by="day", where=where)) == expected


@given(day=st.dates(date(2024, 1, 1), date(2027, 12, 31)), where=st.sampled_from(_ZONES))
def test_a_date_as_an_end_includes_its_whole_day(day: date, where: str) -> None:
    """§17 as amended: [since D, until D] is that day in the zone, no more and no less."""
    place = zone(where)
    first, end = when.since_ms(day.isoformat(), place), when.until_ms(day.isoformat(), place)
    assert first is not None
    assert end is not None
    own = ZoneInfo(where)
    assert datetime.fromtimestamp(first / 1000, own).date() == day
    assert datetime.fromtimestamp((first - 1) / 1000, own).date() < day
    assert datetime.fromtimestamp((end - 1) / 1000, own).date() <= day
    assert datetime.fromtimestamp(end / 1000, own).date() > day
    assert when.until_ms(day.strftime("%Y%m%d"), place) == end


def test_dimensions_hold_the_same_responses(tmp_path: Path) -> None:
    book = mini.book(tmp_path)
    book.told("/c", session("claude:c", project="/srv/kit"), response("claude:x", "claude:c", model=None, at_ms=None))
    for by in reporting.DIMENSIONS:
        document = build(book, by=by)
        assert document["by"] == by
        assert sum(responses(document).values()) == 4
        totals = [sums["total_tokens"] for group in document["groups"] for sums in group["by_semantics"].values()]
        assert sum(totals) == 5600
        keys = [group["key"] for group in document["groups"]]
        assert keys == sorted(keys, key=lambda key: (key is None, key or ""))


def test_weeks_begin_on_monday_and_months_are_calendar_months(tmp_path: Path) -> None:
    sunday = int(datetime(2026, 9, 27, 23, 59, tzinfo=UTC).timestamp() * 1000)
    book = filled(tmp_path, [sunday, sunday + 60_000, sunday + 7 * 86_400_000])
    assert responses(build(book, by="week")) == {"2026-09-21": 1, "2026-09-28": 2}
    assert responses(build(book, by="month")) == {"2026-09": 2, "2026-10": 1}


def test_usage_of_a_task_is_what_its_report_attributes_and_shares(tmp_path: Path) -> None:
    """A prompt that joins a turn late brings no usage with it, in both answers alike."""
    book = mini.book(tmp_path)
    create(book, "T-B")
    book.told(
        "/mini",
        submission("codex:late", S, turn="A", minute=2),
        response("codex:none", S, turn=None),
        submission("codex:turnless", S, turn=None),
    )
    assign(book, P1, shared=True)
    assign(book, P1, "T-B", shared=True)
    assign(book, "codex:late", "T-B")
    assign(book, "codex:turnless", "T-B")
    assign(book, P2)
    for task in ("T-A", "T-B"):
        found = report(book, task)
        owned = sorted(name for row in found.rows if row.key.share != "unassigned" for name in row.ids)
        groups = build(book, by="model", wanted=Filter(task=task))["groups"]
        assert sum(group["responses"] for group in groups) == len(owned)
    assert responses(build(book, by="task")) == {"(several tasks)": 2, "T-A": 1, None: 1}


def test_a_filter_on_a_task_nobody_created_is_refused(tmp_path: Path) -> None:
    """An unknown task is a mistake, not an empty answer."""
    book = mini.book(tmp_path)
    with pytest.raises(UnknownTask):
        build(book, by="model", wanted=Filter(task="T-X"))


def test_filters_keep_what_they_name(tmp_path: Path) -> None:
    book = mini.book(tmp_path)
    book.told("/c", session("claude:c", project="/srv/kit"), response("claude:x", "claude:c", model="other", minute=60))
    whole(book, "claude:c")
    for wanted, count in (
        (Filter(harnesses=("claude",)), 1),
        (Filter(harnesses=("claude", "codex")), 4),
        (Filter(models=("other",)), 1),
        (Filter(projects=("/srv/kit",)), 1),
        (Filter(projects=("/srv",)), 0),
        (Filter(sessions=(S,)), 3),
        (Filter(since_ms=START_MS + 2 * 60_000), 3),
        (Filter(until_ms=START_MS + 2 * 60_000), 1),
        (Filter(harnesses=("codex",), models=("other",)), 0),
    ):
        assert sum(responses(build(book, by="harness", wanted=wanted)).values()) == count


def test_what_is_unknown_or_unfinished_is_said(tmp_path: Path) -> None:
    """§12.3: a sum with an unknown part is a lower bound, and a note tells of unfinished responses."""
    book = Book(tmp_path)
    book.told(
        "/a",
        session(S),
        response("codex:1", S),
        response("codex:2", S, usage=replace(usage(50), reasoning_output=None)),
        response("codex:3", S, final=False),
    )
    document = build(book, by="model")
    (sums,) = document["groups"][0]["by_semantics"].values()
    assert sums["reasoning_output_tokens"] == 0
    assert sums["unknown_counts"] == {"reasoning_output_tokens": 1}
    assert sums["total_tokens"] == 250
    assert len(document["notes"]) == 1


def test_a_sum_of_nothing_known_is_unknown(tmp_path: Path) -> None:
    """§23.4: not 0."""
    book = Book(tmp_path)
    book.told("/a", session(S), response("codex:1", S, total=None))
    (group,) = build(book, by="model")["groups"]
    (sums,) = group["by_semantics"].values()
    assert sums["total_tokens"] is None
    assert group["estimated_cost"]["estimated_cost_usd_partial"] is None


def test_the_long_tier_is_decided_per_request(tmp_path: Path) -> None:
    """E195, E196: two requests of 200,000 are not one of 400,000."""
    book = Book(tmp_path)
    each = [
        response(f"codex:{number}", S, usage=replace(usage(220_000), output=0, total=200_000, input=200_000))
        for number in (1, 2)
    ]
    book.told("/a", session(S), *each)
    prices = mini.schedule()
    entry = replace(
        prices.models["gpt-6-astra"],
        long_context_threshold=272_000,
        long_context_rates=prices.models["gpt-6-astra"].rates,
    )
    tiered = replace(prices, models={"gpt-6-astra": entry})
    with book.reader() as connection:
        document = reporting.build(connection, Filter(), by="model", zone=UTC, schedule=tiered)
    assert document["groups"][0]["estimated_cost"]["estimated_cost_usd_total"] == "4"


@pytest.mark.parametrize("where", _ZONES)
def test_a_broken_clock_breaks_no_report(tmp_path: Path, where: str) -> None:
    """A response at the end of the calendar, and one at its beginning, in any zone and at once."""
    book = filled(tmp_path, [0, START_MS, 253_402_300_799_999])
    for by in ("day", "week", "month"):
        found = responses(build(book, by=by, where=where))
        assert sum(found.values()) == 3
        assert max(key or "" for key in found).startswith("9999-12")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(10, 400)), max_size=12))
def test_a_response_is_over_its_own_models_tier_only(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, int | None]]
) -> None:
    """§15.4: above the model's threshold; a model without tiers never; unknown input, unknown."""
    book, tiers = Book(tmp_path_factory.mktemp("ledger")), {"a": 200, "b": 50}
    rows = [
        response(f"claude:r{number}", S, model=model, usage=usage(total)) for number, (model, total) in enumerate(told)
    ]
    book.told("/a", session(S), *rows)
    wanted: dict[tuple[str | None, bool | None], int] = {}
    for model, total in told:
        over = False if model not in tiers else None if total is None else total - total // 10 > tiers[model]
        wanted[model, over] = wanted.get((model, over), 0) + 1
    found: dict[tuple[str | None, bool | None], int] = {}
    with book.reader() as connection:
        for each in facts.groups(connection, Filter(), by="model", thresholds=tiers):
            key = (each.usage.model, each.usage.over)
            found[key] = found.get(key, 0) + each.usage.responses
    assert found == wanted
