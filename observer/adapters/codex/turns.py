"""Metadata, settings and the beginnings and ends of turns: one handler for each kind of line.

Never touches usage or text.
"""

from typing import Any

from observer.adapters.codex import proofs, shapes
from observer.adapters.codex.reading import Reading
from observer.adapters.codex.thread import described, parent, role
from observer.records.session import Turn, TurnState


def identity(reading: Reading, found: shapes.Identity) -> None:
    """The file's own metadata, or those of a thread whose history follows as a copy."""
    context = reading.context
    thread = found.id or found.session_id or context.thread
    if thread != context.thread:
        context.begin_copy(found, reading.at_ms)
        reading.batch.sessions.append(described(found, thread))
        return
    reading.described = described(found, thread)
    proofs.system(reading, found)
    if role(found) == "subagent":
        context.demote(parent(found))


def setting(reading: Reading, found: shapes.Setting) -> None:
    """The model and effort of what follows, and nothing of what came before."""
    context = reading.context
    _enter(reading, found.turn_id)
    before = (context.model, context.effort)
    if found.model is not None:
        context.model, context.effort = found.model, found.effort
    if context.labelled != context.turn or before != (context.model, context.effort):
        turn(reading, model=context.model, effort=context.effort)
        context.labelled = context.turn


def settings(reading: Reading, found: shapes.SettingsApplied) -> None:
    """The service tier is in force at once; a new model is named here too early."""
    if found.thread_settings is not None:
        reading.context.service_tier = found.thread_settings.service_tier
        reading.context.provider = found.thread_settings.model_provider_id or reading.context.provider


def started(reading: Reading, found: shapes.Started) -> None:
    """A turn begins."""
    _enter(reading, found.turn_id)
    turn(reading, started_ms=reading.at_ms, state="active")


def completed(reading: Reading, found: shapes.Completed) -> None:
    """A turn ended by itself."""
    _end(reading, found, "complete" if found.error is None else "failed")


def aborted(reading: Reading, found: shapes.Aborted) -> None:
    """A turn was interrupted; nothing is known of what that response cost."""
    _end(reading, found, "cancelled")
    if not reading.context.copied:
        name = f"aborted:{reading.context.turn or reading.ordinal}"
        reading.batch.events.append(reading.spot().event("lifecycle", name, name="turn_aborted", status="cancelled"))


def goal(reading: Reading, _: shapes.GoalUpdated) -> None:
    """The goal of the thread changed."""
    if not reading.context.copied:
        name = f"goal:{reading.ordinal}"
        reading.batch.events.append(reading.spot().event("lifecycle", name, name="thread_goal_updated"))


def turn(reading: Reading, **known: Any) -> None:
    """What is known of the current turn; a copied turn is told by its own thread."""
    context = reading.context
    if context.turn is not None and not context.copied:
        reading.batch.turns.append(Turn(reading.key, context.turn, **known))


def _end(reading: Reading, found: shapes.Completed | shapes.Aborted, state: TurnState) -> None:
    _enter(reading, found.turn_id)
    turn(reading, ended_ms=reading.at_ms, duration_ms=found.duration_ms, state=state)


def _enter(reading: Reading, native_id: str | None) -> None:
    if native_id:
        reading.context.turn, reading.context.native = native_id, True
