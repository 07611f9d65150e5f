"""Prompts, sessions and turns as a coordinator names them: by key, or by native id where that is unique.

Refuses a name that fits nothing or several; writes nothing.
"""

from observer.base.errors import CaptureRefused
from observer.facts import lookup
from observer.ledger.open import Writer

_WHOLE_KEY = "give the whole key"


def prompt(connection: Writer, name: str) -> lookup.Found:
    """The prompt of that name, whatever its kind."""
    found = lookup.submissions(connection, name)
    if not found:
        raise CaptureRefused(f"no prompt {name!r} in the ledger", "agent-observer sync")
    if len({each.id for each in found}) > 1:
        raise CaptureRefused(f"{name!r} is ambiguous: {', '.join(sorted({each.id for each in found}))}", _WHOLE_KEY)
    return found[0]


def session(connection: Writer, name: str) -> str:
    """The key of the session of that name."""
    found = lookup.sessions(connection, name)
    if not found:
        raise CaptureRefused(f"no session {name!r} in the ledger", "agent-observer sessions list")
    if len(found) > 1:
        raise CaptureRefused(f"{name!r} is ambiguous: {', '.join(found)}", _WHOLE_KEY)
    return found[0]


def turn(connection: Writer, name: str, *, within: str | None, outermost: bool) -> str:
    """The key of the session in which that turn is; "" for a router's run, whose session the router tells.

    A subagent works in its parent's turn: then `within` says which session is
    meant, or `outermost` takes the one that started the others.
    """
    if within is None and lookup.is_router_run(connection, name):
        return ""
    places = lookup.turns(connection, name)
    if not places:
        raise CaptureRefused(f"no turn {name!r} in the ledger", "agent-observer sync")
    if within is not None:
        key = session(connection, within)
        if key not in places:
            raise CaptureRefused(f"no turn {name!r} in {key}", f"agent-observer trace --session {key}")
        return key
    first = [key for key, parent in places.items() if parent not in places]
    if len(places) > 1 and not (outermost and len(first) == 1):
        raise CaptureRefused(f"turn {name!r} is in {', '.join(places)}", f"add --session {next(iter(places))}")
    return first[0] if len(places) > 1 else next(iter(places))
