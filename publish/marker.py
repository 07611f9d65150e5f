"""The marker: the first line of every comment of ours, in one fixed grammar.

Says which target the comment is for, which state block it carries and how new
that is. Read by writing it again and comparing: what is not exactly such a
line is no marker. Says nothing about who wrote the comment (publish.ownership).
"""

import re

from msgspec import Struct

from observer.base import clock

UNKNOWN = "unknown"

_LINE = re.compile(
    r"<!-- agent-observer:comment:v1"
    r" target=(pr:[1-9][0-9]{0,9}|commit:[0-9a-f]{6,40})"
    r" state=sha256:([0-9a-f]{64})"
    r" made=(unknown|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)"
    r" -->"
)


class Marker(Struct, frozen=True):
    """`target` is Target.key, `state` the digest of the state block, `made` the
    newest evidence cutoff in it (an instant, or `unknown`), never a clock's time.
    """

    target: str
    state: str
    made: str

    @property
    def line(self) -> str:
        """The first line of the comment."""
        return f"<!-- agent-observer:comment:v1 target={self.target} state=sha256:{self.state} made={self.made} -->"


def find(body: str) -> Marker | None:
    """The marker on the first line of a comment; None when that line is anything else."""
    line = body.partition("\n")[0].removesuffix("\r")
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    target, state, made = found.groups()
    return Marker(target, state, made) if made == UNKNOWN or is_instant(made) else None


def is_instant(text: str) -> bool:
    """Whether the text is an instant exactly as the clock writes it, not only in its form."""
    return clock.iso(clock.parse_iso(text)) == text


def same_text(one: str, other: str) -> bool:
    """Whether two bodies are one text: servers and editors change line ends and drop the last one."""
    return _unix(one) == _unix(other)


def _unix(body: str) -> str:
    return body.replace("\r\n", "\n").rstrip("\n")
