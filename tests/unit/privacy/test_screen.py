"""The screen as a whole: which fields of a record pass, and as what."""

import json
import re
from typing import Any

import pytest

from observer.privacy import detail as details
from observer.privacy import version
from observer.privacy.screen import screen
from observer.records.event import Event, Family, RawDetail, RawEvent
from observer.records.response import Response
from observer.records.semantics import CLAUDE
from observer.records.session import Session, Turn
from observer.records.source import Batch, Quarantine, RawBatch
from observer.records.submission import RawSubmission, Submission
from observer.records.usage import TokenUsage
from tests.unit.privacy import planted

SECRET = planted.FORMED["github personal"]


def event(family: Family, **known: Any) -> Event:
    raw = RawEvent("claude:s1", family, "e1", 0, **known)
    return screen(RawBatch(events=[raw])).events[0]


def detail(family: Family, **known: Any) -> Any:
    kept = event(family, detail=RawDetail(**known)).detail
    return None if kept is None else json.loads(kept)


def response(**known: Any) -> Batch:
    given: dict[str, Any] = {"semantics": CLAUDE.label, "usage": TokenUsage(1, 2), "ordinal": 3}
    return screen(RawBatch(responses=[Response(id="claude:msg_1", session="claude:s1", **(given | known))]))


def test_every_version_says_what_changed() -> None:
    """E028: what was stored under another version is read again."""
    told = re.findall(r"^(\d+)   \S", version.__doc__ or "", re.MULTILINE)
    assert told == [str(number) for number in range(1, version.PRIVACY_VERSION + 1)]


def test_honest_records_pass_unchanged() -> None:
    session = Session(
        "claude:s1", "claude", "s1", None, "main", "/home/dev/p", "main", "2.1.328", "cli", None, 1, 2, None
    )
    turn = Turn("claude:s1", "t1", 1, 2, 1, "complete", "claude-opus-5-5", "high")
    answer = Response(
        "claude:msg_1", "claude:s1", CLAUDE.label, TokenUsage(1, 2, 3, 3, 0, 4, None, 10), 0, 5, "t1",
        "claude-opus-5-5[1m]", "anthropic", "high", True, 2, 10, "0.5", "standard", "fast", 1,
    )  # fmt: skip
    fault = Quarantine(4, "schema_error", ("message", "type"))
    kept = screen(RawBatch(sessions=[session], turns=[turn], responses=[answer], faults=[fault]))
    assert kept == Batch((session,), (turn,), (answer,), (), (), (fault,))


def test_a_screening_depends_on_its_batch_alone() -> None:
    """E032: a second source of the same session, or a replay, undoes nothing."""
    raw = RawBatch(submissions=[RawSubmission("claude:p", "claude:s", "genuine", "a <b>", 0, main=True)])
    assert screen(raw) == screen(raw)


def test_no_record_has_a_title() -> None:
    """E031: what no field can hold is never stored."""
    for kind in (Batch, Session, Turn, Submission, Event):
        assert not any("title" in field for field in kind.__struct_fields__)


@pytest.mark.parametrize(
    ("family", "kept"),
    [
        ("tool_call", None),
        ("tool_result", {"exit_code": -1}),
        ("read", {"start_line": 1, "line_count": 2, "command": "sed x"}),
        ("skill_read", {"start_line": 1, "line_count": 2, "command": "sed x", "skill": "tidy", "path": "/s/SKILL.md"}),
        ("skill_invoke", {"path": "/s/SKILL.md"}),
        ("file_change", {"paths": ["/a", "/b"]}),
        ("permission", None),
        ("assistant_message", {"excerpt": "Done."}),
        ("compaction", None),
        ("lifecycle", None),
    ],
)
def test_a_detail_says_what_its_family_may(family: Family, kept: Any) -> None:
    everything = {
        "paths": ("/a", "/b"), "path": "/s/SKILL.md", "skill": "tidy", "command": "sed x", "exit_code": -1,
        "start_line": 1, "line_count": 2, "text": "Done.",
    }  # fmt: skip
    assert detail(family, **everything) == kept
    assert detail(family) is None


def test_a_long_list_of_paths_is_shortened_to_valid_json() -> None:
    paths = tuple(f'/home/dev/"quoted"/é/{number}' for number in range(500))
    kept = event("file_change", detail=RawDetail(paths=paths)).detail
    assert kept is not None
    assert details.LONGEST - 40 < len(kept) <= details.LONGEST
    assert json.loads(kept)["paths"] == list(paths[: len(json.loads(kept)["paths"])])


def test_a_long_command_is_shortened_to_valid_json() -> None:
    kept = event("skill_read", detail=RawDetail(command='"\\' * 40_000, path="/p" * 3000, start_line=1)).detail
    assert kept is not None
    assert len(kept) <= details.LONGEST
    assert set(json.loads(kept)) == {"command", "path", "start_line"}


def test_a_skill_name_is_an_identifier() -> None:
    """E139."""
    assert detail("skill_read", skill="../../x y", start_line=1) == {"start_line": 1}


def test_secrets_in_a_detail_are_replaced() -> None:
    said = RawDetail(("/" + SECRET,), "/" + SECRET, SECRET, "x " + SECRET, text="x " + SECRET)
    for family in ("read", "skill_read", "skill_invoke", "file_change", "assistant_message"):
        assert SECRET not in str(event(family, detail=said).detail)


def test_families_without_files_have_no_target_but_a_thread() -> None:
    for family in ("lifecycle", "compaction", "assistant_message"):
        assert event(family, target="finish the migration").target is None
        assert event(family, target="agent-1").target == "agent-1"
    assert event("tool_call", target="finish it").target == "finish it"


def test_an_event_of_no_known_family_is_left_out() -> None:
    assert screen(RawBatch(events=[RawEvent("claude:s", "thought", "e", 0)])).events == ()  # type: ignore[arg-type]


def test_numbers_that_the_ledger_cannot_hold_are_unknown() -> None:
    kept = event("tool_result", at_ms=2**63, duration_ms=-1, size_bytes=True, detail=RawDetail(exit_code=2**70))
    assert (kept.at_ms, kept.duration_ms, kept.size_bytes, kept.detail) == (None, None, None, None)


@pytest.mark.parametrize("counter", [-1, 2**63, True, 1.5, "7"])
def test_counters_that_are_no_counts_are_a_fault_and_no_response(counter: Any) -> None:
    kept = response(usage=TokenUsage(counter))
    assert kept.responses == ()
    assert kept.faults == (Quarantine(3, "malformed_usage"),)


def test_a_response_says_nothing_but_known_words() -> None:
    kept = response(
        turn="a b", model="<x>", provider="a\nb", effort="very high", service_tier="é", speed="x y",
        native_cost_usd="free", semantics="Hello there", origin=9, cumulative=-1, web_search_requests=-1,
    ).responses[0]  # fmt: skip
    assert kept.turn is not None
    assert len(kept.turn) == 64
    assert (kept.model, kept.provider, kept.effort, kept.service_tier, kept.speed) == (None,) * 5
    assert (kept.native_cost_usd, kept.cumulative, kept.web_search_requests, kept.origin) == (None, None, None, 0)
    assert kept.semantics == "unknown:unverified"


@pytest.mark.parametrize("cost", ["0", "0.5", "1e-05", "12.345"])
def test_a_native_cost_is_kept_as_recorded(cost: str) -> None:
    assert response(native_cost_usd=cost).responses[0].native_cost_usd == cost


def test_session_metadata_is_validated() -> None:
    """E141: a control character or a marker in the project directory."""
    raw = Session("codex:a", "codex", "a", project="/a\x07", branch="<b>", client_version="9" * 65, entry_point="cli\n")
    kept = screen(RawBatch(sessions=[raw])).sessions[0]
    assert (kept.project, kept.branch, kept.client_version, kept.entry_point) == (None,) * 4


def test_a_replaced_key_is_the_same_in_every_record() -> None:
    key = "codex:my thread"
    kept = screen(
        RawBatch(
            sessions=[
                Session(key, "codex", "my thread"),
                Session("codex:b", "codex", "b", parent=key, forked_from=key),
            ],
            turns=[Turn(key, "t")],
            responses=[Response("codex:r", key, CLAUDE.label, TokenUsage(), 0)],
            submissions=[RawSubmission("codex:p", key, "genuine", "x", 0)],
            events=[RawEvent(key, "compaction", "e", 0)],
        )
    )
    first, second = kept.sessions
    assert {each.session for each in (*kept.turns, *kept.responses, *kept.submissions, *kept.events)} == {first.key}
    assert (second.parent, second.forked_from) == (first.key, first.key)
    assert first.key == "codex:" + first.native_id


def test_a_role_or_state_nobody_knows_is_unknown() -> None:
    raw = RawBatch(
        sessions=[Session("codex:a", "codex", "a", role="boss")],  # type: ignore[arg-type]
        turns=[Turn("codex:a", "t", state="lost")],  # type: ignore[arg-type]
    )
    kept = screen(raw)
    assert (kept.sessions[0].role, kept.turns[0].state) == (None, None)


def test_a_fault_holds_key_names_and_a_known_category() -> None:
    """E018, E019, E030: never a value; a record's type is not a category."""
    raw = [
        Quarantine(1, "schema_error", ("type", SECRET, "payload", "a b")),
        Quarantine(None, SECRET, ("x",)),  # type: ignore[arg-type]
    ]
    assert screen(RawBatch(faults=raw)).faults == (
        Quarantine(1, "schema_error", ("payload", "type")),
        Quarantine(None, "import_error", ("x",)),
    )
