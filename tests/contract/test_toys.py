"""A new adapter gets every law by one line of the registry, and each law finds what it is there for.

A sound toy adapter passes all of them; one with a single defect fails the law
that is named for it.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.contract.defects import DEFECTS, PROFILE, REPORT, SOUND
from tests.places import ROOT

# Laws over whole folders of the real adapters.
_LEAST = 40


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[bool]]]:
    """Toy → law → whether it held, for each set; in an interpreter of its own, whose registry has the toys."""
    report = tmp_path_factory.mktemp("toys") / "report.json"
    words = ("-p", "tests.contract.toys", "-p", "no:cacheprovider", "-q", "tests/contract")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        env=os.environ | {REPORT: str(report), "PYTHONPATH": str(ROOT), "HYPOTHESIS_PROFILE": PROFILE},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert report.is_file(), done.stdout + done.stderr
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for toy, law, held in json.loads(Path(report).read_text("utf-8")):
        found[toy][law].append(held)
    return found


def test_a_sound_adapter_passes_every_law(outcomes: dict[str, dict[str, list[bool]]]) -> None:
    laws = outcomes[SOUND]
    assert [law for law, held in laws.items() if not all(held)] == []
    assert sum(map(len, laws.values())) > _LEAST


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found(outcomes: dict[str, dict[str, list[bool]]], defect: str) -> None:
    """By its law, wherever that is tried."""
    held = outcomes[f"{SOUND}{defect}"][DEFECTS[defect]]
    assert held
    assert not all(held), DEFECTS[defect]
