"""Text that wants to be a command: in every input and in every field of an artifact it stays text.

As real processes, because shells, expressions and the runner's files are what
would be fooled.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.builders.evidence import document, encode, evidence, sealed, used
from tests.pages import github as github_markdown
from tests.peers.actions import Ended, Machine
from tests.peers.lab import Lab
from tests.places import ROOT

Hosted = Callable[..., Machine]
# Breaks out of single and double quotes, of a heredoc, of an output, of a command and of Markdown, one after the other.
PAYLOAD = "\n".join(
    (
        "x\"; touch PWNED; echo \"'; touch PWNED; echo '",
        "$(touch PWNED)`touch PWNED`",
        "EOF",
        "result=pwned",
        "::error::pwned",
        "::add-path::/tmp",
        "${{ github.token }}",
        "``` <img src=x onerror=1> [x](https://evil.example)",
    )
)
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GIVEN = evidence(used(responses=2, input=1000, output=200))


def harmless(machine: Machine, ended: Ended) -> None:
    """Nothing of the payload took effect anywhere."""
    assert not list(machine.folder.rglob("PWNED*"))
    assert ended.outputs["result"] in {"created", "unchanged", "skipped", "refused", "failed"}
    assert set(ended.outputs) == set(ACTION["outputs"])
    assert all(line.startswith("::") and " title=Agent Observer::" in line for line in ended.commands), ended.commands
    assert "Traceback" not in ended.log
    shown = github_markdown.fragment(ended.summary)
    assert "<img" not in shown
    assert 'href="https://evil' not in shown


@pytest.mark.parametrize("name", sorted(set(ACTION["inputs"]) - {"github-token"}))
def test_a_payload_in_an_input_is_data(github: Lab, hosted: Hosted, name: str) -> None:
    """P37: it reaches the program through its environment, or it is refused; it never runs."""
    machine = hosted(real=True)
    (machine.workspace / "evidence.json").write_bytes(encode(GIVEN))
    ended = machine.use(**{"evidence": "evidence.json", name.replace("-", "_"): PAYLOAD})
    harmless(machine, ended)
    assert ended.outputs["result"] == "refused"
    assert github.comments() == []


def test_a_payload_as_the_name_of_an_artifact_is_data(github: Lab, hosted: Hosted) -> None:
    machine = hosted(real=True)
    ended = machine.use(artifact_name=PAYLOAD)
    harmless(machine, ended)
    assert ended.outputs["reason"] == "no_artifact"


def test_a_payload_as_the_token_is_refused_and_shown_nowhere(github: Lab, hosted: Hosted) -> None:
    machine = hosted(real=True)
    (machine.workspace / "evidence.json").write_bytes(encode(GIVEN))
    ended = machine.use(evidence="evidence.json", github_token=PAYLOAD)
    harmless(machine, ended)
    assert "PWNED" not in ended.log + ended.summary


def test_the_payload_would_be_markup_where_it_is_not_set_as_code() -> None:
    shown = github_markdown.fragment(PAYLOAD.replace("`", ""))
    assert "<img" in shown
    assert 'href="https://evil' in shown


def texts(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every text in a document."""
    if isinstance(value, dict):
        return [found for name, each in value.items() for found in texts(each, (*path, name))]
    if isinstance(value, list):
        return [found for number, each in enumerate(value[:1]) for found in texts(each, (*path, number))]
    return [path] if isinstance(value, str) else []


def forged(path: tuple[Any, ...], payload: str) -> bytes:
    """The evidence with a payload in one place, under the identity that fits it."""
    changed: Any = json.loads(json.dumps(document(GIVEN)))
    place = changed
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = payload
    return json.dumps(changed).encode() if path == ("evidence_id",) else sealed(changed)


# Line breaks are refused wherever they are; without them more of the program sees the payload.
@pytest.mark.parametrize("payload", [PAYLOAD, PAYLOAD.replace("\n", " ")], ids=["lines", "line"])
def test_a_payload_in_any_field_of_an_artifact_is_data(github: Lab, hosted: Hosted, payload: str) -> None:
    """P20, P37: every text of the evidence in turn."""
    places = texts(document(GIVEN))
    assert len(places) > 20
    for path in places:
        github.facade.log.clear()
        machine = hosted("workflow_dispatch", {})
        github.artifact({"evidence.json": forged(path, payload)}, run=9)
        ended = machine.use(artifact_name="evidence", run_id="9", pr=str(github.pr))
        harmless(machine, ended)
        assert ended.outputs["result"] == "refused", path
        assert github.writes == [], path


def test_a_payload_in_the_names_of_files_is_data(github: Lab, hosted: Hosted) -> None:
    machine = hosted(real=True)
    for name in ("$(touch PWNED).json", "a\n::error::pwned\nresult=pwned.json", "`touch PWNED`.json", "-rf.json"):
        (machine.workspace / name).write_bytes(b"{")
    ended = machine.use(evidence="*.json")
    harmless(machine, ended)
    assert ended.outputs["reason"] == "evidence_refused"


@pytest.mark.parametrize("field", ["head_branch", "head_sha", "full_name"])
def test_a_payload_in_an_event_is_data(github: Lab, hosted: Hosted, field: str) -> None:
    """Branches of forks are named by anybody."""
    run = {
        "id": 9,
        "head_sha": github.head_sha,
        "head_branch": "topic",
        "head_repository": {"id": 1, "full_name": "a/b"},
    }
    if field == "full_name":
        run["head_repository"] = {"id": 1, "full_name": PAYLOAD}
    else:
        run[field] = PAYLOAD
    machine = hosted("workflow_run", {"workflow_run": run}, real=True)
    ended = machine.use(artifact_name="evidence")
    harmless(machine, ended)
    assert ended.outputs["reason"] == "no_pull_request"
