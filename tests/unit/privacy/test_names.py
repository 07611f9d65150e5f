"""Names, statuses, labels and identifiers: as recorded, or not at all."""

import re

import pytest

from observer.privacy import names
from observer.records.event import Family
from tests.unit.privacy import planted

HEX = r"[0-9a-f]{64}"


@pytest.mark.parametrize(
    "name", ["Bash", "mcp__server__tool", "functions.exec", "_x", "plugin:skill", "a/b-c", "a" * 80]
)
def test_an_identifier_is_a_name(name: str) -> None:
    assert names.event_name("tool_call", name) == name


@pytest.mark.parametrize(
    "text", ["", "a b", "a" * 81, "été", "1st", "-x", "a\n", "a<b>", "../x", planted.FORMED["aws"]]
)
def test_anything_else_is_dropped(text: str) -> None:
    """E139: white space, 81 characters, letters of other alphabets; and secrets."""
    assert names.event_name("tool_call", text) is None


@pytest.mark.parametrize("family", ["lifecycle", "compaction", "assistant_message", "file_change"])
def test_some_families_have_names_of_closed_lists(family: Family) -> None:
    assert names.event_name(family, "my_project") is None


def test_what_the_adapters_call_their_events_is_on_the_lists() -> None:
    for name in ("turn_duration", "api_error", "turn_aborted", "thread_goal_updated", "collab_agent", "review_entered"):
        assert names.event_name("lifecycle", name) == name
    assert names.event_name("compaction", "compact_boundary") == "compact_boundary"
    assert names.event_name("file_change", "NotebookEdit") == "NotebookEdit"


def test_a_status_is_of_its_familys_list() -> None:
    """E140."""
    assert names.status("tool_result", "denied") == "denied"
    assert names.status("permission", "denied") == "denied"
    assert names.status("lifecycle", "cancelled") == "cancelled"
    assert names.status("tool_result", "went fine") is None
    assert names.status("assistant_message", "ok") is None


@pytest.mark.parametrize("family", ["lifecycle", "tool_result"])
def test_an_http_status_is_kept_as_text(family: Family) -> None:
    """E140: as integer or as three digits."""
    assert [names.status(family, value) for value in (503, "503", "100", 599)] == ["503", "503", "100", "599"]
    assert [names.status(family, value) for value in ("099", "600", 99, 600, True, "5030", "٥٠٣")] == [None] * 7


def test_other_families_have_no_http_status() -> None:
    """E140."""
    assert names.status("permission", 503) is None


@pytest.mark.parametrize(
    "label", ["/home/dev/résumé site", "feature/x#1", "2.1.328", "C:\\dev\\a b", "(no branch)", "a < b"]
)
def test_an_honest_label_is_kept(label: str) -> None:
    assert names.label(label, 255) == label


@pytest.mark.parametrize(
    "label", ["", "/a\nb", "/a\x1b[0m", "/a\x00", "/a<b>", "/a</b", "/<<<", "x" * 256, "a\u202eb", "a\tb"]
)
def test_a_label_with_controls_or_markers_is_dropped(label: str) -> None:
    """E141: also one that is too long."""
    assert names.label(label, 255) is None


def test_a_secret_in_a_label_is_replaced() -> None:
    assert names.label("/home/dev/" + planted.FORMED["gitlab"], 255) == "/home/dev/[redacted]"


def test_half_a_surrogate_pair_costs_no_label() -> None:
    assert names.label("/home/\udce9t", 255) == "/home/?t"


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-5-5[1m]",
        "anthropic/claude-opus-5-5",
        "us.anthropic.claude-v1:0",
        "gpt-6@2026",
        "a+b",
        "通义千问",
        "GPT 6 (new)",
    ],
)
def test_a_model_is_shown_as_recorded(model: str) -> None:
    assert names.model(model) == model


@pytest.mark.parametrize("model", ["<script>", "a`b", "a\nb", "x" * 129, ">"])
def test_a_model_with_markup_or_controls_is_dropped(model: str) -> None:
    assert names.model(model) is None


def test_a_setting_is_a_word() -> None:
    assert [names.word(text) for text in ("xhigh", "a b", "x" * 65, planted.FORMED["openai"])] == [
        "xhigh",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "native_id",
    [
        "toolu_01ABCdef",
        "claude:0d9c2f3e-3b4a-4c5d-8e6f-7a8b9c0d1e2f",
        "codex:t:tc:0:450",
        "claude:s:agent:a1b2",
        "t1",
        "msg_1",
    ],
)
def test_an_honest_identifier_is_kept(native_id: str) -> None:
    assert names.identifier(native_id) == native_id


@pytest.mark.parametrize(
    "native_id", ["a b", "", "é", "a\x00b", "x" * 129, "\ud800", "call:/src/my file.py", "<x>", "a\n"]
)
def test_any_other_identifier_is_replaced_by_its_digest(native_id: str) -> None:
    assert re.fullmatch(HEX, names.identifier(native_id))
    assert re.fullmatch("codex:" + HEX, names.identifier("codex:" + native_id + " x"))


@pytest.mark.parametrize("kind", planted.FORMED)
def test_no_secret_passes_as_an_identifier(kind: str) -> None:
    for before in ("claude:", "claude:call_", "toolu_", "toolu_0a", "0a-", "codex:0a0a0a0a-", "call_x:"):
        assert planted.FORMED[kind] not in names.identifier(before + planted.FORMED[kind])


def test_equal_identifiers_stay_equal_and_others_stay_apart() -> None:
    assert names.identifier("codex:a b") == names.identifier("codex:a b")
    assert names.identifier("codex:a b") != names.identifier("codex:a  b")


def test_key_names_are_sorted_and_short() -> None:
    """E018: names only, at most 200 characters when joined."""
    assert names.key_names(["b", "a", "b", "has space", "é", "x" * 81, planted.FORMED["github app"]]) == ("a", "b")
    many = names.key_names([f"key_{number:03}" for number in range(100)])
    assert len(",".join(many)) <= names.KEYS_LONGEST
    assert many == tuple(f"key_{number:03}" for number in range(25))
