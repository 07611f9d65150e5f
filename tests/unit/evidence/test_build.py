"""Exported evidence: sealed, decodable, in agreement with the report, and without anything that was not allowed."""

import hashlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.base.canon import digest
from observer.capture import bind, tasks
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.evidence import build
from observer.evidence.build import Destination
from observer.evidence.schema import schema
from observer.facts.ledger import identity
from observer.records.evidence import Evidence, Subject
from observer.reports import task as reporting
from tests.builders import mini
from tests.builders.batches import Book, response, session, submission, usage
from tests.builders.mini import P1, P2, S, assign, create, report

_ALIEN = (
    "/home/dev/secret-project",
    "secret title",
    "secret branch",
    "secret evidence",
    "secret excerpt",
    "secret family",
)


def evidence(book: Book, task: str = "T-A", destination: Destination | None = None) -> Evidence:
    found = report(book, task)
    with book.reader() as connection:
        return build.build(found, ledger_id=identity(connection), destination=destination or Destination())


@pytest.fixture
def book(tmp_path: Path) -> Book:
    found = mini.book(tmp_path, task=None)
    found.told("/mini", session(S, project=_ALIEN[0], branch=_ALIEN[2]),
               submission("codex:p3", S, turn="C", excerpt=_ALIEN[4], minute=9))  # fmt: skip
    with found.writer() as connection:
        tasks.create(connection, "T-A", TaskFields(project=_ALIEN[0], title=_ALIEN[1], family=_ALIEN[5]))
        tasks.create(connection, "T-B", TaskFields())
        for prompt in (P1, P2):
            bind.assign(connection, prompt, "T-A", bind.Binding(evidence=_ALIEN[3]))
        bind.assign(connection, "codex:p3", "T-A", bind.Binding())
    return found


def test_evidence_decodes_as_what_it_is(book: Book) -> None:
    found = evidence(book)
    assert msgspec.json.decode(build.encode(found), type=Evidence) == found


def test_the_identity_is_the_digest_of_the_rest(book: Book) -> None:
    document = msgspec.json.decode(build.encode(evidence(book)))
    sealed = document.pop("evidence_id")
    assert sealed == digest(document)
    assert document["price_schedule_id"] == digest(document["price_schedule"])
    subject = document["subject"]
    assert subject["subject_id"] == hashlib.sha256(f"{document['ledger_id']}\0task\0T-A".encode()).hexdigest()


def test_the_same_moment_gives_the_same_bytes(book: Book) -> None:
    """E177: no clock is in it."""
    assert build.encode(evidence(book)) == build.encode(evidence(book))


def test_nothing_leaves_that_was_not_allowed(book: Book) -> None:
    """No path, title, branch, excerpt, family or reason of a binding."""
    content = build.encode(evidence(book)).decode()
    assert [word for word in _ALIEN if word in content] == []


def test_rows_add_up_to_the_report(book: Book) -> None:
    create(book, "T-C")
    assign(book, "codex:p3", "T-C")
    found, told = report(book), evidence(book)
    assert sum(row.responses for row in told.usage if row.share == "attributed") == told.partitions.attributed == 3
    assert told.partitions.scope == told.partitions.attributed + told.partitions.shared + told.partitions.unassigned
    assert sum((Decimal(row.usd) for row in told.usage), Decimal(0)) == found.valuation.subtotal
    for row in told.usage:
        parts = [counter.usd for counter in (row.input, row.cached_input, row.cache_write_input, row.cache_write_5m,
                                             row.cache_write_1h, row.output, row.reasoning_output)]  # fmt: skip
        assert sum((Decimal(part) for part in parts if part), Decimal(0)) == Decimal(row.usd)
    assert [name for name, _ in told.measured.attributed] == ["codex:r1", "codex:r2", "codex:r3"]
    assert {row for _, row in told.measured.attributed} == set(range(len(told.usage)))


def test_unassigned_usage_is_told_by_its_ids_only(tmp_path: Path) -> None:
    book = mini.book(tmp_path)
    assign(book, P1)
    told = evidence(book)
    assert told.measured.unassigned == ["codex:r3"]
    assert sum(row.responses for row in told.usage) == 2


def test_a_selection_of_sessions_has_an_identity_of_its_own(book: Book) -> None:
    with book.reader() as connection:
        found = reporting.of_sessions(connection, [S], mini.schedule())
        told = build.build(found, ledger_id=identity(connection), destination=Destination())
    assert (told.subject.kind, told.subject.id) == ("sessions", digest([S]))
    assert msgspec.json.decode(build.encode(told), type=Evidence) == told


def test_unavailable_usage_leaves_no_total(tmp_path: Path) -> None:
    """§12.4: a known part, and no claim to be all of it."""
    book = mini.book(tmp_path)
    book.told("/w", session("codex:w", role="subagent", parent=S), response("codex:w1", "codex:w"))
    assign(book, P1)
    told = evidence(book)
    assert told.attributed.total_usd is None
    assert Decimal(told.attributed.subtotal_usd) > 0


_PROSE = "see the wiki: it works <b>"


@given(candidate=st.sampled_from(["o/r#7", "https://github.com/o/r/pull/7", "deadbeef1", _PROSE, "/home/dev/x", None]),
       proof=st.sampled_from(["7", _PROSE, None]))  # fmt: skip
def test_references_leave_only_when_they_are_references(
    candidate: str | None, proof: str | None, tmp_path_factory: Any
) -> None:
    book = mini.book(tmp_path_factory.mktemp("book"))
    with book.writer() as connection:
        tasks.record_outcome(connection, "T-A", OutcomeFields("complete", candidate, proof))
    told = evidence(book).outcome
    assert told is not None
    shown = [each for each in (told.candidate, told.proof) if each is not None]
    given_ = [each for each in (candidate, proof) if each is not None]
    assert told.withheld == len(given_) - len(shown)
    assert _PROSE not in shown
    assert "/home/dev/x" not in shown


@given(st.text(max_size=40))
def test_an_odd_identifier_is_withheld_but_kept_apart(text: str) -> None:
    """What is no identifier becomes a stand-in that passes as one and differs from every other."""
    shown = build.identifier(text)
    assert shown is not None
    if shown != text:
        assert shown.startswith("withheld-")
        assert build.identifier(shown) == shown
    subject = msgspec.json.encode(Subject("task", shown, "0" * 64)) if text else b""
    assert not text or msgspec.json.decode(subject, type=Subject).id == shown


def test_odd_models_and_responses_do_not_break_the_export(tmp_path: Path) -> None:
    """A model name with blanks, a response without time, an unknown price: all can be said."""
    book = mini.book(tmp_path)
    book.told("/mini", response("codex:odd id|", S, turn="A", model="my model <x>", effort="very high", at_ms=None),
              response("codex:w", S, turn="A", web_search_requests=3, usage=replace(usage(0), output=0)))  # fmt: skip
    assign(book, P1)
    content = build.encode(evidence(book))
    told = msgspec.json.decode(content, type=Evidence)
    assert sum(row.responses for row in told.usage) == 4
    assert b"my model" not in content
    assert b"odd id" not in content


def test_the_schema_is_that_of_the_document(book: Book) -> None:
    document = msgspec.json.decode(build.encode(evidence(book)))
    described = schema()["$defs"]["Evidence"]["properties"]
    assert set(document) <= set(described)
