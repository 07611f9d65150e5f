"""One session folder → RawBatch: reads its files one after the other and puts together what they prove.

Reads the four files that tell something and the subagents' links; never the
log of all sessions nor `usage.json`, which repeat what the turns hold.
"""

import os
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec import structs

from observer.adapters.grok import paths, shapes, usage
from observer.adapters.grok.beside import History, Log
from observer.adapters.grok.story import Story
from observer.base.clock import parse_instant
from observer.native import documents
from observer.native.small import read_small
from observer.records.session import Session
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import Kind

# Kinds of sessions that a person leads; another word may mean anything.
_MAIN = (None, "fork")
_LONGEST_PATH = 65_536


def read(unit: SourceFile) -> RawBatch:
    """Everything the session's files tell now. OSError when one that is there cannot be read."""
    folder = unit.path.removesuffix(paths.UNIT)
    told = documents.document(os.path.join(folder, paths.SUMMARY), shapes.Summary, 0)
    summary: shapes.Summary | None = next((each for each in told.records if each is not None), None)
    story = Story((summary.info.id if summary and summary.info else None) or os.path.basename(folder))
    files = documents.Numbered(folder)
    files.give(paths.UPDATES, shapes.Line, story.take)
    log, history = Log(story, story.seen, files.count), History(files.ends_whole(paths.HISTORY))
    files.give(paths.EVENTS, dict[str, Any], log.take)
    files.give(paths.HISTORY, shapes.Message, partial(history.take, story, story.key))
    told.first = files.count
    list(story.records(told))
    for found in files.each(paths.SUBAGENTS, paths.META, shapes.Spawned):
        for _, link in story.records(found):
            if link.child_session_id:
                parent = paths.session_key(link.parent_session_id) if link.parent_session_id else story.key
                story.children.child(link.child_session_id, parent)
    story.end(log)
    return _put_together(story, log, history, summary, folder)


def _put_together(story: Story, log: Log, history: History, summary: shapes.Summary | None, folder: str) -> RawBatch:
    """The batch, with the evidence of all files."""
    said, turns, batch = summary or shapes.Summary(), story.turns, story.batch
    for done in story.completions:
        started, likely, effort = None, done.asked_as, None
        if done.spot.session == story.key and done.spot.turn is not None:
            turn, effort = turns[done.spot.turn], said.reasoning_effort
            started = log.model_at(done.until_ms, since_ms=turn.started_ms)
            turns[turn.id] = structs.replace(turn, model=turn.model or started, effort=effort)
            effort = effort or (history.efforts.get(done.prompt.index) if done.prompt else None)
            likely = said.current_model_id or likely
        usage.tell(story, done, started_as=started, likely=likely, effort=effort)
    session = _session(story, log, summary, folder)
    for asked in story.prompts.all.values():
        gone = asked.rewound or asked.index < story.compacted_below
        kind: Kind = "synthetic" if session.role == "subagent" else history.kind(asked.index, gone=gone)
        with story.at(asked.spot):
            story.submission(asked.id, kind, "\n".join(asked.texts), main=session.role == "main", turn=asked.turn)
    # Without those that know no counter where another of the same prompt does.
    counted = {each.turn for each in batch.responses if each.final}
    batch.responses = [each for each in batch.responses if each.final or each.turn not in counted]
    batch.events = sorted((*batch.events, *log.questions.events), key=lambda event: event.ordinal)
    batch.turns, batch.sessions = list(turns.values()), [session, *dict.fromkeys(story.children.sessions)]
    return batch


def _session(story: Story, log: Log, summary: shapes.Summary | None, folder: str) -> Session:
    """The session itself; its own proof of being a subagent beats everything else."""
    said, seen = summary or shapes.Summary(), story.seen
    origin = paths.session_key(said.parent_session_id) if said.parent_session_id else None
    if said.session_kind == "subagent" or log.child or any(each.key == story.key for each in story.children.sessions):
        seen.role, seen.parent = "subagent", origin
    else:
        seen.role, seen.forked_from = "main" if summary and said.session_kind in _MAIN else None, origin
    seen.project, seen.branch = (said.info.cwd if said.info else None) or _project(folder), said.head_branch or None
    seen.at(*map(parse_instant, (said.created_at, said.updated_at, said.last_active_at)))
    return seen.session()


def _project(folder: str) -> str | None:
    """The directory that the group's folder stands for; a long one is only in its `.cwd` file."""
    group = os.path.dirname(folder)
    name = unquote(os.path.basename(group))
    if name.startswith("/"):
        return name
    path = read_small(Path(group, ".cwd"), _LONGEST_PATH)
    return path.decode("utf-8", "replace").strip() or None if path else None
