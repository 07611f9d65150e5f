"""The command lines that a Markdown document shows, and whether this program would take them.

A line of a code block is a command to paste and must parse as it stands. Code
within a sentence may name a command or an option alone; what it names must
exist.
"""

import argparse
import ast
import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from observer.cli import parsers
from tests.house import sources

_FENCE = re.compile(r"^ *(`{3,}|~{3,})(\w*)[^\n]*\n(.*?)^ *\1`* *$", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?:^\n|\A)((?: {4}[^\n]*\n)+)", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# What may stand before the program's name in a simple command or a workflow's step.
_BEFORE = re.compile(r"\w+=.*|-|run:|if|then|do|else|!|\$")
_PROGRAM = re.compile(r"(?:\S*/)?agent-observer")
_SHELLS = {"", "sh", "bash", "console", "fish", "yaml", "yml"}


def blocks(page: str) -> Iterator[list[str]]:
    """The words of every call in a code block, without the program's name."""
    code = [match.group(3) for match in _FENCE.finditer(page) if match.group(2) in _SHELLS]
    code += [match.group(1) for match in _INDENTED.finditer(_FENCE.sub("\n", page))]
    for text in code:
        for line in text.replace("\\\n", " ").splitlines():
            yield from _calls(line)


def inline(page: str) -> Iterator[list[str]]:
    """The words of every call named within a sentence."""
    for match in _INLINE.finditer(_FENCE.sub("\n", page)):
        yield from _calls(match.group(1))


def literals(path: Path) -> Iterator[list[str]]:
    """The words of every call in a Python file's texts: hints that can be pasted; {…} stands as a word."""
    for node in sources.nodes(path):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        for line in text.splitlines():
            yield from _calls(line)


def fault(words: list[str]) -> str | None:
    """Why the program would not take the words; None when it would."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            _parser().parse_args(words)
        except SystemExit as stop:
            return None if stop.code == 0 else said.getvalue().strip().splitlines()[-1]
    return None


def unknown(words: list[str]) -> list[str]:
    """Which of the words would be a command or an option, and are none."""
    parser, missing = _parser(), []
    for word in words:
        options = {text for action in parser._actions for text in action.option_strings}
        below = _below(parser)
        if word.startswith("-") and word != "-":
            missing += [word] if word.partition("=")[0] not in options else []
        elif below:
            if word not in below:
                return missing if word.isupper() else [*missing, word]  # COMMAND: a placeholder
            parser = below[word]
    return missing


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&`")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an apostrophe: prose, or a value that is cut off
        return
    call: list[str] | None = None
    may_begin = True
    for word in [*words, ";"]:
        if not word.strip("();<>|&`$"):
            if call is not None:
                yield call
            call, may_begin = None, not word.strip("();|&`$")
        elif call is not None:
            call.append(word)
        elif may_begin and _PROGRAM.fullmatch(word):
            call = []
        else:
            may_begin = may_begin and bool(_BEFORE.fullmatch(word))


@cache
def _parser() -> argparse.ArgumentParser:
    return parsers.every()


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found
