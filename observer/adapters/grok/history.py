"""`chat_history.jsonl`: which prompts a person typed. Believed only while it is complete.

Keeps kinds and settings by prompt index, never a text.
"""

from msgspec import Struct

from observer.adapters.grok.shapes import Message
from observer.native.decode import Lines, faults
from observer.records.source import Quarantine
from observer.records.submission import Kind


class History(Struct):
    """What the history says of each prompt; nothing when it is absent, cut off or damaged."""

    complete: bool
    kinds: dict[int, Kind] = {}
    efforts: dict[int, str] = {}
    faults: list[Quarantine] = []
    current: int | None = None

    def take(self, found: Lines) -> None:
        """Some lines, in order."""
        self.complete = self.complete and not found.odd
        self.faults.extend(faults(found, usage=()))
        for message in found.records:
            if message is not None:
                self._message(message)

    def kind(self, index: int, *, gone: bool) -> Kind:
        """What the prompt of that index is.

        `gone`: a compaction or a rewind took it out of the history. It was a
        prompt all the same, and nothing says that it was not a person's.
        """
        if not self.complete:
            return "unknown"
        return self.kinds.get(index, "genuine" if gone else "unknown")

    def _message(self, message: Message) -> None:
        if message.type == "user" and message.prompt_index is not None:
            self.current = message.prompt_index
            if message.synthetic_reason is not None and message.synthetic_reason != "":
                self.kinds[self.current] = "synthetic"
            elif _has_text(message):
                self.kinds.setdefault(self.current, "genuine")
        elif message.type == "assistant" and message.reasoning_effort and self.current is not None:
            self.efforts[self.current] = message.reasoning_effort


def _has_text(message: Message) -> bool:
    content = message.content
    texts = [part.text for part in content] if isinstance(content, list) else [content]
    return any(text and text.strip() for text in texts)
