"""Damaged records: they cost at most themselves, are told in words, and everything else is imported.

Each kind of damage is done to each kind of file of each agent.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from observer.importing.engine import Imported
from observer.records.source import Category
from tests.builders import documents
from tests.builders.imports import Machine, machine
from tests.builders.native import Claude, Codex
from tests.builders.planting import is_form, planted
from tests.builders.unprivileged import done_by_nobody
from tests.contract import reading, record_sets
from tests.contract.record_sets import RecordSet
from tests.contract.watch import opened

_MOST_CASES = 7
# Id of a response → where it was read, and its counters.
Figures = dict[str, tuple[str, tuple[int | None, ...]]]
# An id, a time, a number: what tells two files of one kind apart.
_OWN_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z]+_[0-9A-Za-z]{8,}|\d{4}-\d\d-\d\dT[\d-]{8}|[0-9a-f]{16,}")
_TIME = re.compile(rb'"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"|(?<=[:\[,])1[0-9]{9,12}(?=[,\]}.])')
_NUMBER = re.compile(rb"(?<=[:\[,])\d+(?=[,\]}])")


def _in_strings(mark: str) -> Callable[[Path], None]:
    """Puts something into every string that may be anything."""

    def damage(path: Path) -> None:
        def change(key: str, value: str, _hidden: bool = False) -> str:
            return value if is_form(key) else value + mark

        documents.rewrite(path, lambda document: _planted(document, change), change)

    return damage


def _planted(document: bytes, change: Any) -> bytes:
    """With a lone surrogate as the escape that JavaScript writes."""
    found = planted(document, change)
    return found.replace(b"\xed\xa0\xbd", rb"\ud83d")


def _in_documents(pattern: re.Pattern[bytes], value: bytes) -> Callable[[Path], None]:
    return lambda path: documents.rewrite(path, lambda document: pattern.sub(value, document))


def _in_bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def _at_beginning(mark: bytes) -> Callable[[Path], None]:
    """Before the first byte; of a database, before each document in it."""
    return lambda path: (
        documents.rewrite(path, lambda document: mark + document) if path.suffix == ".db"
        else path.write_bytes(mark + path.read_bytes())
    )  # fmt: skip


def _between_lines(path: Path) -> None:
    """The line ends of another system; of a database, a line break between the values of each document."""
    if path.suffix == ".db":
        documents.rewrite(path, lambda document: document.replace(b',"', b',\r\n"', 1))
    else:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def _nested(path: Path) -> None:
    deep = b'{"type":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    if path.suffix == ".jsonl":
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join([*lines[: len(lines) // 2], deep, *lines[len(lines) // 2 :]]))
    else:
        first = iter([deep])
        documents.rewrite(path, lambda document: next(first, document))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _middle(data: bytes) -> bytes:
    """Zeros over a tenth of it, as a crash leaves blocks that were never written.

    Not at the head of a file: what says that a copied history is a copy must
    be there, or nobody can tell.
    """
    start, end = int(len(data) * 0.7), int(len(data) * 0.8)
    return data[:start] + bytes(end - start) + data[end:]


# What changes nothing that matters: every response keeps its figures.
HARMLESS: dict[str, Callable[[Path], None]] = {
    "byte-order mark": _at_beginning(b"\xef\xbb\xbf"),
    "carriage returns": _between_lines,
    "line separators": _in_strings("\u2028\u2029\u0085"),
    "half an emoji": _in_strings("\ud83d"),
}
COSTLY: dict[str, Callable[[Path], None]] = {
    "truncated": _in_bytes(lambda data: data[: int(len(data) * 0.6)]),
    "empty": _in_bytes(lambda _: b""),
    "zeros": _in_bytes(_middle),
    "nothing but zeros": _in_bytes(lambda data: bytes(len(data))),
    "deep nesting": _nested,
    "huge numbers": _in_documents(_NUMBER, b"1" + b"0" * 40),
    "numbers beyond 64 bits": _in_documents(_NUMBER, b"9223372036854775808"),
    "future times": _in_documents(_TIME, b'"9999-12-31T23:59:59.999Z"'),
    "a folder": _folder,
    "a link to itself": _loop,
}


def lay(record_set: RecordSet, home: Path) -> None:
    """The set, and beside it a session of two other agents."""
    record_set.lay(home)
    Claude("beside").prompt("first").response("msg_beside", input=1000, output=100).lay(home)
    Codex("t-beside").turn("A").prompt("one").record("resp_beside").complete().lay(home)


class Case(NamedTuple):
    """One file that an adapter opens, of one set, with the figures of the whole set."""

    record_set: RecordSet
    clean: Figures
    name: str

    def others(self) -> Figures:
        """What was read elsewhere. Homes beside a store are refused with it (observer.importing.homes)."""
        hosted = getattr(self.record_set.reader, "homes", None) is not None
        beside = f"{Path(self.name).parent}/"
        return {
            each: told
            for each, told in self.clean.items()
            if not _holds(told[0], self.name) and not (hosted and told[0].startswith(beside))
        }


@cache
def cases(harness: str) -> tuple[Case, ...]:
    """One file of each kind that the adapter opens, and more of them from other sets."""
    found: list[tuple[bool, Case]] = []
    known: set[str] = set()
    for each in record_sets.of(harness):
        with machine() as one:
            lay(each, one.home)
            with opened() as paths:
                reading.everything(each.reader, one.home)
            one.sync()
            clean, home = figures(one), f"{one.home.resolve()}/"
            names = sorted(path.removeprefix(home) for path in paths if path.startswith(home))
            names = [name for name in names if "beside" not in name and (one.home / name).is_file()]
            for kind, name in {_OWN_NAME.sub("*", name): name for name in names}.items():
                found.append((kind in known, Case(each, clean, name)))
                known.add(kind)
    found.sort(key=lambda each: each[0])  # stable: a new kind first
    return tuple(case for _, case in found[:_MOST_CASES])


def figures(found: Machine) -> Figures:
    """Every response of the ledger."""
    return {row[0]: (row[1], row[10:18]) for row in found.whole()["response"]}


def test_there_is_something_to_damage(harness: str) -> None:
    """The control: files of the adapter's own, and responses of others to lose."""
    assert cases(harness)
    assert all({"claude:msg_beside", "codex:resp_beside"} & case.others().keys() for case in cases(harness))


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_changes_no_figure_costs_nothing(harness: str, kind: str) -> None:
    """Marks, line ends and broken characters: other programs write them all the time."""
    for case in cases(harness):
        with machine() as found:
            lay(case.record_set, found.home)
            HARMLESS[kind](found.home / case.name)
            assert is_read(found) == [], case.name
            assert _counters(figures(found)) == _counters(case.clean), case.name


@pytest.mark.parametrize("kind", COSTLY)
def test_damage_costs_at_most_what_is_damaged(harness: str, kind: str) -> None:
    """Every other source is read to its last figure; nothing is counted that was not there."""
    for case in cases(harness):
        with machine() as found:
            lay(case.record_set, found.home)
            COSTLY[kind](found.home / case.name)
            _are_its_own(is_read(found), case)
            kept = figures(found)
            assert _total(kept) <= _total(case.clean), case.name
            assert all(count is None or 0 <= count < 2**63 for _, counters in kept.values() for count in counters)
            assert {each: kept.get(each, (None, None))[1] for each in case.others()} == _counters(case.others()), (
                case.name
            )


@pytest.mark.parametrize("kind", ["truncated", "empty", "nothing but zeros"])
def test_a_broken_database_is_named(harness: str, kind: str) -> None:
    """E024: what cannot be read at all is never passed over in silence."""
    for case in (case for case in cases(harness) if case.name.endswith(".db")):
        with machine() as found:
            lay(case.record_set, found.home)
            COSTLY[kind](found.home / case.name)
            assert is_read(found) != [], case.name


def test_a_file_that_may_not_be_read_is_named_and_the_others_are_read(harness: str) -> None:
    """E024: words, and nothing of the others is lost; every file that the adapter opens, one by one.

    Once it may be read again, it is, unchanged as it is, and nothing tells of the failure.
    """
    for case in cases(harness):
        with machine() as found:
            lay(case.record_set, found.home)
            found.home.parent.chmod(0o755)
            (found.home / case.name).chmod(0)
            failed = _failed(found, done_by_nobody(found.home.parent, found.sync))
            assert failed, case.name
            _are_its_own(failed, case)
            kept = figures(found)
            others = {each: kept.get(each, (None, None))[1] for each in case.others()}
            assert others == _counters(case.others()), case.name
            (found.home / case.name).chmod(0o600)
            assert _failed(found, done_by_nobody(found.home.parent, found.sync)) == []
            assert figures(found) == case.clean, case.name


def test_a_file_that_may_not_be_read_any_more_takes_nothing_away(harness: str) -> None:
    """E024: what was read stays, the failure is told, and goes when the file may be read again."""
    for case in cases(harness):
        with machine() as found:
            lay(case.record_set, found.home)
            found.home.parent.chmod(0o755)
            done_by_nobody(found.home.parent, found.sync)
            before = found.whole()
            (found.home / case.name).chmod(0)
            answers = done_by_nobody(found.home.parent, lambda found=found: found.sync(full=True))  # type: ignore[misc]
            assert _failed(found, answers), case.name
            assert sum(each.gone for each in answers.values()) == 0
            assert figures(found) == case.clean, case.name
            (found.home / case.name).chmod(0o600)
            assert _failed(found, done_by_nobody(found.home.parent, found.sync)) == []
            assert found.whole()["fault"] == before["fault"], case.name


def is_read(found: Machine) -> list[tuple[str, str]]:
    """A sync that ends well as far as it can: known categories, no stumble, nothing new the second time.

    What it says it could not read, and why.
    """
    answers = found.sync()
    categories = {row[2] for row in found.whole()["fault"]}
    assert categories <= set(get_args(Category)) - {"import_error"}
    before = found.whole()
    again = found.sync(full=True).values()
    assert sum(each.responses_inserted for each in again) == 0
    assert found.whole() == before
    return _failed(found, answers)


def _failed(found: Machine, answers: dict[str, Imported]) -> list[tuple[str, str]]:
    home = f"{found.home.resolve()}/"
    return [(each.path.removeprefix(home), each.error) for answer in answers.values() for each in answer.failed]


def _are_its_own(failed: list[tuple[str, str]], case: Case) -> None:
    """Nothing else failed than what holds the damaged file, and the words fit on a line."""
    for path, error in failed:
        assert _holds(path, case.name), (case.name, path)
        assert error
        assert "\n" not in error


def _holds(source: str, name: str) -> bool:
    """Whether a file is part of a source: the file itself, its database, or a folder that it lies in."""
    path = source.partition("#")[0]
    return name == path or name.startswith(f"{path}/")


def _counters(found: Figures) -> dict[str, tuple[int | None, ...]]:
    return {name: counters for name, (_, counters) in found.items()}


def _total(found: Figures) -> int:
    return sum(counters[-1] or 0 for _, counters in found.values())
