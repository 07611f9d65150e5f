"""Codex: rollouts → records. FACTS.md says what is known of them and from where."""

from observer.adapters.codex.paths import HARNESS, discover, roots
from observer.adapters.protocol import Adapter

ADAPTER = Adapter(HARNESS, 3, roots, discover)
