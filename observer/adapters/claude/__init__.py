"""Claude Code: its transcripts → records. FACTS.md says what they look like.

Never reads anything of the agent's home but transcripts.
"""

from observer.adapters.claude.paths import HARNESS, discover, roots
from observer.adapters.protocol import Adapter

ADAPTER = Adapter(HARNESS, 2, roots, discover)
