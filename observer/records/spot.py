"""Where a line stands: what everything that is made of it repeats. Knows nothing of its content."""

from msgspec import Struct

from observer.records.event import Family, RawDetail, RawEvent
from observer.records.response import RECORDED, Response
from observer.records.usage import TokenUsage


class Spot(Struct, frozen=True, gc=False):
    """One line's session, ordinal, time and turn."""

    session: str
    ordinal: int
    at_ms: int | None
    turn: str | None

    def event(
        self,
        family: Family,
        native_id: str,
        *,
        name: str | None = None,
        target: str | None = None,
        status: str | None = None,
        duration_ms: int | None = None,
        size_bytes: int | None = None,
        truncated: bool = False,
        detail: RawDetail | None = None,
    ) -> RawEvent:
        """An event at this place."""
        return RawEvent(
            self.session, family, native_id, self.ordinal, self.at_ms, self.turn, name, target, status, duration_ms,
            size_bytes, truncated, detail,
        )  # fmt: skip

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
