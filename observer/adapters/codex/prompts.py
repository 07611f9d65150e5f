"""Messages → submissions, and the assistant's own → events.

Decides the kind of what stands in the user's place; whether its text may be
kept is decided elsewhere.
"""

import re

from observer.adapters.codex import proofs, turns
from observer.adapters.codex.paths import HARNESS
from observer.adapters.codex.reading import Reading
from observer.adapters.codex.shapes import Message, UserMessage
from observer.adapters.codex.thread import Context
from observer.records.event import RawDetail
from observer.records.spot import Spot
from observer.records.submission import Kind, RawSubmission

_USER_TEXT = "user.text"
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
    parts = _parts(found)
    if found.role != "assistant":
        proofs.message(reading, parts, kinds)
    if found.role not in ("user", "assistant"):
        return
    spot = reading.spot(marks.turn_id if marks else None)
    if found.role == "assistant":
        text = "".join(parts)
        if text.strip():
            native_id = found.id or f"line:{spot.ordinal}"
            reading.batch.events.append(spot.event("assistant_message", native_id, detail=RawDetail(text=text)))
        return
    kind, text = _unmarked(parts) if kinds is None else _marked(kinds, parts, context)
    if kind is not None:
        reading.batch.submissions.append(_submission(kind, text, context, spot, found.id))


def prompt(reading: Reading, found: UserMessage) -> None:
    """A prompt of a format without marks; where turns have no ids it begins one."""
    context = reading.context
    if context.marked:
        return
    if not context.native:
        context.turns += 1
        context.turn = f"{context.owner}:turn:{context.turns}"
        turns.turn(reading, started_ms=reading.at_ms)
    if not context.copied:
        text = found.message or ""
        plain = found.kind in (None, "plain") and bool(text.strip())
        kind = _by_person(text, context) if plain else "scaffolding"
        reading.batch.submissions.append(_submission(kind, text, context, reading.spot(), None))


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


def _submission(kind: Kind, text: str, context: Context, spot: Spot, native_id: str | None) -> RawSubmission:
    name = native_id or f"{context.thread}:p:{spot.ordinal}"
    return RawSubmission(
        f"{HARNESS}:{name}", spot.session, kind, text, spot.ordinal, spot.at_ms, spot.turn, main=context.main
    )


def _parts(found: Message) -> list[str]:
    if isinstance(found.content, str):
        return [found.content]
    return [part.text or "" for part in found.content or ()]
