"""Files that travel with the program: price schedules, the demo's records.

They lie at the repository root in a checkout and inside the package in a
wheel. This is the one place in `observer` that knows both.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_CHECKOUT = _PACKAGE.parent


def bundled(name: str) -> Path:
    """The folder or file `name` (such as `prices`), wherever it lies."""
    installed = _PACKAGE / "_bundled" / name
    return installed if installed.exists() else _CHECKOUT / name


def demo_records() -> Path:
    """Real record sets for the demo: a folder per harness, a folder per set."""
    installed = _PACKAGE / "_bundled" / "demo"
    return installed if installed.exists() else _CHECKOUT / "tests" / "fixtures" / "records"
