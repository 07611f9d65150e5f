"""Sharing jobs between processes: each is taken once, whoever takes it and however many there are."""

from collections.abc import Iterator, Sequence

import pytest

from observer.importing import parallel
from observer.importing.parallel import Results, Team
from observer.importing.source import Job, Result
from observer.ledger.write import Inserted
from observer.records.source import Cursor, SourceFile

START = Cursor(0, "", 0, b"")


def jobs(count: int) -> list[Job]:
    return [Job(SourceFile("codex", f"/sessions/{number}"), START, 10, 0) for number in range(count)]


def work(given: Sequence[Job], numbers: Iterator[int]) -> Results:
    return [(number, Result("codex", given[number].file.path, Inserted(events=number))) for number in numbers]


@pytest.mark.parametrize("count", [0, 1, 2, 4095, 4096, 4097, 10_000])
@pytest.mark.parametrize("worth", [0, 2**60])
def test_every_job_is_taken_once(count: int, worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By this process or a child; also where more jobs than numbers fit into a pipe."""
    monkeypatch.setattr(parallel, "WORTH_BYTES", worth)
    told: list[int] = []
    given = jobs(count)
    team = Team(given, work)
    found = work(given, team.numbers(told.append)) + team.results()
    assert sorted(number for number, _ in found) == list(range(count))
    assert all(result.path == f"/sessions/{number}" for number, result in found)
    assert told == sorted(told)
    assert told[-1:] == ([count] if count else [])


def test_a_child_that_fails_reports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had taken is missing from the results, for this process to import."""
    monkeypatch.setattr(parallel, "WORTH_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    def stumbling(_given: Sequence[Job], numbers: Iterator[int]) -> Results:
        next(numbers, None)
        raise ValueError

    assert Team(jobs(50), stumbling).results() == []
