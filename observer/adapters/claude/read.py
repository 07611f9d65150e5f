"""Lines of one transcript → a RawBatch, in file order: who says what, and which turn it begins.

Never I/O.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec import structs

from observer.adapters.claude import prompts, proofs, shapes, tools, usage
from observer.adapters.claude.paths import HARNESS
from observer.adapters.claude.place import Context, Place, place, session_key, start
from observer.adapters.making import Reading
from observer.adapters.protocol import LineReader
from observer.adapters.wire.messages import Block, blocks, said, texts
from observer.base.clock import parse_instant
from observer.native import values
from observer.native.decode import Lines
from observer.records.event import Family
from observer.records.source import RawBatch
from observer.records.spot import Spot

_USAGE = "$.message.usage"
_ITERATIONS = f"{_USAGE}.iterations"
# The harness's own lines: error texts and filler, with counters of zero.
_SYNTHETIC_MODEL = "<synthetic>"
_COMPACTION = "compact_boundary"
_NOTICES = (_COMPACTION, "turn_duration", "api_error", "stop_hook_summary", "informational")
_HTTP_STATUS = re.compile(r"\bAPI Error:? \(?(\d{3})\b")


def read(lines: Lines, context: Context) -> RawBatch:
    """The records of some lines; `context` moves on."""
    return _Reading(lines, context).run()


class _Reading(Reading):
    """One batch on its way; `where` is the place of the line at hand."""

    where: Place

    def __init__(self, lines: Lines, context: Context) -> None:
        super().__init__(lines, usage=(_USAGE,))
        self._context = context
        self._places: dict[tuple[str | None, str | None, bool], Place] = {}
        self._by_key: dict[str, Place] = {}

    def run(self) -> RawBatch:
        """Goes through the lines once."""
        takers: dict[type, Callable[[Any], None]] = {
            shapes.Assistant: self._assistant,
            shapes.User: self._user,
            shapes.Attachment: self._attachment,
            shapes.System: self._system,
            shapes.QueueOperation: self._queue_operation,
        }
        turns = self._context.turns
        for ordinal, line in enumerate(self.lines.records, self.lines.first):
            take = takers.get(type(line))
            if take is None:
                continue
            where = self._place(line)
            if where is None:
                self.spot = Spot("", ordinal, None, None)
                self.fault("missing_id")
                continue
            at_ms = parse_instant(line.timestamp)
            where.see(at_ms, line.cwd, line.git_branch, line.version, line.entrypoint)
            self.where, self.spot = where, Spot(where.key, ordinal, at_ms, turns.get(where.turns_of))
            take(line)
        self.batch.sessions = [each.session() for each in self._by_key.values()]
        return self.batch

    def _place(self, line: shapes.Line) -> Place | None:
        mark = (line.session_id, line.agent_id, line.is_sidechain is True)
        known = self._places.get(mark)
        native = line.session_id or self._context.session
        if known is None and native:
            found = place(line, native, self._context.agent)
            known = self._places[mark] = self._by_key.setdefault(found.key, found)
        return known

    def _assistant(self, line: shapes.Assistant) -> None:
        message = line.message
        if message is None:
            return
        content = [Block(type="text", text=message.content)] if isinstance(message.content, str) else message.content
        failed = line.is_api_error_message is True
        if failed:
            told = _HTTP_STATUS.search(" ".join(texts(content)))
            status = values.http_status(line.api_error_status) or (told[1] if told else None)
            self.event("lifecycle", line.uuid, name="api_error", status=status)
        if message.model == _SYNTHETIC_MODEL:
            return
        if content and not failed:
            for index, text in said(content):
                native_id = f"{line.uuid}:{index}" if values.is_text(line.uuid) else None
                if not self.answer(native_id, text):
                    break
            for block in blocks(content, "tool_use"):
                tools.call(self, block, self._context)
        original, where = None, self.where
        if line.request_session_id is not None and line.request_session_id != where.native_session:
            original = session_key(line.request_session_id, where.agent)
            where.copied(session_key(line.request_session_id, None), self.spot.at_ms)
        # A counter of a wrong type costs the response; an iteration's only itself.
        if message.usage is not None and not self.is_cut(_USAGE, besides=_ITERATIONS):
            usage.count(self, line, message, message.usage, original)

    def _user(self, line: shapes.User) -> None:
        content = line.message.content if line.message else None
        results = blocks(content, "tool_result")
        if results and line.prompt_id and line.prompt_id != self.spot.turn and self.where.has_turns:
            # Tool results say which turn goes on.
            self._context.turns[self.where.key] = line.prompt_id
            self.spot = structs.replace(self.spot, turn=line.prompt_id)
        for block in results:
            outcome = line.tool_use_result if len(results) == 1 else None
            tools.result(self, line, block, self._context, outcome=outcome)
        text = prompts.text_of(content)
        if text is not None:
            proofs.said(self, content)
            if self.identified(line.uuid):
                self._said(line, text)

    def _said(self, line: shapes.User, text: str) -> None:
        is_main = self.where.agent is None
        spoken = prompts.spoken(line, text, child=not is_main)
        turn = line.prompt_id if self.where.has_turns else None
        if self.where.has_turns and spoken.begins_turn:
            turn = turn or line.uuid
            self._context.begin(self, turn)
        turn = turn or self.spot.turn
        if text.startswith(prompts.INTERRUPT):
            self.turn(turn, ended_ms=self.spot.at_ms, state="cancelled")
        if text.startswith(prompts.SKILL_FOLDER):
            tools.skill_text(self, line.uuid, text)
        self._context.said(self, f"{HARNESS}:{line.uuid}", spoken.kind, spoken.text, turn=turn, main=is_main)

    def _attachment(self, line: shapes.Attachment) -> None:
        """Context of a hook, instruction files, or a prompt that was given to the model while it worked."""
        queued, is_main = line.attachment, self.where.agent is None
        if type(queued) is shapes.QueuedCommand:
            proofs.attached(self, queued)
            text = prompts.text_of(queued.prompt) if queued.type == "queued_command" else None
            if text is not None and self.identified(line.uuid):
                kind = prompts.queued_kind(queued, text, child=not is_main)
                self._context.said(self, f"{HARNESS}:{line.uuid}", kind, text, turn=self.spot.turn, main=is_main)

    def _queue_operation(self, line: shapes.QueueOperation) -> None:
        if line.operation == "enqueue" and self.where.agent is None and prompts.is_plainly_typed(line.content):
            self._context.enqueue(self, line.content)

    def _system(self, line: shapes.System) -> None:
        """A notice: a compaction or a step in the life of the session; others say nothing."""
        if line.subtype not in _NOTICES:
            return
        status, lasted_ms = None, values.count(line.duration_ms)
        if line.subtype == "api_error":
            nested = line.error.get("status") if isinstance(line.error, dict) else None
            status = values.http_status(nested) or values.http_status(line.status)
        family: Family = "compaction" if line.subtype == _COMPACTION else "lifecycle"
        self.event(family, line.uuid, name=line.subtype, status=status, duration_ms=lasted_ms)
        if line.subtype == "turn_duration":
            self.turn(self.spot.turn, ended_ms=self.spot.at_ms, duration_ms=lasted_ms, state="complete")


READER = LineReader(shapes.LINE, Context, start, read)
