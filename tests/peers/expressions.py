"""Expressions of GitHub Actions, the part that our workflows use: `${{ … }}` over contexts of plain values.

Unknown functions and leftovers fail loudly: an expression that is not
understood must not pass for an empty one.
"""

import glob
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<sign>==|!=|&&|\|\||!|\(|\)|,)"
    r"|(?P<name>[A-Za-z_][\w-]*(?:\.(?:[A-Za-z_][\w-]*|\*))*))"
)
_PLACE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_STATUS = re.compile(r"\b(?:success|failure|always|cancelled)\(")

Contexts = Mapping[str, Any]


def expand(text: object, contexts: Contexts) -> str:
    """The text with every `${{ … }}` replaced by its value, as a script or an environment gets it."""
    return _PLACE.sub(lambda found: shown(value(found[1], contexts)), _plain(text))


def holds(condition: object, contexts: Contexts) -> bool:
    """Whether an `if:` lets its step or job run; without a status function it asks for success, too."""
    text = _plain(condition).strip()
    whole = re.fullmatch(r"\$\{\{(.*)\}\}", text, re.DOTALL)
    text = whole[1] if whole else text
    if not _STATUS.search(text):
        text = f"success() && ({text})"
    return bool(value(text, contexts))


def value(text: str, contexts: Contexts) -> Any:
    """What an expression is worth."""
    return _Reader(text, contexts).whole()


def shown(found: Any) -> str:
    """A value as text."""
    if found is None:
        return ""
    if isinstance(found, bool):
        return "true" if found else "false"
    return json.dumps(found) if isinstance(found, dict | list) else str(found)


def _plain(text: object) -> str:
    return ("true" if text else "false") if isinstance(text, bool) else "" if text is None else str(text)


class _Reader:
    """One expression, from left to right."""

    def __init__(self, text: str, contexts: Contexts) -> None:
        self._contexts = contexts
        self._tokens: list[str] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None:
                raise ValueError(f"not an expression: {text!r}")
            self._tokens.append(found[0].strip())
            place = found.end()

    def whole(self) -> Any:
        found = self._either()
        if self._tokens:
            raise ValueError(f"left over: {self._tokens}")
        return found

    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _take(self, *expected: str) -> str:
        token = self._tokens.pop(0)
        if expected and token not in expected:
            raise ValueError(f"{token!r} instead of {expected}")
        return token

    def _either(self) -> Any:
        found = self._both()
        while self._next() == "||":
            self._take()
            other = self._both()
            found = found or other
        return found

    def _both(self) -> Any:
        found = self._equal()
        while self._next() == "&&":
            self._take()
            other = self._equal()
            found = found and other
        return found

    def _equal(self) -> Any:
        found = self._single()
        while self._next() in ("==", "!="):
            sign, other = self._take(), self._single()
            same = shown(found).lower() == shown(other).lower()
            found = same if sign == "==" else not same
        return found

    def _single(self) -> Any:
        token = self._take()
        if token == "!":
            return not self._single()
        if token == "(":
            found = self._either()
            self._take(")")
            return found
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token[0].isdigit() or token[0] == "-":
            return float(token) if "." in token else int(token)
        if self._next() == "(":
            return self._call(token)
        return {"true": True, "false": False, "null": None}.get(token, self._lookup(token))

    def _call(self, name: str) -> Any:
        self._take("(")
        given = []
        while self._next() != ")":
            given.append(self._either())
            if self._next() == ",":
                self._take(",")
        self._take(")")
        return _functions(self._contexts)[name](*given)

    def _lookup(self, name: str) -> Any:
        found: Any = self._contexts
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found


def _functions(contexts: Contexts) -> dict[str, Callable[..., Any]]:
    succeeded, files = contexts["ok"], contexts["workspace"]
    return {
        "success": lambda: succeeded,
        "failure": lambda: not succeeded,
        "always": lambda: True,
        "cancelled": lambda: False,
        "contains": lambda whole, part: part in whole,
        "startsWith": lambda text, start: shown(text).lower().startswith(shown(start).lower()),
        "endsWith": lambda text, end: shown(text).lower().endswith(shown(end).lower()),
        "format": lambda text, *given: re.sub(r"\{(\d+)\}", lambda found: shown(given[int(found[1])]), text),
        "toJSON": lambda found: json.dumps(found),
        "fromJSON": json.loads,
        "hashFiles": lambda pattern: "x" * 64 if glob.glob(f"{files}/{pattern}", recursive=True) else "",
    }
