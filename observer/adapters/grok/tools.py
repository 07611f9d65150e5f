"""Tool calls: what was called, on what, and how it ended. Titles, patterns and contents are never taken."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct, structs

from observer.adapters.grok.log import Log, Outcome
from observer.adapters.grok.shapes import Input, Output, Text, Tool, Update
from observer.records.event import Family, RawDetail, RawEvent
from observer.records.spot import Spot

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]{0,79}")
_ENDED = {"completed": "ok", "failed": "error"}
_CHANGES = {"search_replace": "edit", "write": "write"}
_SKILL = "SKILL.md"


class Call(Struct):
    """One tool call, as its lines tell it one after the other."""

    id: str
    spot: Spot
    name: str = "unknown"
    kind: str | None = None
    target: str | None = None
    limit: int | None = None
    places: list[tuple[str, int | None]] = []
    ended: Spot | None = None
    status: str | None = None
    exit_code: int | None = None
    size: int | None = None
    truncated: bool = False

    def see(self, update: Update, spot: Spot) -> None:
        """Takes what a line adds. What comes after the end changes nothing."""
        if self.ended is not None:
            return
        tool = update.meta.tool if update.meta and update.meta.tool else Tool()
        if tool.name and _NAME.fullmatch(tool.name):
            self.name = tool.name
        self.kind = tool.kind or update.kind or self.kind
        if isinstance(update.raw_input, Input):
            self.target = _target(update.raw_input) or self.target
            self.limit = _whole(update.raw_input.limit) or self.limit
        self.places.extend(_places(update.locations or []))
        if update.status in _ENDED:
            self._end(update, spot)

    def _end(self, update: Update, spot: Spot) -> None:
        self.ended, self.status = spot, _ENDED[update.status or ""]
        if isinstance(update.content, list):
            texts = [part.content.text or "" for part in update.content if type(part.content) is Text]
            self.size = len("".join(texts).encode("utf-8", "surrogatepass"))
        if type(update.raw_output) is Output:
            code = update.raw_output.exit_code
            self.exit_code = code if type(code) is int else None
            self.truncated = update.raw_output.truncated is True
        if self.exit_code:
            self.status = "error"

    def end(self) -> int:
        """The place of its last line."""
        return (self.ended or self.spot).ordinal

    def events(self, outcome: Outcome) -> Iterator[RawEvent]:
        """The call, its result, and the files it is known to have read or changed."""
        yield self.spot.event("tool_call", self.id, name=self.name, target=self.target)
        status = outcome[0] or self.status
        if self.ended is not None:
            detail = None if self.exit_code is None else RawDetail(exit_code=self.exit_code)
            result = self.ended.event("tool_result", self.id, name=self.name, status=status, detail=detail)
            yield structs.replace(result, duration_ms=outcome[1], size_bytes=self.size, truncated=self.truncated)
        if self.kind == "read":
            for path, line in dict(self.places).items():
                yield self._read(path, line, status)
        elif (self.kind == "edit" or self.name in _CHANGES) and self.ended is not None and self.target:
            yield self._change(self.ended, self.target, status)

    def _change(self, ended: Spot, path: str, status: str | None) -> RawEvent:
        name, detail = _CHANGES.get(self.name, "edit"), RawDetail(paths=(path,))
        return ended.event("file_change", self.id, name=name, target=path, status=status, detail=detail)

    def _read(self, path: str, line: int | None, status: str | None) -> RawEvent:
        folder, _, base = path.rpartition("/")
        skill = folder.rpartition("/")[2] or None if base == _SKILL else None
        detail = RawDetail(path=path if skill else None, skill=skill, start_line=line, line_count=self.limit)
        family: Family = "skill_read" if base == _SKILL else "read"
        return self.spot.event(family, f"{self.id}:{path}", name=skill, target=path, status=status, detail=detail)


def events(calls: Iterable[Call], log: Log) -> Iterator[RawEvent]:
    """The events of all calls.

    The measured log names no calls: its ends belong to those of the same tool
    in order, and to none of them when they are not as many.
    """
    ended: dict[str, list[Call]] = {}
    for call in sorted((call for call in calls if call.ended), key=Call.end):
        if call.id not in log.by_call:
            ended.setdefault(call.name, []).append(call)
    outcomes = dict(log.by_call)
    for name, group in ended.items():
        found = log.outcomes.get(name, [])
        if len(found) == len(group):
            outcomes.update(zip((call.id for call in group), found, strict=True))
    for call in calls:
        yield from call.events(outcomes.get(call.id, (None, None)))


def _target(given: Input) -> str | None:
    """The path or command of a call; a URL is neither."""
    paths = (given.target_file, given.file_path, given.path, given.target_directory, given.directory)
    found = next((path for path in paths if isinstance(path, str) and path and "://" not in path), None)
    return found or (given.command if isinstance(given.command, str) and given.command else None)


def _places(locations: list[Any]) -> Iterator[tuple[str, int | None]]:
    """Plain paths with an optional line; anything with more to say is dropped (behaviour §6)."""
    for place in locations:
        if isinstance(place, dict) and place.keys() <= {"path", "line"}:
            path, line = place.get("path"), place.get("line")
            if isinstance(path, str) and path and (line is None or type(line) is int):
                yield path, line


def _whole(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None
