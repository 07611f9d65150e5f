"""Measures a sync over many places: `python -m benchmarks.trees`.

The real record sets of four agents, which travel with the tests, beside 1,400
transcripts that have not changed: what a look costs on a machine that has
been in use for months. Exits with 1 when a sync reads what has not changed.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.process import Measured, measure
from benchmarks.programs import ROOT, variables
from benchmarks.run import row

_CACHE = Path(__file__).resolve().parent / ".cache" / "trees"
_RECORDS = ROOT / "tests" / "fixtures" / "records"
_UNCHANGED = 1_400
_MODEL = _RECORDS / "claude-code" / "single-prompt" / ".claude" / "projects" / "-home-dev-project"
# Where the home of an agent lies in its record sets.
_HOMES = {"claude-code": "*/.claude", "codex": "*/.codex", "grok-build": "*", "opencode": "*"}


def main(words: Sequence[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=9, help="rounds; the median is shown")
    parser.add_argument("--cli", default=str(ROOT / "bin" / "agent-observer"), help="the command line to measure")
    given = parser.parse_args(words)
    shutil.rmtree(_CACHE, ignore_errors=True)
    home, ledger = _CACHE / "home", _CACHE / "observer.db"
    home.mkdir(parents=True)
    _transcripts(home / ".claude" / "projects" / "-work")
    trees = [word for tree in _trees() for word in ("--root", str(tree))]

    def sync(*places: str) -> Measured:
        return measure([given.cli, "--db", str(ledger), "sync", "--json", *places], variables(home))

    sync()
    ours = ("--root", str(home / ".claude"))
    first, later = [], []
    for _ in range(given.runs):
        _forget(given.cli, ledger, home)
        first.append(sync(*ours, *trees))
        later.append(sync(*ours, *trees))
    sys.stdout.write(f"{_UNCHANGED} unchanged transcripts and {len(trees) // 2} trees of four agents\n\n")
    sys.stdout.write("| step | wall s (median) | min–max | CPU s | peak MiB |\n| --- | ---: | ---: | ---: | ---: |\n")
    sys.stdout.write(row("trees new, transcripts unchanged", first) + "\n" + row("nothing new", later) + "\n")
    return 0 if all(_unchanged(each) >= _UNCHANGED for each in first + later) else 1


def _trees() -> list[Path]:
    return sorted(each for agent, home in _HOMES.items() for each in (_RECORDS / agent).glob(home) if each.is_dir())


def _transcripts(folder: Path) -> None:
    """Sessions of their own, made from one real one."""
    folder.mkdir(parents=True)
    (source,) = _MODEL.glob("*.jsonl")
    text = source.read_text(encoding="utf-8")
    for number in range(_UNCHANGED):
        session = f"{number:08d}-0000-4000-8000-000000000000"
        renamed = text.replace(source.stem, session).replace('"id":"msg_', f'"id":"msg_{number:05d}')
        (folder / f"{session}.jsonl").write_text(renamed, encoding="utf-8")


def _forget(cli: str, ledger: Path, home: Path) -> None:
    """A ledger that knows the transcripts and none of the trees."""
    kept = ledger.with_suffix(".kept")
    if not kept.exists():
        measure([cli, "--db", str(ledger), "doctor", "--json"], variables(home), accepted=(0, 4))
        shutil.copyfile(ledger, kept)
    for path in ledger.parent.glob(f"{ledger.name}*"):
        path.unlink()
    shutil.copyfile(kept, ledger)
    ledger.chmod(0o600)


def _unchanged(measured: Measured) -> int:
    return sum(each["unchanged"] for each in json.loads(measured.out)["harnesses"])


if __name__ == "__main__":
    sys.exit(main())
