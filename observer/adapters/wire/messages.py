"""Anthropic's Messages API: a message as clients keep it, its blocks, its counters.

Partial and tolerant: what is not listed is skipped while decoding, and what
varies between proxies is `Any`, so that only a counter, or a name that must be
text, can make a record odd. Knows no harness.
"""

from typing import Any

from msgspec import Struct

from observer.native.values import Count
from observer.records.usage import TokenUsage, lifetimes, total

# The type of a request that asked another model for advice.
_ADVISOR = "advisor_message"
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
    """The arguments of a tool call that say where or what it touched, as the known clients' tools call them."""

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


def texts(content: Any) -> list[str]:
    """The texts in a content of any form."""
    parts = content if isinstance(content, list) else [content]
    texts = [each.text if type(each) in (Part, Block) else each for each in parts]
    return [text for text in texts if isinstance(text, str)]


def blocks(content: Any, kind: str) -> list[Block]:
    """The content's blocks of a type, in order; of a plain text none."""
    return [each for each in content if type(each) is Block and each.type == kind] if isinstance(content, list) else []


def said(content: list[Any]) -> list[tuple[int, str]]:
    """The texts among these blocks that say something, each with its block's place."""
    found = []
    for place, block in enumerate(content):
        text = block.text if type(block) is Block and block.type == "text" else None
        if isinstance(text, str) and text.strip():
            found.append((place, text))
    return found


def recognised(usage: Counters) -> bool:
    """Whether any counter that is summed is there."""
    return not (
        usage.input_tokens is None
        and usage.output_tokens is None
        and usage.cache_creation_input_tokens is None
        and usage.cache_read_input_tokens is None
    )


def tokens(usage: Counters) -> tuple[TokenUsage, bool]:
    """The counters as they are recorded, and whether the split of cache writes can be one; else it is dropped."""
    plain, write = usage.input_tokens, usage.cache_creation_input_tokens
    read, output = usage.cache_read_input_tokens, usage.output_tokens
    short, long, fits = None, None, True
    split, details = usage.cache_creation, usage.output_tokens_details
    if split is not None:
        short, long, fits = lifetimes(split.ephemeral_5m_input_tokens, split.ephemeral_1h_input_tokens, write)
    thinking = details.thinking_tokens if details is not None else None
    whole = total(plain, write, read, output)
    return TokenUsage(plain, read, write, short, long, output, thinking, whole), fits


def is_advice(iteration: Iteration) -> bool:
    """Whether a request inside a response went to another model and is billed beside it."""
    return iteration.type == _ADVISOR and isinstance(iteration.model, str) and recognised(iteration)
