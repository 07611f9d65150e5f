"""What is kept of an event beyond its columns: a short list per family, as JSON text.

The JSON is canonical, valid, and at most 4000 characters long, whatever was
recorded. Values are numbers, targets, names of Skills and excerpts.
"""

from collections.abc import Callable
from functools import lru_cache

import msgspec

from observer.privacy import excerpt
from observer.privacy.names import name
from observer.privacy.targets import target
from observer.records.event import Family, RawDetail
from observer.records.usage import LARGEST

LONGEST = 4000

# Texts and integers only, which every encoder writes as base.canon does.
_encode = msgspec.json.Encoder(order="sorted").encode


def detail(family: Family, raw: RawDetail) -> str | None:
    """The detail of an event of that family; None when its family keeps none or nothing was said."""
    keep = _KEPT.get(family)
    return keep(raw) if keep is not None else None


def _file_change(raw: RawDetail) -> str | None:
    """As many of the paths as there is room for."""
    kept: list[str] = []
    room = LONGEST - len(_json({"paths": []}))
    for path in raw.paths:
        screened = target(path)
        size = len(_json(screened)) + 1
        if screened and size <= room:
            kept.append(screened)
            room -= size
    return _json({"paths": kept}) if kept else None


def _tool_result(raw: RawDetail) -> str | None:
    return _exit(raw.exit_code) if type(raw.exit_code) is int and abs(raw.exit_code) <= LARGEST else None


@lru_cache(maxsize=256)
def _exit(code: int) -> str:
    return _json({"exit_code": code})


def _read(raw: RawDetail) -> str | None:
    return _shortened(_place(raw))


def _skill_read(raw: RawDetail) -> str | None:
    return _shortened(_place(raw) | _skill(raw))


def _skill_invoke(raw: RawDetail) -> str | None:
    return _shortened(_skill(raw, named=False))


def _assistant_message(raw: RawDetail) -> str | None:
    text = excerpt.answer(raw.text) if raw.text else ""
    return _json({"excerpt": text}) if text else None


def _place(raw: RawDetail) -> dict[str, int | str | None]:
    return {
        "start_line": _count(raw.start_line),
        "line_count": _count(raw.line_count),
        "command": target(raw.command),
    }


def _skill(raw: RawDetail, *, named: bool = True) -> dict[str, int | str | None]:
    path: dict[str, int | str | None] = {"path": target(raw.path)}
    return path | {"skill": name(raw.skill) if raw.skill else None} if named else path


def _count(value: int | None) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST else None


def _shortened(said: dict[str, int | str | None]) -> str | None:
    """The JSON of what is known; the longest text is cut until it fits."""
    known = {key: value for key, value in said.items() if value is not None}
    text = _json(known)
    while len(text) > LONGEST:
        key, value = max(((key, value) for key, value in known.items() if isinstance(value, str)), key=_size)
        known[key] = _cut(value, len(_json(value)) - (len(text) - LONGEST))
        text = _json(known)
    return text if known else None


def _size(pair: tuple[str, str]) -> int:
    return len(_json(pair[1]))


def _cut(value: str, size: int) -> str:
    """The longest beginning whose JSON has at most `size` characters."""
    fits, fails = 0, len(value)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if len(_json(value[:middle])) <= size:
            fits = middle
        else:
            fails = middle
    return value[:fits]


def _json(value: object) -> str:
    return _encode(value).decode("utf-8")


_KEPT: dict[Family, Callable[[RawDetail], str | None]] = {
    "file_change": _file_change,
    "tool_result": _tool_result,
    "read": _read,
    "skill_read": _skill_read,
    "skill_invoke": _skill_invoke,
    "assistant_message": _assistant_message,
}
