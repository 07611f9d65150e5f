"""action.yml, the workflows and what is written about them: audited, valid, and the same everywhere."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import Cli
from tests.places import ROOT

ACTION = ROOT / "action.yml"
DOCUMENTED = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), *DOCUMENTED]
PAGE = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
_PLACE = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)
_USES = re.compile(r"^\s*(?:- )?uses: (?P<name>[\w./-]+)@(?P<ref>\S+)(?P<rest>.*)$", re.MULTILINE)
_PLACEHOLDER = "0" * 40
# Inputs that only an Action has, options that an Action does not need: the rest are the same words on both sides.
_ONLY_INPUTS = {"artifact-name", "run-id", "github-token", "job-summary", "budget-usd", "on-over-budget"}
_ONLY_OPTIONS = {"task", "session", "reviewed", "repo", "force", "producer", "prices", "db", "json", "debug", "help"}


@cache
def action() -> dict[str, Any]:
    """The parsed action.yml."""
    found: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return found


def tool(module: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A tool of the test environment."""
    path = Path(sys.executable).parent / module
    return subprocess.run([path, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_an_auditor_finds_nothing() -> None:
    """zizmor, as strict as it can be, without asking anybody."""
    done = tool("zizmor", "--offline", "--persona", "auditor", "--no-progress", ACTION, *WORKFLOWS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_auditor_would_find_something(tmp_path: Path) -> None:
    planted = tmp_path / "planted.yml"
    text = (ROOT / "docs" / "workflows" / "pull-request.yml").read_text(encoding="utf-8")
    planted.write_text(text.replace("  pull_request:\n", "  pull_request_target:\n"), encoding="utf-8")
    done = tool("zizmor", "--offline", "--persona", "auditor", "--no-progress", planted)
    assert done.returncode != 0
    assert "dangerous-triggers" in done.stdout


def test_the_schemas_of_actions_and_workflows_hold() -> None:
    for schema, files in (("vendor.github-actions", [ACTION]), ("vendor.github-workflows", WORKFLOWS)):
        done = tool("check-jsonschema", "--builtin-schema", schema, *files)
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_script_holds_an_expression() -> None:
    """P37: what is expanded inside a script is part of the script."""
    scripts = [step["run"] for step in action()["runs"]["steps"]]
    scripts += [
        step.get("run", "")
        for path in WORKFLOWS
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        for step in job["steps"]
    ]
    assert [each for each in scripts if _PLACE.search(each)] == []


def test_every_input_reaches_the_program_and_nothing_else_does() -> None:
    (step,) = action()["runs"]["steps"]
    expected = {f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in action()["inputs"]}
    assert step["env"] == expected
    wishes = "".join((ROOT / "publish" / f"{name}.py").read_text(encoding="utf-8") for name in ("wishes", "action"))
    assert set(re.findall(r'(?:input\(|_yes\(runner, |_seconds\(runner, )"([a-z-]+)"', wishes)) == set(
        action()["inputs"]
    )


def test_every_output_is_one_of_the_step() -> None:
    values = {name: each["value"] for name, each in action()["outputs"].items()}
    assert values == {name: f"${{{{ steps.publish.outputs.{name} }}}}" for name in values}


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
def test_actions_of_others_are_pinned_by_commit_and_name_their_version(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for found in _USES.finditer(text):
        assert re.fullmatch(r"[0-9a-f]{40}", found["ref"]), found[0]
        if found["name"] == "OWNER/agent-observer":
            assert (found["ref"], found["rest"]) == (_PLACEHOLDER, " # your release")
        else:
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", found["rest"]), found[0]
    assert len(_USES.findall(text)) == len(re.findall(r"\buses:", text))


def test_one_action_has_one_pin_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for found in _USES.finditer(path.read_text(encoding="utf-8")):
            pins.setdefault(found["name"], set()).add(found["ref"])
    assert [name for name, refs in pins.items() if len(refs) > 1] == []


def _part(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table below a heading of docs/action.md, by their first cell."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_page_lists_every_input_with_its_default() -> None:
    rows = table("Inputs")
    assert list(rows) == list(action()["inputs"])
    for name, each in action()["inputs"].items():
        default = str(each.get("default", ""))
        shown = {"${{ github.token }}": "the token of the run"}.get(default, f"`{default}`" if default else "")
        assert rows[name][0] == shown, name


def test_the_page_lists_every_output() -> None:
    assert list(table("Outputs")) == list(action()["outputs"])


def test_the_page_links_every_workflow_and_readme_links_the_page() -> None:
    for path in DOCUMENTED:
        assert f"(workflows/{path.name})" in PAGE, path.name
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(docs/action.md)" in readme
    assert "(docs/forks.md)" in readme + PAGE


def test_inputs_and_options_of_the_command_are_the_same_words(cli: Cli) -> None:
    """Who knows `publish` knows the Action."""
    options = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", cli("publish", "--help").out))
    inputs = set(action()["inputs"])
    assert options - inputs == _ONLY_OPTIONS & options
    assert inputs - options == _ONLY_INPUTS


def test_every_reason_is_explained() -> None:
    """Every word that can follow a result, with what to do about it."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "publish").glob("*.py"))
    words = set(re.findall(r'Stop\(\s*(?:"\w+"|outcome), "([a-z_]+)"', text)) | _NOT_BY_A_STOP
    explained = set(re.findall(r"`([a-z_]+)`", " ".join(re.findall(r"^\| (`.*?) \|", _part("Reasons"), re.MULTILINE))))
    assert words - explained == set()


# Words that are made elsewhere than where a Stop is raised.
_NOT_BY_A_STOP = {
    "dry_run", "evidence_refused", "internal", "older", "other_subjects", "publish_refused", "rejected",
    "server_error", "set_up", "does_not_fit",
}  # fmt: skip
