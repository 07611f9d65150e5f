"""What each harness's records always show, true of real records; what they cannot is a law of tests/contract."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from observer.adapters import capability
from observer.adapters.registry import HARNESSES
from observer.facts import events
from observer.facts.events import Scope
from observer.ledger.open import reader
from tests.builders.corpora import homes, lay
from tests.builders.imports import Machine

STATED = {harness: capability.of(harness) for harness in HARNESSES}


@cache
def seen() -> dict[str, set[str]]:
    """The families of events in all real record sets and cases that are bundled, by harness."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, home in homes().items():
        with TemporaryDirectory() as folder:
            machine = Machine(Path(folder))
            lay(machine.home, home)
            machine.sync()
            with reader(machine.ledger) as connection:
                for harness, family in events.families(connection, Scope()):
                    found[harness].add(family)
        assert name
    return found


def test_families_are_among_the_subjects() -> None:
    assert set(capability.FAMILIES) < set(capability.SUBJECTS)


@pytest.mark.parametrize("harness", ["claude", "codex"])
def test_what_is_always_shown_occurs_in_real_records(harness: str) -> None:
    always = {family for family in capability.FAMILIES if STATED[harness][family].supported == "yes"}
    assert always - seen()[harness] == set()


def test_prose_about_a_skill_is_no_skill_event() -> None:
    """E245: only reads of its file and calls of the tool are."""
    from tests.builders.native import Claude, Codex

    with TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        prose = "Please look at skills/tidy/SKILL.md and follow it."
        said = [{"type": "text", "text": prose}]
        Claude("s1").prompt(prose).response("msg_1", content=said).lay(machine.home)
        message = {"role": "assistant", "content": [{"type": "output_text", "text": prose}]}
        Codex("t-1").turn("A").prompt(prose).item("message", **message).lay(machine.home)
        machine.sync()
        with reader(machine.ledger) as connection:
            families = {family for _, family in events.families(connection, Scope())}
    assert families == {"assistant_message"}
