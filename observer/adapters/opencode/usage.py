"""Counters of a response: what they mean, what is no usage, and which response it is.

Never adds up what the store repeats, and never takes a counter that is absent for zero.
"""

from collections.abc import Sequence
from decimal import Decimal

from msgspec import UNSET

from observer.adapters.opencode.shapes import Message, Tokens
from observer.base.canon import digest
from observer.records.semantics import OPENCODE, OPENCODE_INSIDE
from observer.records.usage import TokenUsage

_SHOWN_DIGITS = 32


def is_usage(tokens: Tokens) -> bool:
    """Whether any counter is positive: five zeros mean that no usage arrived, not that it was free."""
    return any(_buckets(tokens))


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
    total = None
    if plain is not None and output is not None and reasoning is not None and read is not None and write is not None:
        total = plain + output + read + write + (reasoning if label == OPENCODE.label else 0)
    return TokenUsage(plain, read, write, None, None, output, reasoning, total)


def identity(message: Message, tokens: Tokens, seen: dict[str, int]) -> str:
    """The id of a response, equal in a copy and its source, whose message ids differ.

    Made of model, times and counters. `seen` counts equal ones within one
    session, where none is a copy of the other.
    """
    content = [message.provider_id, message.model_id, message.time.created, message.time.completed, *_buckets(tokens)]
    name = digest(content)
    seen[name] = number = seen.get(name, 0) + 1
    return "opencode:" + (digest([name, number]) if number > 1 else name)[:_SHOWN_DIGITS]


def model(message: Message) -> str | None:
    """`provider/model`, or what is known of it."""
    return "/".join(filter(None, (message.provider_id, message.model_id))) if message.model_id else None


def cost(value: float | None) -> str | None:
    """The recorded number as exact decimal text."""
    if value is None or not 0 <= value < float("inf"):
        return None
    return format(Decimal(repr(value)), "f")


def _meaning(tokens: Tokens) -> str | None:
    plain, output, reasoning, read, write = _buckets(tokens)
    if not reasoning or plain is None or output is None or read is None or write is None:
        return None
    without = plain + output + read + write
    return {without + reasoning: OPENCODE.label, without: OPENCODE_INSIDE.label}.get(
        tokens.total if tokens.total is not UNSET else -1
    )


def _buckets(tokens: Tokens) -> tuple[int | None, ...]:
    """Input, output, reasoning, cache read, cache write."""
    found = (tokens.input, tokens.output, tokens.reasoning, tokens.cache.read, tokens.cache.write)
    return tuple(None if each is UNSET else each for each in found)
