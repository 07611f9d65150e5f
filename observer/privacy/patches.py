"""Patches in the apply_patch form, reduced to what they touch.

Of a patch only the lines that begin or end it or name a file remain; the
changed text never does (behaviour §9.8). Works on commands and on scripts in
which the newlines of the patch are escaped.
"""

import re

_BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_NAMING = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
# The newline after the first line, real or escaped, is that of the whole patch.
_OPENING = re.compile(r"\*\*\* Begin Patch[ \t]*(?P<newline>\n|\\+n)")
_REAL = re.compile(r"\n")


def without_bodies(text: str) -> str:
    """The text with every patch in it reduced; a patch without an end lasts to the end of the text."""
    start = text.find(_BEGIN)
    if start < 0:
        return text
    kept = []
    at = 0
    while start >= 0:
        kept.append(text[at:start])
        reduced, at = _reduce(text, start)
        kept.append(reduced)
        start = text.find(_BEGIN, at)
    kept.append(text[at:])
    return "".join(kept)


def _reduce(text: str, start: int) -> tuple[str, int]:
    """What to keep of the patch at `start`, and where the text goes on after it."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return _reduce_odd(text, start + len(_BEGIN))
    newline = opening["newline"]
    # A changed line may itself contain the other kind of newline, or the same
    # one escaped once more: only exactly this one ends a line.
    ending = _REAL if newline == "\n" else re.compile(r"(?<!\\)" + re.escape(newline))
    lines = [_BEGIN]
    at = opening.end()
    while at < len(text):
        if text.startswith(_END, at):
            return newline.join([*lines, _END]), at + len(_END)
        found = ending.search(text, at)
        stop, following = found.span() if found else (len(text), len(text))
        if text.startswith(_NAMING, at):
            lines.append(_name_only(text[at:stop], newline))
        at = following
    return newline.join(lines) + newline, len(text)


def _reduce_odd(text: str, at: int) -> tuple[str, int]:
    """The marker without a newline: a mention of the form, unless files are named after it."""
    if any(text.find(naming, at) >= 0 for naming in _NAMING):
        return _BEGIN, len(text)
    return _BEGIN, at


def _name_only(line: str, newline: str) -> str:
    """A naming line; one that ran on over a newline escaped more deeply is cut there."""
    if newline != "\n":
        line = line.partition("\\" + newline)[0].rstrip("\\")
    return line.rstrip()
