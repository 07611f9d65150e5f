"""Which test holds which known edge case: the numbers in the docstrings of tests, collected.

`docs/edge-cases.md` shows the result; tests/house/test_docs.py keeps it equal.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.places import ROOT

LAST = 249
_NUMBER = re.compile(r"\bE(\d{3})(?:\s*[-–]\s*E?(\d{3}))?")
_HEAD = """# Known edge cases and their tests

249 situations that readers of agents' records get wrong, by number. Each has at least one test, whose
docstring says what must hold.
Numbers that are missing here belong to parts that do not exist yet.
Written by `bin/test tests/house/test_docs.py --update-golden`.

| case | tests |
|---|---|
"""


def page() -> str:
    """The whole page."""
    found: dict[int, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for number, name in _numbers(path):
            found.setdefault(number, set()).add(f"[{name}](../{path.relative_to(ROOT)})")
    rows = (f"| E{number:03} | {', '.join(sorted(found[number]))} |\n" for number in sorted(found))
    return _HEAD + "".join(rows)


def _numbers(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers and the test they are named in; a module's or class's docstring counts for all in it."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            name = path.stem if isinstance(node, ast.Module) else node.name
            for first, last in _NUMBER.findall(ast.get_docstring(node) or ""):
                for number in range(int(first), int(last or first) + 1):
                    if 1 <= number <= LAST:
                        yield number, name
