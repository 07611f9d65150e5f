"""What a call names: one session or one task of the ledger, or words that say why not."""

from observer.base.errors import UnknownSession, UnknownTask
from observer.facts import lookup, ownership
from observer.ledger.open import Reader
from observer.records.ownership import Task


def session(reader: Reader, name: str) -> str:
    """The key of a session, given by key or unique native id. UnknownSession otherwise."""
    keys = lookup.sessions(reader, name)
    if len(keys) != 1:
        problem = f"{name!r} is ambiguous: {', '.join(keys)}" if keys else f"no session {name!r}"
        raise UnknownSession(problem, "agent-observer sessions list")
    return keys[0]


def task(reader: Reader, name: str) -> Task:
    """A task. UnknownTask when nobody created it."""
    found = ownership.task(reader, name)
    if found is None:
        raise UnknownTask(f"no task {name!r}", "agent-observer task list")
    return found
