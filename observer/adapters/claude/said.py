"""Submissions and the turns they begin: each prompt once, in whichever records it stands.

A prompt that waited in the queue has two records. The first one names it; the
second adds its own id as alias, and the turn.
"""

import msgspec

from observer.adapters.claude import events, prompts
from observer.adapters.claude.context import Context
from observer.adapters.claude.place import Place
from observer.adapters.claude.shapes import Attachment, QueuedCommand, QueueOperation, User
from observer.records.session import Turn
from observer.records.source import RawBatch
from observer.records.spot import Spot
from observer.records.submission import Kind, RawSubmission


class Said:
    """What was said in one batch; continues the context."""

    def __init__(self, batch: RawBatch, context: Context) -> None:
        self._batch, self._context = batch, context
        self._known: dict[str, int] = {}

    def user(self, line: User, where: Place, spot: Spot, text: str) -> None:
        """A user line with text."""
        if not events.is_id(line.uuid):
            events.missing_id(self._batch, spot)
            return
        spoken = prompts.spoken(line, text, child=where.agent is not None)
        turn = self._turn(line, where, spot, begins=spoken.begins_turn)
        if text.startswith(prompts.INTERRUPT) and turn:
            self._batch.turns.append(Turn(spot.session, turn, ended_ms=spot.at_ms, state="cancelled"))
        if text.startswith(prompts.SKILL_FOLDER):
            events.skill_text(self._batch, spot, line.uuid, prompts.skill_folder(text))
        self._submit(where, spot, f"claude:{line.uuid}", spoken.kind, spoken.text, turn)

    def attachment(self, line: Attachment, where: Place, spot: Spot) -> None:
        """A prompt that was given to the model while it worked."""
        queued = line.attachment
        if type(queued) is not QueuedCommand or queued.type != "queued_command":
            return
        text = prompts.text_of(queued.prompt)
        if text is None:
            return
        if not events.is_id(line.uuid):
            events.missing_id(self._batch, spot)
            return
        kind = prompts.queued_kind(queued, text, child=where.agent is not None)
        self._submit(where, spot, f"claude:{line.uuid}", kind, text, spot.turn)

    def queue_operation(self, line: QueueOperation, where: Place, spot: Spot) -> None:
        """A prompt enters the queue and counts from here; how it leaves is told by its own record."""
        text = line.content
        if line.operation != "enqueue" or where.agent is not None or not isinstance(text, str):
            return
        if not prompts.plainly_typed(text):
            return
        mark = prompts.fingerprint(text)
        moment = spot.ordinal if spot.at_ms is None else spot.at_ms
        name = f"{where.key}:queue:{moment}:{mark[:8]}"
        last, self._context.unqueued = self._context.unqueued, None
        if last is not None and last[0] == mark:
            self._put(where, spot, last[1], "genuine", text, turn=spot.turn, alias=name)
            return
        self._context.enqueue(mark, name)
        self._put(where, spot, name, "genuine", text, turn=None)

    def _turn(self, line: User, where: Place, spot: Spot, *, begins: bool) -> str | None:
        """The turn of something said, which may begin it."""
        if where.turns_of != where.key:
            return spot.turn  # a subagent inside its parent's file works within the parent's turn
        if not begins:
            return line.prompt_id or spot.turn
        turn: str = line.prompt_id or line.uuid
        self._context.turns[where.key] = turn
        self._context.unqueued = None
        self._batch.turns.append(Turn(spot.session, turn, started_ms=spot.at_ms))
        return turn

    def _submit(self, where: Place, spot: Spot, name: str, kind: Kind, text: str, turn: str | None) -> None:
        """The own record of something said; a prompt that had waited is the one from the queue."""
        if kind in ("genuine", "unknown"):
            mark = prompts.fingerprint(text)
            waited = self._context.dequeue(mark)
            if waited is not None:
                self._put(where, spot, waited, "genuine", text, turn=turn, alias=name)
                return
            if kind == "genuine":
                self._context.unqueued = (mark, name)
        self._put(where, spot, name, kind, text, turn=turn)

    def _put(
        self, where: Place, spot: Spot, name: str, kind: Kind, text: str, *, turn: str | None, alias: str | None = None
    ) -> None:
        main = where.agent is None
        fresh = RawSubmission(name, spot.session, kind, text, spot.ordinal, spot.at_ms, turn, main, alias)
        at = self._known.setdefault(name, len(self._batch.submissions))
        if at == len(self._batch.submissions):
            self._batch.submissions.append(fresh)
            return
        known = self._batch.submissions[at]
        self._batch.submissions[at] = msgspec.structs.replace(
            known, alias=known.alias or alias, turn=known.turn or turn
        )
