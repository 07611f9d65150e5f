"""Everything that is printed: the answer on stdout, the rest on stderr.

JSON is one document with sorted keys. Tables are drawn with rich when a
person looks at a terminal, and are plain aligned text in a pipe. NO_COLOR and
FORCE_COLOR are honoured by rich.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from typing import Any


class Output:
    """Where a command answers; `wants_json` says in which form."""

    def __init__(self, *, wants_json: bool = False) -> None:
        self.wants_json = wants_json

    def json(self, value: Any) -> None:
        """The answer as one JSON document. Money must be text already."""
        import msgspec

        document = msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2)
        sys.stdout.write(document.decode("utf-8") + "\n")

    def text(self, line: str = "") -> None:
        """One line or block of the answer."""
        sys.stdout.write(line + "\n")

    def note(self, line: str) -> None:
        """Something besides the answer."""
        sys.stderr.write(line + "\n")

    def table(self, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table; columns whose cells are numbers stand to the right."""
        cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
        right = [bool(cells) and all(_is_number(row[place]) for row in cells) for place in range(len(headers))]
        if sys.stdout.isatty():
            _draw(headers, cells, right)
        else:
            _align(headers, cells, right)

    def csv(self, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Comma-separated values with a header; unknown is an empty cell.

        A cell that a spreadsheet would take for a formula gets a leading quote.
        """
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(headers)
        writer.writerows([_inert(cell) for cell in row] for row in rows)


def _inert(cell: object) -> object:
    return "'" + cell if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _is_number(cell: str) -> bool:
    plain = cell.removesuffix(" (lower bound)").removeprefix("at least ").removeprefix("under ").lstrip(">=$")
    return cell in ("", "unknown", "n/r", "″") or plain.replace(",", "").replace(".", "", 1).isdigit()


def _align(headers: Sequence[str], cells: list[list[str]], right: list[bool]) -> None:
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    for row in (headers, *cells):
        parts = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        sys.stdout.write("  ".join(parts).rstrip() + "\n")


def _draw(headers: Sequence[str], cells: list[list[str]], right: list[bool]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header, to_right in zip(headers, right, strict=True):
        table.add_column(header, justify="right" if to_right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, highlight=False).print(table)
