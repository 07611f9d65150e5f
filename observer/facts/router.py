"""What a model router tells besides runs: its jobs, its decisions about them, and quota levels it read."""

import msgspec
from msgspec import Struct

from observer.ledger.open import Reader
from observer.records.router import RouterEvent, RouterReading

_JOBS = """
    SELECT request_id, status, lane, kind, block_reason, cancel_requested, created_ms, updated_ms FROM router_job
    WHERE task = ? AND current = 1
    ORDER BY created_ms IS NULL, created_ms, request_id"""
# Of a job in several ledgers, the events of the one whose state of it holds.
_EVENTS = """
    SELECT event.id, event.request_id, event.kind, event.at_ms, event.fields FROM router_job AS job
    JOIN router_event AS event ON event.source_id = job.source_id AND event.request_id = job.request_id
    WHERE job.task = ? AND job.current = 1
    ORDER BY event.at_ms IS NULL, event.at_ms, event.request_id, event.id"""
_READINGS = """
    SELECT pool, model, window, observed_ms, used, limit_value, reset_ms, origin FROM (
      SELECT *, ROW_NUMBER() OVER (PARTITION BY pool, model, window ORDER BY observed_ms DESC) AS place
      FROM router_reading WHERE current = 1 AND (:until_ms IS NULL OR observed_ms <= :until_ms))
    WHERE place = 1 ORDER BY pool, model, window"""
_decode = msgspec.json.Decoder(dict[str, int | str]).decode


class JobOutcome(Struct, frozen=True):
    """How a job stands. No acceptance: a router's success is not a person's."""

    request: str
    status: str | None
    lane: str | None
    kind: str | None
    block_reason: str | None
    cancel_requested: int | None
    created_ms: int | None
    updated_ms: int | None


def jobs(reader: Reader, task: str) -> tuple[JobOutcome, ...]:
    """The jobs of a task, oldest first."""
    return tuple(JobOutcome(*row) for row in reader.execute(_JOBS, (task,)))


def events(reader: Reader, task: str) -> tuple[RouterEvent, ...]:
    """The router's decisions about the task's jobs, in the order they were made."""
    return tuple(RouterEvent(*(*row[:4], _decode(row[4]))) for row in reader.execute(_EVENTS, (task,)))


def quotas(reader: Reader, *, until_ms: int | None = None) -> tuple[RouterReading, ...]:
    """The newest level of each pool, model and window; `until_ms`: read at that instant or before."""
    return tuple(RouterReading(*row) for row in reader.execute(_READINGS, {"until_ms": until_ms}))
