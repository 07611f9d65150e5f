"""Attribution: which part of a scope a task owns, exactly and disjointly.

A turn belongs to its first genuine prompt. A whole-session binding outranks
the prompts inside that session. Usage several tasks have a claim on is shared
with each of them and attributed to none, so attributed usage of all tasks can
be added without counting anything twice (behaviour §12.1).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from observer.records.ownership import Assignment

Partition = Literal["attributed", "shared", "unassigned"]
# Turns without a turn id share one key per session.
TurnKey = tuple[str, str | None]


class Prompt(Struct, frozen=True):
    """A genuine prompt in a scope session."""

    id: str
    session: str
    turn: str | None
    at_ms: int | None
    ordinal: int


class Ownership(Struct, frozen=True):
    """Everything that decides a scope: prompts, their bindings, whole-session bindings."""

    prompts: tuple[Prompt, ...]
    bindings: Mapping[str, tuple[Assignment, ...]]
    session_tasks: Mapping[str, tuple[str, ...]]


class Claim(Struct, frozen=True):
    """Who has a claim on a turn. `owned` False: nobody at all."""

    partition: Partition
    owned: bool


def owners(prompts: Iterable[Prompt]) -> dict[TurnKey, Prompt]:
    """The first genuine prompt of every turn."""
    found: dict[TurnKey, Prompt] = {}
    for prompt in sorted(prompts, key=_order):
        if prompt.turn is not None:
            found.setdefault((prompt.session, prompt.turn), prompt)
    return found


def contested_sessions(ownership: Ownership) -> set[str]:
    """Sessions that one task owns as a whole while another claims them or a prompt in them."""
    contested = {session for session, tasks in ownership.session_tasks.items() if len(set(tasks)) > 1}
    for prompt in ownership.prompts:
        tasks = ownership.session_tasks.get(prompt.session, ())
        bound = {each.task for each in ownership.bindings.get(prompt.id, ())}
        if tasks and bound - set(tasks):
            contested.add(prompt.session)
    return contested


class Attribution:
    """The partition of one task's scope. `claim(session, turn)` answers for any response."""

    def __init__(self, task: str, ownership: Ownership) -> None:
        self._task, self._ownership = task, ownership
        self._owners = owners(ownership.prompts)
        self._contested = contested_sessions(ownership)

    def claim(self, session: str, turn: str | None) -> Claim:
        """Where a response of that turn stands."""
        whole = self._ownership.session_tasks.get(session, ())
        prompt = self._owners.get((session, turn))
        bound = self._ownership.bindings.get(prompt.id, ()) if prompt else ()
        if whole:
            return Claim(self._of_session(session, whole, bound), owned=True)
        return Claim(self._of_prompt(bound), owned=bool(bound))

    def _of_session(self, session: str, whole: Sequence[str], bound: Sequence[Assignment]) -> Partition:
        claimed = self._task in whole or any(each.task == self._task for each in bound)
        if not claimed:
            return "unassigned"
        return "shared" if session in self._contested else "attributed"

    def _of_prompt(self, bound: Sequence[Assignment]) -> Partition:
        tasks = {each.task for each in bound}
        if self._task not in tasks:
            return "unassigned"
        return "attributed" if len(tasks) == 1 else "shared"


class Conflict(Struct, frozen=True):
    """A prompt bound to several tasks; a conflict unless every binding is shared."""

    submission: str
    tasks: tuple[str, ...]
    all_shared: bool


def joint(ownership: Ownership) -> list[Conflict]:
    """Prompts with several tasks, in order of their ids."""
    found = []
    for submission, bound in sorted(ownership.bindings.items()):
        tasks = sorted({each.task for each in bound})
        if len(tasks) > 1:
            found.append(Conflict(submission, tuple(tasks), all(each.shared for each in bound)))
    return found


def partners(task: str, ownership: Ownership) -> set[str]:
    """The other tasks that have a claim on what this task shares."""
    found: set[str] = set()
    for tasks in ownership.session_tasks.values():
        if task in tasks:
            found.update(tasks)
    owning = {prompt.id for prompt in owners(ownership.prompts).values()}
    for prompt in ownership.prompts:
        bound = {each.task for each in ownership.bindings.get(prompt.id, ())}
        whole = set(ownership.session_tasks.get(prompt.session, ()))
        if task in whole or (task in bound and prompt.id in owning):
            found |= bound | whole
    return found - {task}


def missing(ownership: Ownership) -> list[Prompt]:
    """Prompts in scope that no task owns, neither by themselves nor with their session."""
    return [
        prompt
        for prompt in sorted(ownership.prompts, key=_order)
        if not ownership.bindings.get(prompt.id) and not ownership.session_tasks.get(prompt.session)
    ]


def _order(prompt: Prompt) -> tuple[int, int, str]:
    """Time, then place, then id; an unknown time comes last."""
    return (prompt.at_ms if prompt.at_ms is not None else 2**62, prompt.ordinal, prompt.id)
