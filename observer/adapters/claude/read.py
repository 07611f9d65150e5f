"""Lines of one transcript → a RawBatch, in file order.

Walks the lines and judges answers; what they say is made elsewhere in this
folder. Never I/O.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from observer.adapters.claude import events, prompts, proofs, usage
from observer.adapters.claude.context import Context
from observer.adapters.claude.place import Place, place
from observer.adapters.claude.said import Said
from observer.adapters.claude.shapes import (
    Assistant,
    Attachment,
    Block,
    Line,
    Message,
    QueuedCommand,
    QueueOperation,
    System,
    Usage,
    User,
)
from observer.base.clock import parse_instant
from observer.native.decode import Lines, faults
from observer.records.response import Response
from observer.records.session import Turn
from observer.records.source import Category, Quarantine, RawBatch
from observer.records.spot import Spot

_USAGE = "$.message.usage"
_ITERATIONS = f"{_USAGE}.iterations"
_NO_USAGE = Usage()


def read(lines: Lines, context: Context) -> RawBatch:
    """The records of some lines; `context` moves on."""
    return _Reading(lines, context).run()


class _Reading:
    """One batch on its way."""

    def __init__(self, lines: Lines, context: Context) -> None:
        self._lines, self._context = lines, context
        self._batch = RawBatch(faults=faults(lines, usage=(_USAGE,)))
        self._said = Said(self._batch, context)
        self._places: dict[tuple[str | None, str | None, bool], Place] = {}
        self._responses: dict[str, int] = {}

    def run(self) -> RawBatch:
        """Goes through the lines once."""
        takers: dict[type, Callable[[Any, Place, Spot], None]] = {
            Assistant: self._assistant,
            User: self._user,
            Attachment: self._attachment,
            System: self._system,
            QueueOperation: self._said.queue_operation,
        }
        turns = self._context.turns
        for ordinal, line in enumerate(self._lines.records, self._lines.first):
            take = takers.get(type(line))
            if take is None:
                continue
            where = self._place(line)
            if where is None:
                self._fault(ordinal, "missing_id")
                continue
            at_ms = parse_instant(line.timestamp)
            where.see(line, at_ms)
            take(line, where, Spot(where.key, ordinal, at_ms, turns.get(where.turns_of)))
        places = {each.key: each for each in self._places.values()}
        self._batch.sessions = [each.session() for each in places.values()]
        return self._batch

    def _place(self, line: Line) -> Place | None:
        mark = (line.session_id, line.agent_id, line.is_sidechain is True)
        known = self._places.get(mark)
        if known is not None:
            return known
        native = line.session_id or self._context.session
        if not native:
            return None
        found = place(line, native, self._context.agent)
        found = next((each for each in self._places.values() if each.key == found.key), found)
        self._places[mark] = found
        return found

    def _fault(self, ordinal: int, category: Category) -> None:
        self._batch.faults.append(Quarantine(ordinal, category))

    def _assistant(self, line: Assistant, where: Place, spot: Spot) -> None:
        message = line.message
        if message is None:
            return
        content = [Block(type="text", text=message.content)] if isinstance(message.content, str) else message.content
        failed = line.is_api_error_message is True
        if failed:
            events.api_error(self._batch, spot, line, content)
        if message.model == usage.SYNTHETIC_MODEL:
            return
        if content and not failed:
            self._content(line, spot, content)
        made_in = line.request_session_id
        if made_in is not None and made_in != where.native_session:
            where.see_copy(made_in, spot.at_ms)
        if message.usage is not None and not self._counters_cut(spot.ordinal):
            self._usage(line, message, message.usage, where=where, spot=spot)

    def _content(self, line: Assistant, spot: Spot, content: list[Any]) -> None:
        events.messages(self._batch, spot, line, content)
        for block in content:
            if type(block) is Block and block.type == "tool_use":
                events.call(self._batch, spot, block)
                if block.name in events.READERS and events.is_id(block.id):
                    self._context.await_read(block.id, events.line_asked(block))

    def _usage(self, line: Assistant, message: Message, counted: Usage, *, where: Place, spot: Spot) -> None:
        if not usage.recognised(counted):
            if counted != _NO_USAGE:
                self._fault(spot.ordinal, "malformed_usage")
            return
        if not events.is_id(message.id):
            self._fault(spot.ordinal, "missing_id")
            return
        if message.stop_reason is not None and usage.contradictory(counted):
            self._fault(spot.ordinal, "malformed_usage")
        response = usage.response(line, message, counted, place=where, spot=spot)
        self._count(response)
        for number, each in enumerate(counted.iterations or ()):
            if usage.is_advice(each):
                self._count(usage.advice(response, each, number))

    def _counters_cut(self, ordinal: int) -> bool:
        """Whether a counter of the response itself had a wrong type (an iteration's costs only itself)."""
        odd = self._lines.odd.get(ordinal - self._lines.first)
        return odd is not None and any(
            path.startswith(_USAGE) and not path.startswith(_ITERATIONS) for path in odd.paths
        )

    def _count(self, response: Response) -> None:
        """One answer is several lines: the final one counts, before it the largest.

        Final lines that disagree stay side by side, for the ledger to judge.
        """
        responses = self._batch.responses
        at = self._responses.setdefault(response.id, len(responses))
        known = responses[at] if at < len(responses) else None
        if known is None or (known.final and response.final and known.usage != response.usage):
            responses.append(response)
        elif not known.final and (response.final or (response.usage.output or 0) > (known.usage.output or 0)):
            responses[at] = response

    def _user(self, line: User, where: Place, spot: Spot) -> None:
        content = line.message.content if line.message else None
        if isinstance(content, list):
            results = [each for each in content if type(each) is Block and each.type == "tool_result"]
            if results:
                spot = self._results(line, where, spot, results)
        text = prompts.text_of(content)
        if text is not None:
            proofs.said(self._batch, spot, content)
            self._said.user(line, where, spot, text)

    def _attachment(self, line: Attachment, where: Place, spot: Spot) -> None:
        if type(line.attachment) is QueuedCommand:
            proofs.attached(self._batch, spot, line.attachment)
        self._said.attachment(line, where, spot)

    def _results(self, line: User, where: Place, spot: Spot, found: list[Block]) -> Spot:
        """Tool results; they say which turn goes on."""
        if line.prompt_id and line.prompt_id != spot.turn and where.turns_of == where.key:
            self._context.turns[where.key] = line.prompt_id
            spot = msgspec.structs.replace(spot, turn=line.prompt_id)
        outcome = line.tool_use_result if len(found) == 1 else None
        reads = self._context.reads
        for block in found:
            succeeded = events.result(self._batch, spot, line, block, outcome=outcome)
            if events.is_id(block.tool_use_id) and block.tool_use_id in reads:
                offset = reads.pop(block.tool_use_id)
                if succeeded:
                    events.read(self._batch, spot, block.tool_use_id, outcome=outcome, offset=offset)
        return spot

    def _system(self, line: System, _: Place, spot: Spot) -> None:
        events.notice(self._batch, spot, line)
        if line.subtype == "turn_duration" and spot.turn:
            lasted = events.milliseconds(line.duration_ms)
            self._batch.turns.append(
                Turn(spot.session, spot.turn, ended_ms=spot.at_ms, duration_ms=lasted, state="complete")
            )
