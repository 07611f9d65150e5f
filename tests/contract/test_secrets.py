"""No planted secret comes through, from whatever string of whatever document of an agent's records."""

import random
from pathlib import Path

import pytest

from tests.builders import documents
from tests.builders.imports import Machine, machine
from tests.builders.inside import kept
from tests.builders.planting import is_form, planted
from tests.contract.record_sets import RecordSet
from tests.unit.privacy.planted import CAPITALS, FORMED, LETTERS, NAMED_PLACES

_TRACES = (LETTERS[:12].encode(), LETTERS[8:20].encode(), LETTERS[16:28].encode(), CAPITALS[:12].encode())
_COMMANDS = frozenset(("command", "cmd"))
# How often a word that makes a record what it is gets a secret, too.
_OFTEN = 0.03


class Planting:
    """What is put into each string: a secret of a known form, or into commands one that its place gives away."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def change(self, key: str, value: str, hidden: bool = False) -> str:
        """The string with a secret in it."""
        if is_form(key) and self._dice.random() > _OFTEN:
            return value
        if key in _COMMANDS:
            return f"{value}; {self._dice.choice(NAMED_PLACES).format(LETTERS)}"
        return f"{value} {self._dice.choice(sorted(FORMED.values()))}"

    def into(self, folder: Path) -> None:
        """Plants in every document and every cell below a folder."""
        for path in documents.files(folder):
            documents.rewrite(path, lambda document: planted(document, self.change), self.change)


@pytest.mark.parametrize("seed", range(2))
def test_a_secret_in_any_string_is_kept_nowhere(record_set: RecordSet, seed: int) -> None:
    """E018, E019, §23.5: not in the ledger's files, an answer or evidence; from texts, commands, labels, ids, types."""
    with machine() as found:
        record_set.lay(found.home)
        Planting(seed).into(found.home)
        found.sync()
        everything = kept(found.ledger)
        assert _rows(found) > 0
    assert [trace for trace in _TRACES if trace in everything] == []


def test_what_is_planted_is_there(record_set: RecordSet) -> None:
    """The control: the records hold it, in many places."""
    with machine() as found:
        record_set.lay(found.home)
        Planting(0).into(found.home)
        held = b"".join(path.read_bytes() for path in documents.files(found.home))
    assert sum(held.count(trace) for trace in _TRACES) > 10


def _rows(found: Machine) -> int:
    whole = found.whole()
    return sum(len(whole[table]) for table in ("response", "submission", "event", "router_job"))
