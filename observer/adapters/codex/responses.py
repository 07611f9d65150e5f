"""Usage records and running totals → responses, each under the thread that made it.

A per-response record is the authority; running totals tell of responses only
beyond what records have told before them.
"""

from observer.adapters.codex import shapes
from observer.adapters.codex.paths import HARNESS
from observer.adapters.codex.reading import COUNT_USAGE, RECORD_USAGE, Reading
from observer.adapters.codex.thread import session_key
from observer.adapters.codex.usage import NONE, TOTAL, Buckets, buckets, tokens
from observer.records.response import COPIED, PROVEN, RECORDED, Response
from observer.records.semantics import CODEX, CODEX_FALLBACK


def record(reading: Reading, found: shapes.Record) -> None:
    """One completed response, known by its own id; it may name its thread."""
    context = reading.context
    if reading.malformed(RECORD_USAGE):
        return
    if not found.response_id:
        reading.fault("missing_id")
        return
    if found.thread_id == context.thread:
        context.copy = None
        if found.session_id not in (None, found.thread_id):
            context.demote(found.session_id)
    usage, total = _sums(found.usage), _sums(found.thread_token_usage)
    context.totals.record(total)
    thread = found.thread_id or context.owner
    if thread is not None:
        proof = PROVEN if found.thread_id else RECORDED
        turn = found.turn_id or context.turn
        _respond(reading, found.response_id, thread, usage, total, semantics=CODEX.label, turn=turn, proof=proof)


def count(reading: Reading, found: shapes.TokenCount) -> None:
    """A reading of the running total; half a reading tells nothing (behaviour §3.3)."""
    info, context = found.info, reading.context
    if info is None or reading.malformed(COUNT_USAGE):
        return
    last, total = _sums(info.last_token_usage), _sums(info.total_token_usage)
    if total[TOTAL] is None:
        if info.last_token_usage is not None or info.total_token_usage is not None:
            reading.fault("malformed_usage")
        return
    usage = context.totals.count(total, None if last == NONE else last)
    if isinstance(usage, str):
        reading.fault(usage)
    elif usage is not None:
        context.answered()
        thread = context.owner
        if thread is not None:
            name = f"{thread}:tc:{context.totals.series}:{total[TOTAL]}"
            semantics, turn = CODEX_FALLBACK.label, context.turn
            _respond(reading, name, thread, usage, total, semantics=semantics, turn=turn, proof=RECORDED)


def _respond(
    reading: Reading,
    name: str,
    thread: str,
    usage: Buckets,
    total: Buckets,
    *,
    semantics: str,
    turn: str | None,
    proof: int,
) -> None:
    """One response. A copy was stamped anew, so when its original was made is unknown here."""
    context = reading.context
    own = thread == context.thread
    reading.batch.responses.append(
        Response(
            id=f"{HARNESS}:{name}",
            session=session_key(thread),
            semantics=semantics,
            usage=tokens(usage),
            ordinal=reading.ordinal,
            at_ms=reading.at_ms if own else None,
            turn=turn,
            model=context.model,
            provider=context.provider,
            effort=context.effort,
            origin=proof if own else COPIED,
            cumulative=total[TOTAL],
            service_tier=context.service_tier,
        )
    )


def _sums(counters: object) -> Buckets:
    return buckets(counters) if isinstance(counters, shapes.Counters) else NONE
