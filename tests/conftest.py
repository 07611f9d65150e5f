"""What every test may rely on: no network, known hypothesis profiles, a command line of its own.

`HYPOTHESIS_PROFILE=long` runs the laws twenty times as hard.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import command_line, network, places

# Plugins of other folders, by the file that makes them exist.
_PLUGINS = {
    "tests.golden_files": "golden_files.py",
    "tests.peers.fixtures": "peers/fixtures.py",
    "tests.peers.hosted": "peers/hosted.py",
}
pytest_plugins = [name for name, path in _PLUGINS.items() if (places.ROOT / "tests" / path).is_file()]

# Two cores shared with others say nothing about a law: no deadline.
_QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=50, **_QUIET)
settings.register_profile("long", max_examples=1000, **_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    with network.walled():
        yield


@pytest.fixture
def cli(tmp_path: Path) -> command_line.Cli:
    """The real command line in a private HOME with a private ledger: `cli("usage", "--json").json`."""
    return command_line.machine(tmp_path)
