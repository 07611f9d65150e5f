"""Damage to records as disks, crashes, other programs and future releases do it.

Every kind takes bytes of one record and gives other bytes; what comes out may be
anything but a record that was not asked for.
"""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from hypothesis import strategies as st

Damage = Callable[[bytes], bytes]

_NUMBER = re.compile(rb"(?<=[:\[,])-?\d+(?:\.\d+)?(?=[,\]}])")
_TEXT = re.compile(rb'(?<=[:\[,])"(?:[^"\\]|\\.)*"(?=[,\]}])')
_TIME = re.compile(rb"\d{4}-\d{2}-\d{2}T[0-9:.]+(?:Z|\+00:00)|(?<=[:\[,])1[0-9]{9,15}(?=[,\]}.])")
_KEY = re.compile(rb'"[a-zA-Z_]+"(?=:)')
_NUMBERS = (
    *(b"-1", b"0", b"1e400", b"1.5", b"-0.0", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 5000),
    *(b"true", b"null", b'"12"', b"[]", b"{}", b"NaN", b"9007199254740993"),
)
_TEXTS = (
    *(b'""', b"null", b"0", b"[]", b"{}", b"true", rb'"\ud83d"', rb'"\udc00\ud800"', rb'"\u0000"', b'"\xe2\x80\xa8"'),
    *(b'"\xed\xa0\xbd"', b'"\xff\xfe"', b'"<b>"', b'"' + b"x" * 70_000 + b'"', rb'"\u202e\u001b[31m"', b'[["a"]]'),
    *(b'{"type":"text","text":"sk-' + b"a1B2" * 12 + b'"}', b'"claude:x"', b'"../../etc"', b'" "'),
)
_TIMES = (
    *(b"9999-12-31T23:59:59.999Z", b"0001-01-01T00:00:00Z", b"2026-02-30T00:00:00Z", b"1969-12-31T23:59:59Z"),
    *(b"99999999999999999999", b"-1", b"253402300800000", b"2026-09-24T10:00:00+99:99"),
)


def _put(inserted: bytes) -> Callable[[bytes, float], bytes]:
    def damage(data: bytes, where: float) -> bytes:
        at = int(where * len(data))
        return data[:at] + inserted + data[at:]

    return damage


def _replace(pattern: re.Pattern[bytes], value: bytes) -> Callable[[bytes, float], bytes]:
    """One place that fits the pattern holds something else."""

    def damage(data: bytes, where: float) -> bytes:
        found = list(pattern.finditer(data))
        if not found:
            return data
        start, end = found[int(where * len(found))].span()
        return data[:start] + value + data[end:]

    return damage


def _flip(data: bytes, where: float) -> bytes:
    at = int(where * len(data))
    return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :] if data else data


_KINDS: tuple[Callable[[bytes, float], bytes], ...] = (
    *map(_put, (b"\0" * 512, b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\r", rb"\ud800", b"\xed\xa0\x80", b"}", b'"', b"\\")),
    *(_put(opening * 20_000) for opening in (b"[", b'{"a":', b"[" + b"]")),
    *(_replace(_NUMBER, value) for value in (*_NUMBERS, b"[" * 300 + b"]" * 300)),
    *(_replace(_TEXT, value) for value in (*_TEXTS, b'{"a":' * 300 + b"1" + b"}" * 300)),
    *(_replace(_TIME, value) for value in _TIMES),
    *(_replace(_KEY, value) for value in (b'"type"', b'"id"', b'"unknown"', b'"\\ud800"')),
    _flip,
    lambda data, where: data[: int(where * len(data))],
    lambda data, where: data[int(where * len(data)) :],
    lambda data, where: data[: int(where * len(data))] + b"\n" + data[int(where * len(data)) :],
    lambda data, _where: data + b"\r",
    lambda data, _where: b"\xef\xbb\xbf" + data,
    lambda data, _where: b"\0" * 4096 + data,
    lambda data, _where: data[:1] + data,
)

damages: st.SearchStrategy[Damage] = st.builds(
    lambda kind, where: lambda data: kind(data, where),
    st.sampled_from(_KINDS),
    st.floats(0, 1, exclude_max=True),
)


def damaged_lines(draw: st.DrawFn, data: bytes) -> tuple[bytes, int]:
    """A file of lines of which up to four are damaged, lost, repeated or moved; and how many."""
    lines = data.split(b"\n")
    count = draw(st.integers(1, 4))
    for _ in range(count):
        at, other = (draw(st.integers(0, max(0, len(lines) - 1))) for _ in range(2))
        match draw(st.sampled_from(["damage"] * 6 + ["repeat", "lose", "move"])):
            case "repeat":
                lines.insert(other, lines[at])
            case "lose" if len(lines) > 1:
                del lines[at]
            case "move":
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                lines[at] = draw(damages)(lines[at])
    return b"\n".join(lines), count


def damage_database(draw: st.DrawFn, path: Path) -> None:
    """Up to four cells of a database hold something else; seldom bytes of the file itself."""
    if draw(st.integers(0, 9)) == 0:
        path.write_bytes(draw(damages)(path.read_bytes()))
        return
    with closing(sqlite3.connect(path)) as connection, connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        full = [name for name in sorted(tables) if connection.execute(f'SELECT 1 FROM "{name}"').fetchone()]
        for _ in range(draw(st.integers(1, 4))):
            _damage_cell(draw, connection, draw(st.sampled_from(full)))


def _damage_cell(draw: st.DrawFn, connection: sqlite3.Connection, table: str) -> None:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    column = draw(st.sampled_from(columns))
    rows = connection.execute(f'SELECT rowid, CAST("{column}" AS BLOB) FROM "{table}"').fetchall()
    number, value = draw(st.sampled_from(rows))
    new: bytes | str | int | None = draw(damages)(value or b"1")
    match draw(st.sampled_from(["text"] * 4 + ["bytes", "null", "number"])):
        case "text" if isinstance(new, bytes):
            new = new.decode("utf-8", "replace")
        case "null":
            new = None
        case "number":
            new = draw(st.sampled_from([-1, 0, 2**63 - 1, -(2**63), 10**15]))
    try:
        connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, number))
    except sqlite3.IntegrityError:
        return  # the agent's own schema does not allow it either
