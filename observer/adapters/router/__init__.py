"""Model Router: its job ledger → router records. FACTS.md says what is known of it and from where."""

from observer.adapters.protocol import Store
from observer.adapters.router.paths import HARNESS, discover, homes, roots

ADAPTER = Store(HARNESS, 1, roots, discover, homes)
