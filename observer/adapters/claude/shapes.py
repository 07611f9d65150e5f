"""The lines of a transcript, as far as anything is made of them.

One Struct per line type; what is not listed is skipped while decoding. Fields
whose type varies between releases, tools or proxies are `Any`, so that only a
counter, or a name that must be text, can make a line odd. Never interprets.
"""

from typing import Any, Union

from msgspec import Struct, field

from observer.adapters import quiet
from observer.adapters.wire.messages import Content, Loose, Message
from observer.native import decode


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


LINE: Any = Union[(Assistant, User, Attachment, System, QueueOperation, *decode.quiet(quiet.CLAUDE_LINES))]
