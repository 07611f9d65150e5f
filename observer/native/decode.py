"""Lines of JSON → typed records, fast; odd lines cost themselves, never usage.

Whole chunks are decoded at once by msgspec into the adapter's typed lines.
Only when a chunk holds a line that does not fit is it decoded line by line:
typed first; then leniently (lone surrogates, NUL padding, a byte-order mark),
with values of a wrong type cut out and named by their path, so that one bad
field does not lose the line.
"""

import json
import re
from typing import Any

import msgspec
from msgspec import Struct

from observer.records.source import Category, Quarantine

# How many wrong fields are cut out of one line before it is given up.
_MOST_REPAIRS = 12
_NESTING_LIMIT = 200
# Where a line says what it is; an unknown word there is a record nobody knows.
_TYPE_PLACES = ("$.type", "$.payload.type")
_PLACE = re.compile(r" - at `(\$[^`]*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class Odd(Struct, frozen=True):
    """What was wrong with one line.

    `fault` "json": not JSON. "object": JSON, but no object. "type": a record
    type outside the union, at `$.type` or `$.payload.type`. "fields": values
    at `paths` had a wrong type and were removed; the record is there without
    them. `keys` are the line's top-level key names, sorted.
    """

    fault: str
    paths: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Lines(Struct):
    """Decoded non-blank lines of one source, in order.

    `records[i]` has the ordinal `first + i` and is None when nothing usable
    was in the line; `odd` tells why, by index.
    """

    first: int
    records: list[Any]
    odd: dict[int, Odd] = {}

    def followed_by(self, later: "Lines") -> "Lines":
        """These lines and the next ones of the same source."""
        odd = {len(self.records) + index: each for index, each in later.odd.items()}
        return Lines(self.first, self.records + later.records, self.odd | odd)

    def has_fault(self, index: int, *prefixes: str, besides: str | None = None) -> bool:
        """Whether a value at or below one of the paths, but none `besides`, was cut out of line `index`."""
        odd = self.odd.get(index)
        if odd is None or odd.fault != "fields":
            return False
        kept = [path for path in odd.paths if besides is None or not _below(path, besides)]
        return any(_below(path, prefix) for path in kept for prefix in prefixes)


def quiet(words: str) -> tuple[type, ...]:
    """Known record types of which nothing is wanted, by their type words."""
    return tuple(msgspec.defstruct("Quiet", (), tag=word, gc=False) for word in words.split())


def line(tag: str, payload: Any = None) -> type[Struct]:
    """The type of a line: a payload of a type (None: of which nothing is wanted), and its `timestamp`.

    A stamp is ISO text or, should that change, an epoch number.
    """
    fields: list[Any] = [("timestamp", str | float | None, None)]
    if payload is None:
        return msgspec.defstruct("QuietLine", fields, tag=tag, gc=False, namespace={"payload": None})
    return msgspec.defstruct("Line", [("payload", payload), *fields], tag=tag, gc=False)


def decode(data: bytes | memoryview, decoder: msgspec.json.Decoder[Any], *, first: int) -> Lines:
    """Decodes whole lines (`data` ends with a newline or holds one last line)."""
    try:
        records = decoder.decode_lines(data)
        if len(records) == _count(data):
            return Lines(first, records)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    lines = Lines(first, [])
    for line in bytes(data).split(b"\n"):
        if not line.strip():
            continue
        try:
            lines.records.append(decoder.decode(line))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            record, odd = _decode_odd(line, decoder)
            lines.odd[len(lines.records)] = odd
            lines.records.append(record)
    return lines


def _count(data: bytes | memoryview) -> int:
    """How many lines there are. The decoder counts values: one may go on over a newline, and a blank line has none."""
    text, count, at = bytes(data), 0, -1
    while (at := text.find(b"\n", at + 1)) >= 0:  # bytes.count looks at every byte, and takes longer
        count += 1
    return count + (text[-1:] not in (b"", b"\n"))


def faults(lines: Lines, *, usage: tuple[str, ...]) -> list[Quarantine]:
    """The quarantine entries of a decode.

    `usage` names the paths of usage objects: a value cut out there is
    `malformed_usage`, anywhere else `schema_error`.
    """
    found = []
    for index, odd in lines.odd.items():
        category = _category(odd, usage)
        if category is not None:
            found.append(Quarantine(lines.first + index, category, odd.keys))
    return found


def _category(odd: Odd, usage: tuple[str, ...]) -> Category | None:
    if odd.fault == "json":
        return "malformed_json"
    if odd.fault == "object":
        return "unknown_record"
    if odd.fault == "type":
        return "unsupported_schema"
    if not odd.paths:
        return None
    in_usage = any(_below(path, prefix) for path in odd.paths for prefix in usage)
    return "malformed_usage" if in_usage else "schema_error"


def _below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((prefix + ".", prefix + "["))


def _decode_odd(line: bytes, decoder: msgspec.json.Decoder[Any]) -> tuple[Any, Odd]:
    """One line that the fast path refused: leniently, cutting out what does not fit."""
    value = _lenient(line)
    if value is None:
        return None, Odd("json")
    if not isinstance(value, dict):
        return None, Odd("object")
    keys = tuple(sorted(str(key)[:60] for key in value))
    cut: list[str] = []
    for _ in range(_MOST_REPAIRS):
        try:
            return msgspec.convert(value, decoder.type), Odd("fields", tuple(cut), keys)
        except msgspec.ValidationError as error:
            place = _PLACE.search(str(error))
            path = place.group(1) if place else "$"
            if path in _TYPE_PLACES or not _cut(value, path):
                return None, Odd("type" if path in _TYPE_PLACES else "fields", (path,), keys)
            cut.append(path)
        except RecursionError:
            break
    return None, Odd("fields", ("$",), keys)


def _lenient(line: bytes) -> Any:
    """What the standard parser makes of it; None when it is no JSON."""
    text = line.strip(b"\x00 \t\r\n").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        return _clean(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(name)


def _clean(value: Any, depth: int = 0) -> Any:
    """Without lone surrogates, which SQLite and UTF-8 output refuse."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if depth > _NESTING_LIMIT:
        return None
    if isinstance(value, dict):
        return {_clean(key): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    return value


def _cut(value: Any, path: str) -> bool:
    """Removes the value at a msgspec path; False when there is none."""
    steps = _STEP.findall(path)
    for name, index in steps[:-1]:
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return False
    if not steps:
        return False
    name, index = steps[-1]
    try:
        if name:
            del value[name]
        else:
            del value[int(index)]
    except (KeyError, IndexError, TypeError):
        return False
    return True
