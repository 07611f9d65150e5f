"""Where a line belongs: its session, what a batch's lines say about it, and what the next batch must know.

Decides main or subagent; knows nothing of usage or prompts. The context is ids
and fingerprints only, because it is stored beside the cursor without passing
the privacy screen.
"""

from observer.adapters.claude.paths import HARNESS, owner
from observer.adapters.claude.shapes import Line
from observer.adapters.prompts import Waiting
from observer.adapters.seen import Seen
from observer.records.source import SourceFile

# 1.0.x wrote subagents into the session's own file and gave them no id.
_UNNAMED_AGENT = "sidechain"


class Context(Waiting):
    """The state at a resume offset.

    `session` and `agent`: whose file it is, from its path. Beside them, the
    running turns, and the prompts and calls that wait.
    """

    session: str | None = None
    agent: str | None = None


def start(file: SourceFile) -> Context:
    """The context at the beginning of a transcript."""
    session, agent = owner(file.path)
    return Context(session=session, agent=agent)


class Place(Seen, kw_only=True):
    """One session as this batch's lines show it.

    `turns_of` is the session whose turns these lines take part in: a subagent
    inside its parent's file has none of its own.
    """

    native_session: str
    agent: str | None
    turns_of: str

    @property
    def has_turns(self) -> bool:
        """Whether its turns are its own."""
        return self.turns_of == self.key


def session_key(native_session: str, agent: str | None) -> str:
    """`claude:<session>`, or the key of one of its subagents."""
    key = f"{HARNESS}:{native_session}"
    return f"{key}:agent:{agent}" if agent else key


def place(line: Line, native_session: str, file_agent: str | None) -> Place:
    """The place of a line in a file that belongs to `file_agent`, or to a session when None."""
    agent = _UNNAMED_AGENT if file_agent is None and line.is_sidechain is True else file_agent
    if agent is not None:
        agent = line.agent_id or agent
    key, main = session_key(native_session, agent), session_key(native_session, None)
    found = Place(key=key, role="main", native_session=native_session, agent=agent, turns_of=main)
    if agent:
        found.parent, found.role = main, "subagent"
    if file_agent is not None:
        found.turns_of = key
    return found
