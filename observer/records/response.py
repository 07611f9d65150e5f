"""Response: one answer of a model, counted once wherever it is recorded."""

from msgspec import Struct

from observer.records.usage import TokenUsage

# How surely the source is where the response was made. When several sources
# hold the same response, the highest origin owns it.
COPIED = 0
RECORDED = 1
PROVEN = 2


class Response(Struct, frozen=True, gc=False):
    """One model response as one source records it.

    `id` is the native id with its harness prefix, unique in the ledger.
    `semantics` is a label (records.semantics). `final` False: the closing
    figures never came, the output is a lower bound. `cumulative` is the
    session's running total after this response, kept as proof, never summed.
    `native_cost_usd` is a decimal text, exactly as recorded.
    """

    id: str
    session: str
    semantics: str
    usage: TokenUsage
    ordinal: int
    at_ms: int | None = None
    turn: str | None = None
    model: str | None = None
    provider: str | None = None
    effort: str | None = None
    final: bool = True
    origin: int = RECORDED
    cumulative: int | None = None
    native_cost_usd: str | None = None
    service_tier: str | None = None
    speed: str | None = None
    web_search_requests: int | None = None
