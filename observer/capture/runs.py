"""Handed-on work and runs: to whom a prompt gave work, and which turns were runs of a task.

A dispatch binds nothing: whose usage the worker's is, an assignment says.
"""

from typing import Any

from msgspec import Struct

from observer.base.errors import CaptureRefused
from observer.capture import found, words
from observer.capture.tasks import require
from observer.facts import lookup
from observer.ledger import assertions
from observer.ledger.open import Writer, transaction
from observer.records.ownership import OUTCOME_STATES, PHASES, ROLES


class DispatchFields(Struct, frozen=True):
    """What may be said of handed-on work; None leaves it as it is. `purpose` is why it was handed on."""

    parent_turn: str | None = None
    worker_turn: str | None = None
    requested_model: str | None = None
    requested_effort: str | None = None
    policy_version: str | None = None
    purpose: str | None = None
    task_name: str | None = None


class AttemptFields(Struct, frozen=True):
    """What may be said of a run; None leaves it as it is. Model and effort are what was asked for."""

    role: str | None = None
    stage: str | None = None
    requested_model: str | None = None
    requested_effort: str | None = None
    state: str | None = None
    usable: bool | None = None


class Handed(Struct, frozen=True):
    """A dispatch as it is kept: the prompt's key, and the worker's where one session answers to its name."""

    submission: str
    worker: str


def dispatch(connection: Writer, submission: str, worker: str, fields: DispatchFields) -> Handed:
    """Says that a prompt handed work to a session, which may be in no ledger yet; a repeat changes nothing.

    Refused: an unknown or ambiguous prompt, a worker or turn that is no
    identifier. A name that several sessions have is kept as it was given:
    reports show it as a gap (E159).
    """
    given = _given(fields)
    words.check_ids({"worker": worker, "parent turn": fields.parent_turn, "worker turn": fields.worker_turn})
    words.check(given)
    with transaction(connection):
        key = _dispatch_key(connection, found.prompt(connection, submission).id, worker)
        if assertions.in_force(connection, "dispatch", key) is None:
            assertions.append(connection, "dispatch", key, given)
    return Handed(**key)


def amend_dispatch(connection: Writer, submission: str, worker: str, fields: DispatchFields, *, reason: str) -> Handed:
    """Changes what was said of a dispatch; the old row stays as history."""
    given = _given(fields)
    words.check({**given, "reason": reason})
    words.check_ids({"parent turn": fields.parent_turn, "worker turn": fields.worker_turn})
    with transaction(connection):
        key = _known_dispatch(connection, submission, worker)
        assertions.append(connection, "dispatch", key, given, reason=reason)
    return Handed(**key)


def withdraw_dispatch(connection: Writer, submission: str, worker: str, *, reason: str) -> Handed:
    """Takes a dispatch back; the history stays."""
    words.check({"reason": reason})
    with transaction(connection):
        key = _known_dispatch(connection, submission, worker)
        assertions.withdraw(connection, "dispatch", key, reason=reason)
    return Handed(**key)


def attempt(
    connection: Writer, task: str, turn: str, fields: AttemptFields, *, session: str | None = None,
    reason: str | None = None,
) -> str:  # fmt: skip
    """Says that a turn was a run of a task; said again, it replaces what is given and keeps the rest.

    Returns the key of the turn's session, "" for a router's run. A run is
    active until its end is said, a router's run as the router tells it.
    Refused: a task nobody created, a turn that is not in the ledger or in
    several sessions, a role, phase or state of no list.
    """
    _check(fields)
    words.check({**_given(fields), "reason": reason})
    with transaction(connection):
        require(connection, task)
        place = found.turn(connection, turn, within=session, outermost=fields.role == "parent")
        key = {"task": task, "turn": turn, "session": place}
        known = assertions.in_force(connection, "attempt", key)
        if known is None and (reason is not None or fields.role is None):
            raise CaptureRefused(
                f"turn {turn} is no run of {task} yet",
                f"agent-observer capture attempt --task {task} --turn {turn} --role worker",
            )
        start = {"state": "active"} if known is None and place else {}
        assertions.append(connection, "attempt", key, {**start, **_given(fields)}, reason=reason)
    return place


def withdraw_attempt(connection: Writer, task: str, turn: str, *, session: str | None, reason: str) -> str:
    """Takes back what was said of a run; what a router tells of it holds again. Returns its session's key."""
    words.check({"reason": reason})
    with transaction(connection):
        said = lookup.attempts(connection, task, turn)
        named = {session, *(lookup.sessions(connection, session) if session else ())}
        places = [place for place in said if session is None or place in named]
        if len(places) != 1:
            raise CaptureRefused(
                f"turn {turn} is a run of {task} in {', '.join(places)}" if places else f"{turn} is no run of {task}",
                f"add --session {places[0]}" if places else f"agent-observer task show --task {task}",
            )
        key = {"task": task, "turn": turn, "session": places[0]}
        assertions.withdraw(connection, "attempt", key, reason=reason)
    return places[0]


def _check(fields: AttemptFields) -> None:
    for name, said, allowed in (
        ("role", fields.role, ROLES),
        ("phase", fields.stage, PHASES),
        ("state", fields.state, OUTCOME_STATES),
    ):
        if said is not None and said not in allowed:
            raise CaptureRefused(f"no such {name}: {said}", f"one of: {', '.join(allowed)}")


def _dispatch_key(connection: Writer, submission: str, worker: str) -> dict[str, str]:
    """The key under which this dispatch was kept, else the one to keep it under."""
    keys = lookup.sessions(connection, worker)
    best = keys[0] if len(keys) == 1 else worker
    native = best.partition(":")[2] if len(keys) == 1 else worker
    for name in (best, worker, native):
        key = {"submission": submission, "worker": name}
        if assertions.in_force(connection, "dispatch", key) is not None:
            return key
    return {"submission": submission, "worker": best}


def _known_dispatch(connection: Writer, submission: str, worker: str) -> dict[str, str]:
    """The key of a dispatch in force. The prompt need not be in the ledger: an imported one may not be."""
    prompts = {each.id for each in lookup.submissions(connection, submission)}
    key = _dispatch_key(connection, prompts.pop() if len(prompts) == 1 else submission, worker)
    if assertions.in_force(connection, "dispatch", key) is None:
        raise CaptureRefused(
            f"no dispatch from {key['submission']} to {key['worker']} is recorded",
            f"agent-observer capture dispatch --submission {key['submission']} --worker {key['worker']}",
        )
    return key


def _given(fields: Struct) -> dict[str, Any]:
    values = {name: getattr(fields, name) for name in fields.__struct_fields__}
    return {name: value for name, value in values.items() if value is not None}
