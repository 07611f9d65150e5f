"""Answers of the command line: times, tasks, prices, money, tables, quiet pipes and written files."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.builders.native import Claude
from tests.builders.small import lay, named, refused
from tests.command_line import Cli
from tests.unit.pricing.examples import document


@pytest.mark.parametrize(
    "text", ["soon", "2026-13-45", "2026-09-31", "24.09.2026", "7", "7x", "-7d", "", "2026-09-24T25:00", "9999-12-31"]
)
@pytest.mark.parametrize("option", ["--since", "--until"])
def test_what_is_no_date_is_refused(shared: Cli, option: str, text: str) -> None:
    """§17 as amended: never taken for "no limit"."""
    if (option, text) == ("--since", "9999-12-31"):
        return
    refused(shared("usage", f"{option}={text}"), option)


@pytest.mark.parametrize(
    "text", ["2026-09-24", "20260924", "2026-09-24T10:00", "2026-09-24T10:00:00+02:00", "7d", "24h", "2w", "90m"]
)
def test_dates_and_spans_are_understood(shared: Cli, text: str) -> None:
    for words in (("usage",), ("sessions", "list"), ("responses", "list")):
        assert shared(*words, "--since", text, "--until", text).code == 0


def test_an_end_includes_its_day_and_a_zone_decides_which(cli: Cli) -> None:
    """A response at 23:30 UTC is the next day's in Berlin; DST days of both directions, by the library's rules."""
    instants = (
        "2026-03-28T23:30:00Z",
        "2026-03-29T00:30:00Z",
        "2026-03-29T22:30:00Z",
        "2026-10-24T22:30:00Z",
        "2026-10-25T22:59:00Z",
        "2026-10-25T23:30:00Z",
    )
    text = Claude()
    for number, when in enumerate(instants):
        text.at(when).response(f"msg_{number}")
    text.lay(cli.home)
    cli("sync")
    for zone in ("Europe/Berlin", "America/New_York", "UTC", "Asia/Kolkata"):
        expected: dict[str, int] = {}
        for when in instants:
            day = datetime.fromisoformat(when).astimezone(ZoneInfo(zone)).date().isoformat()
            expected[day] = expected.get(day, 0) + 1
        groups = cli("usage", "--by", "day", "--timezone", zone, "--json").json["groups"]
        assert {group["key"]: group["responses"] for group in groups} == expected
        assert cli("usage", "--by", "day", "--json", env={"TZ": zone}).json["groups"] == groups
        for day, count in expected.items():
            only = cli("usage", "--by", "day", "--since", day, "--until", day, "--timezone", zone, "--json").json
            assert {group["key"]: group["responses"] for group in only["groups"]} == {day: count}


def test_an_unknown_zone_is_refused(shared: Cli) -> None:
    for zone in ("Mars/Olympus", "", "../etc/passwd", "Europe"):
        refused(shared("usage", "--timezone", zone), "time zone")


@pytest.mark.parametrize(
    "words",
    [
        ("task", "show", "--task", "T-X"),
        ("export", "--task", "T-X"),
        ("usage", "--task", "T-X"),
        ("responses", "list", "--task", "T-X"),
        ("sessions", "list", "--task", "T-X"),
        ("capture", "assign", "--task", "T-X", "--submission", "p1"),
        ("capture", "outcome", "--task", "T-X", "--state", "complete"),
    ],
    ids=named,
)
def test_an_unknown_task_is_refused(shared: Cli, words: tuple[str, ...]) -> None:
    """E150, E174."""
    refused(shared(*words), "T-X")


def test_an_unknown_session_is_refused(shared: Cli) -> None:
    for words in (("sessions", "show", "--session", "nope"), ("export", "--session", "nope")):
        refused(shared(*words), "nope", "agent-observer sessions list")


def test_assigning_a_session_takes_two_deliberate_words(shared: Cli) -> None:
    """E155: --exclusive and --evidence."""
    words = ("capture", "assign-session", "--task", "T-1", "--session", "s1")
    refused(shared(*words, "--evidence", "x"), "--exclusive")
    refused(shared(*words, "--exclusive"), "--evidence")
    refused(shared(*words, "--exclusive", "--evidence", "  "), "--evidence")


def test_gaps_are_exit_3_with_the_whole_report(cli: Cli) -> None:
    """E165, §12.4: the answer is there, and what closes the gap with it."""
    lay(cli)
    cli("sync")
    cli("capture", "create-task", "--task", "T-1")
    assert cli("task", "show", "--task", "T-1").code == 0
    cli("capture", "assign-session", "--task", "T-1", "--session", "s1", "--exclusive", "--evidence", "x")
    answer = cli("task", "show", "--task", "T-1")
    assert answer.code == 3
    assert "capture assign-session --session claude:s1:agent:a1" in answer.out
    assert cli("task", "show", "--task", "T-1", "--json").json["coverage"]["unbound_worker_sessions"] == [
        "claude:s1:agent:a1"
    ]


def test_a_schedule_with_a_negative_rate_is_refused_by_place(filled: Cli) -> None:
    prices = document()
    prices["models"]["gpt-6-astra"]["rates"]["input_tokens"] = -1
    path = filled.home / "prices.json"
    path.write_text(json.dumps(prices))
    for words in (("task", "show", "--task", "T-1"), ("usage",), ("export", "--task", "T-1")):
        refused(filled(*words, "--prices", path), "gpt-6-astra", "input_tokens", "negative")
    refused(filled("usage", "--prices", filled.home / "none.json"), "none.json")


def floats(value: Any) -> Iterator[float]:
    """Every floating-point number in a document."""
    if isinstance(value, float):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from floats(each)


def test_money_is_text_and_unknown_is_null(filled: Cli) -> None:
    """cli.md: no float anywhere in an answer."""
    for words in (
        ("usage", "--by", "model"),
        ("task", "show", "--task", "T-1"),
        ("responses", "list"),
        ("sessions", "list"),
    ):
        answer = filled(*words, "--json").json
        answer.pop("price_schedule", None)  # the schedule is the document that was given
        assert list(floats(answer)) == []


def test_a_closed_pipe_ends_quietly(filled: Cli) -> None:
    """Whatever is cut off, nothing is said about it."""
    text = Claude("many")
    for number in range(3000):
        text.response(f"msg_m{number}")
    text.lay(filled.home)
    filled("sync")
    command = f"{sys.executable} -m observer"
    for words in (
        "responses list",
        "responses list --json",
        "responses list --csv",
        "faults list",
        "--help",
        "usage --help",
    ):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command} {words} | head -1"],
            env=filled.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == "", words
        assert done.returncode == 0, words


def test_an_export_is_written_whole_or_refused(filled: Cli) -> None:
    target = filled.home / "evidence.json"
    assert filled("export", "--task", "T-1", "-o", target).code == 0
    assert target.read_text() == filled("export", "--task", "T-1").out
    for place in (filled.home, target / "deeper.json", filled.home / "none" / "evidence.json"):
        refused(filled("export", "--task", "T-1", "-o", place), "cannot write")
    assert sorted(path.name for path in filled.home.iterdir() if not path.name.startswith((".claude", ".codex"))) == [
        "evidence.json"
    ]


def test_csv_is_a_table_without_formulas(filled: Cli) -> None:
    text = Claude("s7", cwd="=HYPERLINK(1)").prompt("x").response("msg_7")
    text.lay(filled.home)
    filled("sync")
    lines = filled("sessions", "list", "--csv").out.splitlines()
    assert lines[0].startswith("session,")
    assert any(",'=HYPERLINK(1)," in line for line in lines)
    assert len(filled("responses", "list", "--csv").out.splitlines()) == 1 + len(
        filled("responses", "list", "--json").json["responses"]
    )


def test_a_limit_keeps_the_newest(filled: Cli) -> None:
    rows = filled("responses", "list", "--json").json["responses"]
    newest = filled("responses", "list", "--limit", "1", "--json").json["responses"]
    assert [row["response_id"] for row in newest] == [rows[-1]["response_id"]]
    assert len(filled("sessions", "list", "--limit", "1", "--json").json["sessions"]) == 1


def test_rows_have_the_fields_that_scripts_rely_on(filled: Cli) -> None:
    (row,) = [row for row in filled("responses", "list", "--json").json["responses"] if row["harness"] == "codex"]
    assert row == {
        "response_id": "codex:resp_1",
        "session": "codex:t-1",
        "harness": "codex",
        "project": "/srv/kit",
        "model": "gpt-6-astra",
        "provider": row["provider"],
        "effort": "high",
        "time": "2026-09-23T10:00:04.000Z",
        "turn": row["turn"],
        "semantics": "codex:input_includes_cached,output_includes_reasoning",
        "input_tokens": 1000,
        "cached_input_tokens": 0,
        "cache_write_input_tokens": 0,
        "cache_write_5m_tokens": None,
        "cache_write_1h_tokens": None,
        "output_tokens": 100,
        "reasoning_output_tokens": 0,
        "total_tokens": 1100,
        "native_cost_usd": None,
        "overlap": False,
        "final": True,
        "service_tier": None,
        "speed": None,
        "web_search_requests": None,
    }
