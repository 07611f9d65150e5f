"""Folders of other programs: listed, never opened; links lead nowhere."""

import os
import re
from pathlib import Path

import pytest

from observer.native import folders

LINES = re.compile(r".*\.jsonl")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Two files of lines, one of them deep, a note, and links to a file and a folder outside."""
    outside, inside = tmp_path / "outside", tmp_path / "top"
    (inside / "deep" / "er").mkdir(parents=True)
    outside.mkdir()
    for path in (inside / "b.jsonl", inside / "deep" / "er" / "a.jsonl", inside / "note.txt", outside / "c.jsonl"):
        path.write_text(path.name, encoding="utf-8")
    (inside / "link.jsonl").symlink_to(outside / "c.jsonl")
    (inside / "elsewhere").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    return inside.resolve()


def test_files_are_found_at_any_depth_by_their_real_paths(top: Path) -> None:
    found = sorted(folders.files(str(top), LINES))
    assert found == sorted(map(str, (top / "b.jsonl", top / "deep/er/a.jsonl", top.parent / "outside/c.jsonl")))


def test_inside_of_a_folder_no_link_leads_out(top: Path) -> None:
    assert sorted(folders.files(str(top), LINES, top=str(top))) == [str(top / "b.jsonl"), str(top / "deep/er/a.jsonl")]
    assert "elsewhere" not in {entry.name for entry in folders.inside(str(top), str(top))}


def test_only_folders_of_the_names_given_are_entered(top: Path) -> None:
    found = set(folders.files(str(top), LINES, enters=re.compile("deep")))
    assert str(top / "b.jsonl") in found
    assert str(top / "deep/er/a.jsonl") not in found


def test_plain_files_and_folders_are_no_links(top: Path) -> None:
    assert [entry.name for entry in folders.plain(str(top), ".jsonl")] == ["b.jsonl"]
    assert folders.folders(str(top)) == [str(top / "deep")]


def test_what_is_not_there_is_empty_and_unknown(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert folders.entries(nowhere) == folders.folders(nowhere) == list(folders.files(nowhere, LINES)) == []
    assert (folders.written_ms(nowhere), folders.seen(nowhere)) == (None, (0, 0))


def test_a_fingerprint_changes_with_size_time_and_presence(top: Path) -> None:
    path = top / "b.jsonl"
    files = [("b", str(path)), ("gone", str(top / "gone"))]
    seen = {folders.fingerprint(files)}
    assert folders.fingerprint(files) in seen
    path.write_text("longer", encoding="utf-8")
    seen.add(folders.fingerprint(files))
    os.utime(path, ns=(0, 1_000_000))
    seen.add(folders.fingerprint(files))
    assert folders.written_ms(path) == 1
    path.unlink()
    seen.add(folders.fingerprint(files))
    assert len(seen) == 4
