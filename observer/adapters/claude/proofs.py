"""Texts of a transcript that may prove the agent's instructions: hook contexts, instruction files, Skill bodies.

Hands them on as they are; nothing of them is made into anything else here.
"""

from typing import Any

import msgspec
from msgspec import Struct

from observer.adapters import instructions
from observer.adapters.claude.shapes import Block, QueuedCommand
from observer.records.source import RawBatch
from observer.records.spot import Spot

_HOOK = "hook_"


class _Context(Struct, rename="camel"):
    additional_context: str | None = None


class _Answer(Struct, rename="camel"):
    """What a hook prints when it answers in JSON."""

    hook_specific_output: _Context


_answer = msgspec.json.Decoder(_Answer)


def said(batch: RawBatch, spot: Spot, content: Any) -> None:
    """What stands in the user's place: a prompt, a Skill's body, context that the harness put beside them."""
    if isinstance(content, str):
        instructions.context(batch.instructions, spot.session, spot.ordinal, (content,))
    elif isinstance(content, list):
        texts = [each.text for each in content if type(each) is Block and each.type == "text"]
        instructions.context(batch.instructions, spot.session, spot.ordinal, texts)


def attached(batch: RawBatch, spot: Spot, found: QueuedCommand) -> None:
    """An attachment: the context a hook gave, or the instruction files that were loaded."""
    kind = found.type
    if kind == "queued_command":
        said(batch, spot, found.prompt)
    elif kind == "instructions" and isinstance(found.files, list):
        for each in found.files:
            if isinstance(each, dict):
                instructions.file(batch.instructions, spot.session, spot.ordinal, "loaded", each.get("content"))
    elif isinstance(kind, str) and kind.startswith(_HOOK):
        _hook(batch, spot, found)


def _hook(batch: RawBatch, spot: Spot, found: QueuedCommand) -> None:
    """The context as the model got it; where that is not told, what the hook printed."""
    texts = found.content if isinstance(found.content, list) else [found.content]
    before = len(batch.instructions)
    instructions.context(batch.instructions, spot.session, spot.ordinal, texts)
    if len(batch.instructions) == before and isinstance(found.stdout, str) and instructions.is_context(found.stdout):
        instructions.context(batch.instructions, spot.session, spot.ordinal, (_given(found.stdout),))


def _given(printed: str) -> str | None:
    """The context in what a hook printed, which may be JSON around it."""
    if not printed.lstrip().startswith("{"):
        return printed
    try:
        return _answer.decode(printed).hook_specific_output.additional_context
    except (msgspec.DecodeError, UnicodeEncodeError):
        return printed
