"""AGENTS.md as it is put before a model: the user's and the project's files, one after the other, wrapped.

Takes the wrapping off; what the content proves is decided by the privacy room.
Knows no harness.
"""

import re

# Older releases had no heading.
_WRAPPED = re.compile(
    r"# AGENTS\.md instructions[^\n]*\n\s*<INSTRUCTIONS>\n(.*?)(?:</INSTRUCTIONS>\s*)?\Z"
    r"|<user_instructions>\n\n?(.*?)(?:</user_instructions>\s*)?\Z",
    re.DOTALL,
)
_HEADS = ("# AGENTS.md instructions", "<user_instructions>")


def is_wrapped(text: str) -> bool:
    """Whether a text begins as such a one does."""
    return text.startswith(_HEADS)


def content(text: str) -> str | None:
    """What the files hold; None when it cannot be told where they begin."""
    found = _WRAPPED.match(text)
    return found and (found[1] or found[2])
