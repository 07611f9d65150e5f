"""Tool calls and their results, files, skills, compactions, failed answers → events.

Gives full paths and commands; what of them is kept is decided elsewhere.
Reads arguments only of the tools it knows, because a server's own tool may
take anything.
"""

import os
from typing import Any

from msgspec.structs import replace

from observer.adapters.making import SKILL_FILE, Making
from observer.adapters.opencode.shapes import Display, Input, Message, Metadata, Part, State
from observer.native import values
from observer.records.event import RawDetail
from observer.records.session import TurnState

_CHANGERS = frozenset(("edit", "write", "multiedit", "patch", "apply_patch"))
_KNOWN = _CHANGERS | {"read", "bash", "glob", "grep", "list"}
_OUTCOMES = {"completed": "ok", "error": "error"}
# Parts that say nothing of their own: usage they repeat is the message's.
_QUIET = frozenset("text reasoning file step-start step-finish snapshot agent subtask retry".split())


def part(making: Making, native_id: str, said: Part) -> None:
    """Files what a part tells."""
    if not isinstance(said.type, str):
        making.fault("schema_error")
    elif said.type == "tool":
        if making.identified(said.call_id):
            _tool(making, native_id, said)
    elif said.type == "patch":
        paths = tuple(each for each in said.files if isinstance(each, str)) if isinstance(said.files, list) else ()
        making.change(native_id, paths, name="patch", status="ok")
    elif said.type == "compaction":
        making.event("compaction", native_id, name="auto" if said.auto is True else "manual")
    elif said.type not in _QUIET:
        making.fault("unsupported_schema")


def failure(making: Making, native_id: str, message: Message) -> TurnState | None:
    """Files an answer that failed, with its HTTP status, or that a person stopped; how its turn ended then."""
    if not message.error:
        return None
    said: dict[str, Any] = message.error if isinstance(message.error, dict) else {}
    if said.get("name") == "MessageAbortedError":
        making.event("lifecycle", native_id, name="error", status="cancelled")
        return "cancelled"
    data = said.get("data")
    status = values.http_status(data.get("statusCode")) if isinstance(data, dict) else None
    making.event("lifecycle", native_id, name="error", status=status)
    return "failed"


def _tool(making: Making, native_id: str, said: Part) -> None:
    state, name = said.state or State(), said.tool if isinstance(said.tool, str) else None
    given, more = (state.input if name in _KNOWN else None) or Input(), state.metadata or Metadata()
    target = values.first_text(given.file_path, given.path, given.command)
    making.event("tool_call", native_id, name=name, target=target)
    outcome = _OUTCOMES.get(state.status or "")
    if outcome is not None:
        _result(making, native_id, state, more, outcome)
    elif state.status not in (None, "pending", "running"):
        making.fault("unknown_record")
    if outcome == "ok":
        if name == "read" and target is not None:
            _reading(making, native_id, target, more)
        elif name in _CHANGERS:
            making.change(native_id, _changed(target, more), name=name, status="ok")
        elif name == "skill":
            skill = values.text(state.input.name if state.input else None)
            path = os.path.join(more.dir, SKILL_FILE) if values.is_text(more.dir) else None
            making.invocation(native_id, skill, path)


def _result(making: Making, native_id: str, state: State, more: Metadata, outcome: str) -> None:
    time, text = state.time, state.output if outcome == "ok" else state.error
    spent_ms = None if time.start is None or time.end is None else max(time.end - time.start, 0)
    with making.at(making.spot if time.end is None else replace(making.spot, at_ms=time.end)):
        making.result(
            native_id,
            # A command that was cut off is "completed" without an exit code.
            status="cancelled" if outcome == "ok" and more.exit is None else outcome,
            duration_ms=spent_ms,
            size_bytes=values.size(text) if isinstance(text, str) else None,
            truncated=more.truncated is True,
            exit_code=more.exit if type(more.exit) is int else None,
        )


def _reading(making: Making, native_id: str, path: str, more: Metadata) -> None:
    """A file that was read; a skill's own file is a `skill_read`."""
    shown = more.display if isinstance(more.display, Display) else Display()
    start, end = values.count(shown.line_start), values.count(shown.line_end)
    lines = None if start is None or end is None else max(end - start + 1, 0)
    folder, name = os.path.split(path)
    own, skill = (path, os.path.basename(folder) or None) if name == SKILL_FILE else (None, None)
    detail = RawDetail(path=own, skill=skill, start_line=start, line_count=lines)
    making.read(native_id, path, detail, is_skill=name == SKILL_FILE)


def _changed(target: str | None, more: Metadata) -> tuple[str, ...]:
    """The file that was named, else those that a patch tells of."""
    if target is not None:
        return (target,)
    files = more.files if isinstance(more.files, list) else []
    paths = (values.text(each.get("filePath")) for each in files if isinstance(each, dict))
    return tuple(path for path in paths if path)
