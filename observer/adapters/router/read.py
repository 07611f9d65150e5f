"""One router ledger → router records, in one moment. The privacy screen decides which words are known."""

import json
import math
import os
from collections.abc import Iterator
from typing import Any, TypeGuard

from observer.adapters.router.tables import refusal, rows
from observer.adapters.router.usage import MalformedUsage, usage
from observer.base.clock import MS, parse_instant
from observer.native.sqlite_ro import Connection, Row, StoreError, opened
from observer.native.values import text
from observer.records.router import (
    DISPATCHERS,
    EVENT_FIELDS,
    PROOF,
    RUN_KINDS,
    WITHOUT_SESSION,
    WORKERS,
    RouterEvent,
    RouterInvocation,
    RouterJob,
    RouterReading,
    RouterRecords,
)
from observer.records.source import Category, Quarantine, RawBatch, SourceFile
from observer.records.usage import TokenUsage

# Whose session an id is. A planner's (`planner_session_id`) is a person's and is left out.
_SESSION_KINDS = {
    "codex_task_id": "codex",
    "opencode_session_id": "opencode",
    "grok_session_id": "grok",
    "claude_session_id": "claude",
}
# What a run's end means for the attempt; any other word is unknown (behaviour §7).
_STATES = {
    "completed": "complete",
    "cancelled": "cancelled",
    "crashed": "crashed",
    "quota": "quota_blocked",
    **dict.fromkeys(("failed", "timeout", "overloaded", "stalled", "context", "hard_error"), "failed"),
}


def read(unit: SourceFile) -> RawBatch:
    """Everything the ledger says. StoreError when it cannot be read or has changed its shape meanwhile."""
    with opened(unit.path) as connection:
        reason = refusal(connection)
        if reason is not None:
            raise StoreError(reason)
        reading = _Reading(connection)
        jobs = tuple(reading.jobs())
        records = RouterRecords(jobs, tuple(reading.invocations(jobs)), tuple(reading.events()),
                                tuple(reading.readings()))  # fmt: skip
    return RawBatch(faults=reading.faults, router=records)


class _Reading:
    """The rows of the four tables in order; `ordinal` counts them through all tables."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ordinal = -1
        self.faults: list[Quarantine] = []

    def jobs(self) -> Iterator[RouterJob]:
        """One per request that has an id."""
        for row in self._rows("jobs"):
            request = text(row["request_id"])
            if request is None:
                self._fault("missing_id", "request_id")
                continue
            task = self._object(row, "task_json")
            yield RouterJob(
                request_id=request,
                task=task.get("observer_task_id"),
                status=text(row["status"]),
                lane=text(row["lane"]),
                kind=text(row["job_kind"]),
                replay_of=text(row["replay_of"]),
                route=text(row["route"]),
                model=text(row["model"]),
                effort=text(row["effort"]),
                planner_session=text(row["planner_session_id"]),
                planner_harness=text(row["planner_harness"]),
                planner_model=text(row["planner_model"]),
                planner_effort=text(row["planner_effort"]),
                issue=task.get("issue"),
                project=os.path.basename((text(row["workspace"]) or "").rstrip("/")) or None,
                base_commit=text(row["base_commit"]),
                head_commit=text(row["head_commit"]),
                block_reason=(text(row["block_reason"]) or "").partition(":")[0].strip() or None,
                error_class=text(row["error_class"]),
                cancel_requested=row["cancel_requested"],
                created_ms=parse_instant(row["created_at"]),
                updated_ms=parse_instant(row["updated_at"]),
            )

    def invocations(self, jobs: tuple[RouterJob, ...]) -> Iterator[RouterInvocation]:
        """One per run that has an id and a job's; a run of a job that is not there stays, with a fault."""
        requests = {job.request_id for job in jobs}
        planners = {job.planner_session for job in jobs}
        for row in self._rows("invocations"):
            name, request = text(row["invocation_id"]), text(row["request_id"])
            if name is None or request is None:
                self._fault("missing_id", "invocation_id" if name is None else "request_id")
                continue
            if request not in requests:
                self._fault("schema_error", "request_id")
            if row["kind"] not in RUN_KINDS:
                self._fault("unknown_record", "kind")
            session = _session(row, self._object(row, "native_ids_json"))
            if session is not None and session.partition(":")[2] in planners:
                session = None
            yield self._invocation(row, name, request, session)

    def _invocation(self, row: Row, name: str, request: str, session: str | None) -> RouterInvocation:
        meta, reason, terminal = self._object(row, "meta_json"), text(row["reason"]), row["terminal_class"]
        return RouterInvocation(
            id=name,
            request_id=request,
            ordinal=self._ordinal,
            state="active" if terminal is None else _STATES.get(terminal, "unknown"),
            kind=text(row["kind"]),
            session=session,
            stage=text(row["stage"]),
            requested_route=text(row["requested_route"]),
            policy_version=text(row["policy_version"]),
            harness_version=text(row["harness_version"]),
            model=text(row["observed_model"]),
            effort=text(row["observed_variant"]),
            reason=reason,
            proof_class=text(meta.get("proof_class")) or (reason if row["kind"] == PROOF else None),
            terminal_class=text(terminal),
            return_code=row["rc"],
            seq=meta.get("seq"),
            started_ms=parse_instant(row["started_at"]),
            ended_ms=parse_instant(row["ended_at"]),
            elapsed_ms=_milliseconds(row["elapsed_secs"]),
            kit_hash=text(row["kit_hash"]),
            direction_supply=text(row["direction_supply"]),
            direction_hash=text(row["direction_hash"]),
            usage=self._usage(row),
        )

    def events(self) -> Iterator[RouterEvent]:
        """The decisions of use; of their payloads only single numbers and words."""
        for row in self._rows("events"):
            request, kind = text(row["request_id"]), text(row["kind"])
            if request is None or kind not in EVENT_FIELDS:
                continue
            number = row["id"] if isinstance(row["id"], int) else self._ordinal
            payload = self._object(row, "payload_json")
            fields = {name: value for name, value in payload.items() if type(value) in (int, str)}
            yield RouterEvent(number, request, kind, parse_instant(row["ts"]), fields)

    def readings(self) -> Iterator[RouterReading]:
        """Quota levels; one whose key or level is none is dropped."""
        for row in self._rows("readings"):
            pool, window, observed = text(row["pool"]), text(row["window"]), parse_instant(row["observed_at"])
            numbers = (row["used"], row["limit_value"] if row["limit_value"] is not None else 0)
            if pool is None or window is None or observed is None or not all(map(_is_level, numbers)):
                self._fault("schema_error", "readings")
                continue
            yield RouterReading(
                pool=pool,
                model=text(row["model"]) or "",
                window=window,
                observed_ms=observed,
                used=row["used"],
                limit=row["limit_value"],
                reset_ms=parse_instant(row["reset_at"]),
                source=text(row["source"]),
            )

    def _rows(self, table: str) -> Iterator[Row]:
        for row in rows(self._connection, table):
            self._ordinal += 1
            yield row

    def _fault(self, category: Category, key: str) -> None:
        self.faults.append(Quarantine(self._ordinal, category, (key,)))

    def _object(self, row: Row, column: str) -> dict[str, Any]:
        """The JSON object in a column; empty, with a fault, when there is something else."""
        stored = row[column]
        if stored is None:
            return {}
        try:
            found = json.loads(stored) if isinstance(stored, str) else None
        except (ValueError, RecursionError):
            self._fault("malformed_json", column)
            return {}
        if isinstance(found, dict):
            return found
        self._fault("schema_error", column)
        return {}

    def _usage(self, row: Row) -> TokenUsage:
        try:
            return usage(self._object(row, "usage_json"))
        except MalformedUsage:
            self._fault("malformed_usage", "usage_json")
            return TokenUsage()


def _session(row: Row, native: dict[str, Any]) -> str | None:
    """The key of the session that was made for the run; None where that is not certain."""
    kind, told = row["kind"], row["session_kind"]
    if kind in WITHOUT_SESSION or (told and told not in _SESSION_KINDS):
        return None
    made = DISPATCHERS.get(kind) or WORKERS.get(kind)
    harness = _SESSION_KINDS[told] if told else made
    if harness is None or made not in (None, harness):  # no agent is named, or two
        return None
    name = text(row["session_id"]) or text(native.get("thread_id" if harness == "codex" else "session_id"))
    return None if name is None else f"{harness}:{name}"


def _milliseconds(seconds: object) -> int | None:
    if not _is_level(seconds):
        return None
    return round(float(seconds) * MS)


def _is_level(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and math.isfinite(value) and value >= 0
