"""Tables on a terminal: names give way, numbers are never broken, and what is rounded says so."""

import re
import sys
from io import StringIO

import pytest

from observer.cli.output import Output


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


_STYLE = re.compile(r"\x1b\[[0-9;]*m")
HEADERS = ("model", "input", "est. USD")
ROWS = [
    ("claude-a-model-with-a-long-name", ">=1,706,556 (lower bound)", "at least $44.83"),
    ("short", "9,984", "under $0.01"),
]


def drawn(monkeypatch: pytest.MonkeyPatch, *, columns: int) -> str:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    Output().table(HEADERS, ROWS)
    return _STYLE.sub("", terminal.getvalue())


def test_a_wide_terminal_shows_every_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, columns=100)
    assert "≥1,706,556" in text
    assert "≥$44.83" in text
    assert "<$0.01" in text
    assert "≥ a lower bound" in text
    assert "rounded" not in text


def test_a_narrow_terminal_rounds_counts_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, columns=36)
    assert "≥1.71M" in text
    assert "≥$44.83" in text
    assert "9,984" in text
    assert "rounded" in text
    assert max(map(len, text.splitlines())) <= 36


def test_a_pipe_gets_plain_aligned_text(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(HEADERS, ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split("  ")[0] == "claude-a-model-with-a-long-name"
    assert ">=1,706,556 (lower bound)" in lines[1]


def test_a_table_without_rows_has_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    Output().table(HEADERS, [])
    assert "model" in terminal.getvalue()
