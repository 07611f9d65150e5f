"""Which release a session ran: what outranks what, and what stays unknown."""

from pathlib import Path
from typing import Any

import pytest

from observer.facts import instructions as facts
from observer.ledger import instructions, write
from observer.ledger.open import transaction
from observer.records.identity import Instructions, Release
from observer.records.source import SourceFile
from tests.builders.batches import Book, batch, event, session

KEY = "claude:s"
A, B, C = "a" * 64, "b" * 64, "c" * 64
RELEASES = [Release("12.0.0", A, 100, 1000), Release("12.1.0", B, 200, 2000)]


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


def learn(book: Book, *found: Release) -> None:
    with book.writer() as connection:
        instructions.learn(connection, found or RELEASES)


def proof(ordinal: int, **fields: Any) -> Instructions:
    return Instructions(KEY, ordinal, **fields)


def stated(ordinal: int, sha256: str | None, status: str = "ready") -> Instructions:
    return proof(ordinal, direction_status=status, instructions_sha256=sha256)


def read(name: str, path: str, family: str = "skill_read", **fields: Any) -> Any:
    return event(name, KEY, family, target=path, **fields)


def version(book: Book) -> str | None:
    found: str | None = book.rows("SELECT agentsmd_version FROM session WHERE key = ?", KEY)[0][0]
    return found


def shown(book: Book) -> facts.Proof | None:
    with book.reader() as connection:
        number = connection.execute("SELECT id FROM session WHERE key = ?", (KEY,)).fetchone()[0]
        return facts.proof(connection, number)


def test_a_hash_of_a_known_release_is_that_release(book: Book) -> None:
    """E142."""
    learn(book)
    book.told("/a", session(KEY), stated(3, B))
    assert version(book) == "12.1.0"


def test_a_stated_hash_outranks_a_match_and_both_outrank_a_path(book: Book) -> None:
    learn(book)
    paths = [read(str(number), "/p/agentsmd/9.9.9/skills/x/SKILL.md") for number in range(5)]
    book.told("/a", session(KEY), *paths)
    assert version(book) == "9.9.9"
    book.told("/b", proof(9, matched_sha256=A))
    assert version(book) == "12.0.0"
    book.told("/c", stated(1, B))
    assert version(book) == "12.1.0"


def test_a_hash_that_no_release_has_stays_unresolved_until_one_has(book: Book) -> None:
    learn(book)
    book.told("/a", session(KEY), read("r", "/p/agentsmd/9.9.9/x"), proof(1, matched_sha256=A), stated(2, C))
    assert version(book) is None
    learn(book, Release("12.2.0", C, 300))
    book.settle()
    assert version(book) == "12.2.0"


def test_the_last_block_with_a_hash_wins_and_a_broken_one_says_nothing(book: Book) -> None:
    """E143."""
    learn(book)
    book.told("/a", session(KEY), stated(1, None, "unparsed"))
    assert (version(book), shown(book)) == (None, facts.Proof("unparsed"))
    book.told("/a", stated(2, A), stated(3, B), stated(4, None, "unparsed"))
    assert (version(book), shown(book)) == ("12.1.0", facts.Proof("ready", B))


def test_several_texts_of_one_line_are_one_proof(book: Book) -> None:
    """The last good block and the last match, in whatever order the texts stood."""
    learn(book)
    texts = [stated(1, A), proof(1, matched_sha256=B), stated(1, None, "unparsed")]
    for order in (texts, texts[::-1]):
        book.told("/a", session(KEY), *order)
        assert shown(book) == facts.Proof("ready", A, matched_sha256=B)


def test_a_proof_alone_makes_its_session_known(book: Book) -> None:
    book.told("/a", stated(1, A))
    assert shown(book) == facts.Proof("ready", A)


def test_a_session_without_proof_has_none(book: Book) -> None:
    book.told("/a", session(KEY))
    assert (version(book), shown(book)) == (None, None)


def test_the_plugin_path_most_often_read_names_the_version(book: Book) -> None:
    """E146: of two read as often, the newer; what was copied, called or only looks like a version does not count."""
    book.told("/a", session(KEY), read("1", "/home/dev/.claude/plugins/agentsmd/12.1.0/skills/a/SKILL.md"))
    assert version(book) == "12.1.0"
    book.told("/a", read("2", "/p/agentsmd/12.0.0/b", "read"), read("3", "/p/agentsmd/12.0.0/c"))
    assert version(book) == "12.0.0"
    book.told("/a", read("4", "/p/agentsmd/12.1.0/d", "skill_invoke"))
    assert version(book) == "12.1.0"
    ignored = ["/p/agentsmd/13.0/x", "/p/agentsmd/13.0.0", "/p/agentsmd/v13.0.0/x", "/p/agentsmd2/13.0.0/x",
               "/p/agentsmd/13.0.0-rc1/x", "/p/agentsmd/\u0661\u0663.0.0/x"]  # fmt: skip
    book.told("/a", *(read(f"i{path}{number}", path) for path in ignored for number in range(5)))
    book.told("/a", *(read(f"c{number}", "/p/agentsmd/13.0.0/x", "tool_call") for number in range(5)))
    assert version(book) == "12.1.0"


def test_versions_are_compared_as_numbers(book: Book) -> None:
    book.told("/a", session(KEY), read("1", "/p/agentsmd/9.0.0/x"), read("2", "/p/agentsmd/10.0.0/x"))
    assert version(book) == "10.0.0"


def test_the_earliest_release_keeps_a_hash(book: Book) -> None:
    """E147: also when the repository shows only later tags any more."""
    learn(book, Release("12.1.0", A, 100))
    learn(book, Release("12.0.0", A, 100))
    learn(book, Release("12.2.0", A, 100))
    assert book.rows("SELECT sha256, version FROM release") == [(A, "12.0.0")]
    learn(book)
    assert len(book.rows("SELECT * FROM release")) == 2


def test_a_repeat_changes_nothing_and_a_known_map_unsettles_nothing(book: Book) -> None:
    learn(book)
    records = (session(KEY), stated(1, A), proof(2, matched_sha256=B))
    book.told("/a", *records)
    before = book.rows("SELECT * FROM instruction")
    book.told("/a", *records)
    assert book.rows("SELECT * FROM instruction") == before
    learn(book)
    assert book.rows("SELECT COUNT(*) FROM session WHERE unsettled = 1") == [(0,)]


def test_what_a_unit_proves_now_replaces_what_it_proved(book: Book) -> None:
    """Places in a store move when messages are taken out; a line file's do not."""

    def unit(*records: Any) -> None:
        with book.writer() as connection, transaction(connection):
            source = write.source(connection, SourceFile("opencode", "/db#s"))
            write.batch(connection, source, batch(session(KEY), *records), mutable=True)

    book.told("/a", session(KEY), proof(7, matched_sha256=B))
    unit(stated(5, A))
    unit(stated(4, B))
    assert book.rows("SELECT ordinal FROM instruction ORDER BY 1") == [(4,), (7,)]
    unit()
    assert book.rows("SELECT ordinal FROM instruction") == [(7,)]


def undecided(book: Book, *found: Release, since_ms: int = 2) -> dict[str, int]:
    with book.writer() as connection:
        return instructions.undecided(connection, found or RELEASES, since_ms)


def kept(book: Book) -> list[tuple[Any, ...]]:
    return book.rows("SELECT ordinal, matched_sha256, instructions_sha256 FROM instruction ORDER BY ordinal")


@pytest.mark.parametrize("at_once", [True, False])
def test_of_texts_of_no_known_release_the_first_is_remembered(book: Book, at_once: bool) -> None:
    """However the file was cut; and none where the same file proves better."""
    texts = [proof(7), proof(3), proof(5, direction_status="unparsed")] if at_once else [proof(3), proof(7)]
    for each in [texts] if at_once else [[text] for text in texts]:
        book.told("/a", session(KEY), *each)
    assert [row[0] for row in kept(book)] == ([3, 5] if at_once else [3])
    assert undecided(book) == {"claude": 1}
    assert shown(book) in (None, facts.Proof("unparsed"))
    book.told("/a", proof(9, matched_sha256=A), proof(11))
    assert [row for row in kept(book) if row[0] != 5] == [(9, A, None)]
    assert undecided(book) == {}


def test_only_sessions_that_a_new_release_could_decide_are_undecided(book: Book) -> None:
    """Not those that ended before it was out, were read since, are decided, or whose file is gone."""
    book.told("/a", session(KEY, ended_ms=5000), proof(1))
    assert undecided(book) == {"claude": 1}
    assert undecided(book, Release("13.0.0", C, 1, 5001)) == {}
    assert undecided(book, Release("13.0.0", C, 1, None), Release("13.0.1", B, 1, 5001)) == {"claude": 1}
    assert undecided(book, since_ms=1) == {}
    with book.writer() as connection:
        assert instructions.undecided(connection, [], 2) == {}
        connection.execute("UPDATE source SET gone_ms = 1")
    assert undecided(book) == {}
    with book.writer() as connection:
        connection.execute("UPDATE source SET gone_ms = NULL")
    book.told("/b", read("r", "/p/agentsmd/9.9.9/x"))
    assert undecided(book) == {}
