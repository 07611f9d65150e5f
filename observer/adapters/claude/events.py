"""Events: tool calls and their results, files, skills, compactions, notices.

Gives full paths and commands; what of them is kept is decided elsewhere.
Never reads arguments of a kind it does not know.
"""

import re
from typing import Any

from observer.adapters.claude.shapes import Assistant, Block, FileRead, Input, Mark, Part, System, ToolResult, User
from observer.records.event import Family, RawDetail
from observer.records.source import Quarantine, RawBatch
from observer.records.spot import Spot
from observer.records.usage import LARGEST

# Tuples, not sets: what is looked for may be any JSON value.
READERS = ("Read", "NotebookRead")
_CHANGERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_SKILL = "Skill"
_NOTICES = ("turn_duration", "api_error", "stop_hook_summary", "informational")
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
_HTTP_STATUS = re.compile(r"\bAPI Error:? \(?(\d{3})\b")
_SKILL_NAME = re.compile(r"[A-Za-z_][\w.:-]{0,79}", re.ASCII)
_SKILL_FILE = re.compile(r"([^/\\]+)[/\\]SKILL\.md\Z", re.IGNORECASE)
_NOTHING = Input()


def messages(batch: RawBatch, spot: Spot, line: Assistant, content: Any) -> None:
    """The assistant's texts, one event per block that says something."""
    for index, block in enumerate(content):
        text = block.text if type(block) is Block and block.type == "text" else None
        if not isinstance(text, str) or not text.strip():
            continue
        if not is_id(line.uuid):
            missing_id(batch, spot)
            return
        batch.events.append(spot.event("assistant_message", f"{line.uuid}:{index}", detail=RawDetail(text=text)))


def call(batch: RawBatch, spot: Spot, block: Block) -> None:
    """A tool call, and what it says by itself: a skill invoked, a file to be changed."""
    if not is_id(block.id):
        missing_id(batch, spot)
        return
    name = block.name if isinstance(block.name, str) else None
    given = block.input if type(block.input) is Input else _NOTHING
    path = _first(given.file_path, given.notebook_path)
    knows = name is not None and name != _SKILL and not name.startswith("mcp__")
    target = _first(path, given.path, given.command) if knows else None
    batch.events.append(spot.event("tool_call", block.id, name=name, target=target))
    if name == _SKILL:
        skill = skill_name(_first(given.skill, given.command))
        batch.events.append(spot.event("skill_invoke", block.id, name=skill, detail=RawDetail(skill=skill)))
    elif name in _CHANGERS and path is not None:
        batch.events.append(
            spot.event("file_change", block.id, name=name, target=path, detail=RawDetail(paths=(path,)))
        )


def result(batch: RawBatch, spot: Spot, line: User, block: Block, *, outcome: Any) -> bool:
    """The result of a call; whether it succeeded. `outcome` is the line's `toolUseResult`, if it is this block's."""
    if not is_id(block.tool_use_id):
        missing_id(batch, spot)
        return False
    texts = _texts(block.content)
    first = texts[0] if texts else ""
    failed = block.is_error is True
    denied = failed and _is_refusal(line, first, outcome)
    more = outcome if type(outcome) is ToolResult else None
    code = _EXIT_CODE.match(first) if failed else None
    batch.events.append(
        spot.event(
            "tool_result",
            block.tool_use_id,
            status="denied" if denied else "error" if failed else "ok",
            duration_ms=(_count(more.duration_ms) or _count(more.total_duration_ms)) if more else None,
            size_bytes=sum(map(_bytes, texts)) if block.content is not None else None,
            truncated=(more is not None and more.truncated is True) or first.startswith(_TOO_LARGE),
            detail=RawDetail(exit_code=int(code.group(1))) if code else None,
        )
    )
    if denied:
        batch.events.append(spot.event("permission", block.tool_use_id, status="denied"))
    return not failed


def read(batch: RawBatch, spot: Spot, native_id: str, *, outcome: Any, offset: int | None) -> None:
    """A file that was read; a skill's own file is a `skill_read`. `offset` is the line asked for."""
    file = outcome.file if type(outcome) is ToolResult and type(outcome.file) is FileRead else FileRead()
    path = file.file_path if isinstance(file.file_path, str) else None
    start = _count(file.start_line)
    skill = _SKILL_FILE.search(path) if path and path[-1] in "dD" else None
    name = skill_name(skill.group(1)) if skill else None
    detail = RawDetail(
        path=path if skill else None,
        skill=name,
        start_line=offset if start is None else start,
        line_count=_count(file.num_lines),
    )
    batch.events.append(spot.event("skill_read" if skill else "read", native_id, name=name, target=path, detail=detail))


def skill_text(batch: RawBatch, spot: Spot, native_id: str, folder: str) -> None:
    """A skill whose text the harness put into the conversation."""
    path = f"{folder.rstrip('/')}/SKILL.md"
    name = skill_name(re.split(r"[/\\]", path)[-2])
    detail = RawDetail(skill=name, path=path)
    batch.events.append(spot.event("skill_read", native_id, name=name, target=path, detail=detail))


def notice(batch: RawBatch, spot: Spot, line: System) -> None:
    """A system line: a compaction or a step in the life of the session; others say nothing."""
    family: Family
    if line.subtype == "compact_boundary":
        family = "compaction"
    elif line.subtype in _NOTICES:
        family = "lifecycle"
    else:
        return
    if not is_id(line.uuid):
        missing_id(batch, spot)
        return
    nested = line.error.get("status") if isinstance(line.error, dict) else None
    status = (_http(nested) or _http(line.status)) if line.subtype == "api_error" else None
    batch.events.append(
        spot.event(family, line.uuid, name=line.subtype, status=status, duration_ms=_count(line.duration_ms))
    )


def api_error(batch: RawBatch, spot: Spot, line: Assistant, content: Any) -> None:
    """A request that failed for good, with its HTTP status."""
    if not is_id(line.uuid):
        missing_id(batch, spot)
        return
    said = _HTTP_STATUS.search(" ".join(_texts(content)))
    status = _http(line.api_error_status) or (said.group(1) if said else None)
    batch.events.append(spot.event("lifecycle", line.uuid, name="api_error", status=status))


def missing_id(batch: RawBatch, spot: Spot) -> None:
    """Files that a record has no usable native id (a number is none)."""
    batch.faults.append(Quarantine(spot.ordinal, "missing_id"))


def line_asked(block: Block) -> int | None:
    """The line from which a reading call asks for a file."""
    return _count(block.input.offset) if type(block.input) is Input else None


def milliseconds(value: object) -> int | None:
    """A recorded duration; None for anything that is none."""
    return _count(value)


def is_id(value: object) -> bool:
    """Whether a native id can be one."""
    return isinstance(value, str) and value != ""


def skill_name(value: str | None) -> str | None:
    """The name of a skill; anything that is more than a name is dropped."""
    return value if value and _SKILL_NAME.fullmatch(value) else None


def _is_refusal(line: User, text: str, outcome: Any) -> bool:
    decision = line.permission_decision
    if line.tool_denial_kind or (type(decision) is Mark and decision.decision in _REFUSED):
        return True
    return text.startswith(_REFUSALS) or (isinstance(outcome, str) and outcome.startswith(_REFUSALS))


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else [content]
    texts = [each.text if type(each) in (Part, Block) else each for each in parts]
    return [text for text in texts if isinstance(text, str)]


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _first(*values: object) -> str | None:
    for value in values:
        if isinstance(value, str) and value:
            return value
    return None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None


def _http(value: object) -> str | None:
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return text if re.fullmatch(r"[1-5]\d\d", text) else None
