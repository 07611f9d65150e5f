"""Model Router: its job ledger → router records. FACTS.md says what is known of it and from where."""

from observer.adapters.protocol import Store
from observer.adapters.router.paths import HARNESS, discover, homes, roots
from observer.adapters.router.read import read

ADAPTER = Store(harness=HARNESS, version=1, roots=roots, discover=discover, read=read, homes=homes)
