"""Every JSON document below a folder, wherever it stands: a line, a file, a cell of a database.

What is changed may be any of it; the files around it stay sound.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

# Gets one document and gives another; an empty result is no document at all.
Edit = Callable[[bytes], bytes]
# Gets the column and the text of a cell that is no document.
Cell = Callable[[str, str], str]


def files(folder: Path) -> list[Path]:
    """The files that hold documents."""
    kept = (".jsonl", ".json", ".db")
    return sorted(
        path for path in folder.rglob("*") if path.suffix in kept and path.is_file() and not path.is_symlink()
    )


def rewrite(path: Path, edit: Edit, cell: Cell | None = None) -> None:
    """Changes every document in a file."""
    if path.suffix == ".db":
        _rewrite_database(path, edit, cell)
    elif path.suffix == ".jsonl":
        path.write_bytes(b"\n".join(edit(line) if line.strip() else line for line in path.read_bytes().split(b"\n")))
    else:
        path.write_bytes(edit(path.read_bytes()))


def _rewrite_database(path: Path, edit: Edit, cell: Cell | None) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = 0")
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if not table.startswith("sqlite_"):
                _rewrite_table(connection, table, edit, cell)


def _rewrite_table(connection: sqlite3.Connection, table: str, edit: Edit, cell: Cell | None) -> None:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    for column in columns:
        rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}" WHERE typeof("{column}") = \'text\'')
        for number, text in rows.fetchall():
            if text.startswith(("{", "[")):
                new = edit(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
            else:
                new = cell(column, text).encode("utf-8", "replace").decode() if cell is not None else text
            if new != text:
                connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, number))
