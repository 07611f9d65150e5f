"""Claude Code: its transcripts → records. FACTS.md says what they look like.

Never reads anything of the agent's home but transcripts.
"""

from observer.adapters.claude import context, paths, read, shapes
from observer.adapters.protocol import Adapter

ADAPTER = Adapter(
    harness=paths.HARNESS,
    version=2,
    line=shapes.LINE,
    context=context.Context,
    roots=paths.roots,
    discover=paths.discover,
    start=context.start,
    read=read.read,
)
