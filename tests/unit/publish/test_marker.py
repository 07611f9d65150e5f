"""The marker and the state block: found only where they are exactly what we write."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import comment, extract, marker, state
from publish.figures import Subject
from publish.marker import Marker
from tests.builders.evidence import evidence, used

MARKER = Marker("pr:7", "a" * 64, "2026-09-24T10:02:11.000Z")
SUBJECT = extract.subject(evidence(used(input=10, output=1)))


@pytest.mark.parametrize("target", ["pr:7", "pr:2147483647", "commit:3f9d2c", "commit:" + "0" * 40])
@pytest.mark.parametrize("made", ["2026-09-24T10:02:11.000Z", "unknown"])
def test_a_marker_is_read_as_it_was_written(target: str, made: str) -> None:
    written = Marker(target, "0123456789abcdef" * 4, made)
    assert marker.find(written.line + "\n### text") == written
    assert marker.find(written.line + "\r\n### text") == written
    assert marker.find(written.line) == written


@pytest.mark.parametrize(
    "line",
    [
        "> " + MARKER.line,
        " " + MARKER.line,
        MARKER.line + " ",
        "\ufeff" + MARKER.line,
        "text\n" + MARKER.line,
        "\n" + MARKER.line,
        MARKER.line.replace("pr:7", "pr:07"),
        MARKER.line.replace("pr:7", "pr:0"),
        MARKER.line.replace("pr:7", "pr:７"),
        MARKER.line.replace("target", "Target"),
        MARKER.line.replace(":v1", ":v2"),
        MARKER.line.replace("a" * 64, "A" * 64),
        MARKER.line.replace("a" * 64, "a" * 63),
        MARKER.line.replace("2026-09-24", "2026-09-31"),
        MARKER.line.replace(" made", "  made"),
        MARKER.line.replace(" -->", " extra=1 -->"),
        MARKER.line.replace(" made=2026-09-24T10:02:11.000Z", ""),
        MARKER.line + "\x0b### text",
        "",
    ],
)
def test_whatever_is_not_exactly_a_marker_is_none(line: str) -> None:
    """P03, P05: quoted, pasted, padded or reordered, it is no marker."""
    assert marker.find(line) is None


@given(st.text(max_size=40), st.integers(0, 160))
def test_no_change_of_a_marker_is_taken_for_another_one_by_accident(text: str, place: int) -> None:
    changed = MARKER.line[:place] + text + MARKER.line[place + len(text) :]
    found = marker.find(changed)
    assert found is None or found.line == changed.partition("\n")[0].removesuffix("\r")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("a\nb\n", "a\r\nb", True), ("a\nb", "a\nb\n\n", True), ("a\n\nb", "a\nb", False), ("a ", "a", False)],
)
def test_line_ends_make_no_difference_and_everything_else_does(one: str, other: str, same: bool) -> None:
    assert marker.same_text(one, other) is same


def body(*subjects: Subject) -> tuple[str, Marker]:
    """A comment that remembers these subjects."""
    text = state.encode(subjects)
    made = Marker("pr:7", state.digest(text), "unknown")
    return f"{made.line}\ntext\n\n{state.line(text)}\n", made


def test_a_comment_remembers_its_subjects() -> None:
    text = comment.compose("pr:7", [SUBJECT])
    found = marker.find(text)
    assert found is not None
    assert state.read(text, found) == (SUBJECT,)
    assert state.read(text.replace("\n", "\r\n"), found) == (SUBJECT,)
    assert found.made == SUBJECT.cutoff


def test_subjects_are_remembered_in_one_order() -> None:
    other = msgspec.structs.replace(SUBJECT, subject_id="0" * 64)
    assert state.encode([SUBJECT, other]) == state.encode([other, SUBJECT])


@given(st.text())
def test_no_data_can_end_the_html_comment_or_mean_markdown(text: str) -> None:
    hostile = msgspec.structs.replace(SUBJECT.figures, id=text) if SUBJECT.figures else None
    subject = msgspec.structs.replace(SUBJECT, figures=hostile)
    written = state.encode([subject])
    assert written.isascii()
    assert not set("-<>&@#`~$|*!'\n\r") & set(written)
    block = state.line(written)
    assert block.count("-->") == block.count("--") - 1 == 1


def test_a_block_that_was_changed_is_as_good_as_none() -> None:
    text, made = body(SUBJECT)
    assert state.read(text, made) == (SUBJECT,)
    for broken in (
        text.replace("input", "Input"),
        text.replace("agent-observer:state:v1", "agent-observer:state:v2"),
        text + "something below",
        text.partition("\n")[0],
        text.replace(" -->\n", " ->\n"),
    ):
        assert state.read(broken, made) is None


@pytest.mark.parametrize("content", ["{}", "[]", '{"subjects":[{"kind":"task"}]}', '{"subjects":1}', "[" * 60_000, "{"])
def test_a_block_with_the_right_digest_still_has_to_decode(content: str) -> None:
    made = Marker("pr:7", state.digest(content), "unknown")
    assert state.read(f"{made.line}\n{state.line(content)}", made) is None


def test_the_state_of_a_block_with_non_ascii_text_is_unreadable() -> None:
    made = Marker("pr:7", "0" * 64, "unknown")
    assert state.read(f"{made.line}\n{state.line('é')}", made) is None


def test_the_newest_of_no_dates_is_unknown() -> None:
    undated = msgspec.structs.replace(SUBJECT, cutoff=None)
    assert state.newest([undated]) == "unknown"
    assert state.newest([undated, SUBJECT]) == SUBJECT.cutoff
