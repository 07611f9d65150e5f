"""Codex: rollouts → records. FACTS.md says what is known of them and from where."""

from observer.adapters.codex.paths import HARNESS, discover, roots
from observer.adapters.codex.read import read
from observer.adapters.codex.shapes import LINE
from observer.adapters.codex.thread import Context, start
from observer.adapters.protocol import Adapter

ADAPTER = Adapter(
    harness=HARNESS,
    version=3,
    line=LINE,
    context=Context,
    roots=roots,
    discover=discover,
    start=start,
    read=read,
    ready=lambda context: context.known,
)
