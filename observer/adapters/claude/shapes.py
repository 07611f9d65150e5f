"""The lines of a transcript, as far as anything is made of them.

One Struct per line type; what is not listed is skipped while decoding. Fields
whose type varies between releases, tools or proxies are `Any`, so that only a
counter, or a name that must be text, can make a line odd. Never interprets.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct, defstruct, field

from observer.records.usage import LARGEST

Count = Annotated[int, Meta(ge=0, le=LARGEST)]
# Beside the one shape that is looked into, anything may stand there.
Loose = str | float | bool | list[Any] | None


class CacheSplit(Struct, gc=False):
    """Tokens written to the cache, by lifetime."""

    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class OutputDetails(Struct, gc=False):
    """What the output is made of."""

    thinking_tokens: Count | None = None


class ServerTools(Struct, gc=False):
    """Requests of tools that run beside the model."""

    web_search_requests: Count | None = None


class Counters(Struct, gc=False):
    """The token counters that a usage object and its iterations share."""

    input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation: CacheSplit | None = None
    output_tokens_details: OutputDetails | None = None


class Iteration(Counters, gc=False):
    """One request inside a response; an advisor's is billed beside the sum."""

    type: Any = None
    model: Any = None


class Usage(Counters, gc=False):
    """`message.usage`."""

    server_tool_use: ServerTools | None = None
    service_tier: Any = None
    speed: Any = None
    iterations: list[Iteration] | None = None


class Input(Struct, gc=False):
    """The arguments of a tool call that say where or what it touched."""

    file_path: Any = None
    notebook_path: Any = None
    path: Any = None
    command: Any = None
    skill: Any = None
    offset: Any = None


class Part(Struct, gc=False):
    """A piece of a tool result."""

    text: Any = None


class Block(Struct, gc=False):
    """A content block of any type: text, tool_use, tool_result, or one nobody knows yet."""

    type: Any = None
    text: Any = None
    id: Any = None
    name: Any = None
    input: Input | Loose = None
    tool_use_id: Any = None
    content: list[Part | str | float | bool | None] | Part | str | float | bool | None = None
    is_error: Any = None


Content = list[Block | str | float | bool | None] | str | None


class Message(Struct, gc=False):
    """`message` of a user or assistant line."""

    id: Any = None
    model: str | None = None
    content: Content = None
    stop_reason: str | None = None
    usage: Usage | None = None


class FileRead(Struct, rename="camel", gc=False):
    """What a reading tool returned; the text itself is skipped."""

    file_path: Any = None
    start_line: Any = None
    num_lines: Any = None


class ToolResult(Struct, rename="camel", gc=False):
    """`toolUseResult`, when it is an object."""

    file: FileRead | Loose = None
    truncated: Any = None
    duration_ms: Any = None
    total_duration_ms: Any = None


class Mark(Struct, gc=False):
    """`origin` (who caused a line) and `permissionDecision`."""

    kind: Any = None
    decision: Any = None


class QueuedCommand(Struct, rename="camel", gc=False):
    """`attachment`: a queued prompt; of others, what a hook said and the instruction files that were loaded."""

    type: Any = None
    prompt: Content | float | bool = None
    content: Any = None
    stdout: Any = None
    files: Any = None
    command_mode: Any = None
    origin: Mark | Loose = None
    human_turn: Any = None


class Line(Struct, rename="camel", tag_field="type", gc=False):
    """What the lines of a conversation have in common."""

    uuid: Any = None
    session_id: str | None = None
    timestamp: Any = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    is_sidechain: Any = None
    agent_id: str | None = None


class Assistant(Line, tag="assistant", gc=False):
    """One content block of an answer, with the usage of the whole answer."""

    message: Message | None = None
    request_id: str | None = None
    request_session_id: str | None = None
    effort: str | None = None
    per_turn_effort: str | None = None
    is_api_error_message: Any = None
    api_error_status: Any = None
    cost_usd: Any = field(default=None, name="costUSD")


class User(Line, tag="user", gc=False):
    """A prompt, tool results, or something the harness put in the user's place."""

    message: Message | None = None
    prompt_id: str | None = None
    prompt_source: str | None = None
    origin: Mark | Loose = None
    is_meta: Any = None
    is_compact_summary: Any = None
    tool_use_result: ToolResult | Loose = None
    tool_denial_kind: Any = None
    permission_decision: Mark | Loose = None


class Attachment(Line, tag="attachment", gc=False):
    """Context that the harness added; a prompt typed while the model worked is one."""

    attachment: QueuedCommand | Loose = None


class System(Line, tag="system", gc=False):
    """A notice: the end of a turn, a compaction, a failed request."""

    subtype: Any = None
    duration_ms: Any = None
    error: Any = None
    status: Any = None


class QueueOperation(Line, tag="queue-operation", gc=False):
    """A prompt entering or leaving the queue; it has no uuid."""

    operation: Any = None
    content: Content | float | bool = None


# State of the client. Nothing is made of it, and it is no fault either: also
# `cost-state`, whose totals include what a fork inherited and restart after a kill.
_BOOKKEEPING = (
    "agent-color", "agent-name", "agent-setting", "ai-title", "api-request", "api-request-blob", "api-request-shape",
    "atis-latch", "attribution-snapshot", "bridge-session", "content-replacement", "cost-state", "custom-title",
    "file-history-delta", "file-history-snapshot", "last-prompt", "mode", "permission-mode", "pr-link", "progress",
    "speculation-accept", "summary", "tag", "task-summary", "tools-used", "worktree-state",
)  # fmt: skip

LINE: Any = Assistant | User | Attachment | System | QueueOperation
for _name in _BOOKKEEPING:
    LINE |= defstruct(_name.title().replace("-", ""), [], tag_field="type", tag=_name, module=__name__)
