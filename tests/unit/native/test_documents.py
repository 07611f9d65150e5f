"""Files read as a whole: numbered through, and each document with its own fault."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import Struct

from observer.native import documents, sqlite_ro
from observer.native.decode import Lines
from observer.native.documents import Numbered, Row
from observer.records.source import Quarantine


class Note(Struct):
    """A record of the tests."""

    text: str | None = None
    tokens: dict[str, int] | None = None


def test_records_of_several_files_are_numbered_through(tmp_path: Path) -> None:
    (tmp_path / "one").write_text('{"text":"a"}\n{"text":"b"}\n{"text":"unfin', encoding="utf-8")
    (tmp_path / "two").write_text('{"text":"c"}\n', encoding="utf-8")
    (tmp_path / "notes" / "x").mkdir(parents=True)
    (tmp_path / "notes" / "x" / "n.json").write_text('{\n "text":\n "d"}', encoding="utf-8")
    seen: list[tuple[int, list[str | None]]] = []

    def take(found: Lines) -> None:
        seen.append((found.first, [each.text for each in found.records]))

    files = Numbered(str(tmp_path))
    for name in ("one", "absent", "two"):
        files.give(name, Note, take)
    for found in files.each("notes", "n.json", Note):
        take(found)
    assert seen == [(0, ["a", "b"]), (2, ["c"]), (4, ["d"])]
    assert [files.ends_whole(name) for name in ("one", "two", "absent")] == [False, True, False]
    assert list(files.each("absent", "n.json", Note)) == []


def test_a_folder_that_cannot_be_listed_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(path: str) -> list[str]:
        raise PermissionError(path)

    monkeypatch.setattr(documents.os, "listdir", shut)
    with pytest.raises(PermissionError):
        list(Numbered(str(tmp_path)).each("notes", "n.json", Note))


def test_each_document_costs_itself_and_a_counter_no_more_than_that() -> None:
    texts = ['{"text":"a"}', '{\n"text":"b"}', "{", '{"tokens":{"input":"many"},"text":"c"}', None, '{"text":5}']
    rows = [Row(number, "owner", None, text) for number, text in enumerate(texts)]
    faults: list[Quarantine] = []
    found = list(documents.decoded(rows, Note, faults, usage="$.tokens", first=10))
    assert [(each.number, each.row.id, each.record.text, each.is_cut) for each in found] == [
        (10, 0, "a", False),
        (11, 1, "b", False),
        (13, 3, "c", True),
        (15, 5, None, False),
    ]
    assert [(each.ordinal, each.category) for each in faults] == [
        (12, "malformed_json"),
        (13, "malformed_usage"),
        (14, "malformed_json"),
        (15, "schema_error"),
    ]


def test_columns_are_asked_by_name_and_missing_ones_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE note (id TEXT, owner TEXT)")
        made.executemany("INSERT INTO note VALUES (?, ?)", [("b", "o"), ("a", "o"), ("c", "p")])
    with sqlite_ro.opened(str(path)) as connection:
        mine = sqlite_ro.select(connection, "note", ("id", "text"), key="owner", value="o")
        assert [tuple(row) for row in mine] == [("a", None), ("b", None)]
        assert [row["id"] for row in sqlite_ro.select(connection, "note", ("id",))] == ["b", "a", "c"]
        assert list(sqlite_ro.select(connection, "absent", ("id",))) == []
        assert list(sqlite_ro.select(connection, "note", ("id",), key="absent", value="o")) == []
