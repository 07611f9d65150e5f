"""Every command that a document shows is one that the program takes."""

from pathlib import Path

import pytest

from tests.house import documented, sources
from tests.places import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/**/*.md"))
)
_EXAMPLE = """\
Say `agent-observer usage --by model`, `agent-observer capture` or `agent-observer usage --colour`.

    bin/agent-observer usage --by day     # a comment
    ln -s bin/agent-observer here
    A=b x=$(agent-observer task show --task "T 1" --json) && agent-observer sync | head

```sh
agent-observer usage --by moon
agent-observer publish --task T-1 \\
  --repo o/r --pr 7 > body.md
```

```text
agent-observer is not called here
```
"""


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_code_blocks_parse(page: str) -> None:
    calls = list(documented.blocks(_read(page)))
    faults = {" ".join(words): fault for words in calls if (fault := documented.fault(words))}
    assert faults == {}


@pytest.mark.parametrize("page", PAGES)
def test_commands_named_in_sentences_exist(page: str) -> None:
    faults = {" ".join(words): bad for words in documented.inline(_read(page)) if (bad := documented.unknown(words))}
    assert faults == {}


def test_commands_in_hints_exist() -> None:
    calls = [
        (sources.name(path), words)
        for path in sources.files("observer", "publish")
        for words in documented.literals(path)
    ]
    assert len(calls) > 20
    assert [(name, words) for name, words in calls if documented.unknown(words)] == []


def test_the_ways_in_show_commands() -> None:
    assert {page for page in PAGES if any(documented.blocks(_read(page)))} >= {
        "README.md", "docs/completion.md", "skills/agent-observer/SKILL.md",
    }  # fmt: skip


def test_the_check_finds_what_is_wrong() -> None:
    calls = list(documented.blocks(_EXAMPLE))
    assert calls == [
        ["usage", "--by", "moon"],
        ["publish", "--task", "T-1", "--repo", "o/r", "--pr", "7"],
        ["usage", "--by", "day"],
        ["task", "show", "--task", "T 1", "--json"],
        ["sync"],
    ]
    assert [call for call in calls if documented.fault(call)] == [["usage", "--by", "moon"]]
    assert [documented.unknown(call) for call in documented.inline(_EXAMPLE)] == [[], [], ["--colour"]]
    assert documented.unknown(["captur", "assign"]) == ["captur"]


def _read(page: str) -> str:
    return Path(ROOT / page).read_text(encoding="utf-8")
