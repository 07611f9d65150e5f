"""Usage records and running totals → responses, each under the thread that made it.

A per-response record is the authority; running totals tell of responses only
beyond what records have told before them.
"""

from msgspec import structs

from observer.adapters.codex import shapes
from observer.adapters.codex.reading import COUNT_USAGE, RECORD_USAGE, Reading
from observer.records.response import PROVEN, RECORDED
from observer.records.semantics import CODEX, CODEX_FALLBACK
from observer.rules.totals import NONE, TOTAL, Buckets, completed, usage


def record(reading: Reading, found: shapes.Record) -> None:
    """One completed response, known by its own id; it may name its thread."""
    context = reading.context
    if reading.is_cut(*RECORD_USAGE) or not reading.identified(found.response_id):
        return
    if found.thread_id == context.thread:
        context.copy = None
        if found.session_id not in (None, found.thread_id):
            context.demote(found.session_id)
    total = _sums(found.thread_token_usage)
    context.totals.record(total)
    reading.within(found.turn_id)
    thread, origin = found.thread_id or context.owner, PROVEN if found.thread_id else RECORDED
    counted, semantics = usage(_sums(found.usage)), CODEX.label
    reading.respond(found.response_id, thread, counted, semantics=semantics, origin=origin, cumulative=total[TOTAL])


def count(reading: Reading, found: shapes.TokenCount) -> None:
    """A reading of the running total; half a reading tells nothing (behaviour §3.3)."""
    info, context = found.info, reading.context
    if info is None or reading.is_cut(*COUNT_USAGE):
        return
    last, total = _sums(info.last_token_usage), _sums(info.total_token_usage)
    if total[TOTAL] is None:
        if info.last_token_usage is not None or info.total_token_usage is not None:
            reading.fault("malformed_usage")
        return
    counted = context.totals.count(total, None if last == NONE else last)
    if isinstance(counted, str):
        reading.fault(counted)
    elif counted is not None:
        context.answered()
        thread, semantics = context.owner, CODEX_FALLBACK.label
        name = f"{thread}:tc:{context.totals.series}:{total[TOTAL]}"
        counts, reached = usage(counted), total[TOTAL]
        reading.respond(name, thread, counts, semantics=semantics, origin=RECORDED, cumulative=reached)


def _sums(counters: object) -> Buckets:
    return completed(structs.astuple(counters)) if isinstance(counters, shapes.Counters) else NONE
