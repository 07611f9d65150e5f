"""The release map: which instruction file belongs to which release of the agent instructions.

Asks git for the tags of a local repository and changes nothing there. Tags
that are no plain version are ignored; of several tags with the same file the
earliest release keeps it (behaviour §10).
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from observer.base import paths
from observer.base.errors import SourceMissing
from observer.records.identity import Release

VARIABLE = "AGENT_OBSERVER_AGENTSMD_REPO"
_TAG = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})\Z")
# Where a release keeps the file: newer ones in a folder of its own.
_FILES = ("global/AGENTS.md", "AGENTS.md")
# Where the agents look for the user's instruction file: the variable that names the folder, the usual one, the file.
_PLACES = (
    ("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md"),
    ("CODEX_HOME", ".codex", "AGENTS.md"),
    ("GROK_HOME", ".grok", "AGENTS.md"),
    ("XDG_CONFIG_HOME", ".config", "opencode/AGENTS.md"),
)
_PATIENCE_SECONDS = 30
# A clone of which only a part is here must not be completed from the network, and nobody be asked for a password.
_GIT = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def repository(option: Path | None, environment: Mapping[str, str], home: Path) -> Path | None:
    """The repository to ask: the one named, the variable's, or the first behind a link to an instruction file.

    SourceMissing when the one named is no git repository.
    """
    if option is not None:
        if _git(option, "rev-parse", "--git-dir") is None:
            raise SourceMissing(f"no git repository: {option}", "--agentsmd-repo takes a clone with its tags")
        return option
    if environment.get(VARIABLE):
        return Path(environment[VARIABLE]).expanduser()
    for variable, folder, name in _PLACES:
        file = Path(environment.get(variable) or home / folder, name)
        real = os.path.realpath(file)
        if real != os.path.join(os.path.realpath(home), folder, name) and os.path.isfile(real):
            top = _git(Path(real).parent, "rev-parse", "--show-toplevel")
            if top:
                return Path(os.fsdecode(top.removesuffix(b"\n")))
    return None


def releases(repo: Path | None) -> list[Release]:
    """One release per instruction file, in order of versions; empty without a repository."""
    if repo is None:
        return []
    tags = sorted(_tags(repo), key=lambda tag: _order(tag[0]))
    contents = _contents(repo, [f"refs/tags/{name}:{file}" for name, _ in tags for file in _FILES])
    found: dict[str, Release] = {}
    for number, (name, released_ms) in enumerate(tags):
        versions = contents[number * len(_FILES) : (number + 1) * len(_FILES)]
        content = next((each for each in versions if each), None)
        if content is not None:
            sha256, version = hashlib.sha256(content).hexdigest(), ".".join(map(str, _order(name)))
            found.setdefault(sha256, Release(version, sha256, len(content), released_ms))
    return list(found.values())


def _tags(repo: Path) -> Iterator[tuple[str, int | None]]:
    listing = _git(repo, "for-each-ref", "--format=%(refname:strip=2) %(creatordate:unix)", "refs/tags") or b""
    for line in listing.decode("utf-8", "replace").splitlines():
        name, _, seconds = line.partition(" ")
        if _TAG.match(name):
            yield name, int(seconds) * 1000 if seconds.isdecimal() else None


def _order(tag: str) -> tuple[int, ...]:
    found = _TAG.match(tag)
    return tuple(map(int, found.groups())) if found else ()


def _contents(repo: Path, names: list[str]) -> list[bytes | None]:
    """The blobs of these names, all from one process; None where there is none."""
    answer = _git(repo, "cat-file", "--batch", given="\n".join(names).encode() + b"\n") if names else b""
    if answer is None:
        return [None] * len(names)
    found: list[bytes | None] = []
    at = 0
    for _ in names:
        end = answer.index(b"\n", at)
        head = answer[at:end].split(b" ")
        at = end + 1
        if len(head) == 3 and head[1] in (b"blob", b"tree", b"commit", b"tag"):
            size = int(head[2])
            found.append(answer[at : at + size] if head[1] == b"blob" else None)
            at += size + 1
        else:
            found.append(None)
    return found


def _git(folder: Path, *words: str, given: bytes | None = None) -> bytes | None:
    """What git prints; None when it refuses, is absent or takes too long."""
    import subprocess  # most syncs ask no repository

    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            input=given or b"",
            env=_surroundings(),
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _surroundings() -> dict[str, str]:
    """The environment without what would point git to another repository than the one it is asked about."""
    kept = {name: value for name, value in paths.environment().items() if not name.startswith("GIT_")}
    return kept | _GIT
