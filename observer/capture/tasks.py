"""Tasks and their outcomes."""

import re
from typing import Any

from msgspec import Struct

from observer.base.errors import CaptureRefused
from observer.capture import words
from observer.facts import ownership
from observer.ledger import assertions
from observer.ledger.open import Writer, transaction
from observer.records.ownership import OUTCOME_STATES

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+@-]{0,127}\Z")


class TaskFields(Struct, frozen=True):
    """What may be said of a task; None leaves it as it is."""

    project: str | None = None
    family: str | None = None
    title: str | None = None
    issue_url: str | None = None


class OutcomeFields(Struct, frozen=True):
    """What may be said of an outcome; None leaves it as it is."""

    state: str | None = None
    candidate: str | None = None
    proof: str | None = None
    repairs: int | None = None
    corrections: int | None = None


def create(connection: Writer, task: str, fields: TaskFields) -> bool:
    """Makes a task known; False when it was already, which changes nothing."""
    words.check(_given(fields))
    if not _TASK_ID.match(task):
        raise CaptureRefused(f"{task!r} is no task id", "letters, digits and . _ : / + @ - (128 at most), such as T-42")
    with transaction(connection):
        if assertions.in_force(connection, "task", {"task": task}) is not None:
            return False
        values = {**_derived(connection, task), **_given(fields), "origin": "capture"}
        assertions.append(connection, "task", {"task": task}, values)
    return True


def amend(connection: Writer, task: str, fields: TaskFields, *, reason: str) -> None:
    """Changes what is said of a task; the old row stays as history."""
    words.check({**_given(fields), "reason": reason})
    with transaction(connection):
        require(connection, task)
        values = {**_derived(connection, task), **_given(fields)}
        assertions.append(connection, "task", {"task": task}, values, reason=reason)


def record_outcome(connection: Writer, task: str, fields: OutcomeFields, *, reason: str | None = None) -> None:
    """Records how a task ended; what the call leaves out stays as it was."""
    if fields.state is not None and fields.state not in OUTCOME_STATES:
        raise CaptureRefused(f"no such state: {fields.state}", f"one of: {', '.join(OUTCOME_STATES)}")
    for name in ("repairs", "corrections"):
        if (getattr(fields, name) or 0) < 0:
            raise CaptureRefused(f"{name} cannot be negative")
    words.check({**_given(fields), "reason": reason})
    with transaction(connection):
        require(connection, task)
        key = {"task": task}
        if fields.state is None and assertions.in_force(connection, "outcome", key) is None:
            raise CaptureRefused(
                f"no outcome of {task} is recorded yet", f"agent-observer capture outcome --task {task} --state …"
            )
        assertions.append(connection, "outcome", key, _given(fields), reason=reason)


def require(connection: Writer, task: str) -> None:
    """CaptureRefused unless the task exists."""
    if ownership.task(connection, task) is None:
        raise CaptureRefused(f"no task {task!r}", f"agent-observer capture create-task --task {task}")


def _derived(connection: Writer, task: str) -> dict[str, Any]:
    """What a router says of a task that nobody has captured; an assertion about it starts from there."""
    known = ownership.task(connection, task)
    if known is None or assertions.in_force(connection, "task", {"task": task}) is not None:
        return {}
    return {**_given(TaskFields(known.project, known.family, known.title, known.issue_url)), "origin": known.origin}


def _given(fields: Struct) -> dict[str, Any]:
    values = {name: getattr(fields, name) for name in fields.__struct_fields__}
    return {name: value for name, value in values.items() if value is not None}
