"""A sound ledger breaks no rule, and each way of damaging one is found by name."""

import sqlite3
from pathlib import Path

import pytest

from observer.base.errors import LedgerDamaged
from observer.ledger import verify
from observer.ledger.open import reader
from tests.builders.batches import START_MS, Book, event, response, session, submission
from tests.builders.corpora import homes, lay
from tests.builders.imports import Machine

S = "codex:s"
# A damage, and the rule or table that must be named.
DAMAGES = {
    "UPDATE response SET shape = shape + 1": "response.shape",
    "UPDATE response SET context_tokens = 7": "response.context_tokens",
    "UPDATE response SET input = input + 1": "context_tokens",
    "UPDATE response SET output = -1": "negative",
    "UPDATE response SET id = 'claude:r'": "harness in its id",
    "UPDATE session SET key = 'x:y' WHERE key = 'codex:s'": "harness in its key",
    "UPDATE response SET overlap = 1": "cumulative",
    "UPDATE session SET role = 'subagent'": "main sessions only",
    "UPDATE submission SET copied = 1": "a prompt is a copy",
    "UPDATE event SET copied = 1": "an event is a copy",
    "UPDATE event SET detail = '{'": "is JSON",
    "DELETE FROM meta WHERE name = 'ledger_id'": "identity",
    "UPDATE response SET session_id = 99": "rows of response refer to no session",
    "DELETE FROM source": "refer to no source",
}


@pytest.fixture
def book(tmp_path: Path) -> Book:
    found = Book(tmp_path)
    found.told(
        "/a", session(S), response("codex:r", S), submission("codex:p", S), event("e", S, at_ms=START_MS, detail="{}")
    )
    return found


def said(path: Path) -> str:
    with reader(path) as connection:
        rules = [each.rule for each in verify.broken(connection)]
        return "\n".join([*verify.damage(connection), *rules])


def test_a_sound_ledger_breaks_no_rule(book: Book) -> None:
    assert said(book.path) == ""
    with book.reader() as connection:
        assert verify.unsettled(connection) == 0


@pytest.mark.parametrize("statement", DAMAGES)
def test_a_damage_is_found_by_name(book: Book, statement: str) -> None:
    connection = sqlite3.connect(book.path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    assert DAMAGES[statement] in said(book.path)


def test_an_import_that_was_cut_off_is_seen(book: Book) -> None:
    book.write("/b", session("codex:s2"))
    with book.reader() as connection:
        assert verify.unsettled(connection) == 1
    assert said(book.path) == ""


def test_a_page_that_was_overwritten_is_damage(book: Book) -> None:
    """Listed, or, where SQLite gives up before it has a list, refused."""
    connection = sqlite3.connect(book.path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(book.path.read_bytes())
    data[4096 * 5 : 4096 * 6] = b"\xff" * 4096
    book.path.write_bytes(data)
    try:
        found = said(book.path)
    except LedgerDamaged as refused:
        found = refused.message
    assert found


@pytest.mark.parametrize("name", sorted(homes()))
def test_every_real_import_is_sound(name: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    lay(machine.home, homes()[name])
    machine.sync()
    assert said(machine.ledger) == ""
