"""The Agent Client Protocol: what a session's updates tell of tool calls, each call in several lines.

Titles, patterns and contents are never taken. Knows no harness; which tools
change files, and how a call ended besides, is told by whoever reads.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from observer.adapters.making import Making
from observer.native import values
from observer.records.spot import Spot
from observer.rules.join import in_order

_Other = str | int | float | bool | list[Any] | None
# Names of the protocol that are not those of the fields here.
CAMEL = {
    "session_update": "sessionUpdate",
    "tool_call_id": "toolCallId",
    "raw_input": "rawInput",
    "raw_output": "rawOutput",
    "meta": "_meta",
}
_ENDED = {"completed": "ok", "failed": "error"}


class Text(Struct, gc=False):
    """A piece of content of any type."""

    text: str | None = None


class Block(Struct, gc=False):
    """A piece of a tool's content."""

    content: Text | _Other = None


class Input(Struct, gc=False):
    """The inputs of a tool that say what it touches."""

    target_file: Any = None
    file_path: Any = None
    path: Any = None
    target_directory: Any = None
    directory: Any = None
    command: Any = None
    offset: Any = None
    limit: Any = None


class Output(Struct, gc=False):
    """What is kept of a tool's output."""

    exit_code: Any = None
    truncated: Any = None


class Update(Struct, gc=False, rename=CAMEL):
    """What an update of any kind says of a message or a tool call."""

    session_update: str = ""
    content: Text | list[Block] | str | None = None
    tool_call_id: str | None = None
    kind: str | None = None
    status: str | None = None
    locations: list[Any] | None = None
    raw_input: Input | _Other = None
    raw_output: Output | _Other = None


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

    def see(self, update: Update, spot: Spot, *, name: str | None, kind: str | None) -> None:
        """Takes what a line adds, and what it says of the tool beside. After the end nothing changes any more."""
        if self.ended is not None:
            return
        self.name = name or self.name
        self.kind = kind or update.kind or self.kind
        if isinstance(update.raw_input, Input):
            self.target = _target(update.raw_input) or self.target
            self.limit = values.count(update.raw_input.limit) or self.limit
        self.places.extend(_places(update.locations or []))
        if update.status in _ENDED:
            self._end(update, spot)

    def _end(self, update: Update, spot: Spot) -> None:
        self.ended, self.status = spot, _ENDED[update.status or ""]
        if isinstance(update.content, list):
            texts = [part.content.text or "" for part in update.content if type(part.content) is Text]
            self.size = values.size("".join(texts))
        if type(update.raw_output) is Output:
            code = update.raw_output.exit_code
            self.exit_code = code if type(code) is int else None
            self.truncated = update.raw_output.truncated is True
        if self.exit_code:
            self.status = "error"

    def file(self, making: Making, changes: Mapping[str, str], *, status: str | None, duration_ms: int | None) -> None:
        """Files the call, its result, and the files it is known to have read or changed.

        `changes`: tools that change files → how. `status` and `duration_ms` are
        what is known of its end from elsewhere.
        """
        making.spot = self.spot
        making.event("tool_call", self.id, name=self.name, target=self.target)
        status, ended = status or self.status, self.ended
        if ended is not None:
            making.spot = ended
            making.result(
                self.id, name=self.name, status=status, duration_ms=duration_ms, size_bytes=self.size,
                truncated=self.truncated, exit_code=self.exit_code,
            )  # fmt: skip
        if self.kind == "read":
            making.spot = self.spot
            for path, line in dict(self.places).items():
                name = f"{self.id}:{path}"
                making.read_file(name, path, status=status, start_line=line, line_count=self.limit)
        elif (self.kind == "edit" or self.name in changes) and ended is not None and self.target:
            making.change(self.id, (self.target,), name=changes.get(self.name, "edit"), status=status)


class Answer:
    """A text of the assistant that comes in pieces: those that follow each other are one."""

    def __init__(self) -> None:
        self._begun: Spot | None = None
        self._texts: list[str] = []
        self._count = 0

    def add(self, spot: Spot, update: Update) -> None:
        """Takes a piece."""
        self._begun = self._begun or spot
        if type(update.content) is Text:
            self._texts.append(update.content.text or "")

    def file(self, making: Making) -> None:
        """Files what was said, if something was; the next piece begins another text."""
        begun, self._begun = self._begun, None
        if begun is not None:
            with making.at(begun):
                making.answer(f"answer:{self._count}", "".join(self._texts), name="text")
            self._texts, self._count = [], self._count + 1


class Ends:
    """How calls ended, and after how many milliseconds, as a log tells that may name no calls."""

    def __init__(self) -> None:
        self.by_call: dict[str, tuple[str | None, int | None]] = {}
        self.by_tool: dict[str, list[tuple[str | None, int | None]]] = {}

    def add(self, call: object, tool: object, status: str | None, duration_ms: int | None) -> None:
        """One more end; of a call the first one told counts."""
        if values.is_text(call):
            self.by_call.setdefault(call, (status, duration_ms))
        elif isinstance(tool, str):
            self.by_tool.setdefault(tool, []).append((status, duration_ms))


class Calls:
    """The calls of a session, in the order they began. An id that comes again after its end is another call's."""

    def __init__(self) -> None:
        self.all: list[Call] = []
        self._last: dict[str, Call] = {}

    def of(self, native_id: str, update: Update, spot: Spot) -> Call:
        """The call that a line is about."""
        call = self._last.get(native_id)
        if call is None or (call.ended is not None and update.session_update == "tool_call"):
            again = f":{len(self.all)}" if call is not None else ""
            call = self._last[native_id] = Call(native_id + again, spot)
            self.all.append(call)
        return call

    def file(self, making: Making, changes: Mapping[str, str], ends: Ends) -> None:
        """Files all of them (Call.file), with what is known of their ends from elsewhere."""
        ended = sorted((call for call in self.all if call.ended), key=lambda call: (call.ended or call.spot).ordinal)
        unnamed: dict[str, list[str]] = {}
        for call in ended:
            if call.id not in ends.by_call:
                unnamed.setdefault(call.name, []).append(call.id)
        known = ends.by_call | in_order(unnamed, ends.by_tool)
        for call in self.all:
            status, duration_ms = known.get(call.id, (None, None))
            call.file(making, changes, status=status, duration_ms=duration_ms)


def texts(content: object) -> list[str]:
    """The texts of a content that say something."""
    found = [part.text for part in content] if isinstance(content, list) else [content]
    return [text for text in found if isinstance(text, str) and text]


def _target(given: Input) -> str | None:
    """The path or command of a call; a URL is neither."""
    paths = (given.target_file, given.file_path, given.path, given.target_directory, given.directory)
    found = next((path for path in paths if isinstance(path, str) and path and "://" not in path), None)
    return found or values.text(given.command)


def _places(locations: list[Any]) -> Iterator[tuple[str, int | None]]:
    """Plain paths with an optional line; anything with more to say is dropped (behaviour §6)."""
    for place in locations:
        if isinstance(place, dict) and place.keys() <= {"path", "line"}:
            path, line = place.get("path"), place.get("line")
            if isinstance(path, str) and path and (line is None or type(line) is int):
                yield path, line
