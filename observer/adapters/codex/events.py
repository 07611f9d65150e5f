"""Tool calls, outputs and completed items → events.

Passes on sizes, exit codes, and the names of tools, commands and files; never
what a tool read, wrote or returned.
"""

import re
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from observer.adapters.codex import shapes
from observer.records.event import Family, RawDetail, RawEvent
from observer.records.source import Category
from observer.records.spot import Spot

LARGE_BYTES = 50_000
# The agent writes what became of a command before its output.
_HEAD = 300
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_WALL = re.compile(r"^Wall time:? ([\d.]{1,12}) seconds$", re.MULTILINE)
_ABORTED = re.compile(r"^aborted by user", re.MULTILINE)
_RANGE = re.compile(r"\bsed -n '?(\d+),(\d+)p")
_SKILL = "SKILL.md"
COMPACTION = "ContextCompaction"
_STATUS = {"completed": "ok", "failed": "error", "declined": "denied"}
# Completed items that are results of tools, by the name they are shown under.
_RESULTS = {
    "McpToolCall": "mcp.unknown",
    "WebSearch": "web_search",
    "ImageView": "view_image",
    "ImageGeneration": "image_generation",
    "CallOutput": None,
    "DynamicToolCall": None,
}
_LIFECYCLE = {
    "CollabAgentToolCall": "collab_agent",
    "SubAgentActivity": "subagent_activity",
    "Plan": "plan",
    "HookPrompt": "hook_prompt",
    "EnteredReviewMode": "review_entered",
    "ExitedReviewMode": "review_exited",
}
# Recorded a second time beside the item, or nothing that was done.
_QUIET = ("UserMessage", "AgentMessage", "Reasoning", "Extension", "Sleep")

Made = list[RawEvent] | Category


class Arguments(Struct, gc=False):
    """The arguments of a function call that say what it touches."""

    cmd: Any = None
    command: Any = None
    path: Any = None
    file_path: Any = None


class ShellMetadata(Struct, gc=False):
    """What became of a command, in the oldest format."""

    exit_code: shapes.Code | None = None
    duration_seconds: Annotated[float, Meta(ge=0, le=shapes.LONGEST_SECONDS)] | None = None


class ShellOutput(Struct, gc=False):
    """A command's output in the oldest format: JSON text in the output."""

    output: str
    metadata: ShellMetadata


_arguments = msgspec.json.Decoder(Arguments)
_shell_output = msgspec.json.Decoder(ShellOutput)


def make(payload: Any, spot: Spot) -> Made:
    """The events of a call, an output or a completed item (a type in MAKERS); or what is wrong with it."""
    return MAKERS[type(payload)](payload, spot)


def _function_call(call: shapes.FunctionCall, spot: Spot) -> Made:
    if not call.call_id:
        return "missing_id"
    name = f"{call.namespace}.{call.name}" if call.namespace else call.name
    return [spot.event("tool_call", call.call_id, name=name, target=_target(call.arguments))]


def _target(arguments: str | None) -> str | None:
    """The command or path a call is about; None when its arguments are no object or say neither."""
    try:
        given = _arguments.decode(arguments or "")
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    for value in (given.cmd, given.command, given.path, given.file_path):
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return " ".join(value)
    return None


def _custom_call(call: shapes.CustomCall, spot: Spot) -> Made:
    """A patch shows which files it names; a script shows nothing, its commands are items of their own."""
    if not call.call_id:
        return "missing_id"
    target = None
    if call.name == "apply_patch" and call.input:
        target = "\n".join(line for line in call.input.split("\n") if line.startswith("*** "))
    return [spot.event("tool_call", call.call_id, name=call.name, target=target or None)]


def _shell_call(call: shapes.ShellCall, spot: Spot) -> Made:
    native_id = call.call_id or call.id
    if not native_id:
        return "missing_id"
    command = call.action.command if call.action else None
    target = " ".join(command) if isinstance(command, list) else command
    return [spot.event("tool_call", native_id, name="local_shell", target=target)]


def _tool_search(call: shapes.ToolSearch, spot: Spot) -> Made:
    return [spot.event("tool_call", call.call_id or f"line:{spot.ordinal}", name="tool_search")]


def _web_search(call: shapes.WebSearch, spot: Spot) -> Made:
    """Older releases give it no id; its place is one."""
    return [spot.event("tool_call", call.id or f"line:{spot.ordinal}", name="web_search")]


def _output(returned: shapes.FunctionOutput, spot: Spot) -> Made:
    if not returned.call_id:
        return "missing_id"
    text, success = _text(returned.output)
    exit_code, seconds = _outcome(text[:_HEAD])
    if text.startswith('{"output"'):
        try:
            old = _shell_output.decode(text)
            text, exit_code, seconds = old.output, old.metadata.exit_code, old.metadata.duration_seconds
        except (msgspec.DecodeError, UnicodeEncodeError):
            pass
    if exit_code is not None:
        success = exit_code == 0
    status = None if success is None else "ok" if success else "error"
    if status is None and _ABORTED.search(text[:_HEAD]):
        status = "cancelled"
    size, truncated = _size(text)
    return [
        spot.event(
            "tool_result",
            returned.call_id,
            status=status,
            duration_ms=None if seconds is None else round(seconds * 1000),
            size_bytes=size,
            truncated=truncated,
            detail=None if exit_code is None else RawDetail(exit_code=exit_code),
        )
    ]


def _text(output: Any) -> tuple[str, bool | None]:
    """The text of an output of any form, and whether it says that it succeeded."""
    if isinstance(output, shapes.Output):
        return _text(output.content)[0], output.success
    if isinstance(output, list):
        return "".join(part.text or "" for part in output), None
    return output or "", None


def _outcome(head: str) -> tuple[int | None, float | None]:
    """Exit code and seconds, as the head of an output tells them."""
    exited, wall = _EXIT.search(head), _WALL.search(head)
    try:
        return int(exited[1]) if exited else None, float(wall[1]) if wall else None
    except ValueError:
        return None, None


def _size(text: str) -> tuple[int, bool]:
    """UTF-8 length, and whether a part was left out or the whole is large."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return size, size >= LARGE_BYTES or _is_shortened(text) or "[... omitted " in text


def _is_shortened(text: str) -> bool:
    """Whether ` truncated…` stands anywhere; its last letter is found several times as fast as the whole."""
    at = text.find("…")
    while at >= 0:
        if text.endswith(" truncated", 0, at):
            return True
        at = text.find("…", at + 1)
    return False


def _item(completed: shapes.ItemCompleted, spot: Spot) -> Made:
    item = completed.item
    if item is None:
        return "schema_error"
    if item.type in _QUIET:
        return []
    if item.type not in _ITEMS and item.type not in _RESULTS and item.type not in _LIFECYCLE:
        return "schema_error"
    if not isinstance(item.id, str) or not item.id:
        return "missing_id"
    if item.type in _ITEMS:
        return _ITEMS[item.type](item.id, item, spot)
    status = _STATUS.get(item.status or "")
    if item.type in _LIFECYCLE:
        return [spot.event("lifecycle", item.id, name=_LIFECYCLE[item.type], status=status)]
    name = _RESULTS[item.type] or (f"{item.namespace}.{item.tool}" if item.namespace else item.tool)
    if status is None and item.success is not None:
        status = "ok" if item.success else "error"
    return [
        spot.event("tool_result", item.id, name=name, target=item.path, status=status, duration_ms=_span(item.duration))
    ]


def _command(native_id: str, item: shapes.Item, spot: Spot) -> Made:
    """A command that ended: its result, and each file it is known to have read."""
    status = _STATUS.get(item.status or "")
    if item.exit_code is not None:
        status = "ok" if item.exit_code == 0 else "error"
    words = item.command
    size, truncated = (None, False) if item.aggregated_output is None else _size(item.aggregated_output)
    result = spot.event(
        "tool_result",
        native_id,
        name="exec",
        target=(words[-1] if words else None) if isinstance(words, list) else words or None,
        status=status,
        duration_ms=_span(item.duration),
        size_bytes=size,
        truncated=truncated,
        detail=None if item.exit_code is None else RawDetail(exit_code=item.exit_code),
    )
    made = [result]
    if status == "denied":
        made.append(spot.event("permission", native_id, name="exec", status="denied"))
    made.extend(
        _read(f"{native_id}:{parsed.path}", parsed, status, spot)
        for parsed in item.parsed_cmd or ()
        if parsed.type == "read" and isinstance(parsed.path, str) and parsed.path
    )
    return made


def _read(native_id: str, parsed: shapes.Parsed, status: str | None, spot: Spot) -> RawEvent:
    """A file that a command read; a Skill is known by the name of its file."""
    folder, _, name = parsed.path.rpartition("/")
    lines = _RANGE.search(parsed.cmd or "")
    first, last = (int(lines[1][:9]), int(lines[2][:9])) if lines else (None, None)
    count = last - first + 1 if first is not None and last is not None and last >= first else None
    skill = folder.rpartition("/")[2] or None if name == _SKILL else None
    detail = RawDetail(
        path=parsed.path if skill else None, skill=skill, command=parsed.cmd, start_line=first, line_count=count
    )
    family: Family = "skill_read" if name == _SKILL else "read"
    return spot.event(family, native_id, name=skill, target=parsed.path, status=status, detail=detail)


def _change(native_id: str, item: shapes.Item | shapes.PatchEnd, spot: Spot) -> Made:
    """A patch: which files it touched, never how."""
    paths = tuple(sorted(item.changes or ()))
    status = _STATUS.get(item.status or "") if isinstance(item, shapes.Item) else None
    if status is None and item.success is not None:
        status = "ok" if item.success else "error"
    target = paths[0] if len(paths) == 1 else None
    return [spot.event("file_change", native_id, target=target, status=status, detail=RawDetail(paths=paths))]


def _compaction(native_id: str, _: Any, spot: Spot) -> Made:
    return [spot.event("compaction", native_id)]


def _patch_end(end: shapes.PatchEnd, spot: Spot) -> Made:
    return _change(end.call_id, end, spot) if end.call_id else "missing_id"


def _span(duration: Any) -> int | None:
    """Milliseconds of a recorded duration."""
    if isinstance(duration, shapes.Duration):
        return duration.secs * 1000 + duration.nanos // 1_000_000
    return None


_ITEMS: dict[str, Callable[[str, Any, Spot], Made]] = {
    "CommandExecution": _command,
    "FileChange": _change,
    COMPACTION: _compaction,
}
MAKERS: dict[type, Callable[[Any, Spot], Made]] = {
    shapes.FunctionCall: _function_call,
    shapes.CustomCall: _custom_call,
    shapes.ShellCall: _shell_call,
    shapes.ToolSearch: _tool_search,
    shapes.WebSearch: _web_search,
    shapes.FunctionOutput: _output,
    shapes.CustomOutput: _output,
    shapes.ItemCompleted: _item,
    shapes.PatchEnd: _patch_end,
}
