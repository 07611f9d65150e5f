"""`trace` on the command line: a scope is needed, text is cut at 50, JSON at the limit, the join at nothing."""

import pytest

from tests.builders.native import Claude
from tests.builders.small import named, refused
from tests.command_line import Cli


def test_a_scope_is_required_and_must_make_sense(shared: Cli) -> None:
    refused(shared("trace"), "--task", "--session", "--turn")
    refused(shared("trace", "--task", "T-1", "--session", "s1"), "--task")
    refused(shared("trace", "--capabilities", "--session", "s1"), "--capabilities")
    refused(shared("trace", "--session", "s1", "--family", "colour"))
    refused(shared("trace", "--session", "s1", "--limit", "0"))


@pytest.mark.parametrize(
    "words",
    [("--task", "T-X"), ("--session", "nope"), ("--turn", "nope"), ("--turn", "A", "--session", "s1")],
    ids=named,
)
def test_what_is_not_there_is_refused(shared: Cli, words: tuple[str, ...]) -> None:
    refused(shared("trace", *words), words[1])


def test_capabilities_need_no_ledger(cli: Cli) -> None:
    document = cli("trace", "--capabilities", "--json").json
    assert set(document["harnesses"]) >= {"claude", "codex", "opencode", "grok", "router"}
    assert all(
        {each["supported"] for each in rows} <= {"yes", "no", "partly"} for rows in document["harnesses"].values()
    )
    assert isinstance(document["event_contract"], int)
    assert not cli.ledger.exists()


def test_text_shows_fifty_and_json_everything_up_to_the_limit(cli: Cli) -> None:
    """E248: sixty events."""
    text = Claude("s1").prompt("x")
    for number in range(30):
        text.call(f"msg_{number}", f"call_{number}", "Bash", {"command": f"echo {number}"})
        text.tool_result(f"call_{number}", "ok")
    text.lay(cli.home)
    cli("sync")
    shown = cli("trace", "--session", "s1")
    assert sum(line.startswith("2026-") for line in shown.out.splitlines()) == 50
    assert "10 more" in shown.err
    assert "calls 30, results 30, joined 30" in shown.out
    assert len(cli("trace", "--session", "s1", "--json").json["events"]) == 60
    cut = cli("trace", "--session", "s1", "--json", "--limit", "7").json
    assert (len(cut["events"]), cut["truncated"], len(cut["join"]["joined"])) == (7, True, 30)
    assert (
        sum(line.startswith("2026-") for line in cli("trace", "--session", "s1", "--limit", "60").out.splitlines())
        == 60
    )


def test_nothing_found_points_to_what_cannot_be_shown(shared: Cli) -> None:
    answer = shared("trace", "--session", "codex:t-1", "--family", "skill_invoke")
    assert answer.code == 0
    assert "--capabilities" in answer.err


def test_a_secret_in_a_command_is_in_no_trace(cli: Cli) -> None:
    secret = "hunter2hunter2"
    Claude("s1").call("msg_1", "c1", "Bash", {"command": f"deploy --password {secret}"}).lay(cli.home)
    cli("sync")
    for words in ((), ("--json",)):
        answer = cli("trace", "--session", "s1", *words)
        assert "deploy" in answer.out
        assert secret not in answer.out + answer.err
