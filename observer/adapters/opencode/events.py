"""Events: tool calls and their results, files, skills, compactions, failed answers.

Gives full paths and commands; what of them is kept is decided elsewhere.
Reads arguments only of the tools it knows, because a server's own tool may
take anything.
"""

import os
import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from observer.adapters.opencode.shapes import Display, Input, Message, Metadata, Part, State
from observer.records.event import Family, RawDetail, RawEvent
from observer.records.source import Category
from observer.records.usage import LARGEST

_CHANGERS = frozenset(("edit", "write", "multiedit", "patch", "apply_patch"))
_KNOWN = _CHANGERS | {"read", "bash", "glob", "grep", "list"}
_OUTCOMES = {"completed": "ok", "error": "error"}
_UNFINISHED = (None, "pending", "running")
# Parts that say nothing of their own: usage they repeat is the message's.
_QUIET = frozenset("text reasoning file step-start step-finish snapshot agent subtask retry".split())
_ABORTED = "MessageAbortedError"
_HTTP_STATUS = re.compile(r"[1-5][0-9]{2}")
_SKILL_FILE = "SKILL.md"


class Spot(Struct, frozen=True):
    """Where an event stands: what every record made of one part repeats."""

    session: str
    native_id: str
    place: int
    at_ms: int | None
    turn: str | None

    def event(self, family: Family, **known: Any) -> RawEvent:
        """An event here, with what else is known of it."""
        return RawEvent(self.session, family, self.native_id, self.place, self.at_ms, self.turn, **known)


def of_part(part: Part, spot: Spot) -> tuple[list[RawEvent], Category | None]:
    """What a part tells, and what is wrong with it."""
    if not isinstance(part.type, str):
        return [], "schema_error"
    if part.type == "tool":
        return _tool(part, spot)
    if part.type == "patch":
        paths = tuple(each for each in part.files if isinstance(each, str)) if isinstance(part.files, list) else ()
        return [_change(spot, "patch", paths)], None
    if part.type == "compaction":
        return [spot.event("compaction", name="auto" if part.auto is True else "manual")], None
    return [], None if part.type in _QUIET else "unsupported_schema"


def failure(message: Message, spot: Spot) -> RawEvent | None:
    """An answer that failed, with its HTTP status, or that a person stopped."""
    error = message.error
    if not error:
        return None
    said: dict[str, Any] = error if isinstance(error, dict) else {}
    if said.get("name") == _ABORTED:
        return spot.event("lifecycle", name="error", status="cancelled")
    data = said.get("data")
    code = str(data.get("statusCode")) if isinstance(data, dict) else ""
    return spot.event("lifecycle", name="error", status=code if _HTTP_STATUS.fullmatch(code) else None)


def compacting(session: str, at_ms: int) -> RawEvent:
    """A compaction that the session says is under way."""
    return Spot(session, "time_compacting", at_ms, at_ms, None).event("compaction", status="started")


def _tool(part: Part, spot: Spot) -> tuple[list[RawEvent], Category | None]:
    if not isinstance(part.call_id, str) or not part.call_id:
        return [], "missing_id"
    state = part.state or State()
    name = part.tool if isinstance(part.tool, str) else None
    given = (state.input if name in _KNOWN else None) or Input()
    target = _first(given.file_path, given.path, given.command)
    found = [spot.event("tool_call", name=name, target=target)]
    outcome = _OUTCOMES.get(state.status or "")
    if outcome is not None:
        found.append(_result(state, spot, outcome))
    if outcome == "ok":
        more = state.metadata or Metadata()
        if name == "read" and target is not None:
            found.append(_reading(spot, target, more))
        elif name in _CHANGERS:
            found.append(_change(spot, name or "", _changed(target, more)))
        elif name == "skill":
            found.append(_skill(spot, state.input or Input(), more))
    return found, None if outcome or state.status in _UNFINISHED else "unknown_record"


def _result(state: State, spot: Spot, outcome: str) -> RawEvent:
    more, time = state.metadata or Metadata(), state.time
    text = state.output if outcome == "ok" else state.error
    spent = None if time.start is None or time.end is None else max(time.end - time.start, 0)
    # A command that was cut off is "completed" without an exit code.
    status = "cancelled" if outcome == "ok" and more.exit is None else outcome
    code = more.exit if type(more.exit) is int else None
    return (spot if time.end is None else replace(spot, at_ms=time.end)).event(
        "tool_result",
        status=status,
        duration_ms=spent,
        size_bytes=len(text.encode("utf-8", "replace")) if isinstance(text, str) else None,
        truncated=more.truncated is True,
        detail=None if code is None else RawDetail(exit_code=code),
    )


def _reading(spot: Spot, path: str, more: Metadata) -> RawEvent:
    """A file that was read; a skill's own file is a `skill_read`."""
    shown = more.display if isinstance(more.display, Display) else Display()
    start, end = _count(shown.line_start), _count(shown.line_end)
    lines = None if start is None or end is None else max(end - start + 1, 0)
    folder, name = os.path.split(path)
    if name != _SKILL_FILE:
        return spot.event("read", target=path, detail=RawDetail(start_line=start, line_count=lines))
    skill = os.path.basename(folder) or None
    detail = RawDetail(path=path, skill=skill, start_line=start, line_count=lines)
    return spot.event("skill_read", name=skill, target=path, detail=detail)


def _skill(spot: Spot, given: Input, more: Metadata) -> RawEvent:
    name = _first(given.name)
    path = os.path.join(more.dir, _SKILL_FILE) if isinstance(more.dir, str) and more.dir else None
    return spot.event("skill_invoke", name=name, target=path, detail=RawDetail(skill=name, path=path))


def _change(spot: Spot, name: str, paths: tuple[str, ...]) -> RawEvent:
    target = paths[0] if len(paths) == 1 else None
    return spot.event("file_change", name=name, target=target, status="ok", detail=RawDetail(paths=paths))


def _changed(target: str | None, more: Metadata) -> tuple[str, ...]:
    """The file that was named, else those that a patch tells of."""
    if target is not None:
        return (target,)
    files = more.files if isinstance(more.files, list) else []
    paths = (_first(each.get("filePath")) for each in files if isinstance(each, dict))
    return tuple(path for path in paths if path)


def _first(*values: object) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST else None
