"""Where the token comes from, and that it goes nowhere else."""

from pathlib import Path

import pytest

from observer.base.errors import PublishRefused
from publish import token


def tool(folder: Path, script: str) -> None:
    """A `gh` that does what the script says, first on the path."""
    path = folder / "gh"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the whole search path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_environment_comes_first(path: Path) -> None:
    tool(path, "echo from-tool")
    assert token.find(variables={"GITHUB_TOKEN": " one ", "GH_TOKEN": "two"}) == "one"
    assert token.find(variables={"GITHUB_TOKEN": " ", "GH_TOKEN": "two"}) == "two"


def test_then_the_command_line_tool_is_asked_for_that_server(path: Path) -> None:
    tool(path, 'IFS=.; echo "$*"')
    assert token.find(variables={}) == "auth.token.--hostname.github.com"
    found = token.find(variables={}, api_url="https://ghes.example/api/v3")
    assert found == "auth.token.--hostname.ghes.example"


@pytest.mark.parametrize("script", [None, "exit 1", "echo", "echo token; exit 4"])
def test_without_a_token_nothing_is_published(path: Path, script: str | None) -> None:
    """E240: no tool, no login, or a tool that fails: refused with the way out, no partial state."""
    if script is not None:
        tool(path, script)
    with pytest.raises(PublishRefused) as caught:
        token.find(variables={})
    assert caught.value.exit_code == 2
    assert "gh auth login" in caught.value.hint


def test_a_tool_that_cannot_be_run_is_no_tool(path: Path) -> None:
    (path / "gh").write_text("not a program", encoding="utf-8")
    (path / "gh").chmod(0o755)
    with pytest.raises(PublishRefused):
        token.find(variables={})


@pytest.mark.parametrize("broken", ["a\nb", "a b", "a\x00b", "tokén", "a\r\nX-Other: 1"])
def test_what_cannot_be_a_token_is_not_sent_and_not_shown(broken: str) -> None:
    with pytest.raises(PublishRefused, match="GITHUB_TOKEN") as caught:
        token.find(variables={"GITHUB_TOKEN": broken})
    assert broken not in caught.value.message
