"""The project's own Python files, parsed, for the tests that look at them."""

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.places import FIXTURES, ROOT

_OURS = ("observer", "publish", "benchmarks", "bin", "tests")
_FOREIGN = {"node_modules", "__pycache__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
)  # fmt: skip


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Python files below these folders of the checkout (all of ours without an argument), sorted."""
    found = (path for folder in folders or _OURS for path in (ROOT / folder).rglob("*.py"))
    return tuple(
        sorted(path for path in found if not _FOREIGN.intersection(path.parts) and FIXTURES not in path.parents)
    )


@cache
def tree(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    """The path as the checkout knows it, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def at(path: Path, node: ast.AST) -> str:
    """`file:line`, as editors open it."""
    return f"{name(path)}:{getattr(node, 'lineno', 1)}"


def nodes(path: Path) -> Iterator[ast.AST]:
    """Every node of the file."""
    return ast.walk(tree(path))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name or attribute, empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def code_lines(text: str) -> int:
    """How many lines of a module hold code: neither blank, nor a comment, nor part of a docstring."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (*FUNCTIONS, ast.Module, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            said = node.body[0]
            held.difference_update(range(said.lineno, (said.end_lineno or said.lineno) + 1))
    return len(held)
