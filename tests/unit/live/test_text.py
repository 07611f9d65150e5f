"""Health as a person reads it."""

from pathlib import Path

import pytest

from observer.cli.health import show
from observer.cli.output import Output
from tests.builders.machines import Table
from tests.golden_files import Golden
from tests.unit.live.test_claude import CHILD, register


def test_findings_read_as_they_did(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    """§19: each names process, directory and what to do; then how many were looked at, and how many say nothing yet."""
    table = Table(tmp_path)
    table.add(20, "claude")
    register(tmp_path, 20)
    table.add(21, "claude", variables={CHILD: "1"})
    table.add(30, "codex", variables={"CODEX_HOME": "/srv/isolated"})
    table.add(31, "opencode", cwd="/srv/kit two")
    table.add(32, "grok", age_ms=5_000)
    table.add(33, "grok", cwd=None, readable=False, files=None)
    show(table.check() | {"quota_readings": []}, Output())
    said = capsys.readouterr()
    golden("health/findings.txt", (said.out + said.err).replace(str(tmp_path), "/home/dev"))


def test_nothing_found_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(Table(tmp_path).check() | {"quota_readings": []}, Output())
    assert capsys.readouterr() == (
        "0 live sessions without records; looked at: claude 0, codex 0, opencode 0, grok 0\n",
        "",
    )
