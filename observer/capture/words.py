"""What a coordinator may say in words: one line without anything that looks like a secret.

These words are never exported as evidence, but they are printed and moved
between machines; a token pasted by mistake must not settle in the ledger.
Refuses and never repeats what it refused.
"""

from typing import Any

from observer.base.errors import CaptureRefused
from observer.privacy import names
from observer.privacy.credentials import redact
from observer.privacy.plain import is_line

LONGEST = 2000


def check(values: dict[str, Any]) -> None:
    """CaptureRefused when a text among these is no line of at most 2000 characters, or holds a secret."""
    for name, text in values.items():
        if isinstance(text, str):
            if not is_line(text) or len(text) > LONGEST:
                raise CaptureRefused(f"{_spoken(name)} must be one line of at most {LONGEST} characters")
            if redact(text) != text:
                raise CaptureRefused(
                    f"{_spoken(name)} holds what looks like a secret",
                    "say it without; what was typed may stand in the shell's history",
                )


def check_ids(values: dict[str, Any]) -> None:
    """CaptureRefused when one of these is given and is no identifier that the ledger could hold."""
    for name, text in values.items():
        if text is not None and names.identifier(text) != text:
            raise CaptureRefused(
                f"{_spoken(name)} is no identifier", "letters, digits and . _ : / + @ - as the records have them"
            )


def _spoken(name: str) -> str:
    return name.replace("_", " ")
