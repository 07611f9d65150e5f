"""A plugin of pytest: toy adapters in the registry, one sound and one per defect, with records of their own.

`python -m pytest -p tests.contract.toys tests/contract` runs the laws on
these alone, and on a defective one only those that must find it.
"""

import atexit
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

import observer.adapters
from observer.adapters import capability, registry
from tests.contract import record_sets
from tests.contract.defects import DEFECTS, PROFILE, REPORT, SOUND

_NAMES = (SOUND, *(f"{SOUND}{defect}" for defect in DEFECTS))
_SAYS = capability.yes("Its records are what this test makes of them.")
_outcomes: list[tuple[str, str, bool]] = []


def _session(name: str, parent: str | None = None) -> list[dict[str, Any]]:
    """One session of two prompts, three answers and a tool."""
    at = "2026-09-24T10:00:{:02d}Z"
    return [
        {"type": "session", "id": name, "cwd": "/srv/kit", "at": at.format(0)} | ({"parent": parent} if parent else {}),
        {"type": "prompt", "id": f"{name}-p1", "text": "please look at the kit", "at": at.format(1)},
        _answer(f"{name}-a1", at.format(2), given=1000, cached=200, made=100),
        {"type": "call", "id": f"{name}-call-1", "tool": "shell", "command": "make test", "at": at.format(3)},
        {"type": "result", "id": f"{name}-call-1", "at": at.format(4)},
        _answer(f"{name}-a2", at.format(5), given=2000, cached=900, made=50),
        {"type": "prompt", "id": f"{name}-p2", "text": "and mend it", "at": at.format(6)},
        _answer(f"{name}-a3", at.format(7), given=3000, made=70),
    ]


def _answer(name: str, at: str, **usage: int) -> dict[str, Any]:
    return {"type": "answer", "id": name, "model": "toy-1", "usage": usage, "at": at}


def _write(folder: Path, toy: str, sessions: dict[str, str | None]) -> None:
    """A record set: a HOME, and beside it what was really done."""
    log = folder / f".{toy}" / "log"
    log.mkdir(parents=True)
    for name, parent in sessions.items():
        lines = [json.dumps(line, separators=(",", ":")) for line in _session(name, parent)]
        (log / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    count = len(sessions)
    sums = {"responses": 3 * count, "input": 6000 * count, "cached": 1100 * count, "output": 220 * count}
    bill = {"importable_per_model": {"toy-1": sums}}
    (folder / "expected.json").write_text(json.dumps(bill), encoding="utf-8")


def _register(base: Path) -> None:
    """Each toy as a folder of the adapters' package, and one line of the registry for it."""
    for name in _NAMES:
        shutil.copytree(Path(__file__).parent / "toy", base / "adapters" / name)
        _write(base / "records" / name / "alone", name, {"s-1": None})
        _write(base / "records" / name / "with-a-subagent", name, {"s-1": None, "s-2": "s-1", "s-3": None})
        record_sets.FOLDERS[name] = base / "records" / name
    with (base / "adapters" / "toyimporting" / "__init__.py").open("a", encoding="utf-8") as source:
        source.write("\n\ndef late() -> object:\n    import sqlite3\n\n    return sqlite3\n")
    observer.adapters.__path__.append(str(base / "adapters"))
    registry.HARNESSES = (*registry.HARNESSES, *_NAMES)
    tables, others = dict.fromkeys(capability.SUBJECTS, _SAYS), capability.of
    stated = {name: tables for name in _NAMES if name != "toyunstated"}
    capability.of = lambda harness: stated[harness] if harness.startswith(SOUND) else others(harness)


# What fails need not be made small.
settings.register_profile(PROFILE, max_examples=15, deadline=None, phases=[Phase.generate], database=None)
_base = Path(tempfile.mkdtemp(prefix="toys-"))
atexit.register(shutil.rmtree, _base, ignore_errors=True)
_register(_base)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only the toys, and of a defective one only the law that must find it."""
    items[:] = [item for item in items if _concerns(item)]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remembers what came of each."""
    if report.when == "call" or report.failed:
        name, _, rest = report.nodeid.rpartition("::")[2].partition("[")
        toy = rest.rstrip("]").partition("/")[0].partition("-")[0]
        _outcomes.append((toy, name, report.passed))


def pytest_sessionfinish() -> None:
    """Tells it."""
    Path(os.environ[REPORT]).write_text(json.dumps(_outcomes), encoding="utf-8")


def _concerns(item: pytest.Item) -> bool:
    given = getattr(item, "callspec", None)
    named = (getattr(each, "harness", each) for each in given.params.values()) if given else ()
    toy = next((str(each) for each in named if str(each).startswith(SOUND)), "")
    law = item.name.partition("[")[0]
    return toy == SOUND or (toy in _NAMES and DEFECTS[toy.removeprefix(SOUND)] == law)
