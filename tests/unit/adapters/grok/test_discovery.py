"""Which folders are sessions, when one has changed, and what a session folder says of the session."""

import os
import time
from pathlib import Path

import pytest

from observer.adapters.grok import ADAPTER
from observer.adapters.grok.paths import FILES
from observer.records.source import SourceFile, Unreadable
from tests.builders.imports import Machine
from tests.unit.adapters.grok.sessions import (
    CHILD,
    KEY,
    OTHER,
    SID,
    START_MS,
    Folder,
    categories,
    counted,
    read,
    rows,
    usage,
)


def units(root: Path) -> dict[str, str | None]:
    """Fingerprints by the last part of the folder."""
    found = [each for each in ADAPTER.discover(root) if isinstance(each, SourceFile)]
    return {Path(each.path.removesuffix("#session")).name: each.fingerprint for each in found}


def test_the_home_is_the_chosen_one_or_the_usual_one(tmp_path: Path) -> None:
    assert ADAPTER.roots({}, tmp_path) == [tmp_path / ".grok"]
    assert ADAPTER.roots({"GROK_HOME": ""}, tmp_path) == [tmp_path / ".grok"]
    assert ADAPTER.roots({"GROK_HOME": "/g"}, tmp_path) == [Path("/g")]
    assert ADAPTER.roots({"GROK_HOME": "~/g"}, tmp_path) == [tmp_path / "g"]


def test_a_session_is_found_from_its_home_down_to_its_files(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(1)).lay(tmp_path)
    (folder.parent / "prompt_history.jsonl").write_text("{}\n")
    for root in (tmp_path / ".grok", folder.parent.parent, folder.parent, folder, folder / "updates.jsonl"):
        assert list(units(root)) == [SID]
    (unit,) = ADAPTER.discover(tmp_path / ".grok")
    assert unit.path == f"{os.path.realpath(folder)}#session"
    assert list(ADAPTER.discover(tmp_path / "nowhere")) == []


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(1)).lay(tmp_path)
    (folder.parent / OTHER).symlink_to(folder)
    (folder.parent.parent / "again").symlink_to(folder.parent)
    (folder.parent / "broken").symlink_to(tmp_path / "nowhere")
    assert list(units(tmp_path / ".grok")) == [SID]


def test_odd_things_in_a_session_folder_hide_nothing(tmp_path: Path) -> None:
    """A link to nowhere, a file where a folder should be, a subagent without its link."""
    path = Folder().turn(0, "p1", usage(1)).lay(tmp_path)
    (path / "events.jsonl").symlink_to(tmp_path / "nowhere")
    (path / "subagents").write_text("")
    assert [each.usage.input for each in read(path).responses] == [1]
    (path / "subagents").unlink()
    (path / "subagents" / CHILD).mkdir(parents=True)
    assert [each.key for each in read(path).sessions] == [KEY]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    folder = Folder().lay(tmp_path)
    folder.parent.chmod(0)
    try:
        (found,) = ADAPTER.discover(tmp_path / ".grok")
    finally:
        folder.parent.chmod(0o700)
    assert found == Unreadable("grok", str(folder.parent), "Permission denied")


def test_a_file_that_cannot_be_read_fails_its_session_only(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    path = Folder().turn(0, "p1", usage(1)).lay(machine.home)
    Folder(OTHER).turn(0, "p2", usage(2)).lay(machine.home)
    (path / "events.jsonl").mkdir()
    answer = machine.sync()["grok"]
    assert [failure.path for failure in answer.failed] == [f"{os.path.realpath(path)}#session"]
    assert counted(machine) == {"grok:p2:grok-5": 2}


def test_every_file_that_is_read_shows_when_it_changes(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(1)).event("first_token")
    folder.links[CHILD] = {"child_session_id": CHILD}
    path = folder.lay(tmp_path)
    for name in (*FILES, f"subagents/{CHILD}/meta.json"):
        before = units(path)
        with (path / name).open("ab") as file:
            file.write(b"\n")
        longer = units(path)
        os.utime(path / name, ns=(1, 1))
        assert len({str(each) for each in (before, longer, units(path))}) == 3


def test_other_files_change_nothing(tmp_path: Path) -> None:
    path = Folder().turn(0, "p1", usage(1)).lay(tmp_path)
    before = units(path)
    (path / "signals.json").write_text("{}")
    (path / "plan.json").write_text("{}")
    assert units(path) == before


def test_unchanged_sessions_are_found_fast(tmp_path: Path) -> None:
    """1,400 of them in well under a tenth of a second; here with room for a busy machine."""
    for number in range(1400):
        folder = tmp_path / "sessions" / f"g{number % 40}" / f"{number:08}-0000-7000-8000-000000000000"
        folder.mkdir(parents=True)
        for name in ("updates.jsonl", "events.jsonl", "chat_history.jsonl", "summary.json"):
            (folder / name).touch()
    took = []
    for _ in range(3):
        start = time.perf_counter()
        assert sum(1 for _ in ADAPTER.discover(tmp_path)) == 1400
        took.append(time.perf_counter() - start)
    assert min(took) < 0.5


def test_a_session_that_vanishes_is_gone_and_its_records_stay(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    path = Folder().turn(0, "p1", usage(1)).lay(machine.home)
    machine.sync()
    path.rename(path.parent.parent.parent / "elsewhere")
    answer = machine.sync()["grok"]
    assert (answer.sources, answer.gone, answer.failed) == (0, 1, [])
    assert counted(machine) == {"grok:p1:grok-5": 1}


def test_the_summary_says_where_and_when(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    stamps = {"created_at": "2026-09-23T07:59:59.123456789Z", "last_active_at": "2026-09-23T09:00:00.5Z"}
    Folder(head_branch="main", **stamps).turn(0, "p1", usage(1)).lay(machine.home)
    machine.sync()
    assert rows(machine, "SELECT key, project, branch, role, started_ms, ended_ms FROM session") == [
        (KEY, "/srv/kit", "main", "main", START_MS - 877, START_MS + 3_600_500)
    ]


def test_without_a_summary_the_folder_says_where(tmp_path: Path) -> None:
    folder = Folder().turn(0, "p1", usage(1))
    folder.summary = None
    path = folder.lay(tmp_path)
    assert folder.read(tmp_path).sessions[0].project == "/srv/kit"
    long = path.parent.rename(path.parent.parent / "srv-kit-1f2e3d")
    (unit,) = ADAPTER.discover(long)
    assert isinstance(unit, SourceFile)
    assert ADAPTER.reader(unit).sessions[0].project is None
    (long / ".cwd").write_text("/srv/a/long/way\n")
    assert ADAPTER.reader(unit).sessions[0].project == "/srv/a/long/way"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"info": 5}', '{"info": {"id": 7}}'])
def test_a_damaged_summary_costs_only_what_it_said(tmp_path: Path, text: str) -> None:
    folder = Folder().turn(0, "p1", usage(1))
    path = folder.lay(tmp_path)
    (path / "summary.json").write_text(text)
    (unit,) = ADAPTER.discover(path)
    assert isinstance(unit, SourceFile)
    batch = ADAPTER.reader(unit)
    assert [each.session for each in batch.responses] == [KEY]
    assert len(categories(batch)) == (text != "")
    assert batch.submissions[0].main is (text.startswith('{"'))
