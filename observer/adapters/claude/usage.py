"""Counters of a response: what is counted, under which id, and what is contradictory.

Never adds lines up, never derives a counter that was not recorded, except the
total when all four parts are known.
"""

from decimal import Decimal

from observer.adapters.claude.place import Place, session_key
from observer.adapters.claude.shapes import Assistant, Counters, Iteration, Message, Usage
from observer.records.response import COPIED, PROVEN, RECORDED, Response
from observer.records.semantics import CLAUDE
from observer.records.spot import Spot
from observer.records.usage import TokenUsage

# The harness's own lines: error texts and filler, with counters of zero.
SYNTHETIC_MODEL = "<synthetic>"
_GLOBAL_ID = "msg_"
_ADVISOR = "advisor_message"


def recognised(usage: Counters) -> bool:
    """Whether any counter that is summed is there."""
    return not (
        usage.input_tokens is None
        and usage.output_tokens is None
        and usage.cache_creation_input_tokens is None
        and usage.cache_read_input_tokens is None
    )


def contradictory(usage: Counters) -> bool:
    """Whether the cache-write split cannot be a split of the recorded total.

    Two zeros beside a positive total are none: the client fills them in where
    the answer had no split.
    """
    split, whole = usage.cache_creation, usage.cache_creation_input_tokens
    if split is None or whole is None:
        return False
    short, long = split.ephemeral_5m_input_tokens, split.ephemeral_1h_input_tokens
    if short is None or long is None:
        return (short or 0) + (long or 0) > whole
    return short + long not in (0, whole)


def tokens(usage: Counters) -> TokenUsage:
    """The counters as they are recorded; a split that does not fit is dropped."""
    plain, write = usage.input_tokens, usage.cache_creation_input_tokens
    read, output = usage.cache_read_input_tokens, usage.output_tokens
    short = long = None
    split = usage.cache_creation
    if split is not None:
        short, long = split.ephemeral_5m_input_tokens, split.ephemeral_1h_input_tokens
        if write is not None and (contradictory(usage) or (write and not short and not long)):
            short = long = None
    details = usage.output_tokens_details
    total = None
    if plain is not None and write is not None and read is not None and output is not None:
        total = plain + write + read + output
    return TokenUsage(plain, read, write, short, long, output, details.thinking_tokens if details else None, total)


def response(line: Assistant, message: Message, usage: Usage, *, place: Place, spot: Spot) -> Response:
    """The response that a line tells of.

    A line that names another session is a copy: the response belongs there,
    but only that session's own file knows its turn.
    """
    made_in = line.request_session_id
    copied = made_in is not None and made_in != place.native_session
    session = session_key(made_in, place.agent) if made_in is not None and copied else place.key
    web = usage.server_tool_use
    return Response(
        id=f"claude:{message.id}" if message.id.startswith(_GLOBAL_ID) else f"{session}:{message.id}",
        session=session,
        semantics=CLAUDE.label,
        usage=tokens(usage),
        ordinal=spot.ordinal,
        at_ms=spot.at_ms,
        turn=None if copied else spot.turn,
        model=message.model or None,
        effort=line.effort or line.per_turn_effort,
        final=message.stop_reason is not None,
        origin=COPIED if copied else _origin(line),
        native_cost_usd=None if line.cost_usd is None else _cost(line.cost_usd),
        service_tier=_word(usage.service_tier),
        speed=_word(usage.speed),
        web_search_requests=web.web_search_requests if web else None,
    )


def is_advice(iteration: Iteration) -> bool:
    """Whether a request inside a response went to another model and is billed beside it."""
    return iteration.type == _ADVISOR and isinstance(iteration.model, str) and recognised(iteration)


def advice(answer: Response, iteration: Iteration, number: int) -> Response:
    """The response of an advisor inside `answer`."""
    return Response(
        id=f"{answer.id}:advisor:{number}",
        session=answer.session,
        semantics=CLAUDE.label,
        usage=tokens(iteration),
        ordinal=answer.ordinal,
        at_ms=answer.at_ms,
        turn=answer.turn,
        model=iteration.model,
        final=answer.final,
        origin=answer.origin,
    )


def _origin(line: Assistant) -> int:
    if line.request_session_id is not None:
        return PROVEN
    return COPIED if line.request_id is None else RECORDED


def _cost(value: object) -> str | None:
    """Releases before 1.0 wrote what a line had cost."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return format(Decimal(repr(value)), "f")


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
