"""The files beside the updates: `events.jsonl`, a log, and `chat_history.jsonl`, which tells what a person typed.

The log says when turns began and with which model, how tools ended, what was
asked for permission. It has no usage and, in the measured release, no ids of
tool calls; a fork's log tells of its own turns only. The history is believed
only while it is complete. Of it kinds and settings are kept by prompt index,
never a text; texts that may prove the agent's instructions are handed on.
"""

from typing import Any

from msgspec import Struct

from observer.adapters import quiet
from observer.adapters.grok.shapes import Message
from observer.adapters.making import Making
from observer.adapters.permissions import Questions
from observer.adapters.seen import Seen
from observer.adapters.wire.acp import Ends, texts
from observer.base.clock import parse_instant
from observer.native import values
from observer.native.decode import Lines
from observer.records.source import Category
from observer.records.spot import Spot
from observer.records.submission import Kind
from observer.rules.timeline import Timeline

_OUTCOMES = {
    "success": "ok",
    **dict.fromkeys(("error", "invalid_tool"), "error"),
    **dict.fromkeys(("hook_denied", "permission_rejected"), "denied"),
    **dict.fromkeys(("permission_cancelled", "cancelled", "followup"), "cancelled"),
}
_DECISIONS = {"allow": "allowed", "deny": "denied", "cancelled": "cancelled", "followup": "cancelled"}

# The log and the prompt give the start of a turn within this time of each other.
_SAME_START_MS = 500


class Log:
    """What the log of one session tells, whose batch is in the making; `first` is the place of the log's first line."""

    def __init__(self, making: Making, seen: Seen, first: int) -> None:
        self._making, self._seen, self._first = making, seen, first
        self._models = Timeline()
        self.child = False
        self.ends = Ends()
        self.questions = Questions()

    def take(self, found: Lines) -> None:
        """Some lines, in order."""
        for ordinal, event in self._making.records(found):
            # Its place in its own file, which does not move when another one grows.
            spot = Spot(self._seen.key, ordinal - self._first, parse_instant(event.get("ts")), None)
            category = self._event(event, spot)
            if category is not None:
                self._making.spot = Spot(self._seen.key, ordinal, None, None)
                self._making.fault(category, tuple(sorted(key[:60] for key in event)))

    def model_at(self, at_ms: int | None, *, since_ms: int | None) -> str | None:
        """The model of the latest turn that began by then, if it began with the prompt, at `since_ms`.

        An earlier start belongs to an earlier prompt: the log is cut off, and says nothing of this one.
        """
        return self._models.at(at_ms, since_ms=None if since_ms is None else since_ms - _SAME_START_MS)

    def _event(self, event: dict[str, Any], spot: Spot) -> Category | None:
        """Takes one event; what is wrong with it, if something is."""
        kind, at_ms, name = event.get("type"), spot.at_ms, event.get("tool_name")
        name = name if isinstance(name, str) else None
        self._seen.at(at_ms)
        if kind == "turn_started":
            self.child = self.child or event.get("session_relationship") == "subagent"
            model = values.text(event.get("model_id"))
            if at_ms is not None and model is not None:
                self._models.add(at_ms, model)
        elif kind == "tool_completed":
            status, lasted_ms = values.meant(event.get("outcome"), _OUTCOMES), values.count(event.get("duration_ms"))
            self.ends.add(event.get("tool_call_id"), name, status, lasted_ms)
        elif kind == "permission_requested":
            self.questions.asked(spot, name)
        elif kind == "permission_resolved":
            decision, wait_ms = values.meant(event.get("decision"), _DECISIONS), values.count(event.get("wait_ms"))
            self.questions.answered(spot, name, status=decision, wait_ms=wait_ms)
        elif not isinstance(kind, str):
            return "unknown_record" if kind is None else "schema_error"
        elif kind in quiet.GROK_START_UP:
            return None if event.keys() in quiet.GROK_START_UP[kind] else "unknown_record"
        elif kind not in quiet.GROK_EVENTS and not kind.startswith(quiet.GROK_KINDS):
            return "unknown_record"
        return None


class History(Struct):
    """What the history says of each prompt; nothing when it is absent, cut off or damaged."""

    complete: bool
    kinds: dict[int, Kind] = {}
    efforts: dict[int, str] = {}
    current: int | None = None

    def take(self, making: Making, session: str, found: Lines) -> None:
        """Some lines, in order. What stands in them beside the prompts may prove the agent's instructions."""
        self.complete = self.complete and not found.odd
        for ordinal, message in making.records(found):
            making.spot = Spot(session, ordinal, None, None)
            said = texts(message.content)
            self._message(message, said)
            if message.type in ("system", "user"):
                making.contexts(*said)
            if message.type == "system":
                for text in said:
                    making.instructions("embedded", text)

    def kind(self, index: int, *, gone: bool) -> Kind:
        """What the prompt of that index is.

        `gone`: a compaction or a rewind took it out of the history. It was a
        prompt all the same, and nothing says that it was not a person's.
        """
        return self.kinds.get(index, "genuine" if gone else "unknown") if self.complete else "unknown"

    def _message(self, message: Message, texts: list[str]) -> None:
        if message.type == "user" and message.prompt_index is not None:
            self.current = message.prompt_index
            if message.synthetic_reason is not None and message.synthetic_reason != "":
                self.kinds[self.current] = "synthetic"
            elif any(text.strip() for text in texts):
                self.kinds.setdefault(self.current, "genuine")
        elif message.type == "assistant" and message.reasoning_effort and self.current is not None:
            self.efforts[self.current] = message.reasoning_effort
