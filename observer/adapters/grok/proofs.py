"""Texts of `chat_history.jsonl` that may prove the agent's instructions: the system text, and the user's part.

Hands them on as they are; nothing of them is made into anything else here.
"""

from observer.adapters import instructions
from observer.adapters.grok.shapes import Message
from observer.native.decode import Lines
from observer.records.identity import RawInstructions


def history(into: list[RawInstructions], session: str, found: Lines) -> None:
    """Some lines of the session's history, in order."""
    for ordinal, message in enumerate(found.records, found.first):
        if isinstance(message, Message) and message.type in ("system", "user"):
            texts = _texts(message)
            instructions.context(into, session, ordinal, texts)
            if message.type == "system":
                for text in texts:
                    instructions.file(into, session, ordinal, "embedded", text)


def _texts(message: Message) -> list[str]:
    content = message.content
    found = [part.text for part in content] if isinstance(content, list) else [content]
    return [text for text in found if text]
