"""Attempts and dispatches: the recorded runs of work on a task, and to whom its prompts handed work."""

from typing import Any

from observer.ledger.open import Reader
from observer.records.ownership import Attempt, Dispatch
from observer.records.usage import TokenUsage

# The counters stand in the order of TokenUsage; a router never tells the lifetimes of cache writes.
_ATTEMPTS = """
    SELECT turn, origin, request_id, role, kind, session, stage, requested_route, requested_model, requested_effort,
      policy_version, reason, model, effort, started_ms, ended_ms, elapsed_ms, state, usable, terminal_class,
      return_code, proof_class, seq,
      input, cached_input, cache_write_input, NULL, NULL, output, reasoning_output, total
    FROM attempt WHERE task = ?
    ORDER BY started_ms IS NULL, started_ms, turn, session"""
_BEFORE_COUNTERS = 23
_USABLE = 18
# A prompt's dispatches belong to the tasks that own the prompt, by itself or with its session.
_DISPATCHES = """
    WITH named AS (
      SELECT dispatch.*, (
        SELECT CASE WHEN MAX(key = worker) THEN worker WHEN COUNT(*) = 1 THEN MIN(key) END
        FROM session WHERE key = worker OR native_id = worker) AS session,
        (SELECT COUNT(*) FROM session WHERE key = worker OR native_id = worker) AS namesakes
      FROM dispatch
      WHERE submission IN (SELECT submission FROM assignment WHERE task = :task)
        OR submission IN (
          SELECT submission.id FROM session_assignment JOIN session ON session.key = session_assignment.session
          JOIN submission ON submission.session_id = session.id AND submission.copied = 0
          WHERE session_assignment.task = :task))
    SELECT submission, worker, session, namesakes,
      EXISTS (SELECT 1 FROM session_assignment WHERE session_assignment.session = named.session)
        OR EXISTS (
          SELECT 1 FROM session JOIN submission ON submission.session_id = session.id AND submission.copied = 0
          JOIN assignment ON assignment.submission = submission.id WHERE session.key = named.session),
      parent_turn, worker_turn, requested_model, requested_effort, policy_version, purpose, task_name
    FROM named ORDER BY recorded_ms, submission, worker"""


def of_task(reader: Reader, task: str) -> tuple[Attempt, ...]:
    """The runs of a task: those of its jobs, and those a coordinator named."""
    return tuple(_attempt(row) for row in reader.execute(_ATTEMPTS, (task,)))


def dispatches(reader: Reader, task: str) -> tuple[Dispatch, ...]:
    """What a coordinator said about handed-on work, for the prompts that the task owns; oldest first."""
    return tuple(
        Dispatch(
            origin="capture",
            submission=row[0],
            request=None,
            worker=row[1],
            session=row[2],
            namesakes=row[3],
            owned=bool(row[4]),
            parent_turn=row[5],
            worker_turn=row[6],
            requested_model=row[7],
            requested_effort=row[8],
            policy_version=row[9],
            reason=row[10],
            task_name=row[11],
        )
        for row in reader.execute(_DISPATCHES, {"task": task})
    )


def _attempt(row: tuple[Any, ...]) -> Attempt:
    usable = None if row[_USABLE] is None else bool(row[_USABLE])
    usage = TokenUsage(*row[_BEFORE_COUNTERS:])
    return Attempt(*(*row[:_USABLE], usable, *row[_USABLE + 1 : _BEFORE_COUNTERS], usage))
