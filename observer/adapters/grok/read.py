"""One session folder → RawBatch: reads its files one after the other and puts together what they prove.

Reads the four files that tell something and the subagents' links; never the
log of all sessions nor `usage.json`, which repeat what the turns hold.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from msgspec import structs

from observer.adapters.grok import files, proofs, tools
from observer.adapters.grok.history import History
from observer.adapters.grok.log import Log
from observer.adapters.grok.paths import (
    EVENTS,
    HARNESS,
    HISTORY,
    META,
    SUBAGENTS,
    SUMMARY,
    UPDATES,
    folder_of,
    plain,
    session_key,
)
from observer.adapters.grok.shapes import EVENT, LINE, MESSAGE, SPAWNED, SUMMARY_DOCUMENT, Summary
from observer.adapters.grok.story import Story
from observer.adapters.grok.usage import Responses
from observer.base.clock import parse_instant
from observer.native.decode import faults
from observer.native.small import read_small
from observer.records.identity import RawInstructions
from observer.records.session import Role, Session
from observer.records.source import RawBatch, SourceFile
from observer.records.submission import Kind, RawSubmission

# Kinds of sessions that a person leads; another word may mean anything.
_MAIN = (None, "fork")
_LONGEST_PATH = 65_536


def read(unit: SourceFile) -> RawBatch:
    """Everything the session's files tell now. OSError when one that is there cannot be read."""
    folder = folder_of(unit.path)
    told = files.document(os.path.join(folder, SUMMARY), SUMMARY_DOCUMENT, 0)
    summary = next((each for each in told.records if each is not None), None)
    info = summary.info if summary else None
    story = Story((info.id if info else None) or os.path.basename(folder))
    count = 0
    for found in files.lines(folder, UPDATES, LINE, count):
        story.take(found)
        count = found.first + len(found.records)
    story.end()
    log, history = Log(story.key, count), History(files.ends_whole(folder, HISTORY))
    texts: list[RawInstructions] = []
    for name, decoder, reader in ((EVENTS, EVENT, log), (HISTORY, MESSAGE, history)):
        for found in files.lines(folder, name, decoder, count):
            reader.take(found)
            if name == HISTORY:
                proofs.history(texts, story.key, found)
            count = found.first + len(found.records)
    told.first = count
    odd = faults(told, usage=())
    for path in _links(folder):
        count += 1
        link = files.document(path, SPAWNED, count)
        odd.extend(faults(link, usage=()))
        for each in filter(None, link.records):
            if each.child_session_id:
                parent = each.parent_session_id
                story.child(each.child_session_id, session_key(parent) if parent else story.key)
    batch = _put_together(story, log, history, summary or Summary())
    session = _session(story, log, summary, folder)
    batch.sessions = [session, *dict.fromkeys(story.children)]
    batch.submissions = _submissions(story, history, session.role)
    batch.instructions = texts
    batch.faults = [*story.faults, *batch.faults, *log.faults, *history.faults, *odd]
    return batch


def _links(folder: str) -> Iterator[str]:
    """Where the session's subagents are named."""
    try:
        names = sorted(os.listdir(os.path.join(folder, SUBAGENTS)))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        yield os.path.join(folder, SUBAGENTS, name, META)


def _put_together(story: Story, log: Log, history: History, summary: Summary) -> RawBatch:
    """Turns, responses and events, with the evidence of all files."""
    responses, turns = Responses(), dict(story.turns)
    for done, prompt in story.completions:
        known = structs.replace(done, likely=done.asked_as)
        if done.spot.session == story.key and done.spot.turn is not None:
            turn, effort = turns[done.spot.turn], summary.reasoning_effort
            started = log.model_at(done.until_ms, since_ms=turn.started_ms)
            turns[turn.id] = structs.replace(turn, model=turn.model or started, effort=effort)
            known = structs.replace(
                known,
                started_as=started,
                likely=summary.current_model_id or done.asked_as,
                effort=effort or (history.efforts.get(prompt.index) if prompt else None),
            )
        responses.add(known)
    events = [*story.events, *tools.events(story.calls, log), *log.permissions]
    return RawBatch(
        turns=list(turns.values()),
        responses=responses.all(),
        events=sorted(events, key=lambda event: event.ordinal),
        faults=responses.faults,
    )


def _session(story: Story, log: Log, summary: Summary | None, folder: str) -> Session:
    """The session itself; its own proof of being a subagent beats everything else."""
    said = summary or Summary()
    child = said.session_kind == "subagent" or log.child or any(each.key == story.key for each in story.children)
    role: Role | None = "subagent" if child else "main" if summary and said.session_kind in _MAIN else None
    stamps = map(parse_instant, (said.created_at, said.updated_at, said.last_active_at))
    times = [each for each in (*stamps, *story.times, *log.times) if each is not None]
    origin = session_key(said.parent_session_id) if said.parent_session_id else None
    return Session(
        story.key,
        HARNESS,
        plain(story.native),
        parent=origin if child else None,
        role=role,
        project=(said.info.cwd if said.info else None) or _project(folder),
        branch=said.head_branch or None,
        forked_from=None if child else origin,
        started_ms=min(times, default=None),
        ended_ms=max(times, default=None),
        copied_until_ms=story.copied_until,
    )


def _project(folder: str) -> str | None:
    """The directory that the group's folder stands for; a long one is only in its `.cwd` file."""
    group = os.path.dirname(folder)
    name = unquote(os.path.basename(group))
    if name.startswith("/"):
        return name
    path = read_small(Path(group, ".cwd"), _LONGEST_PATH)
    return path.decode("utf-8", "replace").strip() or None if path else None


def _submissions(story: Story, history: History, role: Role | None) -> list[RawSubmission]:
    found = []
    for prompt in story.prompts.values():
        gone = prompt.rewound or prompt.index < story.compacted_below
        kind: Kind = "synthetic" if role == "subagent" else history.kind(prompt.index, gone=gone)
        text = "\n".join(prompt.texts)
        spot = prompt.spot
        found.append(
            RawSubmission(prompt.id, story.key, kind, text, spot.ordinal, spot.at_ms, prompt.turn, main=role == "main")
        )
    return found
