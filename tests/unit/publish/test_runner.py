"""What goes to the runner: no value begins another output or command, and the summary stays within its limit."""

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish.result import Stop
from publish.runner import LARGEST_SUMMARY, Runner, one_line
from tests.peers.actions import outputs

HOSTILE = (
    "a\nresult=created", "x\r\nover-budget=false", "value<<EOF\nEOF\nresult=created", "::set-output name=result::x",
    "\n::add-path::/tmp", "%0A::error::x", "##[add-mask]x", "\u2028::warning::x", "\x1b[31m", "\0", "`id`", "$(id)",
)  # fmt: skip


def runner(tmp_path: Path, **variables: str) -> tuple[Runner, io.StringIO]:
    """A runner with files of its own, and what it reads commands from."""
    named = {
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "RUNNER_TEMP": str(tmp_path),
    }
    out = io.StringIO()
    return Runner(named | variables, out), out


@given(st.dictionaries(st.from_regex(r"[a-z-]{1,9}", fullmatch=True), st.text() | st.sampled_from(HOSTILE), max_size=4))
def test_law_outputs_come_out_as_they_went_in(tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]) -> None:
    """P37: whatever stands in a value, it is the value of this output and of no other."""
    folder = tmp_path_factory.mktemp("runner")
    used, _ = runner(folder)
    # The file is text: the runner takes every line end for the same.
    values = {name: re.sub(r"\r\n?", "\n", value.encode("utf-8", "replace").decode()) for name, value in values.items()}
    used.outputs(values)
    assert outputs((folder / "output").read_text("utf-8")) == values if values else True


def test_the_line_that_ends_an_output_is_never_the_same(tmp_path: Path) -> None:
    used, _ = runner(tmp_path)
    for _ in range(20):
        used.outputs({"a": "b"})
    ends = re.findall(r"<<(\S+)", (tmp_path / "output").read_text("utf-8"))
    assert len(set(ends)) == 20
    assert all(len(each) >= 32 for each in ends)


@pytest.mark.parametrize("text", HOSTILE)
def test_an_annotation_is_one_command(tmp_path: Path, text: str) -> None:
    used, out = runner(tmp_path)
    used.annotate("error", text)
    (line,) = out.getvalue().splitlines()
    assert line.startswith("::error title=Agent Observer::")
    assert "%" not in line.replace("%25", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_line_of_the_log_is_no_command(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    used, _ = runner(tmp_path)
    used.say(text)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("agent-observer: ")


def test_one_line_is_bounded() -> None:
    assert len(one_line("x " * 10_000)) <= 2000
    assert one_line("a\n\t b\u202ec") == "a b c"


def summary(tmp_path: Path, there: int, text: str, shorter: str = "short\n") -> bytes:
    """The summary after `text` was added to so many bytes."""
    used, _ = runner(tmp_path)
    (tmp_path / "summary").write_bytes(b"x" * there)
    used.summarize(text, shorter=shorter)
    return (tmp_path / "summary").read_bytes()


@pytest.mark.parametrize(
    "there", [0, 1, 1000, LARGEST_SUMMARY - 60, LARGEST_SUMMARY - 9, LARGEST_SUMMARY - 8, LARGEST_SUMMARY]
)
def test_the_summary_never_outgrows_what_the_service_takes(tmp_path: Path, there: int) -> None:
    """P14: bytes, not characters, counting what is there; the short notice when the text does not fit."""
    text = "ü" * 40 + "\n"
    found = summary(tmp_path, there, text)
    assert len(found) < LARGEST_SUMMARY or len(found) == there
    added = found[there:].decode().strip()
    room = LARGEST_SUMMARY - there
    assert added == (text.strip() if room > 83 else "short" if room > 8 else "")


def test_a_text_above_the_limit_leaves_the_notice(tmp_path: Path) -> None:
    """P14."""
    assert summary(tmp_path, 0, "x" * LARGEST_SUMMARY) == b"short\n"


def test_what_was_there_is_kept(tmp_path: Path) -> None:
    assert summary(tmp_path, 3, "text\n") == b"xxx\n\ntext\n"


def test_files_for_later_steps_are_private_and_never_shared(tmp_path: Path) -> None:
    used, _ = runner(tmp_path)
    kept = [used.keep("comment.md", "a\r\n\ud800".encode("utf-8", "replace").decode()) for _ in range(2)]
    assert None not in kept
    assert len({each.parent for each in kept if each}) == 2
    assert all(each.parent.stat().st_mode & 0o077 == 0 for each in kept if each)


def test_outside_of_a_runner_nothing_is_written() -> None:
    bare = Runner({}, io.StringIO())
    bare.outputs({"a": "b"})
    bare.summarize("x", shorter="y")
    assert bare.keep("a", "b") is None
    with pytest.raises(Stop, match="GitHub Actions only"):
        bare.file("GITHUB_EVENT_PATH")
