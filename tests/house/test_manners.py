"""What ruff and mypy cannot say about our files: size, clock, output, SQL, swallowed errors."""

import ast
import re

import pytest

from observer.adapters.registry import HARNESSES
from tests.house import sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
# Lines of code of an adapter, over all its files; what several harnesses do alike lies beside their folders.
LARGEST_ADAPTER = 500

# What reads a clock. Sleeping does not, and neither does converting an instant one already has.
_CLOCK = re.compile(
    r"^(?:time\.(?:time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns)"
    r"|(?:datetime\.)?datetime\.(?:now|utcnow|today)|(?:datetime\.)?date\.today)$"
)
_CLOCK_WITHOUT_ARGUMENT = re.compile(r"^time\.(?:localtime|gmtime|ctime|asctime)$")
_SQL = re.compile(
    r"^\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|REPLACE\s+INTO\s|WITH\s+\w+.*\sAS\s*\("
    r"|CREATE\s+(?:TEMP\w*\s+)?(?:TABLE|VIEW|TRIGGER|(?:UNIQUE\s+)?INDEX)\s|ALTER\s+TABLE\s|DROP\s+\w+\s|PRAGMA\s|ATTACH\s|VACUUM\b)",
    re.DOTALL,
)
# Our ledger's SQL lives in two rooms; a foreign database's in its reader and its adapter.
_SQL_ROOMS = ("observer/ledger/", "observer/facts/", "observer/native/", "observer/adapters/")
# Turns what nobody expected into exit code 70.
_LAST_RESORT = "observer/cli/main.py"


def test_no_file_is_longer_than_400_lines() -> None:
    long = {sources.name(path): lines for path in sources.files() if (lines := _lines(path)) > LONGEST_FILE}
    assert long == {}


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{sources.at(path, node)} {node.name}"
        for path in sources.files()
        for node in sources.nodes(path)
        if isinstance(node, sources.FUNCTIONS) and _length(node) > LONGEST_FUNCTION
    ]
    assert long == []


@pytest.mark.parametrize("harness", HARNESSES)
def test_an_adapter_describes_its_format_and_little_more(harness: str) -> None:
    lines = sum(map(_code_lines, sources.files(f"observer/adapters/{harness}")))
    assert 0 < lines <= LARGEST_ADAPTER


def test_lines_of_code_are_those_that_hold_code() -> None:
    text = '''"""Doc
    of two lines."""

import os  # a comment behind

# alone
NAMES = """one

two"""


def f(
    a: int,
) -> int:
    """Doc."""
    return a
'''
    assert sources.code_lines(text) == 1 + 3 + 3 + 1


def test_every_module_says_what_it_owns() -> None:
    silent = [sources.name(path) for path in sources.files() if not ast.get_docstring(sources.tree(path))]
    assert silent == []


def test_only_the_output_module_prints() -> None:
    printing = [
        sources.at(path, node)
        for path in sources.files("observer", "publish")
        if sources.name(path) != "observer/cli/output.py"
        for node in sources.nodes(path)
        if isinstance(node, ast.Call) and sources.dotted(node.func) == "print"
    ]
    assert printing == []


def test_only_one_module_reads_the_clock() -> None:
    reading = [
        sources.at(path, node)
        for path in sources.files("observer", "publish")
        if sources.name(path) != "observer/base/clock.py"
        for node in sources.nodes(path)
        if _reads_clock(node)
    ]
    assert reading == []


def test_nothing_swallows_every_error_and_goes_on() -> None:
    swallowing = [
        sources.at(path, node)
        for path in sources.files("observer", "publish")
        if sources.name(path) != _LAST_RESORT
        for node in sources.nodes(path)
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node.type) and not _ends_in_raise(node)
    ]
    assert swallowing == []


def test_sql_is_written_in_its_rooms_only() -> None:
    stray = [
        sources.at(path, node)
        for path in sources.files("observer", "publish")
        if not sources.name(path).startswith(_SQL_ROOMS)
        for node in sources.nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _SQL.match(node.value)
    ]
    assert stray == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty_names = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert [sources.name(path) for path in sources.files() if path.stem in empty_names] == []


def _code_lines(path: sources.Path) -> int:
    return sources.code_lines(path.read_text(encoding="utf-8"))


def _lines(path: sources.Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _reads_clock(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom) and node.module == "time":
        return any(_CLOCK.match(f"time.{alias.name}") for alias in node.names)
    if isinstance(node, ast.Call) and not node.args:
        return bool(_CLOCK_WITHOUT_ARGUMENT.match(sources.dotted(node.func)))
    return isinstance(node, ast.Attribute) and bool(_CLOCK.match(sources.dotted(node)))


def _catches_everything(caught: ast.expr | None) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or sources.dotted(kind) in {"Exception", "BaseException"} for kind in kinds)


def _ends_in_raise(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)
