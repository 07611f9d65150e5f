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

    console = Console(file=sys.stdout, highlight=False)
    short = [[_short(cell) for cell in row] for row in cells]
    notes = ["≥ a lower bound"] if any("≥" in cell for row in short for cell in row) else []
    widths = [max(map(len, column)) for column in zip(headers, *short, strict=True)]
    if sum(widths) + 2 * len(widths) > console.width:
        short = [
            [_rounded(cell) if to_right else cell for cell, to_right in zip(row, right, strict=True)] for row in short
        ]
        notes.append("figures are rounded to fit; --csv and --json have every digit")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), caption=" · ".join(notes) or None)
    for header, to_right in zip(headers, right, strict=True):
        # A number is never broken over lines; names give way.
        table.add_column(header, justify="right" if to_right else "left", overflow="fold")
        table.columns[-1].min_width = (
            max(len(row[len(table.columns) - 1]) for row in short) if to_right and short else None
        )
    for row in short:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _rounded(cell: str) -> str:
    """A count of five digits or more in three: `1.71M`, `490k`; anything else as it is."""
    sign = "≥" if cell.startswith("≥") else ""
    digits = cell.removeprefix("≥").replace(",", "")
    if not digits.isdecimal() or len(digits) < 5:
        return cell
    for name, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if int(digits) >= size:
            return f"{sign}{int(digits) / size:.3g}{name}"
    return cell


def _short(cell: str) -> str:
    """The words around a figure as signs: a terminal is narrow."""
    plain = cell.removesuffix(" (lower bound)").replace(">=", "≥")
    return plain.replace("at least ", "≥").replace("under ", "<")
