"""Native lines of Claude Code and Codex, so that a test states a situation in a few lines.

Every line has the fields that the agents write and nothing more. Time goes on
by a second with each line unless a test says otherwise.
"""

import json
from pathlib import Path
from typing import Any, Self

from observer.base.clock import iso, parse_iso

START = "2026-09-23T10:00:00.000Z"
_RESPONSE = {"input": 1000, "cached": 0, "write": 0, "output": 100, "reasoning": 0}
PROJECT = "/srv/kit"


class Lines:
    """Lines of one file, in order."""

    def __init__(self, *, start: str = START) -> None:
        self._at_ms = parse_iso(start) or 0
        self.lines: list[bytes] = []

    def at(self, when: str) -> Self:
        """The next line is written at that instant."""
        self._at_ms = parse_iso(when) or 0
        return self

    def raw(self, line: str | bytes) -> Self:
        """A line as it is, without its newline."""
        self.lines.append(line if isinstance(line, bytes) else line.encode())
        return self

    def add(self, value: Any) -> Self:
        """A line of JSON."""
        return self.raw(json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def data(self) -> bytes:
        """The file, ending with a newline."""
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, path: Path) -> Path:
        """Writes the file and returns its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data())
        return path

    def _now(self) -> str:
        now = iso(self._at_ms) or ""
        self._at_ms += 1000
        return now


class Claude(Lines):
    """A transcript of one session, or with `agent` that of a subagent of it."""

    def __init__(
        self,
        session: str = "s1",
        *,
        agent: str | None = None,
        cwd: str = PROJECT,
        branch: str = "main",
        start: str = START,
    ) -> None:
        super().__init__(start=start)
        self.session, self.agent = session, agent
        self._frame = {
            "isSidechain": agent is not None,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session,
            "version": "2.1.236",
            "gitBranch": branch,
        }
        if agent is not None:
            self._frame["agentId"] = agent
        self._number = 0

    def prompt(self, text: str, *, uuid: str | None = None, **more: Any) -> Self:
        """What a person typed; opens a turn."""
        return self._line("user", uuid, message={"role": "user", "content": text}, **more)

    def tool_result(self, call: str, text: str, *, is_error: bool = False) -> Self:
        """The output of a tool, which the client sends back."""
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": is_error}
        return self._line("user", None, message={"role": "user", "content": [block]})

    def response(
        self,
        message: str,
        *,
        model: str = "claude-opus-5-5",
        stop: str | None = "end_turn",
        content: list[dict[str, Any]] | None = None,
        usage: dict[str, Any] | None = None,
        more: dict[str, Any] | None = None,
        **counters: int | None,
    ) -> Self:
        """One line of a model's message; the same id again is a later piece of it."""
        body = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content if content is not None else [{"type": "text", "text": "ok"}],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage if usage is not None else claude_usage(**counters),
        }
        return self._line("assistant", None, message=body, requestId=f"req_{message}", **(more or {}))

    def stream(self, message: str, outputs: tuple[int, ...], **counters: Any) -> Self:
        """A message written in pieces; only the last has a stop reason."""
        for output in outputs[:-1]:
            self.response(message, stop=None, output=output, **counters)
        return self.response(message, output=outputs[-1], **counters)

    def call(self, message: str, call: str, name: str, given: dict[str, Any], **counters: Any) -> Self:
        """A message that asks for a tool."""
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        return self.response(message, stop="tool_use", content=[block], **counters)

    def system(self, subtype: str, **more: Any) -> Self:
        """A note of the client, such as a turn's duration."""
        return self._line("system", None, subtype=subtype, **more)

    def attachment(self, kind: str, **fields: Any) -> Self:
        """Context that the client added, such as what a hook said."""
        return self._line("attachment", None, attachment={"type": kind, **fields})

    def below(self, home: Path) -> Path:
        """Where the client would keep this file."""
        folder = home / ".claude" / "projects" / "-srv-kit"
        if self.agent is None:
            return folder / f"{self.session}.jsonl"
        return folder / self.session / "subagents" / f"agent-{self.agent}.jsonl"

    def lay(self, home: Path) -> Path:
        """Writes the file where the client would keep it."""
        return self.write(self.below(home))

    def _line(self, kind: str, uuid: str | None, **fields: Any) -> Self:
        self._number += 1
        place = f"-{self.agent}" if self.agent else ""
        name = uuid or f"{self.session}{place}-{self._number:04d}"
        return self.add({**self._frame, "type": kind, **fields, "uuid": name, "timestamp": self._now()})


def claude_usage(
    *,
    input: int | None = 10,  # noqa: A002
    read: int | None = 0,
    write_5m: int | None = 0,
    write_1h: int | None = 0,
    output: int | None = 5,
) -> dict[str, Any]:
    """A usage object; None leaves a counter out."""
    usage: dict[str, Any] = {"input_tokens": input, "cache_read_input_tokens": read, "output_tokens": output}
    if write_5m is not None and write_1h is not None:
        usage["cache_creation_input_tokens"] = write_5m + write_1h
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": write_5m, "ephemeral_1h_input_tokens": write_1h}
    return {name: value for name, value in usage.items() if value is not None} | {"service_tier": "standard"}


class Codex(Lines):
    """A rollout of one thread. `meta` is written first unless a test says otherwise."""

    def __init__(
        self,
        thread: str = "t-1",
        *,
        meta: bool = True,
        cwd: str = PROJECT,
        parent: str | None = None,
        forked_from: str | None = None,
        start: str = START,
    ) -> None:
        super().__init__(start=start)
        self.thread, self._turn, self._cwd = thread, "", cwd
        self._totals = dict.fromkeys(("input", "cached", "write", "output", "reasoning"), 0)
        if meta:
            self.meta(parent=parent, forked_from=forked_from)

    def meta(self, *, parent: str | None = None, forked_from: str | None = None) -> Self:
        """What the thread says of itself."""
        payload: dict[str, Any] = {
            "id": self.thread,
            "session_id": parent or self.thread,
            "cwd": self._cwd,
            "originator": "codex_cli_rs",
            "cli_version": "0.153.1",
            "source": "cli",
            "model_provider": "openai",
            "thread_source": "user",
            "git": {"branch": "main"},
        }
        if parent:
            spawn = {"parent_thread_id": parent, "depth": 1, "agent_role": "explorer", "agent_nickname": "Ada"}
            payload |= {
                "thread_source": "subagent",
                "source": {"subagent": {"thread_spawn": spawn}},
                "parent_thread_id": parent,
            }
        if forked_from:
            payload["forked_from_id"] = forked_from
        return self._record("session_meta", payload)

    def turn(self, turn: str, *, model: str = "gpt-6-astra", effort: str = "high") -> Self:
        """Opens a turn with its model."""
        self._turn = turn
        self.event("task_started", turn_id=turn, model_context_window=272000)
        context = {
            "turn_id": turn,
            "cwd": self._cwd,
            "approval_policy": "on-request",
            "sandbox_policy": {"type": "workspace-write"},
            "model": model,
            "effort": effort,
            "summary": "auto",
        }
        return self._record("turn_context", context)

    def prompt(self, text: str, *, name: str | None = None) -> Self:
        """What a person typed, as the message with its metadata."""
        payload: dict[str, Any] = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
            "internal_chat_message_metadata_passthrough": {"turn_id": self._turn, "content_item_kinds": ["user.text"]},
        }
        if name is not None:
            payload["id"] = name
        return self._record("response_item", payload)

    def record(self, response: str, *, counted: bool = False, **counters: int) -> Self:
        """A usage record of one response; `counted`: the running totals hold it already."""
        usage = codex_usage(**(_RESPONSE | counters)) if counted else self._count(counters)
        return self._record(
            "token_usage_record",
            {
                "session_id": self.thread,
                "thread_id": self.thread,
                "turn_id": self._turn,
                "root_turn_id": self._turn,
                "response_id": response,
                "usage": usage,
                "turn_token_usage": usage,
                "thread_token_usage": self._running(),
            },
        )

    def count(self, **counters: int) -> Self:
        """A rising total, as releases without usage records write it."""
        usage = self._count(counters)
        return self.event(
            "token_count",
            info={"total_token_usage": self._running(), "last_token_usage": usage, "model_context_window": 272000},
            rate_limits=None,
        )

    def complete(self) -> Self:
        """Ends the turn."""
        return self.event("task_complete", turn_id=self._turn, last_agent_message="done", duration_ms=1500)

    def aborted(self) -> Self:
        """Ends the turn because a person stopped it."""
        return self.event("turn_aborted", turn_id=self._turn, reason="interrupted")

    def event(self, kind: str, **fields: Any) -> Self:
        """An `event_msg` of that kind."""
        return self._record("event_msg", {"type": kind, **fields})

    def item(self, kind: str, **fields: Any) -> Self:
        """A `response_item` of that kind."""
        return self._record("response_item", {"type": kind, **fields})

    def below(self, home: Path) -> Path:
        """Where the client would keep this file."""
        return home / ".codex" / "sessions" / "2026" / "09" / "23" / f"rollout-2026-09-23T10-00-00-{self.thread}.jsonl"

    def lay(self, home: Path) -> Path:
        """Writes the file where the client would keep it."""
        return self.write(self.below(home))

    def _count(self, counters: dict[str, int]) -> dict[str, int]:
        given = _RESPONSE | counters
        for name, value in given.items():
            self._totals[name] += value
        return codex_usage(**given)

    def _running(self) -> dict[str, int]:
        return codex_usage(**self._totals)

    def _record(self, kind: str, payload: dict[str, Any]) -> Self:
        return self.add({"timestamp": self._now(), "type": kind, "payload": payload})


def codex_usage(*, input: int, cached: int, write: int, output: int, reasoning: int) -> dict[str, int]:  # noqa: A002
    """A usage object; cached and written input are inside input, reasoning inside output."""
    return {
        "input_tokens": input,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": write,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input + output,
    }
