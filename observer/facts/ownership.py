"""Who owns what: tasks, assignments, outcomes, and the scope of a task."""

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from observer.ledger.open import Reader
from observer.records.ownership import Assignment, Outcome, SessionAssignment, Task
from observer.rules.attribution import Ownership, Prompt

_TASK_FIELDS = "task, project, family, title, issue_url, origin, created_ms"
_TASKS = f"SELECT {_TASK_FIELDS} FROM task ORDER BY task"
_TASK = f"SELECT {_TASK_FIELDS} FROM task WHERE task = ?"
_OUTCOME = (
    "SELECT task, state, candidate, proof, repairs, corrections, router_status, recorded_ms FROM outcome WHERE task = ?"
)
_WHOLE = "SELECT session, task, evidence FROM session_assignment WHERE task = ? ORDER BY session"
_PROMPT_SESSIONS = """
    SELECT DISTINCT session.key FROM assignment
    JOIN submission ON submission.id = assignment.submission AND submission.copied = 0
    JOIN session ON session.id = submission.session_id
    WHERE assignment.task = ?"""
# Bound here, told elsewhere: an assertion came from another machine, or only a copy of the prompt is here.
_ABSENT = """
    SELECT submission FROM assignment
    WHERE task = ? AND NOT EXISTS (
      SELECT 1 FROM submission WHERE submission.id = assignment.submission AND submission.copied = 0)
    ORDER BY 1"""
_ATTEMPT_SESSIONS = "SELECT DISTINCT session FROM attempt WHERE task = ? AND session IS NOT NULL"
_IN = "(SELECT value FROM json_each(:keys))"
_PROMPTS = f"""
    SELECT submission.id, session.key, submission.turn, submission.at_ms, submission.ordinal
    FROM submission JOIN session ON session.id = submission.session_id
    WHERE session.key IN {_IN} AND submission.kind = 'genuine' AND submission.copied = 0"""
_BINDINGS = f"""
    SELECT DISTINCT assignment.submission, assignment.task, attempt, phase, evidence, shared
    FROM assignment
    JOIN submission ON submission.id = assignment.submission AND submission.copied = 0
    JOIN session ON session.id = submission.session_id
    WHERE session.key IN {_IN}
    ORDER BY 1, 2"""
_SESSION_TASKS = f"SELECT session, task FROM session_assignment WHERE session IN {_IN} ORDER BY 1, 2"
_SESSIONS = f"SELECT key, ended_ms FROM session WHERE key IN {_IN}"
# Work that a scope session started but nobody bound, however deep.
_WORKERS = f"""
    WITH RECURSIVE below (key) AS (
      SELECT key FROM session WHERE parent IN {_IN}
      UNION SELECT session.key FROM session JOIN below ON session.parent = below.key)
    SELECT key FROM below
    WHERE key NOT IN {_IN}
      AND EXISTS (SELECT 1 FROM response JOIN session ON session.id = response.session_id
                  WHERE session.key = below.key AND response.overlap = 0)
      AND NOT EXISTS (SELECT 1 FROM session_assignment WHERE session = below.key)
      AND NOT EXISTS (SELECT 1 FROM submission JOIN session ON session.id = submission.session_id
                      JOIN assignment ON assignment.submission = submission.id WHERE session.key = below.key)
    ORDER BY key"""
# A turn that was copied with another session's history has its usage there.
_EMPTY_TURNS = f"""
    SELECT session.key, turn.id FROM turn JOIN session ON session.id = turn.session_id
    WHERE session.key IN {_IN}
      AND NOT EXISTS (SELECT 1 FROM response WHERE session_id = turn.session_id AND turn = turn.id)
      AND NOT EXISTS (SELECT 1 FROM response_copy WHERE session_id = turn.session_id AND turn = turn.id)
      AND (COALESCE(turn.started_ms, turn.ended_ms) <= session.copied_until_ms) IS NOT TRUE
    ORDER BY 1, turn.started_ms IS NULL, turn.started_ms, 2"""


class Scope(Struct, frozen=True):
    """The sessions a task touches, and everything that decides who owns them.

    `missing_prompts`: bound to the task, but in no session that is in the ledger.
    """

    whole: tuple[SessionAssignment, ...]
    sessions: tuple[str, ...]
    missing_sessions: tuple[str, ...]
    prompted: tuple[str, ...]
    ownership: Ownership
    unbound_workers: tuple[str, ...]
    empty_turns: tuple[tuple[str, str], ...]
    missing_prompts: tuple[str, ...] = ()

    @property
    def measured(self) -> frozenset[str]:
        """Sessions that are bound to the task, as a whole or by prompts, and in the ledger."""
        return frozenset((*self.prompted, *(each.session for each in self.whole))) - frozenset(self.missing_sessions)


def tasks(reader: Reader) -> list[Task]:
    """All tasks in force."""
    return [Task(*row) for row in reader.execute(_TASKS)]


def task(reader: Reader, name: str) -> Task | None:
    """One task, or None when nobody created it."""
    row = reader.execute(_TASK, (name,)).fetchone()
    return Task(*row) if row else None


def outcome(reader: Reader, name: str) -> Outcome | None:
    """What was recorded about a task's end."""
    row = reader.execute(_OUTCOME, (name,)).fetchone()
    return Outcome(*row) if row else None


def scope(reader: Reader, name: str) -> Scope:
    """The scope of a task: sessions of its prompts, its whole sessions, and sessions made for its runs."""
    whole = tuple(SessionAssignment(*row) for row in reader.execute(_WHOLE, (name,)))
    prompted = {row[0] for row in reader.execute(_PROMPT_SESSIONS, (name,))}
    made = {row[0] for row in reader.execute(_ATTEMPT_SESSIONS, (name,))}
    sessions = prompted | made | {each.session for each in whole}
    found = of_sessions(reader, sessions, whole=whole, prompted=tuple(sorted(prompted)))
    return replace(found, missing_prompts=tuple(row[0] for row in reader.execute(_ABSENT, (name,))))


def of_sessions(
    reader: Reader, wanted: Iterable[str], *, whole: tuple[SessionAssignment, ...] = (), prompted: tuple[str, ...] = ()
) -> Scope:
    """The scope of these sessions."""
    sessions = sorted(wanted)
    keys = {"keys": json.dumps(sessions)}
    present = {row[0] for row in reader.execute(_SESSIONS, keys)}
    bindings: dict[str, list[Assignment]] = {}
    for row in reader.execute(_BINDINGS, keys):
        bindings.setdefault(row[0], []).append(_assignment(row))
    session_tasks: dict[str, list[str]] = {}
    for session, owner in reader.execute(_SESSION_TASKS, keys):
        session_tasks.setdefault(session, []).append(owner)
    return Scope(
        whole=whole,
        sessions=tuple(sessions),
        missing_sessions=tuple(key for key in sessions if key not in present),
        prompted=prompted,
        ownership=Ownership(
            tuple(Prompt(*row) for row in reader.execute(_PROMPTS, keys)),
            {name: tuple(rows) for name, rows in bindings.items()},
            {name: tuple(rows) for name, rows in session_tasks.items()},
        ),
        unbound_workers=tuple(row[0] for row in reader.execute(_WORKERS, keys)),
        empty_turns=tuple((row[0], row[1]) for row in reader.execute(_EMPTY_TURNS, keys)),
    )


def cutoff_ms(reader: Reader, sessions: Iterable[str]) -> int | None:
    """The latest native record time of these sessions."""
    found = reader.execute(
        f"SELECT MAX(ended_ms) FROM session WHERE key IN {_IN}", {"keys": json.dumps(list(sessions))}
    )
    latest: int | None = found.fetchone()[0]
    return latest


def _assignment(row: tuple[Any, ...]) -> Assignment:
    return Assignment(*(*row[:5], bool(row[5])))
