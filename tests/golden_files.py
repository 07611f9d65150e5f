"""Golden files: what a text was when somebody last looked at it and found it good.

`golden("comment/plain.md", text)` compares with tests/golden/comment/plain.md.
`--update-golden` writes the files instead; look at the difference before it
is committed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.places import ROOT

FOLDER = ROOT / "tests" / "golden"
Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option."""
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with its golden file, or writes that."""
    update = bool(request.config.getoption("--update-golden"))

    def check(name: str, text: str) -> None:
        path = FOLDER / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        assert path.is_file(), f"{name} is missing; write it with --update-golden"
        assert text == path.read_bytes().decode("utf-8"), f"{name} differs"

    return check


def names(folder: str) -> set[str]:
    """The golden files that lie in a folder, so that a test can tell which nobody needs any more."""
    return {path.name for path in Path(FOLDER / folder).iterdir()}
