"""One session of the store → a RawBatch: prompts, turns, responses, events.

Walks the parts once, then the messages in order of time. Never I/O of its own.
"""

import re

from msgspec.structs import replace

from observer.adapters.making import Making
from observer.adapters.opencode import tools, usage
from observer.adapters.opencode.paths import HARNESS
from observer.adapters.opencode.shapes import Head
from observer.adapters.opencode.store import Entry, Kept, kept
from observer.adapters.seen import Seen
from observer.native import values
from observer.native.documents import Decoded
from observer.records.response import COPIED, PROVEN, RECORDED
from observer.records.session import Role, Session, Turn
from observer.records.source import RawBatch, SourceFile
from observer.records.spot import Spot
from observer.records.submission import Kind

# The command line puts a prompt that holds blanks into quotes and escapes those inside.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*)"\n?', re.DOTALL)


def read(unit: SourceFile) -> RawBatch:
    """The records of one unit; StoreError or OSError when it cannot be read."""
    with kept(unit.path) as found:
        return _Reading(found).run()


class _Reading(Making):
    """One session on its way; faults name the position of a record, which changes with every record that goes."""

    def __init__(self, found: Kept) -> None:
        super().__init__()
        self._kept, self._head = found, found.head or Head()
        self._key = f"{HARNESS}:{found.session}"
        self._role: Role | None = "subagent" if self._head.parent_id is not None else "main" if found.head else None
        self.batch.faults = found.faults
        self._entries = {entry.id: entry for entry in found.entries}
        self._typed: dict[str, list[str]] = {}
        self._injected: dict[str, list[str]] = {}
        # User message → the one that began its turn, and what is known of each turn.
        self._began: dict[str, str] = {}
        self._turns: dict[str, Turn] = {}

    def run(self) -> RawBatch:
        """Goes through the session once."""
        for piece in self._kept.pieces:
            entry = self._entries.get(piece.row.owner)
            if entry is not None:
                self.number = piece.number
                self._piece(entry, piece)
        batch, compacting = self.batch, self._head.compacting
        for entry in self._kept.entries:
            self.number = entry.number
            if entry.record.role == "user":
                self._user(entry)
            elif entry.record.role == "assistant":
                self._answer(entry)
            else:
                self.fault("unknown_record")
        self._count()
        if compacting is not None:
            self._stand(compacting, compacting, None)
            self.event("compaction", "time_compacting", status="started")
        batch.events = [replace(each, turn=self._turn(each.turn)) for each in batch.events]
        batch.turns = list(self._turns.values())
        batch.sessions = [self._session()] if self._kept.head or self._entries else []
        return batch

    def _stand(self, place: int, at_ms: int | None, message: str | None) -> None:
        self.spot = Spot(self._key, place, at_ms, message)

    def _piece(self, entry: Entry, piece: Decoded) -> None:
        part, record = piece.record, entry.record
        if not self.identified(piece.row.id):
            return
        start = part.state.time.start if part.state else None
        asked = entry.id if record.role == "user" else record.parent_id
        self._stand(entry.place, start or record.time.completed or record.time.created, asked)
        if part.type == "text" and record.role == "user":
            # Typed text, or text that the program put in: only a JSON false says that a person typed it.
            texts = (self._typed if part.synthetic is False else self._injected).setdefault(entry.id, [])
            if isinstance(part.text, str) and part.text.strip():
                texts.append(part.text)
                self.contexts(part.text)
        tools.part(self, piece.row.id, part)

    def _user(self, entry: Entry) -> None:
        """What a user message says, and whether it begins a turn: a compaction or injected text goes on with one."""
        typed, injected = self._typed.get(entry.id), self._injected.get(entry.id)
        created = entry.record.time.created
        begins = typed is not None or not self._began
        self._began[entry.id] = turn = entry.id if begins else next(reversed(self._began.values()))
        if begins:
            self._turns[turn] = Turn(self._key, turn, created)
        if typed is None and injected is None:
            return
        kind: Kind = "genuine" if typed else "synthetic" if injected else "unknown"
        if self._head.parent_id is not None:
            kind = "synthetic"
        text = "\n".join(map(_as_typed, typed)) if typed else "\n".join(injected or ())
        self._stand(entry.place, created, turn)
        self.submission(f"{HARNESS}:{entry.id}", kind, text, main=self._role == "main", turn=turn)

    def _turn(self, message: str | None) -> str | None:
        """The turn that a user message belongs to; one that is not there any more is a turn itself."""
        return None if message is None else self._began.get(message, message)

    def _answer(self, entry: Entry) -> None:
        """How an answer ended: as an event when it failed, and for its turn, which its last answer decides."""
        record, ended = entry.record, entry.record.time.completed
        self._stand(entry.place, ended or entry.place, record.parent_id)
        state, turn = tools.failure(self, entry.id, record), self._turn(record.parent_id)
        if turn is None:
            return
        if state is None and ended is not None and record.finish == "stop":
            state = "complete"
        known = self._turns.get(turn) or Turn(self._key, turn)
        self._turns[turn] = replace(
            known, ended_ms=ended or known.ended_ms, state=state, model=usage.model(record), effort=record.variant
        )

    def _count(self) -> None:
        """One response per completed answer that has usage."""
        whole = [each for each in self._kept.entries if each.is_answer and not each.counters_cut]
        counted = [(each, each.record.tokens) for each in whole if usage.is_usage(each.record.tokens)]
        seen: dict[str, int] = {}
        for (entry, tokens), label in zip(counted, usage.meanings([each for _, each in counted]), strict=True):
            record, made_here = entry.record, PROVEN if self._kept.from_database else RECORDED
            self._stand(entry.place, record.time.completed, self._turn(record.parent_id))
            response = self.spot.response(
                usage.identity(record, tokens, seen),
                label,
                usage.counters(tokens, label),
                model=usage.model(record),
                provider=record.provider_id,
                effort=record.variant,
                origin=COPIED if self._kept.is_copy(entry) else made_here,
                native_cost_usd=values.amount(record.cost),
            )
            self.batch.responses.append(response)

    def _session(self) -> Session:
        head, source = self._head, self._kept.source
        seen = Seen(key=self._key, role=self._role, project=head.directory, client_version=head.version)
        seen.parent = None if head.parent_id is None else f"{HARNESS}:{head.parent_id}"
        seen.forked_from = f"{HARNESS}:{source[0]}" if source else None
        for time in (entry.record.time for entry in self._kept.entries):
            seen.at(time.created, time.completed)
            if source and seen.forked_from and time.created is not None and time.created <= source[1]:
                seen.copied(seen.forked_from, max(time.created, time.completed or 0))
        if head.time.created is not None:
            seen.started_ms = head.time.created
            seen.ended_ms = head.time.created if seen.ended_ms is None else seen.ended_ms
        return seen.session()


def _as_typed(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return quoted[1].replace('\\"', '"') if quoted else text
