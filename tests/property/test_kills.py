"""A sync that is killed at any moment costs nothing: the next one ends where a clean import would have.

Real processes, killed with SIGKILL: sometimes with their children, sometimes
only the parent, so that children are left over beside the next sync.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from benchmarks import corpus
from benchmarks.options import Options
from observer.importing import parallel
from tests.builders.imports import Machine, inserted, machine
from tests.builders.wholes import Whole
from tests.command_line import Cli

# Kills that met a running sync.
KILLS = int(os.environ.get("KILLS", "50"))
# So many kills on one ledger before a sync may end; the first ones hit an empty ledger.
_IN_A_ROW = 3
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


def killed(found: Machine, delay: float, *, children: bool) -> bool:
    """Starts a sync and kills it after `delay` seconds; whether it was still running."""
    process = start(found)
    time.sleep(delay)
    running = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL) if children else os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return running


def test_a_killed_sync_leaves_nothing_that_the_next_does_not_mend(made: Machine, clean: Whole) -> None:
    """E027, §23.1: at least fifty kills, each at a moment of its own."""
    before = made.contents()
    dice = random.Random(20260924)
    once = Machine(made.home.parent / "timed", home=made.home)
    begun = time.monotonic()
    assert start(once).wait() == 0
    duration = time.monotonic() - begun
    hits = ledgers = 0
    while hits < KILLS:
        found = Machine(made.home.parent / f"ledger-{ledgers}", home=made.home)
        for _ in range(_IN_A_ROW):
            hit = killed(found, dice.random() * duration, children=dice.random() < 0.5)
            hits += hit
            duration *= 1 if hit else 0.9  # the machine is less busy than when the duration was measured
        found.sync()
        found.sync()  # what an orphan wrote beside the first one is settled now
        assert found.whole() == clean, ledgers
        ledgers += 1
        assert ledgers < KILLS, "hardly any kill met a running sync"
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
