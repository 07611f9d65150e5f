"""Measures one program as a whole process: wall time, processor time, peak memory.

The measuring itself happens in a small process of its own (this file run as a
script): on Linux a child's peak never reads lower than its parent's size at
the time it was started.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# `ru_maxrss` is in KiB on Linux and in bytes on macOS.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Measured:
    """One run. `cpu` covers children that were waited for; `peak_mib` is the largest single process."""

    seconds: float
    cpu: float
    peak_mib: float
    code: int
    out: bytes


def measure(words: Sequence[str], variables: Mapping[str, str], *, accepted: Sequence[int] = (0,)) -> Measured:
    """Runs a program to its end; RuntimeError with its stderr when the exit code is not an accepted one."""
    with tempfile.TemporaryDirectory() as folder:
        report, out, err = (Path(folder, name) for name in ("report", "out", "err"))
        with out.open("wb") as to_out, err.open("wb") as to_err:
            subprocess.run(
                [sys.executable, "-I", "-S", __file__, str(report), *words],
                env=dict(variables),
                stdin=subprocess.DEVNULL,
                stdout=to_out,
                stderr=to_err,
                check=True,
            )
        told = json.loads(report.read_text(encoding="utf-8"))
        if told["code"] not in accepted:
            raise RuntimeError(f"{' '.join(words)}: exit {told['code']}: {err.read_text(errors='replace')[-2000:]}")
        return Measured(**told, out=out.read_bytes())


def _main(report: str, *words: str) -> None:
    started = time.perf_counter()
    child = os.posix_spawnp(words[0], words, os.environ)
    _, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    told = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss * _PEAK_UNIT / 2**20,
        "code": os.waitstatus_to_exitcode(status),
    }
    with open(report, "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    _main(*sys.argv[1:])
