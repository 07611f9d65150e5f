"""Decoded lines of a rollout → RawBatch, in one pass; the table of who handles what."""

from collections.abc import Callable
from typing import Any

from observer.adapters.codex import events, prompts, responses, shapes, turns
from observer.adapters.codex.reading import Reading
from observer.adapters.codex.thread import Context
from observer.native.decode import Lines
from observer.records.source import RawBatch


def read(lines: Lines, context: Context) -> RawBatch:
    """What the lines say, given the context before them, which is brought up to date."""
    reading = Reading(lines, context)
    for index, line in enumerate(lines.records):
        if line is not None:
            reading.move(index, line)
            handler = _HANDLERS.get(type(line.payload))
            if handler is not None:
                handler(reading, line.payload)
    return reading.finish()


def _event(reading: Reading, found: Any) -> None:
    """What only events are made of; a copy's are made from its original."""
    if not reading.context.copied:
        made = events.make(found, reading.spot())
        if isinstance(made, str):
            reading.fault(made)
        else:
            reading.batch.events.extend(made)


def _compaction(reading: Reading, found: shapes.Compaction) -> None:
    """A compaction; usage that it repeats is never read. Its completed item comes later."""
    context = reading.context
    context.totals.summarised = context.summary_due = True
    if not context.copied:
        native_id = found.window_id or found.compaction_response_id or f"line:{reading.ordinal}"
        reading.batch.events.append(reading.spot().event("compaction", native_id))


def _item(reading: Reading, found: shapes.ItemCompleted) -> None:
    context = reading.context
    if context.summary_due and found.item is not None and found.item.type == events.COMPACTION:
        context.summary_due = False
    else:
        _event(reading, found)


_HANDLERS: dict[type, Callable[[Reading, Any], None]] = {
    **dict.fromkeys(events.MAKERS, _event),
    shapes.Identity: turns.identity,
    shapes.Setting: turns.setting,
    shapes.SettingsApplied: turns.settings,
    shapes.Started: turns.started,
    shapes.Completed: turns.completed,
    shapes.Aborted: turns.aborted,
    shapes.GoalUpdated: turns.goal,
    shapes.Record: responses.record,
    shapes.TokenCount: responses.count,
    shapes.Message: prompts.message,
    shapes.UserMessage: prompts.prompt,
    shapes.Compaction: _compaction,
    shapes.ItemCompleted: _item,
}
