"""Counters of a response: what is counted, under which id, and what is contradictory.

Never adds lines up, never derives a counter that was not recorded, except the
total when all four parts are known.
"""

from observer.adapters.claude.paths import HARNESS
from observer.adapters.claude.shapes import Assistant
from observer.adapters.making import Making
from observer.adapters.wire.messages import Message, Usage, is_advice, recognised, tokens
from observer.native import values
from observer.records.response import COPIED, PROVEN, RECORDED, Response
from observer.records.semantics import CLAUDE
from observer.records.spot import Spot
from observer.records.usage import TokenUsage

_GLOBAL_ID = "msg_"


def count(making: Making, line: Assistant, message: Message, counted: Usage, original: str | None) -> None:
    """Files the responses that a line with usage tells of: the answer, and those of advisors inside of it.

    `original` is the key of the session that a copied line was made in.
    """
    if not recognised(counted):
        if counted != Usage():
            making.fault("malformed_usage")
    elif making.identified(message.id):
        usage, is_sound = tokens(counted)
        if message.stop_reason is not None and not is_sound:
            making.fault("malformed_usage")
        spot, origin = _made(line, original, making.spot)
        answer = _answer(line, message, counted, usage, spot, origin)
        making.told_response(answer)
        for number, each in enumerate(counted.iterations or ()):
            if is_advice(each):
                name, usage, final = f"{answer.id}:advisor:{number}", tokens(each)[0], answer.final
                advice = spot.response(name, CLAUDE.label, usage, model=each.model, final=final, origin=origin)
                making.told_response(advice)


def _made(line: Assistant, original: str | None, spot: Spot) -> tuple[Spot, int]:
    """Where a response was made, and how surely. A copy's turn is known to the file of its own session only."""
    if original is not None:
        return Spot(original, spot.ordinal, spot.at_ms, None), COPIED
    if line.request_session_id is not None:
        return spot, PROVEN
    return spot, COPIED if line.request_id is None else RECORDED


def _answer(line: Assistant, message: Message, counted: Usage, usage: TokenUsage, spot: Spot, origin: int) -> Response:
    web = counted.server_tool_use
    return spot.response(
        f"{HARNESS if message.id.startswith(_GLOBAL_ID) else spot.session}:{message.id}",
        CLAUDE.label,
        usage,
        model=message.model or None,
        effort=line.effort or line.per_turn_effort,
        final=message.stop_reason is not None,
        origin=origin,
        # Releases before 1.0 wrote what a line had cost.
        native_cost_usd=values.amount(line.cost_usd),
        service_tier=values.text(counted.service_tier),
        speed=values.text(counted.speed),
        web_search_requests=web.web_search_requests if web else None,
    )
