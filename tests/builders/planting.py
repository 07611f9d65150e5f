"""Real native lines with something planted in their strings.

A string is known by the key it stands under: what names a thing is left as it
is, so that the line still means what it meant.
"""

import json
from collections.abc import Callable
from typing import Any

# Gets the key a string stands under, the string, and whether nothing of its whole block may be kept.
Change = Callable[[str, str, bool], str]

# Words that make a line what it is; ids and instants tie lines together.
_FORM = frozenset(
    "type subtype role kind status timestamp model name operation stop_reason service_tier speed effort level"
    " thread_source source originator reason phase trigger promptSource turnOrigin querySource"
    " rollout_path mode content_item_kinds provenance method sessionUpdate finish terminal_class schema_version".split()
)
# Labels and targets, kept as recorded as long as they hold no secret.
_KEPT = frozenset(
    "cwd gitBranch branch version cli_version entrypoint file_path filePath notebook_path path paths command cmd"
    " skill commandName url provider model_provider".split()
)
# Texts of which the beginning or the end may be kept.
_TEXTS = frozenset(
    "text message content lastPrompt display prompt last_agent_message arguments input parsed_cmd changes".split()
)
# Outputs, reasoning and titles: whatever a string in them is called.
_HIDDEN = frozenset(("tool_result", "thinking", "redacted_thinking", "reasoning", "function_call_output",
                        "custom_tool_call_output", "compacted", "summary", "ai-title", "custom-title"))  # fmt: skip


def is_form(key: str) -> bool:
    """Whether a string under that key says what the line is, or is an id or an instant."""
    return key in _FORM or key.lower().endswith(("id", "ids", "uuid", "_at", "digest", "hash", "ref"))


def is_kept(key: str) -> bool:
    """Whether a string under that key is a label or a target."""
    return key in _KEPT


def is_text(key: str) -> bool:
    """Whether a string under that key is a text of which an excerpt may be kept."""
    return key in _TEXTS


def planted(line: bytes, change: Change) -> bytes:
    """The line with every string changed; lines that are no JSON objects stay as they are."""
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return json.dumps(_changed("", value, change, hidden=False), ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _changed(key: str, value: Any, change: Change, *, hidden: bool) -> Any:
    if isinstance(value, dict):
        hidden = hidden or value.get("type") in _HIDDEN
        return {name: _changed(name, item, change, hidden=hidden) for name, item in value.items()}
    if isinstance(value, list):
        return [_changed(key, item, change, hidden=hidden) for item in value]
    if isinstance(value, str):
        inner = _inner(value) if key == "arguments" else None
        return change(key, value, hidden) if inner is None else json.dumps(_changed("", inner, change, hidden=hidden))
    return value


def _inner(text: str) -> dict[str, Any] | None:
    """The object in a text of JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
