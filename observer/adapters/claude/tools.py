"""Tool calls and their results, files and skills → events.

Gives full paths and commands; what of them is kept is decided elsewhere.
Never reads arguments of a kind it does not know.
"""

import re
from typing import Any

from observer.adapters.claude.place import Context
from observer.adapters.claude.prompts import SKILL_FOLDER
from observer.adapters.claude.shapes import FileRead, Mark, ToolResult, User
from observer.adapters.making import Making
from observer.adapters.wire.messages import Block, Input, texts
from observer.native import values
from observer.records.event import RawDetail

# Tuples, not sets: what is looked for may be any JSON value.
_READERS = ("Read", "NotebookRead")
_CHANGERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_SKILL = "Skill"
_REFUSED = ("deny", "denied", "reject", "rejected")
_REFUSALS = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "User rejected tool use",
    "Permission to use ",
    "Claude requested permissions to ",
)
_TOO_LARGE = "<persisted-output>"
_EXIT_CODE = re.compile(r"Exit code (\d{1,9})\b")
_SKILL_NAME = re.compile(r"[A-Za-z_][\w.:-]{0,79}", re.ASCII)
_SKILL_FILE = re.compile(r"([^/\\]+)[/\\]SKILL\.md\Z", re.IGNORECASE)


def call(making: Making, block: Block, context: Context) -> None:
    """A tool call, and what it says by itself: a skill invoked, a file to be changed; a reading call is remembered."""
    name = block.name if isinstance(block.name, str) else None
    given = block.input if type(block.input) is Input else Input()
    path = values.first_text(given.file_path, given.notebook_path)
    knows = name is not None and name != _SKILL and not name.startswith("mcp__")
    target = values.first_text(path, given.path, given.command) if knows else None
    if not making.event("tool_call", block.id, name=name, target=target):
        return
    if name == _SKILL:
        skill = _skill_name(values.first_text(given.skill, given.command))
        making.invocation(block.id, skill)
    elif name in _CHANGERS and path is not None:
        making.change(block.id, (path,), name=name)
    elif name in _READERS:
        context.await_read(block.id, values.count(given.offset))


def result(making: Making, line: User, block: Block, context: Context, *, outcome: Any) -> None:
    """The result of a call, and the file that it read. `outcome` is the line's `toolUseResult` for it."""
    said = texts(block.content)
    first = said[0] if said else ""
    failed = block.is_error is True
    denied = failed and _is_refusal(line, first, outcome)
    more = outcome if type(outcome) is ToolResult else ToolResult()
    code = _EXIT_CODE.match(first) if failed else None
    if not making.result(
        block.tool_use_id,
        status="denied" if denied else "error" if failed else "ok",
        duration_ms=values.count(more.duration_ms) or values.count(more.total_duration_ms),
        size_bytes=sum(map(values.size, said)) if block.content is not None else None,
        truncated=more.truncated is True or first.startswith(_TOO_LARGE),
        exit_code=int(code[1]) if code else None,
    ):
        return
    if denied:
        making.event("permission", block.tool_use_id, status="denied")
    if block.tool_use_id in context.reads:
        offset = context.reads.pop(block.tool_use_id)
        if not failed:
            _read(making, block.tool_use_id, more, offset)


def skill_text(making: Making, native_id: str, text: str) -> None:
    """A skill whose text the harness put into the conversation; its first line names the folder."""
    folder = text.removeprefix(SKILL_FOLDER).partition("\n")[0].strip()
    path = f"{folder.rstrip('/')}/SKILL.md"
    detail = RawDetail(path=path, skill=_skill_name(re.split(r"[/\\]", path)[-2]))
    making.read(native_id, path, detail, is_skill=True)


def _read(making: Making, native_id: str, outcome: ToolResult, offset: int | None) -> None:
    """A file that was read; a skill's own file is a `skill_read`. `offset` is the line asked for."""
    file = outcome.file if type(outcome.file) is FileRead else FileRead()
    path = file.file_path if isinstance(file.file_path, str) else None
    start, skill = values.count(file.start_line), _SKILL_FILE.search(path) if path and path[-1] in "dD" else None
    name, own = (_skill_name(skill[1]), path) if skill else (None, None)
    start = offset if start is None else start
    detail = RawDetail(path=own, skill=name, start_line=start, line_count=values.count(file.num_lines))
    making.read(native_id, path, detail, is_skill=skill is not None)


def _skill_name(value: str | None) -> str | None:
    """The name of a skill; anything that is more than a name is dropped."""
    return value if value and _SKILL_NAME.fullmatch(value) else None


def _is_refusal(line: User, text: str, outcome: Any) -> bool:
    decision = line.permission_decision
    if line.tool_denial_kind or (type(decision) is Mark and decision.decision in _REFUSED):
        return True
    return text.startswith(_REFUSALS) or (isinstance(outcome, str) and outcome.startswith(_REFUSALS))
