"""`events.jsonl`: when turns began and with which model, how tools ended, what was asked for permission.

Has no usage and no ids of tool calls in the measured release. A fork's log
tells of its own turns only.
"""

from bisect import bisect_right, insort_right
from operator import itemgetter
from typing import Any

from msgspec import structs

from observer.base.clock import parse_instant
from observer.native.decode import Lines, faults
from observer.records.event import RawEvent
from observer.records.source import Category, Quarantine
from observer.records.usage import LARGEST

_QUIET = frozenset(
    "phase_changed loop_started first_token tool_started turn_ended interjected yolo_toggled"
    " mcp_oauth_discovery_timeout mcp_oauth_probe_resolved mcp_server_failed mcp_tool_registration_failed"
    " mcp_init_cancelled mcp_tool_call_started mcp_tool_call_completed mcp_transport_error"
    " mcp_transport_decode_error mcp_transport_reconnect mcp_auth_retry mcp_health_check mcp_server_toggled".split()
)
_QUIET_KINDS = ("goal_", "laziness_", "todo_gate_")
# Start-up of MCP servers: passed over only in exactly the known form (keys beside `ts` and `type`; public).
_START_UP = {
    "mcp_config_resolved": ("servers disabled",),
    "mcp_managed_config_result": ("server_count", "server_count error"),
    "mcp_server_starting": ("server_name transport target timeout_sec",),
    "mcp_server_connected": ("server_name transport tool_count duration_ms tools",),
    "mcp_init_completed": (
        "total_servers succeeded failed auth_required total_tools duration_ms is_reinit",
        "total_servers succeeded failed auth_required total_tools duration_ms is_reinit failed_servers",
    ),
}
_KEYS = {name: [frozenset(f"ts type {keys}".split()) for keys in forms] for name, forms in _START_UP.items()}
_OUTCOMES = {
    "success": "ok",
    **dict.fromkeys(("error", "invalid_tool"), "error"),
    **dict.fromkeys(("hook_denied", "permission_rejected"), "denied"),
    **dict.fromkeys(("permission_cancelled", "cancelled", "followup"), "cancelled"),
}
_DECISIONS = {"allow": "allowed", "deny": "denied", "cancelled": "cancelled", "followup": "cancelled"}

# How a tool ended, and after how many milliseconds.
Outcome = tuple[str | None, int | None]
# The log and the prompt give the start of a turn within this time of each other.
_SAME_START_MS = 500


class Log:
    """What the log of one session tells; `session` is its key, `first` the place of the log's first line."""

    def __init__(self, session: str, first: int) -> None:
        self._session, self._first = session, first
        self._starts: list[tuple[int, str]] = []
        self._asked: dict[str, list[int]] = {}
        self.child = False
        self.outcomes: dict[str, list[Outcome]] = {}
        self.by_call: dict[str, Outcome] = {}
        self.permissions: list[RawEvent] = []
        self.faults: list[Quarantine] = []
        self.times: list[int] = []

    def take(self, found: Lines) -> None:
        """Some lines, in order."""
        self.faults.extend(faults(found, usage=()))
        for index, event in enumerate(found.records):
            if event is not None:
                category = self._event(event, found.first + index)
                if category is not None:
                    keys = tuple(sorted(key[:60] for key in event))
                    self.faults.append(Quarantine(found.first + index, category, keys))

    def model_at(self, at_ms: int | None, *, since_ms: int | None) -> str | None:
        """The model of the latest turn that began by then, if it began with the prompt, at `since_ms`.

        An earlier start belongs to an earlier prompt: the log is cut off, and says nothing of this one.
        """
        begun = 0 if at_ms is None else bisect_right(self._starts, at_ms, key=itemgetter(0))
        if not begun:
            return None
        started_ms, model = self._starts[begun - 1]
        return model if since_ms is None or started_ms >= since_ms - _SAME_START_MS else None

    def _event(self, event: dict[str, Any], ordinal: int) -> Category | None:
        """Takes one event; what is wrong with it, if something is."""
        kind, at_ms = event.get("type"), parse_instant(event.get("ts"))
        if at_ms is not None:
            self.times.append(at_ms)
        if kind == "turn_started":
            self.child = self.child or event.get("session_relationship") == "subagent"
            model = event.get("model_id")
            if at_ms is not None and isinstance(model, str) and model:
                insort_right(self._starts, (at_ms, model), key=itemgetter(0))
        elif kind == "tool_completed":
            outcome = (_word(event, "outcome", _OUTCOMES), _span(event.get("duration_ms")))
            call, name = event.get("tool_call_id"), event.get("tool_name")
            if isinstance(call, str) and call:
                self.by_call.setdefault(call, outcome)
            elif isinstance(name, str):
                self.outcomes.setdefault(name, []).append(outcome)
        elif kind in ("permission_requested", "permission_resolved"):
            self._permission(event, ordinal, at_ms)
        elif not isinstance(kind, str):
            return "unknown_record" if kind is None else "schema_error"
        elif kind in _KEYS:
            return None if event.keys() in _KEYS[kind] else "unknown_record"
        elif kind not in _QUIET and not kind.startswith(_QUIET_KINDS):
            return "unknown_record"
        return None

    def _permission(self, event: dict[str, Any], ordinal: int, at_ms: int | None) -> None:
        """A question is one event; its answer belongs to the oldest open question about the same tool."""
        name = event.get("tool_name")
        name = name if isinstance(name, str) else None
        waiting = self._asked.setdefault(name or "", [])
        answered = event["type"] == "permission_resolved"
        status = _word(event, "decision", _DECISIONS) if answered else "requested"
        wait_ms = _span(event.get("wait_ms"))
        if answered and waiting:
            place = waiting.pop(0)
            self.permissions[place] = structs.replace(self.permissions[place], status=status, duration_ms=wait_ms)
            return
        if not answered:
            waiting.append(len(self.permissions))
        native_id = f"permission:{len(self.permissions)}"
        # Its place in its own file, which does not move when another one grows.
        asked = RawEvent(self._session, "permission", native_id, ordinal - self._first, at_ms, name=name, status=status)
        self.permissions.append(structs.replace(asked, duration_ms=wait_ms if answered else None))


def _word(event: dict[str, Any], key: str, meanings: dict[str, str]) -> str | None:
    word = event.get(key)
    return meanings.get(word) if isinstance(word, str) else None


def _span(value: object) -> int | None:
    """Whole milliseconds."""
    return value if type(value) is int and 0 <= value <= LARGEST else None
