"""Whose lines these are, what must be remembered between two batches of one file, and what is known of a thread.

Decides nothing about what a line means.
"""

from typing import Any

from msgspec import field

from observer.adapters.codex.paths import HARNESS, thread_of
from observer.adapters.codex.shapes import Identity, Message, Setting, SettingsApplied, Started, UserMessage
from observer.adapters.threads import ThreadContext, ThreadReading
from observer.native.decode import Lines
from observer.records.session import Role, Session
from observer.records.source import SourceFile
from observer.rules.totals import Totals

# Where usage stands in a line; a wrong value there is a fault of its own category.
RECORD_USAGE = ("$.payload.usage", "$.payload.turn_token_usage", "$.payload.thread_token_usage")
COUNT_USAGE = ("$.payload.info",)
# Keys that every line has; a fault tells no more of a line that could be read.
_KEYS = ("payload", "timestamp", "type")
# Only these begin a turn: a pause before anything else was one in copying.
_SAID = (Started, UserMessage)
_OPENING = (Started, Setting, SettingsApplied, UserMessage)
# Sources of threads that people start, where `thread_source` is not recorded yet.
_PEOPLE = ("cli", "exec", "vscode")


class Context(ThreadContext):
    """What a rollout's next lines need to know of the ones before.

    `known`: the metadata was seen. `main`: it proves a person's own session.
    `marked`: messages say themselves what they are. `summary_due`: the completed
    item of a compaction is still to come.
    """

    known: bool = False
    main: bool = False
    role: Role | None = None
    parent: str | None = None
    marked: bool = False
    summary_due: bool = False
    totals: Totals = field(default_factory=Totals)

    def demote(self, parent: str | None) -> None:
        """Something proved that another thread started this one."""
        self.main, self.role = False, "subagent"
        self.parent = self.parent or parent

    def see(self, payload: Any, at_ms: int | None) -> None:
        """Follows a copied block through one line."""
        turn = payload.turn_id if isinstance(payload, Started | Setting) else None
        is_said = isinstance(payload, Message) and payload.role != "assistant"
        can_open, is_said = is_said or isinstance(payload, _OPENING), is_said or isinstance(payload, _SAID)
        self.follow(at_ms, turn=turn, can_open=can_open, is_said=is_said)

    def identify(self, identity: Identity) -> None:
        """Takes over what the file's own metadata says."""
        self.thread = identity.id or identity.session_id or self.thread
        self.known = True
        self.provider = identity.model_provider
        self.role, self.main = role(identity), role(identity) == "main"
        self.parent = parent(identity)
        self.totals.base_due = identity.history_base is not None


class Reading(ThreadReading):
    """The lines of one batch and the context before them.

    `described` is the session as its metadata, if in this batch, describes it.
    """

    context: Context

    def __init__(self, lines: Lines, context: Context) -> None:
        super().__init__(lines, context, harness=HARNESS, usage=(*RECORD_USAGE, *COUNT_USAGE), keys=_KEYS)
        self.described: Session | None = None
        # A message may stand before the metadata that says whose it is (behaviour §3.4).
        identity = None if context.known else self.ahead(Identity)
        if identity is not None:
            context.identify(identity)


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
        key=session_key(thread), harness=HARNESS, native_id=thread, parent=session_key(above) if above else None,
        role=role(identity), project=identity.cwd, branch=identity.git.branch if identity.git else None,
        client_version=identity.cli_version, entry_point=identity.originator,
        forked_from=session_key(forked) if forked else None,
    )  # fmt: skip


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
