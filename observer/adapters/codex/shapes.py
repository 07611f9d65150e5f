"""The lines of a rollout, typed and partial: what is not listed here is skipped.

Never interprets. The decoder cuts out values of a wrong type and names them;
a type word that is not listed, at either level, is a record nobody knows. A
counter that is null has a wrong type, an absent one is None.
"""

from typing import Any, Union

from msgspec import Struct, field

from observer.adapters import quiet
from observer.adapters.wire import responses
from observer.adapters.wire.shell import Code
from observer.native import decode
from observer.native.values import Count, Duration

_ABSENT: Any = None


class Counters(Struct, gc=False):
    """A usage object or a running total, in tokens."""

    input_tokens: Count = _ABSENT
    cached_input_tokens: Count = _ABSENT
    cache_write_input_tokens: Count = _ABSENT
    output_tokens: Count = _ABSENT
    reasoning_output_tokens: Count = _ABSENT
    total_tokens: Count = _ABSENT


class Nothing(Struct, gc=False):
    """An object of which only the presence matters."""


class BaseText(Struct, gc=False):
    """The system text of the thread."""

    text: Any = None


class Git(Struct, gc=False):
    """The repository when the session began."""

    branch: str | None = None


class Identity(Struct, gc=False):
    """`session_meta`: `id` is the thread, `session_id` its root thread."""

    id: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: str | dict[str, Any] | None = None
    thread_source: str | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    history_base: Nothing | None = None
    model_provider: str | None = None
    git: Git | None = None
    base_instructions: BaseText | str | float | bool | list[Any] | None = None


class Setting(Struct, gc=False):
    """`turn_context`: what the following requests are made with."""

    turn_id: str | None = None
    model: str | None = None
    effort: str | None = None


class Record(Struct, gc=False):
    """`token_usage_record`: one completed response."""

    response_id: str | None = None
    thread_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    usage: Counters = _ABSENT
    turn_token_usage: Counters = _ABSENT
    thread_token_usage: Counters = _ABSENT


class Compaction(Struct, gc=False):
    """`compacted`: a summary took the place of the history."""

    window_id: str | None = None
    compaction_response_id: str | None = None


class Marks(Struct, gc=False):
    """What a message says of itself; the kinds go with the parts of its content."""

    turn_id: str | None = None
    content_item_kinds: list[str] | None = None


class Message(responses.Message, tag="message", gc=False):
    """A message, with what the agent says of it."""

    marks: Marks | None = field(default=None, name="internal_chat_message_metadata_passthrough")


class TokenInfo(Struct, gc=False):
    """The running total of the thread, and what was last added to it."""

    total_token_usage: Counters | None = None
    last_token_usage: Counters | None = None


class TokenCount(Struct, tag="token_count", gc=False):
    """Sent after responses, and again whenever the rate limits change."""

    info: TokenInfo | None = None


class Started(Struct, tag="task_started", gc=False):
    """A turn begins."""

    turn_id: str | None = None


class Completed(Struct, tag="task_complete", gc=False):
    """A turn ended by itself; with an error it failed."""

    turn_id: str | None = None
    duration_ms: Count = _ABSENT
    error: Nothing | str | None = None


class Aborted(Struct, tag="turn_aborted", gc=False):
    """A turn was interrupted."""

    turn_id: str | None = None
    duration_ms: Count = _ABSENT


class UserMessage(Struct, tag="user_message", gc=False):
    """A prompt, in formats whose messages carry no marks."""

    message: str | None = None
    kind: str | None = None


class ThreadSettings(Struct, gc=False):
    """The settings of the thread."""

    service_tier: str | None = None
    model_provider_id: str | None = None


class SettingsApplied(Struct, tag="thread_settings_applied", gc=False):
    """The settings from here on, complete."""

    thread_settings: ThreadSettings | None = None


class GoalUpdated(Struct, tag="thread_goal_updated", gc=False):
    """The goal of the thread changed; what it is stays unread."""


class Parsed(Struct, gc=False):
    """What the agent made of a part of a command line."""

    type: str | None = None
    cmd: str | None = None
    path: Any = None


class Item(Struct, gc=False):
    """Something completed in a turn, of any type; diffs and results are skipped."""

    type: str
    id: Any = None
    tool: str | None = None
    namespace: str | None = None
    command: list[str] | str | None = None
    parsed_cmd: list[Parsed] | None = None
    exit_code: Code | None = None
    status: str | None = None
    duration: Duration | str | float | None = None
    aggregated_output: str | None = None
    changes: dict[str, Nothing] | None = None
    path: str | None = None
    success: bool | None = None


class ItemCompleted(Struct, tag="item_completed", gc=False):
    """The structured twin of calls, outputs and messages."""

    item: Item | None = None


class PatchEnd(Struct, tag="patch_apply_end", gc=False):
    """What became of a patch, before completed items were written."""

    call_id: str | None = None
    success: bool | None = None
    changes: dict[str, Nothing] | None = None


_EVENTS = (TokenCount, Started, Completed, Aborted, UserMessage, SettingsApplied, GoalUpdated, ItemCompleted, PatchEnd)
_ITEMS = (Message, responses.FunctionOutput, responses.CustomOutput, *responses.CALLS)

LINE: Any = Union[
    (
        decode.line("session_meta", Identity),
        decode.line("turn_context", Setting),
        decode.line("token_usage_record", Record),
        decode.line("compacted", Compaction),
        decode.line("event_msg", Union[(*_EVENTS, *decode.quiet(quiet.CODEX_EVENTS))]),
        decode.line("response_item", Union[(*_ITEMS, *decode.quiet(quiet.CODEX_ITEMS))]),
        *map(decode.line, quiet.CODEX_LINES.split()),
    )
]
