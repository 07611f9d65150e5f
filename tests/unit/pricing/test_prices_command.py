"""`prices list|show|check|new`."""

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from observer.base.errors import ScheduleError, UsageError
from observer.cli import prices
from observer.pricing import bundle
from tests.unit.pricing import examples


class Recorder:
    """An output that keeps what it is given."""

    def __init__(self, *, wants_json: bool = False) -> None:
        self.wants_json = wants_json
        self.documents: list[Any] = []
        self.lines: list[str] = []
        self.notes: list[str] = []

    def json(self, value: Any) -> None:
        self.documents.append(json.loads(json.dumps(value)))

    def text(self, line: str = "") -> None:
        self.lines.append(line)

    def note(self, line: str) -> None:
        self.notes.append(line)

    def table(self, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        for row in (headers, *rows):
            assert len(row) == len(headers)
            self.lines.append("|".join(map(str, row)))


def answer(*words: str, wants_json: bool = False) -> Recorder:
    parser = argparse.ArgumentParser()
    prices.configure(parser)
    out = Recorder(wants_json=wants_json)
    assert prices.run(parser.parse_args(words), out) == 0  # type: ignore[arg-type]
    return out


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(examples.document()))
    return path


def test_the_list_names_the_bundled_files_and_every_model_once() -> None:
    (document,) = answer("list", wants_json=True).documents
    assert [row["file"] for row in document["bundled"]] == [path.name for path in bundle.files()]
    assert [row["file"] for row in document["bundled"] if row["in_force"]] == [bundle.newest().name]
    names = [row["model"] for row in document["models"]]
    assert len(names) == len(set(names)) == document["schedule"]["models"]
    assert document["schedule"]["price_schedule_id"] == bundle.load(None).schedule_id


def test_the_list_of_another_file_puts_no_bundled_one_in_force(file: Path) -> None:
    (document,) = answer("list", "--prices", str(file), wants_json=True).documents
    assert not any(row["in_force"] for row in document["bundled"])
    assert [row["model"] for row in document["models"]] == list(examples.document()["models"])


def test_the_list_reads_as_a_table(file: Path) -> None:
    lines = answer("list", "--prices", str(file)).lines
    assert "claude-opus-5-5|4|0.2|5m 5, 1h 8|20|20|" in lines
    assert "gpt-5.6-luna|0.2|0.02|0.25|1.2|1.2|over 272,000, unpriced" in lines


def test_show_says_what_a_model_costs_and_where_that_stands() -> None:
    lines = answer("show", "claude-haiku-5-5").lines
    assert "    cache write 5m 0.125, 1h 0.2" in lines
    assert "  requests over 100,000 input tokens, cache included" in lines
    assert any("source https://platform.claude.com/" in line and "as of 2026-09-24" in line for line in lines)


def test_show_names_the_model_behind_an_alias() -> None:
    assert (
        answer("show", "claude-opus-5-5-20260901").lines[0] == "claude-opus-5-5-20260901, an alias of claude-opus-5-5"
    )
    (document,) = answer("show", "claude-opus-5-5-20260901", wants_json=True).documents
    assert (document["asked"], document["model"]) == ("claude-opus-5-5-20260901", "claude-opus-5-5")
    assert document["rates"]["cache_write_input_tokens"] == {"5m": "5", "1h": "8"}


def test_show_does_not_guess() -> None:
    with pytest.raises(UsageError, match="no entry for 'claude-opus'"):
        answer("show", "claude-opus")


def test_check_answers_with_the_identity(file: Path) -> None:
    assert answer("check", str(file)).lines[1] == f"price_schedule_id {examples.schedule().schedule_id}"
    (document,) = answer("check", str(file), wants_json=True).documents
    assert (document["valid"], document["schedule"]["models"]) == (True, 5)


def test_check_refuses_with_the_file_and_every_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('as_of = "2026-9-1"\ncurrency = "EUR"\n')
    with pytest.raises(ScheduleError) as refused:
        answer("check", str(path))
    assert len(refused.value.message.split("\n")) == 5


def test_new_starts_a_dated_copy_of_the_schedule_in_force(tmp_path: Path) -> None:
    path = tmp_path / "2031-02-03.toml"
    out = answer("new", str(path))
    assert out.notes
    written, origin = bundle.load(path), bundle.load(None)
    assert written.as_of == "2031-02-03"
    assert written.models == origin.models
    assert written.document == {**origin.document, "as_of": "2031-02-03"}


def test_a_name_that_is_no_day_means_today(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    (document,) = answer("new", str(path), wants_json=True).documents
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", document["schedule"]["as_of"])
    assert document["started_from"] == bundle.load(None).as_of


def test_new_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("precious")
    with pytest.raises(UsageError, match="never overwritten"):
        answer("new", str(path))
    assert path.read_text() == "precious"


def test_new_writes_toml_into_folders_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a TOML file"):
        answer("new", str(tmp_path / "mine.json"))
    with pytest.raises(UsageError, match="No such file or directory"):
        answer("new", str(tmp_path / "absent" / "mine.toml"))
