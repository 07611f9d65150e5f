"""Builds one virtual environment of this checkout from a hash-locked list.

Standard library only: it runs before anything is installed. What it does goes
to stderr. A process-wide file lock lets concurrent first calls wait for the
one that builds; the copy of the list inside the environment is written last,
so that an interrupted build is never taken for a finished one.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class SetUpFailed(Exception):
    """The environment could not be made; the message says why and what to do."""


def main(folder: str, requirements: str) -> int:
    """Exit code 0 when the environment is ready, 1 when it could not be made."""
    environment, wanted = ROOT / folder, ROOT / requirements
    try:
        with _lock(ROOT / f"{folder}.lock"):
            if not _is_ready(environment, wanted):
                _build(environment, wanted)
    except (SetUpFailed, OSError) as error:
        _say(str(error))
        return 1
    return 0


def _say(text: str) -> None:
    sys.stderr.write(f"agent-observer: {text}\n")


class _lock:  # noqa: N801 - reads as a verb: with _lock(path)
    """Held by one process at a time and let go when that process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another call is setting the environment up; waiting for it")
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def _is_ready(environment: Path, wanted: Path) -> bool:
    done = environment / "requirements.txt"
    return (environment / "bin" / "python").exists() and done.is_file() and done.read_bytes() == wanted.read_bytes()


def _build(environment: Path, wanted: Path) -> None:
    _say(f"setting up {environment.name} with Python {sys.version.split()[0]} (once; needs the package index)")
    locked = wanted.read_bytes()
    shutil.rmtree(environment, ignore_errors=True)
    uv = shutil.which("uv")
    if not (uv and _with_uv(uv, environment, wanted)):
        _with_pip(environment, wanted)
    site = next((environment / "lib").glob("python3.*")) / "site-packages"
    # Relative to itself, so that a checkout may be moved.
    (site / "agent-observer.pth").write_text(os.path.relpath(ROOT, site) + "\n", encoding="utf-8")
    (environment / "requirements.txt").write_bytes(locked)
    _say(f"{environment.name} is ready")


def _with_uv(uv: str, environment: Path, wanted: Path) -> bool:
    """False when uv cannot: it does not know the index settings that pip has, so pip gets a try."""
    python = environment / "bin" / "python"
    install = [uv, "pip", "install", "-q", "--require-hashes", "--compile-bytecode"]
    steps = (
        [uv, "venv", "-q", "--no-project", "--python", sys.executable, str(environment)],
        [*install, "--python", str(python), "-r", str(wanted)],
    )
    if all(subprocess.run(step, cwd=ROOT, stdout=sys.stderr, check=False).returncode == 0 for step in steps):
        return True
    _say("uv could not do it; trying pip")
    shutil.rmtree(environment, ignore_errors=True)
    return False


def _with_pip(environment: Path, wanted: Path) -> None:
    if _run(sys.executable, "-m", "venv", str(environment)) != 0:
        raise SetUpFailed("Python's venv module does not work here; on Debian: apt install python3-venv")
    python = str(environment / "bin" / "python")
    quiet = ("-qq", "--disable-pip-version-check", "--no-input")
    if _run(python, "-I", "-m", "pip", "install", *quiet, "--require-hashes", "-r", str(wanted)) != 0:
        raise SetUpFailed(f"the packages of {wanted.name} could not be installed (see above)")


def _run(*words: str) -> int:
    return subprocess.run(words, cwd=ROOT, stdout=sys.stderr, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
