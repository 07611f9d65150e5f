"""`updates.jsonl`: the prompts, turns, tools and usage of a session, in the order they were written.

A fork begins with a copy of another session's lines; whose a line is shows its
event id. Of copied lines only usage and subagents are taken, for the session
that they are of.
"""

import re
from collections.abc import Callable

from msgspec import structs

from observer.adapters import quiet
from observer.adapters.children import Children
from observer.adapters.grok.beside import Log
from observer.adapters.grok.paths import HARNESS, plain, session_key
from observer.adapters.grok.shapes import Line, LineMeta, Tool, Update
from observer.adapters.grok.usage import Completion
from observer.adapters.making import Making, Step
from observer.adapters.prompts import Pieces
from observer.adapters.seen import Seen
from observer.adapters.wire.acp import Answer, Calls, Text
from observer.base.clock import MS, parse_instant
from observer.native import values
from observer.native.decode import Lines
from observer.records.response import COPIED, RECORDED
from observer.records.session import Turn, TurnState
from observer.records.source import Category
from observer.records.spot import Spot

USAGE = "$.params.update.usage"
_METHODS = ("session/update", "_x.ai/session/update")
_KEYS = ("method", "params", "timestamp")
_EVENT_ID = re.compile(r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})-[0-9]+")
_HTTP = re.compile(r"\(status ([1-5][0-9]{2})\b")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]{0,79}")
_STATES: dict[str, TurnState] = {"error": "failed", "cancelled": "cancelled"}
_FINISHED = {"completed": "ok", "failed": "error", "error": "error", "cancelled": "cancelled"}
_COMPACTED = {"auto_compact_completed": "ok", "auto_compact_failed": "error", "auto_compact_cancelled": "cancelled"}
_CHANGES = {"search_replace": "edit", "write": "write"}
_NOTED = ("task_backgrounded", "task_completed", "model_changed", "model_auto_switched", "hook_execution")


class Story(Making):
    """What the lines of one session tell, given its native id. Complete after `end`."""

    def __init__(self, native: str) -> None:
        super().__init__()
        self.keys = _KEYS
        self.native, self.key = native, session_key(native)
        self.seen = Seen(key=self.key)
        self.prompts = Pieces(self.key)
        self.turns: dict[str, Turn] = {}
        self.calls = Calls()
        self.completions: list[Completion] = []
        self.children = Children(HARNESS, plain)
        self.compacted_below = 0
        self._asked_as: str | None = None
        self._is_odd, self._is_malformed, self._within_ms = False, False, 0
        self._done: set[str] = set()
        self._answer = Answer()
        self._compaction = Step("compaction", "auto")

    def take(self, found: Lines) -> None:
        """Some lines, in order. A line that the decoder found a fault with has no other."""
        for ordinal, line in self.records(found, usage=(USAGE,)):
            self._is_odd = ordinal - found.first in found.odd
            self._is_malformed = found.has_fault(ordinal - found.first, USAGE)
            self._line(line, ordinal)
        self._is_odd = False

    def end(self, log: Log) -> None:
        """What was still open after the last line, and the calls, whose ends the log may tell better."""
        self._answer.file(self)
        self._compaction.end(self, "started", begun=None)
        self.calls.file(self, _CHANGES, log.ends)

    def fault(self, category: Category, keys: tuple[str, ...] | None = None) -> None:
        """Files that a line could not be used."""
        if not self._is_odd:
            super().fault(category, keys)

    def _line(self, line: Line, ordinal: int) -> None:
        self.spot = Spot(self.key, ordinal, None, None)
        update = line.params.update if line.method in _METHODS and line.params else None
        kind = update.session_update if update else ""
        handler = _HANDLERS.get(kind)
        if line.params is None or update is None or (handler is None and kind not in quiet.GROK_UPDATES):
            self.fault("unknown_record")
            return
        meta = line.params.meta or LineMeta()
        if kind != "agent_message_chunk":
            self._answer.file(self)
        if kind == "user_message_chunk" and update.meta:
            self._asked_as = update.meta.model_id or self._asked_as
        at_ms, turn = parse_instant(meta.agent_timestamp_ms), update.prompt_id or meta.prompt_id
        # A time in whole seconds may mean anything up to the next one.
        self._within_ms = 0 if at_ms is not None else MS - 1
        at_ms = parse_instant(line.timestamp) if at_ms is None else at_ms
        copied_from = _EVENT_ID.fullmatch(meta.event_id or "")
        maker = session_key(copied_from[1] if copied_from else self.native)
        self.spot = Spot(maker, ordinal, at_ms, plain(turn) if turn else None)
        if handler is Story._completed and not self.identified(turn):
            return
        if maker == self.key:
            self._pass()
        else:
            self.seen.copied_until_ms = max(self.seen.copied_until_ms or 0, at_ms or 0) or None
        if handler is not None and (maker == self.key or kind in _OF_ANYONE):
            handler(self, update)

    def _pass(self) -> None:
        """An own line: its time, and which turn the last prompt has begun."""
        spot, turn = self.spot, self.spot.turn
        self.seen.at(spot.at_ms)
        if turn is None:
            return
        if turn not in self.turns:
            started_ms = self.prompts.begun_ms(spot.at_ms)
            self.turns[turn] = Turn(self.key, turn, started_ms=started_ms, state="active")
        if not self.prompts.tell(turn):
            super().fault("schema_error")

    def _completed(self, update: Update) -> None:
        spot, prompt, origin, name = self.spot, None, COPIED, self.spot.turn or ""
        if spot.session == self.key:
            prompt, origin, turn = self.prompts.last, RECORDED, self.turns[name]
            if turn.ended_ms is None:
                state = _STATES.get(update.stop_reason or "", "complete")
                self.turns[name] = structs.replace(turn, ended_ms=spot.at_ms, state=state)
        self._done.add(name)
        if not self._is_malformed:
            until_ms = None if spot.at_ms is None else spot.at_ms + self._within_ms
            self.completions.append(Completion(spot, update.usage, origin, until_ms, self._asked_as, prompt))

    def _asked(self, update: Update) -> None:
        """A piece of a prompt."""
        index = update.meta.prompt_index if update.meta else None
        if index is None:
            self.fault("missing_id")
            return
        text = update.content.text if type(update.content) is Text else update.content
        self.prompts.add(index, text, self.spot)
        self._pass()

    def _rewound(self, update: Update) -> None:
        self.prompts.rewind(update.target_prompt_index or 0)
        self._noted(update)

    def _tool(self, update: Update) -> None:
        """A line of a tool call."""
        tool = update.meta.tool if update.meta and update.meta.tool else Tool()
        name = tool.name if tool.name and _NAME.fullmatch(tool.name) else None
        if self.identified(update.tool_call_id):
            self.calls.of(update.tool_call_id, update, self.spot).see(update, self.spot, name=name, kind=tool.kind)

    def _spawn(self, update: Update) -> None:
        """A subagent began: whose child it is, whichever file tells it."""
        if self.identified(update.child_session_id):
            self.children.spawned(self, update.child_session_id, update.parent_session_id, update.parent_prompt_id)

    def _finish(self, update: Update) -> None:
        """A subagent ended. Inside its parent's turn, that turn's usage contains its own."""
        status, lasted_ms = values.meant(update.status, _FINISHED), values.count(update.duration_ms)
        if self.identified(update.child_session_id):
            self.children.finished(self, update.child_session_id, self._done, status=status, duration_ms=lasted_ms)

    def _compacted(self, update: Update) -> None:
        status, lasted_ms = _COMPACTED[update.session_update], values.count(update.elapsed_ms)
        self._compaction.end(self, status, begun=self.spot, duration_ms=lasted_ms)

    def _checkpoint(self, update: Update) -> None:
        self.compacted_below = max(self.compacted_below, update.prompt_index_at_compaction or 0)

    def _retry(self, update: Update) -> None:
        """An error of the API, given up or tried again; of its text only the HTTP status is looked for."""
        found, failed = _HTTP.search(update.message or update.reason or ""), update.type == "failed"
        status = found[1] if found else "error" if failed else None
        self.event("lifecycle", f"line:{self.spot.ordinal}", name="api_error" if failed else "retry", status=status)

    def _noted(self, update: Update) -> None:
        self.event("lifecycle", f"line:{self.spot.ordinal}", name=update.session_update)


_HANDLERS: dict[str, Callable[[Story, Update], None]] = {
    "user_message_chunk": Story._asked,
    "agent_message_chunk": lambda story, update: story._answer.add(story.spot, update),
    **dict.fromkeys(("tool_call", "tool_call_update"), Story._tool),
    "turn_completed": Story._completed,
    "subagent_spawned": Story._spawn,
    "subagent_finished": Story._finish,
    "auto_compact_started": lambda story, _: story._compaction.begin(story),
    **dict.fromkeys(_COMPACTED, Story._compacted),
    "compaction_checkpoint": Story._checkpoint,
    "retry_state": Story._retry,
    "rewind_marker": Story._rewound,
    **dict.fromkeys(_NOTED, Story._noted),
}
# What a copied line still tells, of the session that it was copied from.
_OF_ANYONE = ("turn_completed", "subagent_spawned", "subagent_finished")
