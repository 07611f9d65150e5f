"""OpenCode: its database and older JSON files → records. FACTS.md says what they look like.

Never reads a table or file that may hold a secret, and never a session's title.
"""

from observer.adapters.opencode.paths import HARNESS, discover, roots
from observer.adapters.protocol import Store

ADAPTER = Store(HARNESS, 2, roots, discover)
