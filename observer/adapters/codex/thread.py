"""Whose lines these are: the thread of a rollout, and the copy of another one it may begin with.

Holds what must be remembered between two batches of one file. Knows nothing
of usage or events.
"""

from typing import Any

from msgspec import Struct, field

from observer.adapters.codex.paths import HARNESS, thread_of
from observer.adapters.codex.shapes import Identity, Message, Setting, SettingsApplied, Started, UserMessage
from observer.adapters.codex.usage import Totals
from observer.records.session import Role, Session
from observer.records.source import SourceFile

# Copied lines follow each other within 0–1 ms; the first own line came 8 ms later or more.
_GAP_MS = 6
# Only these begin a turn: a pause before anything else was one in copying.
_OPENING = (Started, Setting, SettingsApplied, UserMessage)
# Sources of threads that people start, where `thread_source` is not recorded yet.
_PEOPLE = ("cli", "exec", "vscode")


class Copy(Struct):
    """The block at the head of a fork that repeats another thread's history.

    `owner` is that thread, None when it is itself a fork: then nobody can tell
    whose the lines are. `born_ms`: when the fork was made; `at_ms`: the line
    before; `opened_ms`: the last prompt since the block seemed to end.
    `dated`: copied turns carry their own time, so nothing else need tell.
    """

    owner: str | None
    born_ms: int | None
    at_ms: int | None
    inside: bool = True
    dated: bool = False
    opened_ms: int | None = None

    def see(self, payload: Any, at_ms: int | None) -> None:
        """Decides for one line whether it is copied.

        A turn id that carries its time proves it; else the pause before the
        line does, if the line can begin a turn.
        """
        made_ms = _made_ms(payload.turn_id) if isinstance(payload, Started | Setting) else None
        said = isinstance(payload, Message) and payload.role != "assistant"
        opening = said or isinstance(payload, _OPENING)
        before = self.inside
        if made_ms is not None and self.born_ms is not None:
            self.inside = made_ms < self.born_ms
            self.dated = self.dated or self.inside
        elif self.inside and opening and not self.dated and self.at_ms is not None and at_ms is not None:
            self.inside = at_ms - self.at_ms <= _GAP_MS
        if before and not self.inside:
            self.opened_ms = None
        if said or isinstance(payload, Started | UserMessage):
            self.opened_ms = at_ms
        self.at_ms = at_ms if at_ms is not None else self.at_ms

    def hurried(self) -> bool:
        """Whether a response at this line has no own prompt before it, or came faster than any model answers."""
        if self.dated:
            return False
        return self.opened_ms is None or self.at_ms is None or self.at_ms - self.opened_ms <= _GAP_MS


class Context(Struct):
    """What a rollout's next lines need to know of the ones before.

    `known`: the metadata was seen. `main`: it proves a person's own session.
    `native`: turns have ids of their own, else they are counted (`turns`).
    `marked`: messages say themselves what they are. `labelled` is the last
    turn whose model was told; `summary_due`: the completed item of a
    compaction is still to come.
    """

    thread: str
    known: bool = False
    main: bool = False
    role: Role | None = None
    parent: str | None = None
    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    service_tier: str | None = None
    turn: str | None = None
    turns: int = 0
    native: bool = False
    marked: bool = False
    labelled: str | None = None
    summary_due: bool = False
    totals: Totals = field(default_factory=Totals)
    copy: Copy | None = None

    @property
    def copied(self) -> bool:
        """Whether the line at hand belongs to another thread."""
        return self.copy is not None and self.copy.inside

    @property
    def owner(self) -> str | None:
        """The thread the line at hand belongs to; None: it cannot be told."""
        return self.copy.owner if self.copy is not None and self.copy.inside else self.thread

    def demote(self, parent: str | None) -> None:
        """Something proved that another thread started this one."""
        self.main, self.role = False, "subagent"
        self.parent = self.parent or parent

    def see(self, copy: Copy, payload: Any, at_ms: int | None) -> None:
        """Follows the copied block through one line."""
        before = copy.inside
        copy.see(payload, at_ms)
        if before and not copy.inside:
            self.turn, self.turns, self.labelled = None, 0, None
        if copy.dated and not copy.inside:
            self.copy = None

    def answered(self) -> None:
        """A response rose the total: too early, and the block goes on; else it is over."""
        if self.copy is not None and not self.copy.inside:
            if self.copy.hurried():
                self.copy.inside = True
            elif not self.copy.dated:
                self.copy = None

    def identify(self, identity: Identity) -> None:
        """Takes over what the file's own metadata says."""
        self.thread = identity.id or identity.session_id or self.thread
        self.known = True
        self.provider = identity.model_provider
        self.role, self.main = role(identity), role(identity) == "main"
        self.parent = parent(identity)
        self.totals.base_due = identity.history_base is not None

    def begin_copy(self, identity: Identity, at_ms: int | None) -> None:
        """A second thread's metadata: its history follows, or that of a third one."""
        if self.copy is None:
            self.copy = Copy(identity.id, _made_ms(self.thread), at_ms)
        elif self.copy.inside and identity.id != self.copy.owner:
            self.copy.owner = None


def start(file: SourceFile) -> Context:
    """The context at the beginning of a rollout."""
    return Context(thread_of(file.path))


def session_key(thread: str) -> str:
    """`codex:<thread>`."""
    return f"{HARNESS}:{thread}"


def described(identity: Identity, thread: str) -> Session:
    """The session as its metadata describes it, without times."""
    forked = identity.forked_from_id
    above = parent(identity)
    return Session(
        key=session_key(thread),
        harness=HARNESS,
        native_id=thread,
        parent=session_key(above) if above else None,
        role=role(identity),
        project=identity.cwd,
        branch=identity.git.branch if identity.git else None,
        client_version=identity.cli_version,
        entry_point=identity.originator,
        forked_from=session_key(forked) if forked else None,
    )


def parent(identity: Identity) -> str | None:
    """The thread that started this one, or at least the root of both."""
    spawn = _spawn(identity)
    named = identity.parent_thread_id or (spawn.get("parent_thread_id") if isinstance(spawn, dict) else None)
    if isinstance(named, str):
        return named
    return identity.session_id if _below_root(identity) else None


def role(identity: Identity) -> Role | None:
    """Main only when the metadata proves that a person started the thread (behaviour §3.4)."""
    if _spawn(identity) is not None or identity.parent_thread_id or _below_root(identity):
        return "subagent"
    if identity.thread_source is not None:
        return "main" if identity.thread_source == "user" else "subagent"
    return "main" if identity.source in _PEOPLE else None


def _below_root(identity: Identity) -> bool:
    return bool(identity.id and identity.session_id) and identity.id != identity.session_id


def _spawn(identity: Identity) -> Any:
    """What `source.subagent` says; None when the source is none."""
    if not isinstance(identity.source, dict) or "subagent" not in identity.source:
        return None
    found = identity.source["subagent"]
    return found.get("thread_spawn", found) if isinstance(found, dict) else found


def _made_ms(native_id: str | None) -> int | None:
    """The time in a version 7 UUID, which thread and turn ids are."""
    if native_id is None or len(native_id) != 36 or native_id[14] != "7":
        return None
    try:
        return int(native_id[:8] + native_id[9:13], 16)
    except ValueError:
        return None
