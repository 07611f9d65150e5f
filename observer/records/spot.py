"""Where a line stands: what everything that is made of it repeats. Knows nothing of its content."""

from msgspec import Struct

from observer.records.response import RECORDED, Response
from observer.records.usage import TokenUsage


class Spot(Struct, frozen=True, gc=False):
    """One line's session, ordinal, time and turn."""

    session: str
    ordinal: int
    at_ms: int | None
    turn: str | None

    def response(
        self,
        name: str,
        semantics: str,
        usage: TokenUsage,
        *,
        model: str | None = None,
        provider: str | None = None,
        effort: str | None = None,
        final: bool = True,
        origin: int = RECORDED,
        cumulative: int | None = None,
        native_cost_usd: str | None = None,
        service_tier: str | None = None,
        speed: str | None = None,
        web_search_requests: int | None = None,
    ) -> Response:
        """The response of that id at this place."""
        return Response(
            name, self.session, semantics, usage, self.ordinal, self.at_ms, self.turn, model, provider, effort, final,
            origin, cumulative, native_cost_usd, service_tier, speed, web_search_requests,
        )  # fmt: skip
