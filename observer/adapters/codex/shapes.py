"""The lines of a rollout, typed and partial: what is not listed here is skipped.

Never interprets. The decoder cuts out values of a wrong type and names them;
a type word that is not listed, at either level, is a record nobody knows. A
counter that is null has a wrong type, an absent one is None.
"""

from typing import Annotated, Any, Union

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field

from observer.records.usage import LARGEST

_ABSENT: Any = None
Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Code = Annotated[int, Meta(ge=-(2**31), lt=2**32)]
# A century and more: a longer span is no span.
LONGEST_SECONDS = 2**32


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
    usage: Counters | UnsetType = UNSET
    turn_token_usage: Counters | UnsetType = UNSET
    thread_token_usage: Counters | UnsetType = UNSET


class Compaction(Struct, gc=False):
    """`compacted`: a summary took the place of the history."""

    window_id: str | None = None
    compaction_response_id: str | None = None


class Part(Struct, gc=False):
    """A piece of content of any type."""

    text: str | None = None


class Marks(Struct, gc=False):
    """What a message says of itself; the kinds go with the parts of its content."""

    turn_id: str | None = None
    content_item_kinds: list[str] | None = None


class Message(Struct, tag="message", gc=False):
    """A message to or from the model."""

    id: str | None = None
    role: str | None = None
    content: list[Part] | str | None = None
    marks: Marks | None = field(default=None, name="internal_chat_message_metadata_passthrough")


class FunctionCall(Struct, tag="function_call", gc=False):
    """A tool call; `arguments` is JSON text."""

    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None


class CustomCall(Struct, tag="custom_tool_call", gc=False):
    """A tool call whose input is free text: a patch or a script."""

    call_id: str | None = None
    name: str | None = None
    input: str | None = None


class Action(Struct, gc=False):
    """What a local shell call runs."""

    command: list[str] | str | None = None


class ShellCall(Struct, tag="local_shell_call", gc=False):
    """A command of the model's own shell tool."""

    call_id: str | None = None
    id: str | None = None
    action: Action | None = None


class ToolSearch(Struct, tag="tool_search_call", gc=False):
    """A search for tools."""

    call_id: str | None = None


class WebSearch(Struct, tag="web_search_call", gc=False):
    """A web search that ran beside the model."""

    id: str | None = None


class Output(Struct, gc=False):
    """An output that is an object."""

    content: str | list[Part] | None = None
    success: bool | None = None


class FunctionOutput(Struct, tag="function_call_output", gc=False):
    """What a call returned, as the model sees it."""

    call_id: str | None = None
    output: str | list[Part] | Output | None = None


class CustomOutput(FunctionOutput, tag="custom_tool_call_output", gc=False):
    """The same for a custom call."""


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


class Duration(Struct, gc=False):
    """A span of time."""

    secs: Annotated[int, Meta(ge=0, le=LONGEST_SECONDS)] = 0
    nanos: Annotated[int, Meta(ge=0, lt=10**9)] = 0


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


# What is written besides, in some release: twins of calls, outputs and messages, and bookkeeping.
_QUIET_EVENTS = """agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break
collab_agent_interaction_end collab_agent_spawn_end collab_close_end collab_resume_end collab_waiting_end
context_compacted dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error exec_command_end
exited_review_mode guardian_assessment guardian_warning image_generation_end item_started mcp_tool_call_end
model_reroute plan_update stream_error sub_agent_activity thread_name_updated thread_rolled_back turn_diff
undo_completed view_image_tool_call warning web_search_end"""
_QUIET_ITEMS = """additional_tools agent_message compaction compaction_summary compaction_trigger context_compaction
ghost_snapshot image_generation_call other reasoning tool_search_output"""
_QUIET_LINES = "inter_agent_communication inter_agent_communication_metadata world_state"


def _quiet(words: str) -> tuple[type, ...]:
    """Known payload types of which nothing is wanted."""
    return tuple(defstruct("Quiet", (), tag=word, gc=False) for word in words.split())


_EVENTS = (TokenCount, Started, Completed, Aborted, UserMessage, SettingsApplied, GoalUpdated, ItemCompleted, PatchEnd)
_ITEMS = (Message, FunctionCall, FunctionOutput, CustomCall, CustomOutput, ShellCall, ToolSearch, WebSearch)
_STAMP = ("timestamp", str | float | None, None)


def _line(tag: str, payload: Any) -> type[Struct]:
    """A line type with a payload and a `timestamp`: ISO text or, should that change, an epoch number."""
    return defstruct("Line", [("payload", payload), _STAMP], tag=tag, gc=False)


def _quiet_line(tag: str) -> type[Struct]:
    """A known line type of which only the time is wanted."""
    return defstruct("QuietLine", [_STAMP], tag=tag, gc=False, namespace={"payload": None})


LINE: Any = Union[
    (
        _line("session_meta", Identity),
        _line("turn_context", Setting),
        _line("token_usage_record", Record),
        _line("compacted", Compaction),
        _line("event_msg", Union[(*_EVENTS, *_quiet(_QUIET_EVENTS))]),
        _line("response_item", Union[(*_ITEMS, *_quiet(_QUIET_ITEMS))]),
        *map(_quiet_line, _QUIET_LINES.split()),
    )
]
