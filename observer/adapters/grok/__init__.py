"""Grok Build: session folders → records. FACTS.md says what is known of them and from where."""

from observer.adapters.grok.paths import HARNESS, discover, roots
from observer.adapters.protocol import Store

ADAPTER = Store(HARNESS, 2, roots, discover)
