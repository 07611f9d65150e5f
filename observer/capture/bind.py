"""Binding prompts and whole sessions to tasks."""

from collections.abc import Iterable

from msgspec import Struct

from observer.base.errors import CaptureRefused
from observer.capture import found, words
from observer.capture.tasks import require
from observer.facts import lookup
from observer.ledger import assertions
from observer.ledger.open import Writer, transaction


class Binding(Struct, frozen=True):
    """How a prompt belongs to a task; None leaves it as it is."""

    attempt: str | None = None
    phase: str | None = None
    evidence: str | None = None
    shared: bool | None = None


def assign(connection: Writer, submission: str, task: str, binding: Binding) -> str:
    """Binds a genuine prompt to a task; returns the prompt's key. A repeat changes nothing.

    Refused: an unknown or ambiguous prompt, one that no person typed, a task
    nobody created, a session that another task owns as a whole.
    """
    values = _values(binding)
    words.check(values)
    with transaction(connection):
        require(connection, task)
        prompt = _prompt(connection, submission)
        owners = [owner for owner in lookup.session_owners(connection, prompt.session) if owner != task]
        if owners:
            raise CaptureRefused(
                f"ownership conflict: {prompt.session} is wholly owned by {', '.join(owners)}",
                f"agent-observer capture withdraw --session {prompt.session} --task {owners[0]} --reason '…'",
            )
        key = {"submission": prompt.id, "task": task}
        if assertions.in_force(connection, "assignment", key) is None:
            assertions.append(connection, "assignment", key, values)
    return prompt.id


def amend(connection: Writer, submission: str, task: str, binding: Binding, *, reason: str) -> str:
    """Changes an existing binding; the old row stays as history."""
    values = _values(binding)
    words.check({**values, "reason": reason})
    with transaction(connection):
        prompt = _prompt(connection, submission)
        key = {"submission": prompt.id, "task": task}
        if assertions.in_force(connection, "assignment", key) is None:
            raise CaptureRefused(
                f"{prompt.id} is not bound to {task}",
                f"agent-observer capture assign --submission {prompt.id} --task {task}",
            )
        assertions.append(connection, "assignment", key, values, reason=reason)
    return prompt.id


def assign_sessions(connection: Writer, session: str, task: str, *, evidence: str, with_subagents: bool) -> list[str]:
    """Gives a whole session to a task, with the sessions it started if asked; returns their keys.

    All or none. Refused: an unknown or ambiguous session, blank evidence, a
    session or a prompt in it that another task owns.
    """
    if not evidence.strip():
        raise CaptureRefused("--evidence must say why the session is this task's only work")
    words.check({"evidence": evidence})
    with transaction(connection):
        require(connection, task)
        key = found.session(connection, session)
        keys = [key, *(lookup.children(connection, key) if with_subagents else ())]
        _refuse_foreign(connection, keys, task)
        for each in keys:
            names = {"session": each, "task": task}
            if assertions.in_force(connection, "session", names) is None:
                assertions.append(connection, "session", names, {"evidence": evidence})
    return keys


def withdraw_prompt(connection: Writer, submission: str, task: str, *, reason: str) -> str:
    """Takes a prompt's binding back; the history stays.

    The prompt need not be in the ledger: an imported binding may name one
    that this machine never saw.
    """
    words.check({"reason": reason})
    with transaction(connection):
        key = {"submission": submission, "task": task}
        if assertions.in_force(connection, "assignment", key) is None:
            key["submission"] = _prompt(connection, submission).id
        _withdraw(connection, "assignment", key, key["submission"], reason)
    return key["submission"]


def withdraw_session(connection: Writer, session: str, task: str, *, reason: str) -> str:
    """Takes a whole-session binding back; the history stays.

    The session need not be in the ledger: an imported binding may name one
    that this machine never saw.
    """
    words.check({"reason": reason})
    with transaction(connection):
        named = lookup.sessions(connection, session)
        key = named[0] if len(named) == 1 else session
        names = {"session": key, "task": task}
        derived = lookup.evidence(connection, key, task)
        if derived is not None and assertions.in_force(connection, "session", names) is None:
            # A router's binding: what is taken back must have been said.
            assertions.append(connection, "session", names, {"evidence": derived})
        _withdraw(connection, "session", names, key, reason)
    return key


def _withdraw(connection: Writer, kind: str, key: dict[str, str], name: str, reason: str) -> None:
    if assertions.in_force(connection, kind, key) is None:
        raise CaptureRefused(f"{name} is not bound to {key['task']}", "agent-observer task list")
    assertions.withdraw(connection, kind, key, reason=reason)


def _refuse_foreign(connection: Writer, sessions: Iterable[str], task: str) -> None:
    for session in sessions:
        for what, owners in (
            ("is wholly owned by", lookup.session_owners(connection, session)),
            ("holds a prompt of", lookup.prompt_owners(connection, session)),
        ):
            foreign = [owner for owner in owners if owner != task]
            if foreign:
                raise CaptureRefused(
                    f"ownership conflict: {session} {what} {', '.join(foreign)}",
                    f"agent-observer task show --task {foreign[0]}",
                )


def _prompt(connection: Writer, name: str) -> lookup.Found:
    prompt = found.prompt(connection, name)
    if prompt.kind != "genuine":
        raise CaptureRefused(
            f"{prompt.id} is {prompt.kind}, not a person's prompt",
            "assign the session instead: capture assign-session",
        )
    return prompt


def _values(binding: Binding) -> dict[str, object]:
    shared = None if binding.shared is None else int(binding.shared)
    return {"attempt": binding.attempt, "phase": binding.phase, "evidence": binding.evidence, "shared": shared}
