"""Measures Agent Observer beside ccusage on corpora with known totals: `python -m benchmarks.run`.

Prints one Markdown table per corpus and whether every total was exact; exits
with 1 when one of ours was not.
"""

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import check, corpus
from benchmarks.options import Options
from benchmarks.process import Measured
from benchmarks.programs import CCUSAGE, ROOT, Ccusage, Observer

_CACHE = Path(__file__).resolve().parent / ".cache"
_MOST_DIFFERENCES_SHOWN = 10

Steps = dict[str, Callable[[], Measured]]


def main(words: Sequence[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["200MB", "1GB"], help="corpora to measure, such as 200MB 1GB")
    parser.add_argument("--runs", type=int, default=5, help="rounds; every step once per round, the median is shown")
    parser.add_argument("--cache", type=Path, default=_CACHE, help="where corpora, ledgers and ccusage are kept")
    parser.add_argument("--cli", default=str(ROOT / "bin" / "agent-observer"), help="the command line to measure")
    parser.add_argument("--without-ccusage", action="store_true", help="measure only Agent Observer")
    given = parser.parse_args(words)
    wrong = 0
    for size in given.sizes:
        home = given.cache / f"corpus-{size}"
        truth = _corpus(home, size)
        ledgers = given.cache / f"ledgers-{size}"
        shutil.rmtree(ledgers, ignore_errors=True)
        other = None if given.without_ccusage else Ccusage(given.cache, home)
        wrong += _measure(size, truth, Observer(given.cli, home, ledgers), other, rounds=given.runs)
    return 1 if wrong else 0


def _corpus(home: Path, size: str) -> dict[str, Any]:
    """The truth of the cached corpus of that size, which is made when it is not there."""
    told = home / "truth.json"
    if not told.exists():
        sys.stderr.write(f"making a corpus of {size}\n")
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        corpus.build(Options(out=home, size=corpus.size(size)))
    truth: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    return truth


def _measure(size: str, truth: dict[str, Any], ours: Observer, other: Ccusage | None, *, rounds: int) -> int:
    """Prints the table of one corpus; returns how many of our totals were wrong."""
    ours.call("--version")  # lets the launcher set its environment up
    ours.prepare()
    steps: Steps = {
        "cold import": ours.cold_import,
        "unchanged sync": ours.unchanged_sync,
        "usage --by day --json": ours.usage,
        "task show --json": ours.task,
    }
    if other:
        other.install()
        steps[f"{CCUSAGE} daily --json"] = other.daily
    runs = _rounds(steps, rounds)
    lines = sum(truth[side]["lines"] for side in ("claude", "codex"))
    _say(f"\n{size}: {truth['bytes'] / 1e6:.0f} MB, {lines} lines, {rounds} rounds\n")
    _say("| step | wall s (median) | min–max | CPU s | peak MiB |\n| --- | ---: | ---: | ---: | ---: |")
    for name, measured in runs.items():
        _say(row(name, measured))
    found = check.differences(truth, ours.ask)
    _verdict("Agent Observer: by model, day, project and session, every counter", found)
    if other:
        _verdict("ccusage: output tokens by model", other.differences(truth, other.daily().out))
    return len(found)


def _rounds(steps: Steps, rounds: int) -> dict[str, list[Measured]]:
    """Every step once per round, in turns, so that a slow minute of the machine hits all alike."""
    runs: dict[str, list[Measured]] = {name: [] for name in steps}
    for number in range(rounds):
        names = list(steps) if number % 2 == 0 else list(reversed(steps))
        for name in names:
            runs[name].append(steps[name]())
    return runs


def row(name: str, measured: list[Measured]) -> str:
    """One line of a table of measured steps."""
    seconds = [run.seconds for run in measured]
    cpu = statistics.median(run.cpu for run in measured)
    peak = max(run.peak_mib for run in measured)
    spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
    return f"| {name} | {statistics.median(seconds):.3f} | {spread} | {cpu:.2f} | {peak:.0f} |"


def _verdict(what: str, found: list[str]) -> None:
    _say(f"\n{what}: {'exact' if not found else f'{len(found)} differences'}")
    for line in found[:_MOST_DIFFERENCES_SHOWN]:
        _say(f"- {line}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
