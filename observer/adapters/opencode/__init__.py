"""OpenCode: its database and older JSON files → records. FACTS.md says what they look like.

Never reads a table or file that may hold a secret, and never a session's title.
"""

from observer.adapters.opencode import paths
from observer.adapters.opencode.read import read
from observer.adapters.protocol import Store

ADAPTER = Store(harness=paths.HARNESS, version=2, roots=paths.roots, discover=paths.discover, read=read)
