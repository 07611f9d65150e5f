"""What the tests stand on: no network, no foreign records, and fixtures that arrived whole."""

import json
import os
import socket
from pathlib import Path

import pytest

from tests.command_line import Cli
from tests.network import NetworkTouched
from tests.places import CASES, RECORDS


@pytest.mark.parametrize("host", ["192.0.2.1", "example.com", "2001:db8::1"])
def test_a_test_that_reaches_for_another_machine_fails(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as one, pytest.raises(NetworkTouched):
        one.connect((host, 80))
    with pytest.raises(NetworkTouched):
        socket.create_connection((host, 80), timeout=1)


def test_loopback_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_the_command_line_sees_a_home_of_its_own(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(RECORDS / "claude-code" / "single-prompt" / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(RECORDS / "codex" / "single-prompt" / ".codex"))
    answer = cli("sync", "--json")
    assert answer.code == 0, answer.err
    assert sum(row["sources"] for row in answer.json["harnesses"]) == 0
    assert cli.ledger.is_file()


def test_every_fixture_says_what_must_come_out() -> None:
    folders = [path for path in (*RECORDS.glob("*/*"), *CASES.iterdir()) if path.is_dir()]
    assert folders
    for folder in folders:
        assert json.loads((folder / "expected.json").read_text(encoding="utf-8")), folder


def test_links_among_the_fixtures_are_links() -> None:
    """A checkout made without symbolic links would test something else than case 18."""
    home = CASES / "18-symlinks-and-two-roots" / "home"
    links = {Path(folder, name) for folder, folders, names in os.walk(home) for name in folders + names}
    links = {path.relative_to(home).as_posix() for path in links if path.is_symlink()}
    assert links == {".claude2", ".claude/projects/-srv-kit/memory"}
