"""Evidence in an artifact of a workflow run: an archive that anybody may have written.

Read in memory, member by member, within limits that hold for what the archive
says and for what it is. Never writes a file, and never takes a name from it
for anything but messages.
"""

import hashlib
import io
import re
import stat
import zipfile
import zlib
from typing import Protocol

from msgspec import Struct

from publish.event import Run
from publish.evidence import LARGEST
from publish.result import Outcome, Stop

LARGEST_ARCHIVE = 16 * 1024 * 1024
LARGEST_WHOLE = 32 * 1024 * 1024
MOST_DOCUMENTS = 50
# Evidence packs to a tenth or so; what packs far better is a bomb.
GREATEST_RATIO = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.json")
_ENCRYPTED = 0x1 | 0x40
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Document(Struct, frozen=True):
    """Bytes that claim to be evidence, and what they are called."""

    name: str
    data: bytes


class Origin(Struct, frozen=True):
    """The run that made an artifact, as the server says it."""

    id: int | None = None
    head_sha: str | None = None
    head_repository_id: int | None = None


class Artifact(Struct, frozen=True):
    """An artifact as the server lists it."""

    id: int
    name: str
    expired: bool = False
    digest: str | None = None
    workflow_run: Origin | None = None


class Store(Protocol):
    """Where artifacts come from; each call may raise Stop."""

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        """The artifacts of a run that have this name."""

    def archive(self, artifact: int, limit: int) -> bytes:
        """The bytes of one. Stop when there are more than `limit`."""


def fetch(store: Store, *, name: str, run_id: int, run: Run | None) -> list[Document]:
    """The documents in the newest artifact of this name; `run` is the one that the event is about.

    Stop: failed (no_artifact, artifact_expired, bad_artifact). A run of an
    event may have left no evidence: skipped (no_artifact).
    """
    found = [each for each in store.artifacts(run_id, name) if each.name == name]
    if not found:
        outcome: Outcome = "failed" if run is None else "skipped"
        raise Stop(outcome, "no_artifact", f"run {run_id} has no artifact named {name!r}")
    # A run that was started again has one artifact per attempt; the last attempt is the run's answer.
    newest = max(found, key=lambda each: each.id)
    _belongs(newest, run_id, run)
    if newest.expired:
        raise Stop("failed", "artifact_expired", f"artifact {name!r} of run {run_id} has expired")
    data = store.archive(newest.id, LARGEST_ARCHIVE)
    if newest.digest is not None and newest.digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise _bad("it is not what was uploaded: its digest differs")
    return documents(data)


def documents(archive: bytes) -> list[Document]:
    """The members of an archive, in the order of their names. Stop (bad_artifact) names what is wrong with it."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            members = _checked(opened.infolist())
            return [Document(each.filename, _content(opened, each)) for each in members]
    except zipfile.BadZipFile as error:
        raise _bad(f"it is no sound zip archive ({error})") from error
    except (zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        raise _bad(f"it cannot be unpacked ({type(error).__name__})") from error


def _belongs(artifact: Artifact, run_id: int, run: Run | None) -> None:
    """The list is asked for one run; what it answers must be of that run, and of the commit of the event."""
    origin = artifact.workflow_run or Origin()
    if origin.id not in (None, run_id):
        raise _bad(f"it belongs to run {origin.id}, not to run {run_id}")
    if run is None:
        return
    if origin.head_sha not in (None, run.head_sha):
        raise _bad("it belongs to another commit than the run of the event")
    head = run.head_repository
    if head is not None and head.id is not None and origin.head_repository_id not in (None, head.id):
        raise _bad("it belongs to another repository than the run of the event")


def _checked(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Everything that the directory of the archive says, before a byte is unpacked."""
    if not members:
        raise _bad("it is empty")
    if len(members) > MOST_DOCUMENTS:
        raise _bad(f"it has {len(members)} members, {MOST_DOCUMENTS} at most are read")
    for each in members:
        _check(each)
    names = {each.filename.casefold() for each in members}
    if len(names) != len(members):
        raise _bad("two members have the same name")
    whole = sum(each.file_size for each in members)
    if whole > LARGEST_WHOLE:
        raise _bad(f"it unpacks to {whole} bytes, {LARGEST_WHOLE} at most are read")
    return sorted(members, key=lambda each: each.filename)


def _check(member: zipfile.ZipInfo) -> None:
    # The name as it stands in the archive: the library cuts it at a NUL and changes its separators.
    name = member.orig_filename
    if not _NAME.fullmatch(name) or member.filename != name:
        raise _bad(f"member {name[:100]!r} is not a plain NAME.json")
    if member.flag_bits & _ENCRYPTED:
        raise _bad(f"member {name} is encrypted")
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise _bad(f"member {name} is no regular file")
    if member.compress_type not in _METHODS:
        raise _bad(f"member {name} is packed by a method that is not read")
    if member.file_size > LARGEST:
        raise _bad(f"member {name} has {member.file_size} bytes, {LARGEST} at most are read")
    if member.file_size > GREATEST_RATIO * max(1, member.compress_size):
        raise _bad(f"member {name} unpacks to more than {GREATEST_RATIO} times its size")


def _content(opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with opened.open(member) as packed:
        data = packed.read(member.file_size + 1)
    if len(data) != member.file_size:
        raise _bad(f"member {member.filename} has another size than the archive says")
    return data


def _bad(why: str) -> Stop:
    return Stop("failed", "bad_artifact", f"the artifact is not read: {why}")
