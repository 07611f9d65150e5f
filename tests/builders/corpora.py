"""Every small HOME there is to import: the real record sets, the cases, and a few built ones."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.builders.native import Claude, Codex
from tests.places import CASES, RECORDS

# Symbolic links are a case of their own.
_LEFT_OUT = {"18-symlinks-and-two-roots"}
# Agents that append to line files; stores, which change in place, have laws of their own.
_LINE_FILES = ("claude-code", "codex")
Home = Mapping[str, bytes]


@cache
def homes() -> dict[str, Home]:
    """Name → the sources of that HOME by relative path."""
    sets = (path for harness in _LINE_FILES for path in sorted((RECORDS / harness).iterdir()) if path.is_dir())
    found = {f"{path.parent.name}/{path.name}": path for path in sets}
    found |= {path.parent.name: path for path in sorted(CASES.glob("*/home")) if path.parent.name not in _LEFT_OUT}
    kept = {name: sources for name, path in found.items() if (sources := _sources(path))}
    return kept | {"resumed": _resumed(), "forked": _forked(), "late metadata": _late()}


def lay(home: Path, sources: Home) -> None:
    """Writes the sources below `home`, each as a new file."""
    for name, content in sources.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _sources(folder: Path) -> Home:
    kept = (path for path in sorted(folder.rglob("*")) if path.name.endswith((".jsonl", ".jsonl.zst")))
    inside = {path.relative_to(folder).as_posix(): path for path in kept if path.is_file()}
    stores = (".grok/", ".local/")
    inside = {name: path for name, path in inside.items() if not name.startswith(stores)}
    return {name: path.read_bytes() for name, path in inside.items() if "/projects/" in name or "sessions/" in name}


def _built(*texts: Claude | Codex) -> Home:
    nowhere = Path("/nowhere")
    return {text.below(nowhere).relative_to(nowhere).as_posix(): text.data() for text in texts}


def _resumed() -> Home:
    """A session, its copy that goes on, a copy of that one, and a subagent; messages in pieces, and a contradiction."""
    first = (
        Claude("s1")
        .prompt("one", uuid="p1")
        .stream("msg_1", (1, 40, 300))
        .call("msg_2", "c1", "Bash", {"command": "ls"})
    )
    first.tool_result("c1", "a\nb").response("msg_3", stop=None, output=7)
    second = _copy(first, "s2", start="2026-09-24T10:00:00.000Z")
    second.response("msg_3", output=70).prompt("two", uuid="p2").response("msg_4")
    third = _copy(second, "s3", start="2026-09-25T10:00:00.000Z")
    third.prompt("three", uuid="p3").response("msg_4", output=999).response("msg_5")
    worker = Claude("s1", agent="a1").prompt("work").stream("msg_6", (2, 20))
    return _built(first, second, third, worker)


def _copy(text: Claude, session: str, *, start: str) -> Claude:
    copy = Claude(session, start=start)
    for line in text.lines:
        copy.raw(line.replace(f'"sessionId":"{text.session}"'.encode(), f'"sessionId":"{session}"'.encode()))
    return copy


def _late() -> Home:
    """Prompts before the metadata that judge them: a person's and a subagent's."""
    names = [f"01a22da9-4263-70d2-bf43-5af9b56c000{number}" for number in range(2)]
    late = [Codex(name, meta=False).prompt("one").turn("A").prompt("two").record(f"resp_{name}") for name in names]
    late[0].meta().prompt("three").record("resp_person").complete()
    late[1].meta(parent=names[0]).prompt("three").record("resp_worker").complete()
    return _built(*late)


def _forked() -> Home:
    """Totals that records cover later, a fork without context of its own, and a subagent."""
    parent = Codex("t-1").turn("A").prompt("one").count().count().record("resp_0", counted=True).complete()
    parent.turn("B", model="gpt-5.6-luna", effort="low").prompt("two").record("resp_1").count().aborted()
    fork = (
        Codex("t-2", forked_from="t-1", start="2026-09-23T11:00:00.000Z")
        .record("resp_2")
        .turn("C")
        .prompt("three")
        .record("resp_3")
        .complete()
    )
    worker = (
        Codex("t-3", parent="t-1", start="2026-09-23T12:00:00.000Z")
        .turn("D")
        .prompt("work")
        .record("resp_4")
        .complete()
    )
    return _built(parent, fork, worker)
