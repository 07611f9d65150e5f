"""CounterSemantics: what lies inside what, and which counters may be compared.

Counters of different semantics are never added (behaviour §12.3). A label is
the identity; an unknown label is its own kind, never a guess.
"""

from typing import Literal

from msgspec import Struct

Placement = Literal["inside", "beside", "unverified"]


class CounterSemantics(Struct, frozen=True):
    """Where cached input and reasoning stand, for one label.

    `cached` "inside": cached and cache-write input are part of the input
    counter. `reasoning` "inside": reasoning is part of the output counter.
    """

    label: str
    cached: Placement
    reasoning: Placement


CLAUDE = CounterSemantics("claude:input_excludes_cache,output_includes_thinking", "beside", "inside")
CODEX = CounterSemantics("codex:input_includes_cached,output_includes_reasoning", "inside", "inside")
CODEX_FALLBACK = CounterSemantics(CODEX.label + ";source=token_count", "inside", "inside")
OPENCODE = CounterSemantics("opencode:input_excludes_cache,reasoning_separate", "beside", "beside")
OPENCODE_INSIDE = CounterSemantics("opencode:input_excludes_cache,output_includes_reasoning", "beside", "inside")
# Where its cached input and reasoning stand is measured, but documented nowhere: never priced.
GROK = CounterSemantics("grok:input_includes_cached,output_includes_reasoning", "unverified", "unverified")

KNOWN = {each.label: each for each in (CLAUDE, CODEX, CODEX_FALLBACK, OPENCODE, OPENCODE_INSIDE, GROK)}


def parse(label: str) -> CounterSemantics:
    """The semantics of a label; an unknown one is unverified, not guessed."""
    return KNOWN.get(label) or CounterSemantics(label, "unverified", "unverified")
