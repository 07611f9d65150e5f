"""Where a line belongs: its session, and what the lines of a batch say about it.

Decides main or subagent; knows nothing of usage or prompts.
"""

from msgspec import Struct

from observer.adapters.claude.paths import HARNESS
from observer.adapters.claude.shapes import Line
from observer.records.session import Session

# 1.0.x wrote subagents into the session's own file and gave them no id.
_UNNAMED_AGENT = "sidechain"


class Place(Struct):
    """One session as this batch's lines show it.

    `turns_of` is the session whose turns these lines take part in: a subagent
    inside its parent's file has none of its own.
    """

    native_session: str
    agent: str | None
    turns_of: str
    project: str | None = None
    branch: str | None = None
    version: str | None = None
    entry_point: str | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    forked_from: str | None = None
    copied_until_ms: int | None = None
    key: str = ""

    def __post_init__(self) -> None:
        self.key = session_key(self.native_session, self.agent)

    def see(self, line: Line, at_ms: int | None) -> None:
        """Takes from a line what is not known yet, and its time."""
        if self.project is None:
            self.project = line.cwd or None
        if self.branch is None:
            self.branch = line.git_branch or None
        if self.version is None:
            self.version = line.version or None
        if self.entry_point is None:
            self.entry_point = line.entrypoint or None
        if at_ms is not None:
            if self.started_ms is None or at_ms < self.started_ms:
                self.started_ms = at_ms
            if self.ended_ms is None or at_ms > self.ended_ms:
                self.ended_ms = at_ms

    def see_copy(self, native_session: str, at_ms: int | None) -> None:
        """A line that was made in another session: everything up to it was copied."""
        if self.forked_from is None:
            self.forked_from = session_key(native_session, None)
        if at_ms is not None:
            self.copied_until_ms = max(at_ms, self.copied_until_ms or at_ms)

    def session(self) -> Session:
        """The record of this session."""
        return Session(
            key=self.key,
            harness=HARNESS,
            native_id=self.key.partition(":")[2],
            parent=session_key(self.native_session, None) if self.agent else None,
            role="subagent" if self.agent else "main",
            project=self.project,
            branch=self.branch,
            client_version=self.version,
            entry_point=self.entry_point,
            forked_from=self.forked_from,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms,
            copied_until_ms=self.copied_until_ms,
        )


def session_key(native_session: str, agent: str | None) -> str:
    """`claude:<session>`, or the key of one of its subagents."""
    key = f"{HARNESS}:{native_session}"
    return f"{key}:agent:{agent}" if agent else key


def place(line: Line, native_session: str, file_agent: str | None) -> Place:
    """The place of a line in a file that belongs to `file_agent`, or to a session when None."""
    if file_agent is not None:
        agent = line.agent_id or file_agent
        return Place(native_session, agent, session_key(native_session, agent))
    inner = (line.agent_id or _UNNAMED_AGENT) if line.is_sidechain is True else None
    return Place(native_session, inner, session_key(native_session, None))
