"""Which messages are prompts of a person, and whose sessions they are in."""

from typing import Any

import pytest

from tests.unit.adapters.codex.rollouts import (
    KEY,
    OTHER,
    THREAD,
    Rollout,
    events,
    genuine,
    kinds,
    read,
    session_of,
    turn_of,
)

OLD = {"session_id": ..., "thread_source": ..., "source": "cli"}
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": OTHER, "depth": 1}}}


def test_user_text_is_a_genuine_prompt() -> None:
    """E051: exactly the user-text kind."""
    [found] = genuine(read(Rollout().turn().user("fix it", id="msg_1")))
    assert (found.id, found.text, found.turn, found.main) == ("codex:msg_1", "fix it", "t1", True)
    assert found.session == KEY


def test_user_text_among_other_kinds_is_genuine_for_itself() -> None:
    """E051, overruled by behaviour §0: two kinds are not scaffolding when one is the user's text."""
    rollout = Rollout().turn().user("<context/>", "fix it", kinds=["environments.environment_context", "user.text"])
    assert [each.text for each in genuine(read(rollout))] == ["fix it"]


@pytest.mark.parametrize(
    "kind", ["environments.environment_context", "compaction.summary", "multi_agent.subagent_notification"]
)
def test_other_kinds_are_scaffolding(kind: str) -> None:
    """E051."""
    assert kinds(read(Rollout().turn().user("<something>", kinds=[kind]))) == ["scaffolding"]


def test_an_empty_prompt_is_none_of_a_person() -> None:
    assert kinds(read(Rollout().turn().user("  \n"))) == ["scaffolding"]


def test_a_notice_of_interruption_is_an_interrupt() -> None:
    marked = Rollout().turn().user("<turn_aborted>\nstopped", kinds=["generic.turn_aborted"])
    assert kinds(read(marked)) == ["interrupt"]
    assert kinds(read(Rollout().turn().user("<turn_aborted>\nstopped", kinds=None))) == ["interrupt"]


@pytest.mark.parametrize(
    "text",
    [
        '{"answers": {"q1": ["yes"]}}',
        "<request_user_input_response>yes</request_user_input_response>",
        "<user_input>\nyes",
    ],
)
def test_an_answer_to_an_agents_question_is_synthetic(text: str) -> None:
    """E052."""
    assert kinds(read(Rollout().turn().user(text))) == ["synthetic"]


def test_a_question_about_the_tool_is_genuine() -> None:
    assert kinds(read(Rollout().turn().user("why was request_user_input called?"))) == ["genuine"]


@pytest.mark.parametrize(
    ("identity", "parent"),
    [
        ({"session_id": OTHER, "thread_source": "subagent", "source": SPAWN, "parent_thread_id": OTHER}, OTHER),
        ({"session_id": ..., "thread_source": ..., "source": SPAWN}, OTHER),
        ({"session_id": OTHER}, OTHER),
        ({"thread_source": "automation"}, None),
        ({**OLD, "source": {"subagent": "review"}}, None),
        ({**OLD, "parent_thread_id": OTHER}, OTHER),
    ],
)
def test_a_child_has_no_prompts_of_a_person(identity: dict[str, Any], parent: str | None) -> None:
    """E053: thread id is not the session id, or the source is no user."""
    found = read(Rollout(**identity).turn().user("do this"))
    assert [(each.kind, each.main) for each in found.submissions] == [("synthetic", False)]
    session = session_of(found)
    assert (session.role, session.parent) == ("subagent", f"codex:{parent}" if parent else None)


@pytest.mark.parametrize(
    ("identity", "role"),
    [
        ({}, "main"),
        (OLD, "main"),
        ({**OLD, "source": "vscode"}, "main"),
        ({**OLD, "source": "mcp"}, None),
        ({**OLD, "source": ...}, None),
        ({**OLD, "source": {"custom": "x"}}, None),
    ],
)
def test_a_session_is_main_only_when_its_metadata_prove_it(identity: dict[str, Any], role: str | None) -> None:
    found = read(Rollout(**identity).turn().user("do this"))
    assert session_of(found).role == role
    assert [(each.kind, each.main) for each in found.submissions] == [("genuine", role == "main")]


def test_a_message_before_the_metadata_is_judged_by_them() -> None:
    """E054."""
    [found] = genuine(read(Rollout(id=None).user("early").meta().turn()))
    assert (found.session, found.main) == (KEY, True)
    early = Rollout(id=None).user("early").meta(source=SPAWN, thread_source="subagent")
    assert kinds(read(early)) == ["synthetic"]


def test_later_proof_of_a_child_demotes_the_session() -> None:
    """E055: by a record of another root, or by metadata that come again. The key is the thread's from the start."""
    usage = [1, 0, 0, 1, 0, 2]
    for proof in (
        Rollout().turn().user("a").record("r1", usage, session_id=OTHER),
        Rollout().turn().user("a").meta(thread_source="subagent", parent_thread_id=OTHER),
    ):
        proof.user("b")
        found = read(proof, cuts=(4,))
        assert (session_of(found).role, session_of(found).parent) == ("subagent", f"codex:{OTHER}")
        assert kinds(found) == ["genuine", "synthetic"]


def test_completed_items_of_messages_count_nothing() -> None:
    """E057."""
    rollout = (
        Rollout()
        .turn()
        .user("fix it", id="msg_1")
        .done("UserMessage", id="u1", content=[{"type": "text", "text": "fix it"}])
    )
    rollout.done("AgentMessage", id="m1", content=[{"type": "Text", "text": "done"}])
    rollout.item("message", role="assistant", id="m1", content=[{"type": "output_text", "text": "done"}])
    found = read(rollout.event("agent_message", message="done").event("user_message", message="fix it"))
    assert kinds(found) == ["genuine"]
    assert [(each.native_id, each.detail and each.detail.text) for each in events(found, "assistant_message")] == [
        ("m1", "done")
    ]


def test_without_marks_the_event_is_the_prompt_and_begins_a_turn() -> None:
    rollout = Rollout(**OLD).user("<environment_context>\n", kinds=None).user("one", kinds=None)
    rollout.event("user_message", message="one", kind="plain").context().count(450, 450)
    rollout.user("two", kinds=None).event("user_message", message="two", images=[]).context("gpt-5.6-luna").count(
        1120, 670
    )
    found = read(rollout)
    assert kinds(found) == ["scaffolding", "genuine", "genuine"]
    assert [each.id for each in genuine(found)] == [f"codex:{THREAD}:p:3", f"codex:{THREAD}:p:7"]
    turns = [f"{THREAD}:turn:1", f"{THREAD}:turn:2"]
    assert [each.turn for each in genuine(found)] == turns
    assert [each.turn for each in found.responses] == turns
    assert [each.model for each in found.turns] == ["gpt-6-astra", "gpt-5.6-luna"]
    assert turn_of(found, turns[0]).started_ms == genuine(found)[0].at_ms


def test_without_marks_but_with_turn_ids_the_prompt_joins_its_turn() -> None:
    found = read(Rollout(**OLD).turn("a").event("user_message", message="one"))
    assert [each.turn for each in genuine(found)] == ["a"]
    assert [each.id for each in found.turns] == ["a"]


@pytest.mark.parametrize(
    "event", [{"message": "<user_instructions>", "kind": "user_instructions"}, {"message": " "}, {}]
)
def test_events_that_no_person_caused_are_scaffolding(event: dict[str, Any]) -> None:
    assert kinds(read(Rollout(**OLD).event("user_message", **event))) == ["scaffolding"]


def test_developer_messages_are_nothing() -> None:
    found = read(Rollout().turn().item("message", role="developer", content=[{"type": "input_text", "text": "rules"}]))
    assert (found.submissions, found.events) == ([], [])


def test_a_session_is_described_by_its_metadata() -> None:
    found = read(Rollout(forked_from_id=OTHER).turn())
    session = session_of(found)
    assert (session.harness, session.native_id) == ("codex", THREAD)
    assert (session.project, session.branch) == ("/srv/kit", "main")
    assert (session.client_version, session.entry_point) == ("0.169.0", "codex_exec")
    assert session.forked_from == f"codex:{OTHER}"
    assert session.ended_ms is not None
    assert session.started_ms is not None
    assert session.ended_ms - session.started_ms == 2000


def test_without_metadata_the_name_of_the_file_tells_the_session() -> None:
    found = read(Rollout(id=None).turn().record("r1", [1, 0, 0, 1, 0, 2], thread_id=None))
    assert [each.key for each in found.sessions] == [KEY]
    assert [each.session for each in found.responses] == [KEY]


def test_metadata_without_a_thread_id_give_the_session_id() -> None:
    found = read(Rollout(id=None).meta(id=..., session_id=OTHER).turn())
    assert [each.key for each in found.sessions] == [f"codex:{OTHER}"]


def test_a_file_without_a_usable_line_is_no_session() -> None:
    assert read([b"{", b"[]", b"nonsense"]).sessions == []


@pytest.mark.parametrize(
    ("stamp", "at_ms"),
    [
        ("2026-11-30T18:14:09.250Z", 1_796_062_449_250),
        (1_796_062_449.25, 1_796_062_449_250),
        (1_796_062_449_250, 1_796_062_449_250),
        ("yesterday", None),
        (None, None),
        ([], None),
    ],
)
def test_a_time_is_known_or_unknown_and_never_zero(stamp: Any, at_ms: int | None) -> None:
    rollout = Rollout(id=None).user("when?")
    rollout.lines[0]["timestamp"] = stamp
    assert [each.at_ms for each in read(rollout).submissions] == [at_ms]
