"""A sync that is killed at any moment costs nothing: the next one ends where a clean import would have.

Real processes, killed with SIGKILL: sometimes with their children, sometimes
only the parent, so that children are left over beside the next sync.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

from benchmarks import corpus
from benchmarks.options import Options
from observer.importing import parallel
from tests.builders import doomed
from tests.builders.doomed import Doom
from tests.builders.imports import Machine, inserted, machine
from tests.builders.wholes import Whole
from tests.command_line import Cli

# Kills that met a running sync.
KILLS = int(os.environ.get("KILLS", "50"))
# So many kills on one ledger before a sync may end; the first ones hit an empty ledger.
_IN_A_ROW = 3
# Who does what differs from run to run, and so, a little, does how many statements it takes.
_ALMOST = 0.9
_LONGEST_PAUSE_SECONDS = 0.005
# Large enough that a sync forks.
_SIZE = 9_000_000
_TRAPS = {"messages": 30, "tool_bytes": 300, "subagent_share": 0.8, "resume_share": 0.3}


@pytest.fixture(scope="module")
def made() -> Iterator[Machine]:
    with machine() as found:
        corpus.build(Options(out=found.home, size=_SIZE, **_TRAPS))
        yield found


@pytest.fixture(scope="module")
def clean(made: Machine) -> Whole:
    made.sync()
    return made.whole()


def start(found: Machine) -> subprocess.Popen[bytes]:
    """A real sync, leader of a process group of its own."""
    environment = Cli(found.home, found.ledger).environment()
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "observer", "sync"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_a_killed_sync_leaves_nothing_that_the_next_does_not_mend(made: Machine, clean: Whole) -> None:
    """E027, §23.1: at least fifty kills, each at a place of its own, from the first statement to the last."""
    before = made.contents()
    dice = random.Random(20260924)
    _, most = doomed.sync(Machine(made.home.parent / "counted", home=made.home), Doom())
    assert most > 100
    hits: list[int] = []
    ledgers = 0
    while len(hits) < KILLS:
        found = Machine(made.home.parent / f"ledger-{ledgers}", home=made.home)
        left = int(most * _ALMOST)
        for _ in range(_IN_A_ROW):
            place = dice.randrange(left)
            pause = dice.choice((0, dice.random() * _LONGEST_PAUSE_SECONDS))
            killed, _ = doomed.sync(found, Doom(place, pause, dice.random() < 0.5))
            hits += [place] if killed else []
            left = max(1, left - place)
        found.sync()
        found.sync()  # what an orphan wrote beside the first one is settled now
        assert found.whole() == clean, ledgers
        ledgers += 1
        assert len(hits) * 4 >= ledgers, "hardly any kill met a running sync"
    assert max(hits) > most // 2  # not only at the beginning
    assert made.contents() == before


def test_several_syncs_at_once_give_one_ledger(made: Machine, clean: Whole) -> None:
    """§23.1: on a ledger that none of them has made yet."""
    found = Machine(made.home.parent / "together", home=made.home)
    processes = [start(found) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert found.whole() == clean
    assert inserted(found.sync()) == 0


@pytest.mark.parametrize("fork", [True, False])
def test_it_does_not_matter_who_imports_what(
    made: Machine, clean: Whole, fork: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children or none: the same ledger."""
    monkeypatch.setattr(parallel, "WORTH_BYTES", 0 if fork else 2**60)
    found = Machine(made.home.parent / f"forked-{fork}", home=made.home)
    found.sync()
    assert found.whole() == clean
