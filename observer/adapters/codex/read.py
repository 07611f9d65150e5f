"""Decoded lines of a rollout → RawBatch, in one pass: metadata, settings, turns, and the table of who handles the rest.

Never touches usage or text itself.
"""

from observer.adapters.codex import prompts, shapes, tools, usage
from observer.adapters.codex.reading import Context, Reading, described, parent, role, start
from observer.adapters.protocol import LineReader
from observer.adapters.threads import Handler, own
from observer.adapters.wire import responses
from observer.native.decode import Lines
from observer.records.session import TurnState
from observer.records.source import RawBatch


def read(lines: Lines, context: Context) -> RawBatch:
    """What the lines say, given the context before them, which is brought up to date."""
    reading = Reading(lines, context)
    reading.run(_HANDLERS, context.see)
    return reading.finish(reading.described, parent=context.parent, role=context.role)


def _identity(reading: Reading, found: shapes.Identity) -> None:
    """The file's own metadata, or those of a thread whose history follows as a copy."""
    context = reading.context
    thread = found.id or found.session_id or context.thread
    if thread != context.thread:
        context.begin_copy(found.id, reading.spot.at_ms)
        reading.batch.sessions.append(described(found, thread))
        return
    reading.described = described(found, thread)
    base = found.base_instructions
    reading.instructions("embedded", base.text if isinstance(base, shapes.BaseText) else base)
    if role(found) == "subagent":
        context.demote(parent(found))


def _setting(reading: Reading, found: shapes.Setting) -> None:
    """The model and effort of what follows, and nothing of what came before."""
    context = reading.context
    context.enter(found.turn_id)
    if context.choose(found.model, found.effort):
        reading.own_turn(model=context.model, effort=context.effort)


def _settings(reading: Reading, found: shapes.SettingsApplied) -> None:
    """The service tier is in force at once; a new model is named here too early."""
    if found.thread_settings is not None:
        reading.context.service_tier = found.thread_settings.service_tier
        reading.context.provider = found.thread_settings.model_provider_id or reading.context.provider


def _started(reading: Reading, found: shapes.Started) -> None:
    reading.context.enter(found.turn_id)
    reading.own_turn(started_ms=reading.spot.at_ms, state="active")


def _completed(reading: Reading, found: shapes.Completed) -> None:
    _end(reading, found, "complete" if found.error is None else "failed")


def _aborted(reading: Reading, found: shapes.Aborted) -> None:
    """A turn was interrupted; nothing is known of what that response cost."""
    _end(reading, found, "cancelled")
    if not reading.context.copied:
        reading.within(reading.context.turn)
        name = f"aborted:{reading.context.turn or reading.spot.ordinal}"
        reading.event("lifecycle", name, name="turn_aborted", status="cancelled")


def _end(reading: Reading, found: shapes.Completed | shapes.Aborted, state: TurnState) -> None:
    reading.context.enter(found.turn_id)
    reading.own_turn(ended_ms=reading.spot.at_ms, duration_ms=found.duration_ms, state=state)


def _goal(reading: Reading, _: shapes.GoalUpdated) -> None:
    """The goal of the thread changed."""
    reading.event("lifecycle", f"goal:{reading.spot.ordinal}", name="thread_goal_updated")


def _compaction(reading: Reading, found: shapes.Compaction) -> None:
    """A compaction; usage that it repeats is never read. Its completed item comes later."""
    context = reading.context
    context.totals.summarised = context.summary_due = True
    if not context.copied:
        native_id = found.window_id or found.compaction_response_id or f"line:{reading.spot.ordinal}"
        reading.event("compaction", native_id)


def _item(reading: Reading, found: shapes.ItemCompleted) -> None:
    context = reading.context
    if context.summary_due and found.item is not None and found.item.type == tools.COMPACTION:
        context.summary_due = False
    elif not context.copied:
        tools.item(reading, found.item)


_HANDLERS: dict[type, Handler] = {
    **dict.fromkeys(responses.CALLS, own(responses.call)),
    **dict.fromkeys((responses.FunctionOutput, responses.CustomOutput), own(tools.output)),
    shapes.PatchEnd: own(lambda reading, end: tools.change(reading, end.call_id, end)),
    shapes.GoalUpdated: own(_goal),
    shapes.ItemCompleted: _item,
    shapes.Identity: _identity,
    shapes.Setting: _setting,
    shapes.SettingsApplied: _settings,
    shapes.Started: _started,
    shapes.Completed: _completed,
    shapes.Aborted: _aborted,
    shapes.Record: usage.record,
    shapes.TokenCount: usage.count,
    shapes.Message: prompts.message,
    shapes.UserMessage: prompts.prompt,
    shapes.Compaction: _compaction,
}

READER = LineReader(shapes.LINE, Context, start, read, ready=lambda context: context.known)
