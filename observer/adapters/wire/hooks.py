"""What a hook prints to a harness: a text, or JSON with the context for the model in it.

The same answer for every harness that runs such hooks. Knows no harness.
"""

import msgspec
from msgspec import Struct


class _Context(Struct, rename="camel"):
    additional_context: str | None = None


class _Answer(Struct, rename="camel"):
    hook_specific_output: _Context


_answer = msgspec.json.Decoder(_Answer)


def context(printed: str) -> str | None:
    """The context in what a hook printed; all of it where it is no such JSON."""
    if not printed.lstrip().startswith("{"):
        return printed
    try:
        return _answer.decode(printed).hook_specific_output.additional_context
    except (msgspec.DecodeError, UnicodeEncodeError):
        return printed
