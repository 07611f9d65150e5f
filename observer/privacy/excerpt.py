"""The little text that is kept of prompts and answers, and the hash of a prompt.

Which submissions may have an excerpt is decided by `screen`. An excerpt never
shows what a host or harness put into the conversation: that begins with a
marker.
"""

import hashlib
import re

from observer.privacy.credentials import redact
from observer.privacy.plain import plain

SUBMISSION_LONGEST = 300
ANSWER_LONGEST = 400
# What a secret may need before or behind the excerpt to be recognised as one.
_SURROUNDINGS = 256
_POSSIBLE_MARKER = re.compile(r"<(?:[/!]|<<|(\w))")
# A run that no sentence has. Reaching into an excerpt it may be the end of a
# secret whose beginning is out of sight.
_UNBROKEN = re.compile(r"[A-Za-z0-9_+/=.~%-]*+")


def marker(text: str) -> int:
    """Where the first marker begins, -1 when there is none.

    A marker is `<` before a letter, `/` or `!`, or three `<` (behaviour §9.1).
    """
    for found in _POSSIBLE_MARKER.finditer(text):
        # \\w also means digits and signs such as a circled one, which are no letters.
        if found[1] is None or found[1].isalpha():
            return found.start()
    return -1


def text_hash(text: str) -> str:
    """16 hex digits of the SHA-256 of the text; half a surrogate pair counts as `?`."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def submission(text: str) -> str:
    """A prompt up to its first marker, white space collapsed, without secrets, at most 300 characters."""
    text = plain(text)
    end = marker(text)
    words = " ".join((text if end < 0 else text[:end]).split())
    return _redacted(words, SUBMISSION_LONGEST + _SURROUNDINGS)[:SUBMISSION_LONGEST].rstrip()


def answer(text: str) -> str:
    """The last 400 characters of an answer without secrets; empty when a marker is among them."""
    span = text[-ANSWER_LONGEST:]
    if "<" in span and marker(span) >= 0:
        return ""
    if "PRIVATE KEY" in text:
        return _last(redact(plain(text)))
    if len(text) > ANSWER_LONGEST + _SURROUNDINGS:
        text = text[-ANSWER_LONGEST - _SURROUNDINGS :]
        run = _UNBROKEN.match(text)
        if run is not None and run.end() > _SURROUNDINGS:
            return ""
    return _last(redact(plain(text)))


def _redacted(words: str, looked_at: int) -> str:
    """The beginning of collapsed text; a private key is looked for as far as it goes."""
    return redact(words if "PRIVATE KEY" in words else words[:looked_at])


def _last(text: str) -> str:
    """The last characters; taking a secret out must not have brought a marker about."""
    span = text[-ANSWER_LONGEST:]
    return "" if "<" in span and marker(span) >= 0 else span
