"""Where transcripts are looked for, and what is left alone."""

import os
from pathlib import Path

import pytest

from observer.adapters.claude import ADAPTER
from observer.adapters.claude.place import start
from observer.records.source import SourceFile

SESSION = "5b1f0a10-1111-4aaa-8bbb-000000000001"


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    return path


def found(root: Path) -> list[str]:
    return [file.path for file in ADAPTER.discover(root)]


def test_the_usual_home_is_looked_at_and_the_older_one_only_if_it_exists(tmp_path: Path) -> None:
    assert ADAPTER.roots({}, tmp_path) == [tmp_path / ".claude"]
    (tmp_path / ".config" / "claude").mkdir(parents=True)
    assert ADAPTER.roots({}, tmp_path) == [tmp_path / ".claude", tmp_path / ".config" / "claude"]


def test_the_agents_own_variable_replaces_the_usual_homes(tmp_path: Path) -> None:
    given = {"CLAUDE_CONFIG_DIR": "/data/one, ~/two ,"}
    assert ADAPTER.roots(given, tmp_path) == [Path("/data/one"), tmp_path / "two"]
    assert ADAPTER.roots({"CLAUDE_CONFIG_DIR": ""}, tmp_path) == [tmp_path / ".claude"]


def test_sessions_and_subagents_at_any_depth_are_found_sorted(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-srv-kit"
    wanted = [
        touch(project / f"{SESSION}.jsonl"),
        touch(project / "agent-old.jsonl"),
        touch(project / SESSION / "subagents" / "agent-a1.jsonl"),
        touch(project / SESSION / "subagents" / "workflows" / "wf_1" / "agent-b2.jsonl"),
    ]
    touch(project / SESSION / "subagents" / "agent-a1.meta.json")
    touch(project / SESSION / "subagents" / "journal.jsonl")
    touch(project / SESSION / "tool-results" / "x.jsonl")
    touch(tmp_path / "history.jsonl")
    expected = sorted(os.path.realpath(path) for path in wanted)
    assert found(tmp_path) == found(tmp_path / "projects") == expected
    assert all(file.harness == "claude" and not file.compressed for file in ADAPTER.discover(tmp_path))


def test_a_root_without_transcripts_is_empty(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    assert found(tmp_path / "nowhere") == []


def test_a_link_out_of_the_projects_is_not_followed(tmp_path: Path) -> None:
    """Case 18: a folder of notes, linked into a project."""
    notes = touch(tmp_path / "notes" / "todo.jsonl").parent
    wanted = touch(tmp_path / ".claude" / "projects" / "-srv-kit" / f"{SESSION}.jsonl")
    projects = tmp_path / ".claude" / "projects"
    (projects / "-srv-kit" / "memory").symlink_to(notes)
    (projects / "-notes").symlink_to(notes)
    (projects / "-srv-kit" / "todo.jsonl").symlink_to(notes / "todo.jsonl")
    (projects / "-srv-kit" / "broken.jsonl").symlink_to(notes / "gone")
    assert found(tmp_path / ".claude") == [os.path.realpath(wanted)]


def test_a_file_reached_twice_is_one_source(tmp_path: Path) -> None:
    """Case 18: a second root that is the first one, and a project linked to its neighbour."""
    wanted = touch(tmp_path / ".claude" / "projects" / "-srv-kit" / f"{SESSION}.jsonl")
    (tmp_path / ".claude2").symlink_to(tmp_path / ".claude")
    (tmp_path / ".claude" / "projects" / "-again").symlink_to(wanted.parent)
    assert found(tmp_path / ".claude") == found(tmp_path / ".claude2") == [os.path.realpath(wanted)]


def test_projects_that_lie_elsewhere_as_a_whole_are_read(tmp_path: Path) -> None:
    wanted = touch(tmp_path / "data" / "projects" / "-srv-kit" / f"{SESSION}.jsonl")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").symlink_to(tmp_path / "data" / "projects")
    assert found(tmp_path / ".claude") == [os.path.realpath(wanted)]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    wanted = touch(tmp_path / "projects" / "-srv-kit" / SESSION / "subagents" / "agent-a1.jsonl")
    (wanted.parent / "round").symlink_to(wanted.parent.parent)
    assert found(tmp_path) == [os.path.realpath(wanted)]


@pytest.mark.parametrize(
    ("path", "session", "agent"),
    [
        (f"/p/-srv/{SESSION}.jsonl", SESSION, None),
        (f"/p/-srv/{SESSION}/subagents/agent-a1.jsonl", SESSION, "a1"),
        (f"/p/-srv/{SESSION}/subagents/workflows/wf_1/agent-b-2.jsonl", SESSION, "b-2"),
        ("/p/-srv/agent-old.jsonl", None, "old"),
    ],
)
def test_a_path_tells_whose_file_it_is(path: str, session: str | None, agent: str | None) -> None:
    context = start(SourceFile("claude", path))
    assert (context.session, context.agent) == (session, agent)
