"""Attempts: the recorded runs of work on a task, in the order they began."""

from observer.ledger.open import Reader
from observer.records.ownership import Attempt
from observer.records.usage import TokenUsage

# The counters stand in the order of TokenUsage; a router never tells the lifetimes of cache writes.
_ATTEMPTS = """
    SELECT turn, request_id, role, session, stage, requested_route, policy_version, reason, model, effort, started_ms,
      ended_ms, elapsed_ms, state, terminal_class, return_code, proof_class, seq,
      input, cached_input, cache_write_input, NULL, NULL, output, reasoning_output, total
    FROM attempt WHERE task = ?
    ORDER BY started_ms IS NULL, started_ms, turn"""
_BEFORE_COUNTERS = 18


def of_task(reader: Reader, task: str) -> tuple[Attempt, ...]:
    """The runs of all jobs of a task."""
    return tuple(
        Attempt(*(*row[:_BEFORE_COUNTERS], TokenUsage(*row[_BEFORE_COUNTERS:])))
        for row in reader.execute(_ATTEMPTS, (task,))
    )
