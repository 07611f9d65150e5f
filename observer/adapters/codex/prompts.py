"""Messages → submissions, the assistant's own events, and texts that may prove the agent's instructions.

Decides the kind of what stands in the user's place; whether its text may be
kept is decided elsewhere.
"""

import re

from observer.adapters.codex.paths import HARNESS
from observer.adapters.codex.reading import Context, Reading
from observer.adapters.codex.shapes import Message, UserMessage
from observer.adapters.wire import agents_md
from observer.adapters.wire.responses import texts
from observer.records.submission import Kind

_USER_TEXT = "user.text"
_SYSTEM_TEXT = "model.base_instructions"
_ABORTED = "generic.turn_aborted"
# How text of the harness begins that stands in the user's place.
_HARNESS_TEXT = ("<", "# AGENTS.md instructions")
_ABORTED_TEXT = "<turn_aborted>"
# The form in which an answer to an agent's question is sent as a message.
_ANSWER = re.compile(r"\s*(?:<\w*user_input\w*[\s>]|\{\s*\"answers\"\s*:)")


def message(reading: Reading, found: Message) -> None:
    """A message to the model or from it."""
    context, marks = reading.context, found.marks
    kinds = marks.content_item_kinds if marks else None
    if found.role == "user" and kinds is not None:
        context.marked = True
    if context.copied:
        return
    parts = texts(found.content)
    if found.role != "assistant":
        _prove(reading, parts, kinds)
    reading.within(marks.turn_id if marks else None)
    if found.role == "assistant":
        text = "".join(parts)
        if text.strip():
            reading.answer(found.id or f"line:{reading.spot.ordinal}", text)
    elif found.role == "user":
        kind, text = _unmarked(parts) if kinds is None else _marked(kinds, parts, context)
        if kind is not None:
            _submit(reading, kind, text, found.id)


def prompt(reading: Reading, found: UserMessage) -> None:
    """A prompt of a format without marks; where turns have no ids it begins one."""
    context = reading.context
    if context.marked:
        return
    if context.count_turn():
        reading.within(context.turn)
        reading.own_turn(started_ms=reading.spot.at_ms)
    if not context.copied:
        text = found.message or ""
        plain = found.kind in (None, "plain") and bool(text.strip())
        _submit(reading, _by_person(text, context) if plain else "scaffolding", text, None)


def _prove(reading: Reading, parts: list[str], kinds: list[str] | None) -> None:
    """What hooks and the harness put into the conversation: contexts, instruction files, the system text."""
    for index, text in enumerate(parts):
        if agents_md.is_wrapped(text):
            reading.instructions("embedded", agents_md.content(text))
        else:
            reading.contexts(text)
            if kinds is not None and kinds[index : index + 1] == [_SYSTEM_TEXT]:
                reading.instructions("embedded", text)


def _marked(kinds: list[str], parts: list[str], context: Context) -> tuple[Kind, str]:
    """What the parts are, as the message says itself; only the user's own text is one's prompt."""
    own = "\n".join(text for text, kind in zip(parts, kinds, strict=False) if kind == _USER_TEXT)
    if own.strip():
        return _by_person(own, context), own
    return "interrupt" if _ABORTED in kinds else "scaffolding", "\n".join(parts)


def _unmarked(parts: list[str]) -> tuple[Kind | None, str]:
    """Without marks only text of the harness can be told; a prompt has an event of its own."""
    text = "\n".join(parts)
    if not text.startswith(_HARNESS_TEXT):
        return None, text
    return "interrupt" if text.startswith(_ABORTED_TEXT) else "scaffolding", text


def _by_person(text: str, context: Context) -> Kind:
    """A parent speaks to its subagent in the same form, and so does an answer to a question."""
    return "synthetic" if context.role == "subagent" or _ANSWER.match(text) else "genuine"


def _submit(reading: Reading, kind: Kind, text: str, native_id: str | None) -> None:
    name = native_id or f"{reading.context.thread}:p:{reading.spot.ordinal}"
    reading.submission(f"{HARNESS}:{name}", kind, text, main=reading.context.main, turn=reading.spot.turn)
