"""Texts of a transcript that may prove the agent's instructions: hook contexts, instruction files, Skill bodies.

Hands them on as they are; nothing of them is made into anything else here.
"""

from typing import Any

from observer.adapters.claude.shapes import QueuedCommand
from observer.adapters.making import Making, is_context
from observer.adapters.wire import hooks
from observer.adapters.wire.messages import blocks


def said(making: Making, content: Any) -> None:
    """What stands in the user's place: a prompt, a Skill's body, context that the harness put beside them."""
    making.contexts(content, *(each.text for each in blocks(content, "text")))


def attached(making: Making, found: QueuedCommand) -> None:
    """An attachment: the context a hook gave, or the instruction files that were loaded."""
    if found.type == "queued_command":
        said(making, found.prompt)
    elif found.type == "instructions" and isinstance(found.files, list):
        for each in found.files:
            if isinstance(each, dict):
                making.instructions("loaded", each.get("content"))
    elif isinstance(found.type, str) and found.type.startswith("hook_"):
        # The context as the model got it; where that is not told, what the hook printed.
        texts, printed = found.content if isinstance(found.content, list) else [found.content], found.stdout
        if not making.contexts(*texts) and isinstance(printed, str) and is_context(printed):
            making.contexts(hooks.context(printed))
