"""`updates.jsonl`: the prompts, turns, tools and usage of a session, in the order they were written.

A fork begins with a copy of another session's lines; whose a line is shows its
event id. Of copied lines only usage and subagents are taken, for the session
that they are of.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct, structs

from observer.adapters.grok.paths import HARNESS, plain, session_key
from observer.adapters.grok.shapes import Line, LineMeta, Text, Update
from observer.adapters.grok.tools import Call
from observer.adapters.grok.usage import Completion
from observer.base.clock import MS, parse_instant
from observer.native.decode import Lines, faults
from observer.records.event import RawDetail, RawEvent
from observer.records.response import COPIED, RECORDED
from observer.records.session import Session, Turn, TurnState
from observer.records.source import Category, Quarantine
from observer.records.spot import Spot

USAGE = "$.params.update.usage"
_METHODS = ("session/update", "_x.ai/session/update")
_KEYS = ("method", "params", "timestamp")
_EVENT_ID = re.compile(r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})-[0-9]+")
_HTTP = re.compile(r"\(status ([1-5][0-9]{2})\b")
_STATES: dict[str, TurnState] = {"error": "failed", "cancelled": "cancelled"}
_FINISHED = {"completed": "ok", "failed": "error", "error": "error", "cancelled": "cancelled"}
_COMPACTED = {"auto_compact_completed": "ok", "auto_compact_failed": "error", "auto_compact_cancelled": "cancelled"}
_NOTED = ("task_backgrounded", "task_completed", "model_changed", "model_auto_switched", "hook_execution")
_QUIET = frozenset(
    "agent_thought_chunk plan available_commands_update current_mode_update config_option_update session_info_update"
    " usage_update memory_flush_started memory_flush_completed memory_dream_completed"
    " memory_session_saved memory_files hooks_changed plugins_changed plugin_updates_installed hook_annotation"
    " hook_run_started scheduled_task_created scheduled_task_deleted scheduled_task_fired monitor_event"
    " subagent_progress session_summary_generated session_recap session_recap_unavailable goal_updated"
    " interaction_resolved image_compressed image_dropped diff_review auto_continue_completed feedback_request"
    " relay_sync_status auto_recovery_started auto_recovery_exhausted tool_call_delta_chunk model_served"
    " last_turn_summary session_status".split()
)


class Prompt(Struct):
    """One prompt and the lines it came in; `index` counts the prompts of the session."""

    id: str
    index: int
    spot: Spot
    texts: list[str] = []
    turn: str | None = None
    rewound: bool = False


class Story:
    """What the lines of one session tell, given its native id. Complete after `end`."""

    def __init__(self, native: str) -> None:
        self.native, self.key = native, session_key(native)
        self.prompts: dict[str, Prompt] = {}
        self.turns: dict[str, Turn] = {}
        self.calls: list[Call] = []
        self.completions: list[tuple[Completion, Prompt | None]] = []
        self.events: list[RawEvent] = []
        self.children: list[Session] = []
        self.faults: list[Quarantine] = []
        self.times: list[int] = []
        self.copied_until: int | None = None
        self.compacted_below = 0
        self._prompt: Prompt | None = None
        self._untold = False
        self._asked_as: str | None = None
        self._rewinds = 0
        self._calls: dict[str, Call] = {}
        self._spawned: dict[str, tuple[str, str | None]] = {}
        self._done: set[str] = set()
        self._answer: tuple[Spot, list[str]] | None = None
        self._answers = 0
        self._compaction: RawEvent | None = None

    def take(self, found: Lines) -> None:
        """Some lines, in order."""
        self.faults.extend(faults(found, usage=(USAGE,)))
        for index, line in enumerate(found.records):
            if line is not None:
                category = self._line(line, found.first + index, malformed=found.has_fault(index, USAGE))
                if category is not None and index not in found.odd:
                    self.fault(found.first + index, category)

    def end(self) -> None:
        """What was still open after the last line."""
        self._say()
        self._compact(None)

    def fault(self, ordinal: int, category: Category) -> None:
        """Files that a line could not be used."""
        self.faults.append(Quarantine(ordinal, category, _KEYS))

    def _line(self, line: Line, ordinal: int, *, malformed: bool) -> Category | None:
        params = line.params
        if line.method not in _METHODS or params is None or params.update is None:
            return "unknown_record"
        update, meta = params.update, params.meta or LineMeta()
        at_ms, exact = parse_instant(meta.agent_timestamp_ms), True
        if at_ms is None:
            at_ms, exact = parse_instant(line.timestamp), False
        copied_from = _EVENT_ID.fullmatch(meta.event_id or "")
        maker = copied_from[1] if copied_from else self.native
        turn = update.prompt_id or meta.prompt_id
        spot = Spot(session_key(maker), ordinal, at_ms, plain(turn) if turn else None)
        kind = update.session_update
        handler = _HANDLERS.get(kind)
        if handler is None and kind not in _QUIET:
            return "unknown_record"
        if kind != "agent_message_chunk":
            self._say()
        if kind == "user_message_chunk" and update.meta:
            self._asked_as = update.meta.model_id or self._asked_as
        if kind == "turn_completed":
            return self._completed(update, spot, exact=exact, malformed=malformed)
        if spot.session != self.key:
            self.copied_until = max(self.copied_until or 0, at_ms or 0) or None
            return handler(self, update, spot) if handler and kind in _OF_ANYONE else None
        self._pass(spot)
        return handler(self, update, spot) if handler else None

    def _pass(self, spot: Spot) -> None:
        """An own line: its time, and which turn the last prompt has begun."""
        if spot.at_ms is not None:
            self.times.append(spot.at_ms)
        if spot.turn is None:
            return
        prompt = self._prompt if self._untold else None
        if spot.turn not in self.turns:
            started_ms = prompt.spot.at_ms if prompt and prompt.turn is None else spot.at_ms
            self.turns[spot.turn] = Turn(self.key, spot.turn, started_ms=started_ms, state="active")
        if prompt is not None:
            self._untold = False
            prompt.turn = prompt.turn or spot.turn
            if prompt.turn != spot.turn:
                self.fault(spot.ordinal, "schema_error")

    def _completed(self, update: Update, spot: Spot, *, exact: bool, malformed: bool) -> Category | None:
        if spot.turn is None:
            return "missing_id"
        own = spot.session == self.key
        if own:
            self._pass(spot)
            turn = self.turns[spot.turn]
            if turn.ended_ms is None:
                state = _STATES.get(update.stop_reason or "", "complete")
                self.turns[spot.turn] = structs.replace(turn, ended_ms=spot.at_ms, state=state)
        else:
            self.copied_until = max(self.copied_until or 0, spot.at_ms or 0) or None
        self._done.add(spot.turn)
        if not malformed:
            origin = RECORDED if own else COPIED
            until_ms = spot.at_ms if exact or spot.at_ms is None else spot.at_ms + MS - 1
            done = Completion(spot, update.usage, origin, until_ms, self._asked_as)
            self.completions.append((done, self._prompt if own else None))
        return None

    def _asked(self, update: Update, spot: Spot) -> Category | None:
        """A piece of a prompt. After a rewind the same index means another prompt."""
        index = update.meta.prompt_index if update.meta else None
        if index is None:
            return "missing_id"
        name = f"{self.key}:{index}" + (f":{self._rewinds}" if self._rewinds else "")
        self._prompt, self._untold = self.prompts.setdefault(name, Prompt(name, index, spot)), True
        text = update.content.text if type(update.content) is Text else update.content
        if isinstance(text, str):
            self._prompt.texts.append(text)
        if spot.turn is not None:
            self._pass(spot)
        return None

    def _rewound(self, update: Update, spot: Spot) -> None:
        for prompt in self.prompts.values():
            prompt.rewound = prompt.rewound or prompt.index >= (update.target_prompt_index or 0)
        self._rewinds += 1
        self._noted(update, spot)

    def _answered(self, update: Update, spot: Spot) -> None:
        """Pieces that follow each other are one answer."""
        if self._answer is None:
            self._answer = (spot, [])
        if type(update.content) is Text:
            self._answer[1].append(update.content.text or "")

    def _say(self) -> None:
        if self._answer is not None:
            (spot, texts), self._answer = self._answer, None
            native_id, self._answers = f"answer:{self._answers}", self._answers + 1
            detail = RawDetail(text="".join(texts))
            self.events.append(spot.event("assistant_message", native_id, name="text", detail=detail))

    def _tool(self, update: Update, spot: Spot) -> Category | None:
        """A line of a tool call; an id that comes again after its call has ended is another call's."""
        native_id = update.tool_call_id
        if not native_id:
            return "missing_id"
        call = self._calls.get(native_id)
        if call is None or (call.ended is not None and update.session_update == "tool_call"):
            again = f":{len(self.calls)}" if call is not None else ""
            call = self._calls[native_id] = Call(native_id + again, spot)
            self.calls.append(call)
        call.see(update, spot)
        return None

    def _spawn(self, update: Update, spot: Spot) -> Category | None:
        """A subagent began: whose child it is, whichever file tells it."""
        child = update.child_session_id
        if not child:
            return "missing_id"
        parent = session_key(update.parent_session_id) if update.parent_session_id else spot.session
        self._spawned[child] = (parent, update.parent_prompt_id)
        self.child(child, parent)
        self._subagent(child, "subagent_spawned", spot, turn=update.parent_prompt_id, status="started")
        return None

    def _finish(self, update: Update, spot: Spot) -> Category | None:
        """A subagent ended. Inside its parent's turn, that turn's usage contains its own."""
        child = update.child_session_id
        if not child:
            return "missing_id"
        _, prompt = self._spawned.setdefault(child, (spot.session, None))
        turn = None if prompt is None or plain(prompt) in self._done else prompt
        status, span = _FINISHED.get(update.status or ""), update.duration_ms
        duration_ms = span if type(span) is int else None
        self._subagent(child, "subagent_finished", spot, turn=turn, status=status, duration_ms=duration_ms)
        return None

    def _subagent(self, child: str, name: str, spot: Spot, *, turn: str | None, **known: Any) -> None:
        parent, within = self._spawned[child][0], plain(turn) if turn else None
        native_id, target = f"{name}:{plain(child)}:{within or ''}", session_key(child)
        place = structs.replace(spot, session=parent, turn=within)
        self.events.append(place.event("lifecycle", native_id.rstrip(":"), name=name, target=target, **known))

    def child(self, child: str, parent: str) -> None:
        """Notes that a session was started by another one."""
        if session_key(child) != parent:
            self.children.append(Session(session_key(child), HARNESS, plain(child), parent=parent, role="subagent"))

    def _compacting(self, _: Update, spot: Spot) -> None:
        self._compact(None)
        native_id = f"compaction:{spot.ordinal}"
        self._compaction = spot.event("compaction", native_id, name="auto", status="started")

    def _compacted(self, update: Update, spot: Spot) -> None:
        span = update.elapsed_ms
        begun = self._compaction or spot.event("compaction", f"compaction:{spot.ordinal}", name="auto")
        status, duration_ms = _COMPACTED[update.session_update], span if type(span) is int else None
        self._compact(structs.replace(begun, status=status, duration_ms=duration_ms))

    def _compact(self, ended: RawEvent | None) -> None:
        """Files the compaction that ended, else one that was begun and never ended."""
        event, self._compaction = ended or self._compaction, None
        if event is not None:
            self.events.append(event)

    def _checkpoint(self, update: Update, _: Spot) -> None:
        self.compacted_below = max(self.compacted_below, update.prompt_index_at_compaction or 0)

    def _retry(self, update: Update, spot: Spot) -> None:
        """An error of the API, given up or tried again; of its text only the HTTP status is looked for."""
        found = _HTTP.search(update.message or update.reason or "")
        failed = update.type == "failed"
        status = found[1] if found else "error" if failed else None
        name = "api_error" if failed else "retry"
        self.events.append(spot.event("lifecycle", f"line:{spot.ordinal}", name=name, status=status))

    def _noted(self, update: Update, spot: Spot) -> None:
        self.events.append(spot.event("lifecycle", f"line:{spot.ordinal}", name=update.session_update))


_HANDLERS: dict[str, Callable[[Story, Update, Spot], Category | None]] = {
    "user_message_chunk": Story._asked,
    "agent_message_chunk": Story._answered,
    "tool_call": Story._tool,
    "tool_call_update": Story._tool,
    "turn_completed": lambda *_: None,
    "subagent_spawned": Story._spawn,
    "subagent_finished": Story._finish,
    "auto_compact_started": Story._compacting,
    **dict.fromkeys(_COMPACTED, Story._compacted),
    "compaction_checkpoint": Story._checkpoint,
    "retry_state": Story._retry,
    "rewind_marker": Story._rewound,
    **dict.fromkeys(_NOTED, Story._noted),
}
# What a copied line still tells, of the session that it was copied from.
_OF_ANYONE = ("subagent_spawned", "subagent_finished")
