"""Every law of this folder runs for every harness of the registry, or for every real record set of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from observer.adapters import registry
from observer.adapters.protocol import Adapter
from observer.adapters.registry import adapter
from tests.contract import record_sets
from tests.contract.imported import Imported
from tests.contract.record_sets import RecordSet


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`harness`: each name. `record_set`: each set of each harness. `billed_set`: each one whose bill is known.

    `line_harness`: those that write line files, `store_harness`: the others, `store_set`: the sets of these.
    """
    every = record_sets.every()
    given = {
        "harness": registry.HARNESSES,
        "line_harness": [each for each in registry.HARNESSES if isinstance(adapter(each), Adapter)],
        "store_harness": [each for each in registry.HARNESSES if not isinstance(adapter(each), Adapter)],
        "store_set": [each for each in every if not isinstance(each.reader, Adapter)],
        "record_set": every,
        "billed_set": [each for each in every if each.bill is not None],
    }
    for name in given.keys() & set(metafunc.fixturenames):
        metafunc.parametrize(name, given[name], ids=[getattr(each, "name", str(each)) for each in given[name]])


@pytest.fixture(autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands inside the process see no settings of the developer's."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))


class Imports:
    """Each set after its import; made once for all laws, which only look."""

    def __init__(self) -> None:
        self._made: dict[str, Imported] = {}

    def of(self, record_set: RecordSet) -> Imported:
        """The set after its import."""
        if record_set.name not in self._made:
            self._made[record_set.name] = Imported(record_set)
        return self._made[record_set.name]

    def close(self) -> None:
        """Removes all machines."""
        for each in self._made.values():
            each.close()


@pytest.fixture(scope="session")
def imports() -> Iterator[Imports]:
    """All sets that were imported."""
    made = Imports()
    yield made
    made.close()


@pytest.fixture
def told(record_set: RecordSet, imports: Imports) -> Imported:
    """The set at hand after its import."""
    return imports.of(record_set)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty HOME."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
