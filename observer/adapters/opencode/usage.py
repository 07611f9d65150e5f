"""Counters of a response: what they mean, what is no usage, and which response it is.

Never adds up what the store repeats, and never takes a counter that is absent for zero.
"""

from collections.abc import Sequence
from typing import TypeGuard

from msgspec import UNSET, UnsetType

from observer.adapters.opencode.shapes import Message, Tokens
from observer.base.canon import digest
from observer.records.semantics import OPENCODE, OPENCODE_INSIDE
from observer.records.usage import TokenUsage, total


def is_usage(tokens: Tokens | UnsetType) -> TypeGuard[Tokens]:
    """Whether any counter is positive: five zeros mean that no usage arrived, not that it was free."""
    return tokens is not UNSET and any(_buckets(tokens))


def meanings(found: Sequence[Tokens]) -> list[str]:
    """The semantics label of each of a session's responses, in order of time.

    The recorded total tells where reasoning stands. Where it cannot, because
    there is none or no total, both meanings agree or nothing is known; then
    the row before decides, else the one after, so that one release's rows
    stay one kind.
    """
    told = [_meaning(each) for each in found]
    last = next(filter(None, told), OPENCODE.label)
    labels = []
    for label in told:
        last = label or last
        labels.append(last)
    return labels


def counters(tokens: Tokens, label: str) -> TokenUsage:
    """The counters as recorded; the total is their sum, when all are known."""
    plain, output, reasoning, read, write = _buckets(tokens)
    inside = 0 if label == OPENCODE_INSIDE.label else reasoning
    whole = None if reasoning is None else total(plain, output, read, write, inside)
    return TokenUsage(plain, read, write, None, None, output, reasoning, whole)


def identity(message: Message, tokens: Tokens, seen: dict[str, int]) -> str:
    """The id of a response, equal in a copy and its source, whose message ids differ.

    Made of model, times and counters. `seen` counts equal ones within one
    session, where none is a copy of the other.
    """
    content = [message.provider_id, message.model_id, message.time.created, message.time.completed, *_buckets(tokens)]
    name = digest(content)
    seen[name] = number = seen.get(name, 0) + 1
    return "opencode:" + (digest([name, number]) if number > 1 else name)[:32]


def model(message: Message) -> str | None:
    """`provider/model`, or what is known of it."""
    return "/".join(filter(None, (message.provider_id, message.model_id))) if message.model_id else None


def _meaning(tokens: Tokens) -> str | None:
    plain, output, reasoning, read, write = _buckets(tokens)
    without = total(plain, output, read, write)
    if not reasoning or without is None:
        return None
    told: dict[object, str] = {without + reasoning: OPENCODE.label, without: OPENCODE_INSIDE.label}
    return told.get(tokens.total)


def _buckets(tokens: Tokens) -> tuple[int | None, ...]:
    """Input, output, reasoning, cache read, cache write."""
    found = (tokens.input, tokens.output, tokens.reasoning, tokens.cache.read, tokens.cache.write)
    return tuple(None if each is UNSET else each for each in found)
