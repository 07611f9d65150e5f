"""One session of the store → a RawBatch: prompts, turns, responses, events.

Walks the parts once, then the messages in order of time. Never I/O of its own.
"""

import re

from msgspec import UNSET
from msgspec.structs import replace

from observer.adapters import instructions
from observer.adapters.opencode import events, usage
from observer.adapters.opencode.events import Spot
from observer.adapters.opencode.paths import HARNESS
from observer.adapters.opencode.shapes import Head, Message, Part, Times, Tokens
from observer.adapters.opencode.store import Entry, Kept, Piece, kept
from observer.records.response import COPIED, PROVEN, RECORDED, Response
from observer.records.session import Role, Session, Turn, TurnState
from observer.records.source import Category, Quarantine, RawBatch, SourceFile
from observer.records.submission import Kind, RawSubmission

# The command line puts a prompt that holds blanks into quotes and escapes those inside.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*)"\n?', re.DOTALL)


def read(unit: SourceFile) -> RawBatch:
    """The records of one unit; StoreError or OSError when it cannot be read."""
    with kept(unit.path) as found:
        return _Reading(found).run()


class _Reading:
    """One session on its way."""

    def __init__(self, found: Kept) -> None:
        self._kept, self._head = found, found.head or Head()
        self._key = f"{HARNESS}:{found.session}"
        self._batch = RawBatch(faults=found.faults)
        self._entries = {entry.id: entry for entry in found.entries}
        self._typed: dict[str, list[str]] = {}
        self._injected: dict[str, list[str]] = {}
        # User message → the one that began its turn, and what is known of each turn.
        self._began: dict[str, str] = {}
        self._turns: dict[str, Turn] = {}

    def run(self) -> RawBatch:
        """Goes through the session once."""
        for piece in self._kept.pieces:
            self._piece(piece)
        answers = []
        for entry in self._kept.entries:
            if entry.record.role == "user":
                self._user(entry)
            elif entry.record.role == "assistant":
                answers.append(entry)
                self._answer(entry)
            else:
                self._fault(entry.number, "unknown_record")
        self._responses(answers)
        batch = self._batch
        if self._head.compacting is not None:
            batch.events.append(events.compacting(self._key, self._head.compacting))
        batch.events = [replace(each, turn=self._turn(each.turn)) for each in batch.events]
        batch.turns = list(self._turns.values())
        batch.sessions = [self._session()] if self._kept.head or self._entries else []
        return batch

    def _fault(self, number: int, category: Category) -> None:
        self._batch.faults.append(Quarantine(number, category))

    def _piece(self, piece: Piece) -> None:
        entry, part = self._entries.get(piece.message), piece.record
        if entry is None:
            return
        if not isinstance(piece.id, str) or not piece.id:
            self._fault(piece.number, "missing_id")
            return
        record = entry.record
        if part.type == "text" and record.role == "user":
            self._text(entry.id, part)
        start = part.state.time.start if part.state else None
        at_ms = start or record.time.completed or record.time.created
        asked = entry.id if record.role == "user" else record.parent_id
        found, category = events.of_part(part, Spot(self._key, piece.id, entry.place, at_ms, asked))
        self._batch.events += found
        if category is not None:
            self._fault(piece.number, category)

    def _text(self, message: str, part: Part) -> None:
        """Typed text, or text that the program put in: only a JSON false says that a person typed it."""
        texts = (self._typed if part.synthetic is False else self._injected).setdefault(message, [])
        if isinstance(part.text, str) and part.text.strip():
            texts.append(part.text)
            instructions.context(self._batch.instructions, self._key, self._entries[message].place, (part.text,))

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
        name, main = f"{HARNESS}:{entry.id}", self._role() == "main"
        self._batch.submissions.append(RawSubmission(name, self._key, kind, text, entry.place, created, turn, main))

    def _turn(self, message: str | None) -> str | None:
        """The turn that a user message belongs to; one that is not there any more is a turn itself."""
        return None if message is None else self._began.get(message, message)

    def _answer(self, entry: Entry) -> None:
        """How an answer ended: as an event when it failed, and for its turn, which its last answer decides."""
        record = entry.record
        ended = record.time.completed
        failure = events.failure(record, Spot(self._key, entry.id, entry.place, ended or entry.place, record.parent_id))
        if failure is not None:
            self._batch.events.append(failure)
        turn = self._turn(record.parent_id)
        if turn is None:
            return
        state: TurnState | None = "complete" if ended is not None and record.finish == "stop" else None
        if failure is not None:
            state = "cancelled" if failure.status == "cancelled" else "failed"
        known = self._turns.get(turn) or Turn(self._key, turn)
        self._turns[turn] = replace(
            known, ended_ms=ended or known.ended_ms, state=state, model=usage.model(record), effort=record.variant
        )

    def _responses(self, answers: list[Entry]) -> None:
        """One response per completed answer that has usage."""
        counted: list[tuple[Entry, Tokens]] = []
        for entry in answers:
            tokens = entry.record.tokens
            if entry.counters_cut or tokens is UNSET or entry.record.time.completed is None:
                continue
            if usage.is_usage(tokens):
                counted.append((entry, tokens))
        seen: dict[str, int] = {}
        labels = usage.meanings([tokens for _, tokens in counted])
        for (entry, tokens), label in zip(counted, labels, strict=True):
            name = usage.identity(entry.record, tokens, seen)
            self._batch.responses.append(self._response(entry, tokens, label, name))

    def _response(self, entry: Entry, tokens: Tokens, label: str, name: str) -> Response:
        record: Message = entry.record
        made_here = PROVEN if self._kept.from_database else RECORDED
        return Response(
            id=name,
            session=self._key,
            semantics=label,
            usage=usage.counters(tokens, label),
            ordinal=entry.place,
            at_ms=record.time.completed,
            turn=self._turn(record.parent_id),
            model=usage.model(record),
            provider=record.provider_id,
            effort=record.variant,
            origin=COPIED if self._kept.is_copy(entry) else made_here,
            native_cost_usd=usage.cost(record.cost),
        )

    def _role(self) -> Role | None:
        if self._head.parent_id is not None:
            return "subagent"
        return "main" if self._kept.head else None

    def _session(self) -> Session:
        head, source = self._head, self._kept.source
        times = [entry.record.time for entry in self._kept.entries]
        copied = [each for each in times if source and each.created is not None and each.created <= source[1]]
        return Session(
            key=self._key,
            harness=HARNESS,
            native_id=self._kept.session,
            parent=f"{HARNESS}:{head.parent_id}" if head.parent_id is not None else None,
            role=self._role(),
            project=head.directory,
            client_version=head.version,
            forked_from=f"{HARNESS}:{source[0]}" if source else None,
            started_ms=min(_moments(times), default=None) if head.time.created is None else head.time.created,
            ended_ms=max(_moments(times), default=head.time.created),
            copied_until_ms=max(_moments(copied), default=None),
        )


def _moments(times: list[Times]) -> list[int]:
    return [each for time in times for each in (time.created, time.completed) if each is not None]


def _as_typed(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return quoted[1].replace('\\"', '"') if quoted else text
