"""Texts of a rollout that may prove the agent's instructions: hook contexts, instruction files, the system text.

Hands them on as they are; nothing of them is made into anything else here.
"""

import re

from observer.adapters import instructions
from observer.adapters.codex.reading import Reading
from observer.adapters.codex.shapes import BaseText, Identity

# The user's and the project's instruction files, one after the other; older releases had no heading.
_FILES = re.compile(
    r"# AGENTS\.md instructions[^\n]*\n\s*<INSTRUCTIONS>\n(.*?)(?:</INSTRUCTIONS>\s*)?\Z"
    r"|<user_instructions>\n\n?(.*?)(?:</user_instructions>\s*)?\Z",
    re.DOTALL,
)
_HEADS = ("# AGENTS.md instructions", "<user_instructions>")
_SYSTEM = "model.base_instructions"


def message(reading: Reading, parts: list[str], kinds: list[str] | None) -> None:
    """A message that is not the model's: what hooks and the harness put into the conversation."""
    into, key, ordinal = reading.batch.instructions, reading.key, reading.ordinal
    for index, text in enumerate(parts):
        if text.startswith(_HEADS):
            files = _FILES.match(text)
            if files is not None:
                instructions.file(into, key, ordinal, "embedded", files[1] or files[2])
        else:
            instructions.context(into, key, ordinal, (text,))
            if kinds is not None and kinds[index : index + 1] == [_SYSTEM]:
                instructions.file(into, key, ordinal, "embedded", text)


def system(reading: Reading, found: Identity) -> None:
    """The system text, which may be an instruction file's."""
    base = found.base_instructions
    text = base.text if isinstance(base, BaseText) else base
    instructions.file(reading.batch.instructions, reading.key, reading.ordinal, "embedded", text)
