"""Values of foreign records that may be anything: what can be used of them, else None.

Never guesses: a number in a text is no count, and an empty text says nothing.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated, TypeGuard

from msgspec import Meta, Struct

from observer.records.usage import LARGEST

# A counter of a typed line: whatever else stands there is cut out by the decoder, and named.
Count = Annotated[int, Meta(ge=0, le=LARGEST)]
# A century and more: a longer span is no span.
LONGEST_SECONDS = 2**32
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_HTTP_STATUS = re.compile(r"[1-5]\d\d", re.ASCII)


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is a text that says something; only such a text can be a native id."""
    return isinstance(value, str) and value != ""


def text(value: object) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value else None


def first_text(*values: object) -> str | None:
    """The first of the values that is a text and says something."""
    for value in values:
        if isinstance(value, str) and value:
            return value
    return None


def meant(value: object, meanings: Mapping[str, str]) -> str | None:
    """What a word means, by the table of its format."""
    return meanings.get(value) if isinstance(value, str) else None


def count(value: object) -> int | None:
    """A whole number that the ledger can hold."""
    return value if type(value) is int and 0 <= value <= LARGEST else None


def http_status(value: object) -> str | None:
    """The three digits of a status, recorded as number or text."""
    said = str(value) if type(value) in (int, str) else ""
    return said if _HTTP_STATUS.fullmatch(said) else None


def amount(value: object) -> str | None:
    """A recorded price as exact decimal text."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return format(Decimal(repr(value)), "f")


def size(said: str) -> int:
    """UTF-8 bytes of a text."""
    return len(said) if said.isascii() else len(said.encode("utf-8", "replace"))


def unit_name(native: str) -> str:
    """What something is called in a unit's path: its id, or a digest of one that could be anything."""
    return native if _PLAIN.fullmatch(native) else "~" + hashlib.sha256(native.encode("utf-8", "replace")).hexdigest()


def called(name: str, ids: Iterable[object]) -> str:
    """The id among these that a unit's path calls so; a name that is no digest is the id itself."""
    if not name.startswith("~"):
        return name
    return next((each for each in sorted(filter(is_text, ids)) if unit_name(each) == name), name)


def is_shortened(said: str, mark: str, sign: str) -> bool:
    """Whether the mark stands right before the sign anywhere: a rare sign is found far faster than both."""
    at = said.find(sign)
    while at >= 0:
        if said.endswith(mark, 0, at):
            return True
        at = said.find(sign, at + 1)
    return False


class Duration(Struct, gc=False):
    """A span of time as Rust programs write it."""

    secs: Annotated[int, Meta(ge=0, le=LONGEST_SECONDS)] = 0
    nanos: Annotated[int, Meta(ge=0, lt=10**9)] = 0


def span_ms(value: object) -> int | None:
    """Milliseconds of such a span."""
    return value.secs * 1000 + value.nanos // 1_000_000 if isinstance(value, Duration) else None
