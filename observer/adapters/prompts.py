"""Submissions, each prompt once, in whichever records it stands; and what else waits for its other half.

A prompt that waited in a queue has two records. The first one names it; the
second adds its own id as alias, and the turn. What must be remembered for that
is ids and fingerprints, never a text.
"""

import hashlib
import re

from msgspec import Struct

from observer.adapters.making import Making
from observer.records.spot import Spot
from observer.records.submission import Kind

# More waiting prompts or open calls than this are not worth remembering.
_MOST_QUEUED = 32
_MOST_READS = 256
_PASTE_TAG = re.compile(r"</?pasted_content[^>]*>")


class Spoken(Struct, frozen=True, gc=False):
    """Something said: its kind, its text as a person would have typed it, and whether it begins a turn."""

    kind: Kind
    text: str
    begins_turn: bool


class Waiting(Struct):
    """What must be remembered between two batches.

    `turns`: session key → native id of the running turn. `queued`: fingerprint
    and id of prompts whose own record has not come yet. `unqueued`: the same
    of the last prompt, while its queue entry may still follow. `reads`: id of
    a reading call without a result → the line it asked for.
    """

    turns: dict[str, str] = {}
    queued: list[tuple[str, str]] = []
    unqueued: tuple[str, str] | None = None
    reads: dict[str, int | None] = {}

    def await_read(self, call: str, line: int | None) -> None:
        """Remembers a reading call."""
        self.reads[call] = line
        if len(self.reads) > _MOST_READS:
            del self.reads[next(iter(self.reads))]

    def begin(self, making: Making, turn: str) -> None:
        """A turn begins here; what waited for a queue entry does so no longer."""
        self.turns[making.spot.session], self.unqueued = turn, None
        making.turn(turn, started_ms=making.spot.at_ms)

    def said(self, making: Making, name: str, kind: Kind, text: str, *, turn: str | None, main: bool) -> None:
        """The own record of something said; a prompt that had waited is the one from the queue."""
        if kind in ("genuine", "unknown"):
            mark = _fingerprint(text)
            waited = self._dequeue(mark)
            if waited is not None:
                making.told_prompt(waited, "genuine", text, turn=turn, main=main, alias=name)
                return
            if kind == "genuine":
                self.unqueued = (mark, name)
        making.told_prompt(name, kind, text, turn=turn, main=main)

    def enqueue(self, making: Making, text: str) -> None:
        """A prompt enters the queue of a main session and counts from here; how it leaves its own record tells."""
        spot, mark = making.spot, _fingerprint(text)
        moment = spot.ordinal if spot.at_ms is None else spot.at_ms
        name = f"{spot.session}:queue:{moment}:{mark[:8]}"
        last, self.unqueued = self.unqueued, None
        if last is not None and last[0] == mark:
            making.told_prompt(last[1], "genuine", text, turn=spot.turn, main=True, alias=name)
            return
        self.queued = [*self.queued, (mark, name)][-_MOST_QUEUED:]
        making.told_prompt(name, "genuine", text, turn=None, main=True)

    def _dequeue(self, mark: str) -> str | None:
        """The id of the oldest waiting prompt like that; it waits no longer."""
        for index, (known, name) in enumerate(self.queued):
            if known == mark:
                del self.queued[index]
                return name
        return None


def _fingerprint(text: str) -> str:
    """Recognises the same prompt in two records: 16 hex digits, blind to blanks and paste tags."""
    plain = " ".join(_PASTE_TAG.sub(" ", text).split())
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]


class Asked(Struct):
    """A prompt that comes in pieces; `index` counts the prompts of the session, `turn` is told later."""

    id: str
    index: int
    spot: Spot
    texts: list[str] = []
    turn: str | None = None
    rewound: bool = False


class Pieces:
    """The prompts of one session whose pieces name their prompt by its index. After a rewind it means another one."""

    def __init__(self, session: str) -> None:
        self.all: dict[str, Asked] = {}
        self.last: Asked | None = None
        self._session, self._rewinds, self._is_told = session, 0, True

    def add(self, index: int, text: object, spot: Spot) -> None:
        """A piece of a prompt."""
        name = f"{self._session}:{index}" + (f":{self._rewinds}" if self._rewinds else "")
        self.last, self._is_told = self.all.setdefault(name, Asked(name, index, spot)), False
        if isinstance(text, str):
            self.last.texts.append(text)

    def rewind(self, index: int) -> None:
        """The session goes back before the prompt of that index."""
        for prompt in self.all.values():
            prompt.rewound = prompt.rewound or prompt.index >= index
        self._rewinds += 1

    def begun_ms(self, at_ms: int | None) -> int | None:
        """When a turn began that a line at that time is the first to name: with the prompt that has none yet."""
        prompt = None if self._is_told else self.last
        return prompt.spot.at_ms if prompt and prompt.turn is None else at_ms

    def tell(self, turn: str) -> bool:
        """A line names its turn: the last prompt, if nothing told it yet, began it. False when it began another."""
        prompt = None if self._is_told else self.last
        self._is_told = True
        if prompt is None:
            return True
        prompt.turn = prompt.turn or turn
        return prompt.turn == turn
