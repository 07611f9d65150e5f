"""Makes a corpus of transcripts with its exact truth: `python -m benchmarks.corpus --out DIR --size 200MB`.

The folder serves as HOME. The same parameters give the same bytes on every
machine. `truth.json` holds totals by harness, model, UTC day, project and
session, in the harness's own counters.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks.claude import Claude
from benchmarks.codex import Codex
from benchmarks.material import Text
from benchmarks.options import Options
from benchmarks.truth import CLAUDE_COUNTERS, CODEX_COUNTERS, Side

_UNITS = {"GB": 10**9, "MB": 10**6, "KB": 10**3}
_SHARES = ("codex_share", "record_share", "subagent_share", "resume_share")


def build(options: Options) -> dict[str, Any]:
    """Writes the corpus below `options.out` and returns its truth, which is also written there."""
    rng = random.Random(options.seed)
    text = Text(rng)
    sides = {"claude": Side(CLAUDE_COUNTERS), "codex": Side(CODEX_COUNTERS)}
    claude = Claude(rng, text, options, sides["claude"], _writer(sides["claude"]))
    codex = Codex(rng, text, options, sides["codex"], _writer(sides["codex"]))
    number = 0
    while _goes_on(options, number, sides):
        (codex if _codex_is_next(options, number, sides) else claude).session()
        number += 1
    parameters = {name: value for name, value in sorted(asdict(options).items()) if name != "out"}
    truth = {"generator": 1, "parameters": parameters, "bytes": _bytes(sides)}
    truth |= {name: side.document() for name, side in sides.items()}
    told = json.dumps(truth, ensure_ascii=False, indent=1, sort_keys=True)
    (options.out / "truth.json").write_text(told + "\n", encoding="utf-8")
    return truth


def _writer(side: Side) -> Callable[[Path, list[str]], None]:
    def write(path: Path, lines: list[str]) -> None:
        data = ("\n".join(lines) + "\n").encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        side.sizes["files"] += 1
        side.sizes["lines"] += len(lines)
        side.sizes["bytes"] += len(data)

    return write


def _bytes(sides: dict[str, Side]) -> int:
    return sum(side.sizes["bytes"] for side in sides.values())


def _goes_on(options: Options, number: int, sides: dict[str, Side]) -> bool:
    return _bytes(sides) < options.size if options.size else number < options.sessions


def _codex_is_next(options: Options, number: int, sides: dict[str, Side]) -> bool:
    """Keeps the share: of the bytes when a size is asked for, else of the sessions."""
    share = options.codex_share
    if options.size:
        return sides["codex"].sizes["bytes"] * (1 - share) < sides["claude"].sizes["bytes"] * share
    return number * share - int(number * share) + share >= 1


def size(text: str) -> int:
    """Bytes of `200MB`, `1.5GB` or a plain number."""
    factor = _UNITS.get(text[-2:].upper())
    return int(float(text[:-2]) * factor) if factor else int(text)


def _options(words: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder to write; must be empty or absent")
    parser.add_argument("--size", type=size, default=0, help="grow to about this size, such as 200MB")
    for field in fields(Options)[2:]:
        kind = float if field.name in _SHARES else int
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    options = Options(**vars(parser.parse_args(words)))
    if options.out.is_dir() and any(options.out.iterdir()):
        parser.error("the folder is not empty")
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def main(words: Sequence[str] | None = None) -> int:
    """The command line of this module."""
    truth = build(_options(words))
    for name in ("claude", "codex"):
        side = truth[name]
        sys.stdout.write(
            f"{name}: {side['files']} files, {side['bytes'] / 1e6:.1f} MB, {side['responses']} responses\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
