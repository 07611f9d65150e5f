"""Text that is safe to store and to print: no control characters, valid UTF-8.

Decides nothing about what a text may say; it only takes out what breaks
SQLite, UTF-8 output or a terminal.
"""

import re

# Controls but tab and newline; marks that reorder or hide text when printed;
# halves of surrogate pairs, which neither SQLite nor UTF-8 can hold.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """The text with a space for each unsafe character and U+FFFD for half a surrogate pair.

    Tab and newline stay; CR LF becomes a newline.
    """
    if text.isprintable():
        return text
    return _UNSAFE.sub(_stand_in, text.replace("\r\n", "\n"))


def is_line(text: str) -> bool:
    """Whether the text is one line without anything that `plain` would change."""
    return text.isprintable() or not ("\n" in text or "\t" in text or _UNSAFE.search(text))


def _stand_in(found: re.Match[str]) -> str:
    return "\ufffd" if "\ud800" <= found[0] <= "\udfff" else " "
