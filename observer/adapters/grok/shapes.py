"""The lines and documents of a session, typed and partial: what is not listed here is skipped.

Never interprets. The decoder cuts out values of a wrong type and names them;
a counter that is null has a wrong type, an absent one is None.
"""

from typing import Any

from msgspec import Struct

from observer.adapters.wire import acp
from observer.native.values import Count

_ABSENT: Any = None


class Counters(Struct, rename="camel", gc=False):
    """Tokens of one model; `cost_usd_ticks` are 10^-10 USD."""

    input_tokens: Count = _ABSENT
    cached_read_tokens: Count = _ABSENT
    cache_creation_tokens: Count = _ABSENT
    output_tokens: Count = _ABSENT
    reasoning_tokens: Count = _ABSENT
    total_tokens: Count = _ABSENT
    cost_usd_ticks: Any = None
    cost_is_partial: Any = None


class Usage(Counters, rename="camel", gc=False):
    """The sum over all calls of a prompt, and the same per model."""

    model_usage: dict[str, Any] | None = None
    usage_is_incomplete: Any = None


class Tool(Struct, gc=False):
    """What the client knows of a tool that it really has."""

    name: str | None = None
    kind: str | None = None


class UpdateMeta(Struct, gc=False, rename={"prompt_index": "promptIndex", "model_id": "modelId", "tool": "x.ai/tool"}):
    """What an update says of itself."""

    prompt_index: int | None = None
    model_id: str | None = None
    tool: Tool | None = None


class Update(acp.Update, gc=False):
    """An update of any kind."""

    meta: UpdateMeta | None = None
    prompt_id: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    type: str | None = None
    reason: str | None = None
    message: str | None = None
    child_session_id: str | None = None
    parent_session_id: str | None = None
    parent_prompt_id: str | None = None
    prompt_index_at_compaction: int | None = None
    target_prompt_index: int | None = None
    elapsed_ms: Any = None
    duration_ms: Any = None


class LineMeta(Struct, gc=False, rename="camel"):
    """Which event of which session this is, when it happened (milliseconds), and in which prompt."""

    event_id: str | None = None
    agent_timestamp_ms: Any = None
    prompt_id: str | None = None


class Params(Struct, gc=False, rename={"meta": "_meta"}):
    """What a line is about."""

    update: Update | None = None
    meta: LineMeta | None = None


class Line(Struct, gc=False):
    """A line of `updates.jsonl`; `timestamp` (seconds) is when it was written."""

    method: str | None = None
    timestamp: Any = None
    params: Params | None = None


class Message(Struct, gc=False):
    """A line of `chat_history.jsonl`."""

    type: str | None = None
    content: list[acp.Text] | str | None = None
    prompt_index: int | None = None
    synthetic_reason: Any = None
    reasoning_effort: str | None = None


class Info(Struct, gc=False):
    """Whose session it is."""

    id: str | None = None
    cwd: str | None = None


class Summary(Struct, gc=False):
    """`summary.json`."""

    info: Info | None = None
    session_kind: str | None = None
    parent_session_id: str | None = None
    head_branch: str | None = None
    current_model_id: str | None = None
    reasoning_effort: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    last_active_at: str | None = None


class Spawned(Struct, gc=False):
    """`subagents/<id>/meta.json`."""

    child_session_id: str | None = None
    parent_session_id: str | None = None
