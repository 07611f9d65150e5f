"""Outputs of tools and completed items → events.

Passes on sizes, exit codes, and the names of tools, commands and files; never
what a tool read, wrote or returned.
"""

from typing import Any

from observer.adapters.codex import shapes
from observer.adapters.making import Making
from observer.adapters.wire import shell
from observer.adapters.wire.responses import FunctionOutput, Output, texts
from observer.native import values

COMPACTION = "ContextCompaction"
_ENDED = {True: "ok", False: "error", None: None}
_STATUS = {"completed": "ok", "failed": "error", "declined": "denied"}
# Completed items that are results of tools, by the name they are shown under.
_RESULTS = {
    "McpToolCall": "mcp.unknown",
    "WebSearch": "web_search",
    "ImageView": "view_image",
    "ImageGeneration": "image_generation",
    "CallOutput": None,
    "DynamicToolCall": None,
}
_LIFECYCLE = {
    "CollabAgentToolCall": "collab_agent",
    "SubAgentActivity": "subagent_activity",
    "Plan": "plan",
    "HookPrompt": "hook_prompt",
    "EnteredReviewMode": "review_entered",
    "ExitedReviewMode": "review_exited",
}
# Recorded a second time beside the item, or nothing that was done.
_QUIET = ("UserMessage", "AgentMessage", "Reasoning", "Extension", "Sleep")
_KNOWN = (*_RESULTS, *_LIFECYCLE, *_QUIET, COMPACTION, "CommandExecution", "FileChange")


def output(making: Making, returned: FunctionOutput) -> None:
    """What a call returned; the head of its text, or the oldest format around it, tells what became of a command."""
    given = returned.output if isinstance(returned.output, Output) else Output(returned.output)
    text, success = "".join(texts(given.content)), given.success
    told = shell.told(text)
    status = _ENDED[success if told.exit_code is None else told.exit_code == 0]
    if status is None and told.is_aborted:
        status = "cancelled"
    size, truncated = shell.size(told.text)
    making.result(
        returned.call_id, status=status, duration_ms=told.duration_ms, size_bytes=size, truncated=truncated,
        exit_code=told.exit_code,
    )  # fmt: skip


def item(making: Making, completed: shapes.Item | None) -> None:
    """Something completed in a turn."""
    if completed is None or completed.type not in _KNOWN:
        making.fault("schema_error")
    elif completed.type not in _QUIET and making.identified(completed.id):
        status = _STATUS.get(completed.status or "")
        if completed.type in _LIFECYCLE:
            making.event("lifecycle", completed.id, name=_LIFECYCLE[completed.type], status=status)
        elif completed.type == COMPACTION:
            making.event("compaction", completed.id)
        elif completed.type == "CommandExecution":
            _command(making, completed, status)
        elif completed.type == "FileChange":
            change(making, completed.id, completed, status)
        else:
            tool = f"{completed.namespace}.{completed.tool}" if completed.namespace else completed.tool
            name, span_ms = _RESULTS[completed.type] or tool, values.span_ms(completed.duration)
            status = status or _ENDED[completed.success]
            making.result(completed.id, name=name, target=completed.path, status=status, duration_ms=span_ms)


def _command(making: Making, ended: shapes.Item, status: str | None) -> None:
    """A command that ended: its result, and each file it is known to have read."""
    if ended.exit_code is not None:
        status = _ENDED[ended.exit_code == 0]
    words = ended.command
    target = (words[-1] if words else None) if isinstance(words, list) else words or None
    size, truncated = (None, False) if ended.aggregated_output is None else shell.size(ended.aggregated_output)
    making.result(
        ended.id, name="exec", target=target, status=status, duration_ms=values.span_ms(ended.duration),
        size_bytes=size, truncated=truncated, exit_code=ended.exit_code,
    )  # fmt: skip
    if status == "denied":
        making.event("permission", ended.id, name="exec", status="denied")
    for parsed in ended.parsed_cmd or ():
        if parsed.type == "read" and values.is_text(parsed.path):
            first, count = shell.printed_lines(parsed.cmd or "")
            making.read_file(
                f"{ended.id}:{parsed.path}", parsed.path, status=status, command=parsed.cmd, start_line=first,
                line_count=count,
            )  # fmt: skip


def change(making: Making, native_id: Any, found: shapes.Item | shapes.PatchEnd, status: str | None = None) -> None:
    """A patch: which files it touched, never how."""
    making.change(native_id, tuple(sorted(found.changes or ())), status=status or _ENDED[found.success])
