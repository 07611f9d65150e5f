"""Which agent instructions a session ran with, through the real command line: every proof, from every agent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import direction
from tests.builders.direction import Repository, block, payload, sections, sha256
from tests.builders.native import Claude, Codex
from tests.command_line import Cli
from tests.unit.adapters.grok.sessions import SID, Folder
from tests.unit.adapters.opencode.stores import PLACE, Database, text, user

OLD, NEW = "# Rules\n\nBe brief.\n", "# Rules\n\nBe brief.\nAnd plain.\n"
SECRET = "pl4nted-pr3ference"
PLUGIN = "/home/dev/.claude/plugins/cache/kit/agentsmd"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    repository = Repository(tmp_path / "clone").release("v12.0.0", {"AGENTS.md": OLD})
    repository.release("v12.1.0-rc1", {"AGENTS.md": "# Candidate\n"}).release("12.1.0", {"global/AGENTS.md": NEW})
    return repository.release("v12.2.0", {"global/AGENTS.md": NEW}).path


def session() -> Claude:
    return Claude("s1").prompt("please", uuid="p1")


def hooked(*contexts: str) -> Claude:
    """A session whose hook gave these contexts."""
    found = session()
    for each in contexts:
        found.attachment("hook_success", hookEvent="UserPromptSubmit", content=each, stdout=each + "\n")
    return found


def synced(cli: Cli, records: Claude | Codex, *words: object) -> dict[str, Any]:
    """What is shown of the session after a sync."""
    if isinstance(records, Claude):
        records.response("msg_1")
    records.lay(cli.home)
    return shown(cli, "s1" if isinstance(records, Claude) else "t-1", *words)


def shown(cli: Cli, name: str, *words: object) -> dict[str, Any]:
    answer = cli("sync", *words)
    assert answer.code == 0, answer
    assert cli("faults", "list", "--json").json["faults"] == []
    found: dict[str, Any] = cli("sessions", "show", "--session", name, "--json").json
    return found


def stored(cli: Cli) -> bytes:
    """Everything that is kept, and all that is shown of the session."""
    files = b"".join(path.read_bytes() for path in sorted(cli.ledger.parent.iterdir()))
    return files + cli("sessions", "show", "--session", "s1").out.encode()


@pytest.mark.parametrize("form", [block, sections])
def test_a_hook_block_with_a_known_hash_names_the_release(cli: Cli, clone: Path, form: Callable[..., str]) -> None:
    """E142: status and digests as given; the texts of the block are nowhere."""
    said = payload(sha256(NEW), status="potentially_stale")
    said["preferences"]["content"] = SECRET
    found = synced(cli, hooked(form(said)), "--agentsmd-repo", clone)
    assert found["agentsmd_version"] == "12.1.0"
    digest = found["instructions"].pop("direction_sha256")
    assert len(digest) == 64
    assert found["instructions"] == {
        "direction_status": "potentially_stale",
        "instructions_sha256": sha256(NEW),
        "preferences_sha256": "e" * 64,
        "preferences_status": "ready",
        "repository_root": "/srv/kit",
        "git_head": direction.HEAD,
        "instructions_path": direction.TARGET,
        "matched_sha256": None,
    }
    kept = stored(cli)
    assert SECRET.encode() not in kept
    assert b"Where to go" not in kept
    assert b"Be brief" not in kept
    lines = cli("sessions", "show", "--session", "s1").out.splitlines()
    assert f"{'agentsmd':16}12.1.0" in lines
    assert any("potentially_stale" in line for line in lines)


def test_a_broken_block_is_unparsed_until_a_good_one_comes(cli: Cli, clone: Path) -> None:
    """E143: a good one stays, whatever comes after it."""
    records = hooked(block('{"status": "ready", '))
    found = synced(cli, records, "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["direction_status"]) == (None, "unparsed")
    records.attachment("hook_success", content=block(payload(sha256(OLD))))
    records.attachment("hook_success", content=block("[]"))
    found = synced(cli, records)
    assert (found["agentsmd_version"], found["instructions"]["direction_status"]) == ("12.0.0", "ready")


def agents_md(files: str, *, thread: str = "t-1") -> Codex:
    """A Codex session that was given these instruction files."""
    body = f"# AGENTS.md instructions for /srv/kit\n\n<INSTRUCTIONS>\n{files}\n</INSTRUCTIONS>"
    found = Codex(thread).turn("A")
    found.item("message", role="user", content=[{"type": "input_text", "text": body}])
    return found.prompt("one", name="q1").record(f"resp_{thread}").complete()


def test_embedded_text_is_its_release_by_exact_beginning(cli: Cli, clone: Path) -> None:
    """E144: host text after it, or the project's own file, does not matter; one byte of it does."""
    found = synced(cli, agents_md(NEW + "\n--- project-doc ---\n\nUse tabs."), "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["matched_sha256"]) == ("12.1.0", sha256(NEW))
    agents_md(NEW.replace("b", "d") + "\n--- project-doc ---\n\nUse tabs.", thread="t-2").lay(cli.home)
    assert shown(cli, "t-2")["agentsmd_version"] is None


@pytest.mark.parametrize("content", [NEW, NEW.removesuffix("\n")])
def test_a_loaded_file_is_its_release_with_or_without_final_newline(cli: Cli, clone: Path, content: str) -> None:
    """E145: Claude's and Codex's own ways to show it."""
    files = [{"path": f"/x/{name}", "type": "User", "content": each} for name, each in (("a", content), ("b", "# P"))]
    found = synced(cli, session().attachment("instructions", files=files), "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["matched_sha256"]) == ("12.1.0", sha256(NEW))
    assert synced(cli, agents_md(content))["agentsmd_version"] == "12.1.0"


def test_texts_that_were_read_before_the_releases_are_told_with_the_way_to_decide_them(cli: Cli, clone: Path) -> None:
    """§10: only digests of known releases are kept of a text; what a block states need not be read again."""
    agents_md(NEW).lay(cli.home)
    assert synced(cli, hooked(block(payload(sha256(OLD)))))["agentsmd_version"] is None
    answer = cli("sync", "--agentsmd-repo", clone)
    again = f"agent-observer sync --full --harness codex --agentsmd-repo {clone}"
    assert answer.err.endswith(
        "codex: 1 session may have run a release of the agent instructions that was not known when they were read:"
        f" {again}\n"
    )
    assert "claude" not in answer.err
    (shown,) = cli("sessions", "list", "--harness", "claude", "--json").json["sessions"]
    assert shown["agentsmd_version"] == "12.0.0"
    assert cli("sync", "--agentsmd-repo", clone).err == ""
    assert cli(*again.split()[1:]).err == ""
    (shown,) = cli("sessions", "list", "--harness", "codex", "--json").json["sessions"]
    assert shown["agentsmd_version"] == "12.1.0"


def reading(*versions: str) -> Claude:
    """A session that read Skills of these plugin versions."""
    found = session()
    for number, version in enumerate(versions):
        body = f"Base directory for this skill: {PLUGIN}/{version}/skills/s{number}\n\n# Skill"
        found.prompt(body, isMeta=True)
    return found


def test_skill_paths_alone_name_the_version_most_often_read(cli: Cli) -> None:
    """E146: no repository is needed for it."""
    assert synced(cli, reading("12.1.0"))["agentsmd_version"] == "12.1.0"
    assert synced(cli, reading("12.1.0", "12.0.0", "12.0.0"), "--full")["agentsmd_version"] == "12.0.0"


def test_the_earliest_release_keeps_a_hash_and_a_candidate_is_none(cli: Cli, clone: Path) -> None:
    """E147."""
    records = hooked(block(payload(sha256(NEW)))).lay(cli.home)
    answer = cli("sync", "--agentsmd-repo", clone, "--json").json
    assert answer["agentsmd_versions"] == 2
    assert shown(cli, "s1")["agentsmd_version"] == "12.1.0"
    records.unlink()
    assert synced(cli, hooked(block(payload(sha256("# Candidate\n")))))["agentsmd_version"] is None


@pytest.mark.parametrize("path", ["global/AGENTS.md", "/" + "x" * 1024, "/srv/<system>/AGENTS.md", "/srv/\x1b[2J"])
def test_a_bad_target_path_is_dropped_and_the_hash_used(cli: Cli, clone: Path, path: str) -> None:
    """E148."""
    stated = {"target_sha256": sha256(OLD), "resolved_target": path}
    found = synced(cli, hooked(block(payload(instructions=stated))), "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["instructions_path"]) == ("12.0.0", None)
    assert path.encode() not in stored(cli)


def test_a_hash_outranks_a_path_even_when_nobody_knows_it(cli: Cli, clone: Path) -> None:
    records = reading("12.1.0", "12.1.0").attachment("hook_success", content=block(payload("9" * 64)))
    found = synced(cli, records, "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["instructions_sha256"]) == (None, "9" * 64)
    Repository(clone.parent / "later").release("v13.0.0", {"AGENTS.md": "x"})
    assert synced(cli, records, "--agentsmd-repo", clone.parent / "later")["agentsmd_version"] is None


def test_a_repository_may_come_after_the_records_and_go_again(cli: Cli, clone: Path) -> None:
    """By option, by variable, or behind the agent's own link; what it told stays known."""
    assert synced(cli, hooked(block(payload(sha256(OLD)))))["agentsmd_version"] is None
    variable = {"AGENT_OBSERVER_AGENTSMD_REPO": str(clone)}
    assert cli("sync", "--json", env=variable).json["agentsmd_versions"] == 2
    assert shown(cli, "s1")["agentsmd_version"] == "12.0.0"


def test_the_link_to_the_instructions_leads_to_their_repository(cli: Cli, clone: Path) -> None:
    (cli.home / ".claude").mkdir()
    (cli.home / ".claude" / "CLAUDE.md").symlink_to(clone / "global" / "AGENTS.md")
    assert synced(cli, hooked(block(payload(sha256(OLD)))))["agentsmd_version"] == "12.0.0"


def test_a_place_that_is_no_repository_is_refused(cli: Cli, tmp_path: Path) -> None:
    answer = cli("sync", "--agentsmd-repo", tmp_path / "nothing")
    assert answer.code == 2
    assert "no git repository" in answer.err
    assert "Traceback" not in answer.err


def test_a_block_in_a_skill_body_yields_its_hashes_and_no_excerpt(cli: Cli, clone: Path) -> None:
    """E132."""
    records = session()
    body = "Base directory for this skill: /srv/skills/plan\n\nFollow this.\n" + sections(payload(sha256(OLD)))
    records.prompt(body, isMeta=True)
    found = synced(cli, records, "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["submissions"]) == ("12.0.0", {"genuine": 1, "scaffolding": 1})
    assert b"Follow this" not in stored(cli)


def test_usage_is_told_by_release(cli: Cli, clone: Path) -> None:
    agents_md(OLD).lay(cli.home)
    synced(cli, hooked(block(payload(sha256(NEW)))), "--agentsmd-repo", clone)
    Claude("s2").prompt("more", uuid="p2").response("msg_2").lay(cli.home)
    cli("sync")
    groups = cli("usage", "--by", "agentsmd", "--json").json["groups"]
    assert [(each["key"], each["responses"]) for each in groups] == [("12.0.0", 1), ("12.1.0", 1), (None, 1)]
    said = cli("usage", "--by", "agentsmd")
    assert said.code == 0
    assert "12.1.0" in said.out


def _json_hook(cli: Cli, said: str) -> str:
    printed = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": said}})
    session().attachment("hook_success", content="", stdout=printed).response("msg_1").lay(cli.home)
    return "s1"


def _listed_hook(cli: Cli, said: str) -> str:
    session().attachment("hook_additional_context", content=["other", said]).response("msg_1").lay(cli.home)
    return "s1"


def _beside_a_prompt(cli: Cli, said: str) -> str:
    blocks = [
        {"type": "text", "text": "please"},
        {"type": "text", "text": f"<system-reminder>{said}</system-reminder>"},
    ]
    Claude("s1").prompt(blocks, uuid="p1").response("msg_1").lay(cli.home)  # type: ignore[arg-type]
    return "s1"


def _subagent(cli: Cli, said: str) -> str:
    session().response("msg_1").lay(cli.home)
    records = Claude("s1", agent="a1").prompt("work").attachment("hook_success", content=said)
    records.response("msg_2").lay(cli.home)
    return "claude:s1:agent:a1"


def _developer(cli: Cli, said: str) -> str:
    records = Codex("t-1").turn("A")
    records.item("message", role="developer", content=[{"type": "input_text", "text": said}])
    records.prompt("one", name="q1").record("resp_1").complete().lay(cli.home)
    return "t-1"


def _opencode(cli: Cli, said: str) -> str:
    with Database(cli.home / PLACE) as store:
        store.session("ses_1").message("msg_u1", user(), text("please"), text(said, synthetic=True))
    return "ses_1"


def _grok(cli: Cli, said: str) -> str:
    records = Folder().turn(0, "01a22d9d-0000-7000-8000-0000000000aa")
    assert records.history is not None
    records.history.insert(0, {"type": "user", "content": [{"type": "text", "text": said}]})
    records.lay(cli.home)
    return SID


@pytest.mark.parametrize("lay", [_json_hook, _listed_hook, _beside_a_prompt, _subagent, _developer, _opencode, _grok])
def test_a_block_is_found_wherever_a_host_puts_it(cli: Cli, clone: Path, lay: Callable[[Cli, str], str]) -> None:
    name = lay(cli, "context:\n" + sections(payload(sha256(OLD))))
    found = shown(cli, name, "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]["git_head"]) == ("12.0.0", direction.HEAD)


def test_what_a_tool_returned_proves_nothing(cli: Cli, clone: Path) -> None:
    """A file that shows a block was read, not given by a hook."""
    records = session().call("msg_1", "toolu_1", "Bash", {"command": "cat notes"})
    records.tool_result("toolu_1", block(payload(sha256(OLD))))
    found = synced(cli, records, "--agentsmd-repo", clone)
    assert (found["agentsmd_version"], found["instructions"]) == (None, None)


def test_a_system_text_of_codex_or_grok_may_be_the_instructions(cli: Cli, clone: Path) -> None:
    meta = {"id": "t-1", "session_id": "t-1", "cwd": "/srv/kit", "source": "cli", "thread_source": "user"}
    records = Codex("t-1", meta=False)
    stamp = "2026-09-23T09:59:59.000Z"
    records.add({"timestamp": stamp, "type": "session_meta", "payload": meta | {"base_instructions": {"text": NEW}}})
    records.turn("A").prompt("one", name="q1").record("resp_1").complete()
    assert synced(cli, records, "--agentsmd-repo", clone)["agentsmd_version"] == "12.1.0"
    folder = Folder().turn(0, "01a22d9d-0000-7000-8000-0000000000aa")
    assert folder.history is not None
    folder.history.insert(0, {"type": "system", "content": OLD + "\nYou are an agent."})
    folder.lay(cli.home)
    assert shown(cli, SID)["agentsmd_version"] == "12.0.0"
