"""OpenAI's Responses API: the items of a conversation as clients keep them, and the tool calls among them.

Partial: what is not listed is skipped while decoding. Of arguments only a
command or a path is looked at, of a patch only the lines that name files.
Knows no harness.
"""

from typing import Any

import msgspec
from msgspec import Struct

from observer.adapters.making import Making


class Part(Struct, gc=False):
    """A piece of content of any type."""

    text: str | None = None


class Message(Struct, tag="message", gc=False):
    """A message to or from the model."""

    id: str | None = None
    role: str | None = None
    content: list[Part] | str | None = None


class FunctionCall(Struct, tag="function_call", gc=False):
    """A tool call; `arguments` is JSON text."""

    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None


class CustomCall(Struct, tag="custom_tool_call", gc=False):
    """A tool call whose input is free text: a patch or a script."""

    call_id: str | None = None
    name: str | None = None
    input: str | None = None


class Action(Struct, gc=False):
    """What a local shell call runs."""

    command: list[str] | str | None = None


class ShellCall(Struct, tag="local_shell_call", gc=False):
    """A command of the model's own shell tool."""

    call_id: str | None = None
    id: str | None = None
    action: Action | None = None


class ToolSearch(Struct, tag="tool_search_call", gc=False):
    """A search for tools."""

    call_id: str | None = None


class WebSearch(Struct, tag="web_search_call", gc=False):
    """A web search that ran beside the model."""

    id: str | None = None


class Output(Struct, gc=False):
    """An output that is an object."""

    content: str | list[Part] | None = None
    success: bool | None = None


class FunctionOutput(Struct, tag="function_call_output", gc=False):
    """What a call returned, as the model sees it."""

    call_id: str | None = None
    output: str | list[Part] | Output | None = None


class CustomOutput(FunctionOutput, tag="custom_tool_call_output", gc=False):
    """The same for a custom call."""


class _Arguments(Struct, gc=False):
    """The arguments of a function call that say what it touches."""

    cmd: Any = None
    command: Any = None
    path: Any = None
    file_path: Any = None


_arguments = msgspec.json.Decoder(_Arguments)
CALLS = (FunctionCall, CustomCall, ShellCall, ToolSearch, WebSearch)


def texts(content: object) -> list[str]:
    """The texts in the content of a message or an output."""
    if isinstance(content, list):
        return [part.text or "" for part in content]
    return [content] if isinstance(content, str) else []


def call(making: Making, item: Any) -> None:
    """Files a tool call. A search may have no id in older releases; its place is one."""
    place = f"line:{making.spot.ordinal}"
    match item:
        case FunctionCall():
            name = f"{item.namespace}.{item.name}" if item.namespace else item.name
            making.event("tool_call", item.call_id, name=name, target=_target(item.arguments))
        case CustomCall():
            making.event("tool_call", item.call_id, name=item.name, target=_patched(item))
        case ShellCall():
            command = item.action.command if item.action else None
            target = " ".join(command) if isinstance(command, list) else command
            making.event("tool_call", item.call_id or item.id, name="local_shell", target=target)
        case ToolSearch():
            making.event("tool_call", item.call_id or place, name="tool_search")
        case WebSearch():
            making.event("tool_call", item.id or place, name="web_search")


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


def _patched(item: CustomCall) -> str | None:
    """The files that a patch names; a script shows nothing, its commands are items of their own."""
    if item.name != "apply_patch" or not item.input:
        return None
    return "\n".join(line for line in item.input.split("\n") if line.startswith("*** ")) or None
