"""What must be remembered of a transcript between two batches.

Small, and free of anything a person wrote: ids and fingerprints only, because
it is stored beside the cursor without passing the privacy screen.
"""

from msgspec import Struct

from observer.adapters.claude.paths import owner
from observer.records.source import SourceFile

# More waiting prompts or open reads than this are not worth remembering.
_MOST_QUEUED = 32
_MOST_READS = 256


class Context(Struct):
    """The state at a resume offset.

    `session` and `agent`: whose file it is, from its path. `turns`: session
    key → native id of the running turn. `queued`: fingerprint and id of prompts
    whose own record has not come yet. `unqueued`: the same of the last prompt,
    while its queue entry may still follow. `reads`: id of a reading call
    without a result → the line it asked for.
    """

    session: str | None = None
    agent: str | None = None
    turns: dict[str, str] = {}
    queued: list[tuple[str, str]] = []
    unqueued: tuple[str, str] | None = None
    reads: dict[str, int | None] = {}

    def enqueue(self, fingerprint: str, name: str) -> None:
        """Remembers a waiting prompt."""
        self.queued = [*self.queued, (fingerprint, name)][-_MOST_QUEUED:]

    def dequeue(self, fingerprint: str) -> str | None:
        """The id of the oldest waiting prompt like that; it waits no longer."""
        for index, (known, name) in enumerate(self.queued):
            if known == fingerprint:
                del self.queued[index]
                return name
        return None

    def await_read(self, call: str, line: int | None) -> None:
        """Remembers a reading call."""
        self.reads[call] = line
        if len(self.reads) > _MOST_READS:
            del self.reads[next(iter(self.reads))]


def start(file: SourceFile) -> Context:
    """The context at the beginning of a transcript."""
    session, agent = owner(file.path)
    return Context(session, agent)
