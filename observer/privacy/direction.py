"""Project Direction blocks and instruction texts → digests; the texts end here.

Two forms of the block are known: begin line, one JSON object, end line; and a
header line whose JSON has a `sections` nonce, nonce-tagged section lines, and
an end line that carries the nonce. In both the object after the begin line
holds the hashes. Anything else about a block is `unparsed`. Only a context has
blocks: an instruction file that shows one is no hook.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from observer.privacy import names
from observer.privacy.credentials import redact
from observer.records.identity import Instructions, RawInstructions, Release

BEGIN = "<<<AGENTSMD_PROJECT_DIRECTION_V1>>>"
UNPARSED = "unparsed"

_END = "<<<END_AGENTSMD_PROJECT_DIRECTION_V1"
_CLOSED = re.compile(rf"\s*{_END}>>>")
_BEGUN = re.compile(BEGIN)
# A block's marker ends its line; a text that only speaks of the marker has more there.
_BEGIN_LINE = re.compile(rf"{BEGIN}[ \t\r]*(?:\n|\Z)")
_SPACE = re.compile(r"\s*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_NONCE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PATH_LONGEST = 1024
# Every attempt at a block may look at the whole text; more than a conversation has are not tried.
_MOST_BLOCKS = 32
_DECODER = json.JSONDecoder()


def instructions(raw: RawInstructions, releases: Sequence[Release]) -> Instructions | None:
    """What a text proves; None when nothing. An instruction file of no known release is told as just that."""
    if raw.kind == "context":
        return _direction(raw) if BEGIN in raw.text else None
    matched = _whole(raw.text, releases)
    if matched is None and raw.kind == "embedded":
        matched = _beginning(raw.text, releases)
    return Instructions(raw.session, raw.ordinal, matched_sha256=matched)


def again(known: Instructions) -> Instructions | None:
    """The same with what may be kept of it today; None when nothing is left of what it proved."""
    kept = Instructions(
        known.session,
        known.ordinal,
        direction_status=None if known.direction_status is None else _word(known.direction_status) or UNPARSED,
        instructions_sha256=_matching(known.instructions_sha256, _SHA256),
        instructions_path=_path(known.instructions_path),
        preferences_sha256=_matching(known.preferences_sha256, _SHA256),
        preferences_status=_word(known.preferences_status),
        direction_sha256=_matching(known.direction_sha256, _SHA256),
        repository_root=_path(known.repository_root),
        git_head=_matching(known.git_head, _COMMIT),
        matched_sha256=_matching(known.matched_sha256, _SHA256),
    )
    return kept if kept == known or kept != Instructions(known.session, known.ordinal) else None


def _direction(raw: RawInstructions) -> Instructions | None:
    """The last block of the text that can be read, else the fact that there was one."""
    found: dict[str, Any] | None = None
    over = 0
    for start in [begun.end() for begun in _BEGUN.finditer(raw.text)][-_MOST_BLOCKS:]:
        if start >= over:  # else it is quoted inside the block before
            payload, end = _payload(raw.text, start)
            if payload is not None:
                found, over = payload, end
    if found is not None:
        return _said(raw, found)
    if _BEGIN_LINE.search(raw.text) is None:
        return None
    return Instructions(raw.session, raw.ordinal, direction_status=UNPARSED)


def _payload(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """The JSON object of a block that is closed as its form demands, and where the block ends."""
    space = _SPACE.match(text, start)
    try:
        payload, end = _DECODER.raw_decode(text, space.end() if space else start)
    except (ValueError, RecursionError):
        return None, start
    if not isinstance(payload, dict):
        return None, start
    nonce = payload.get("sections")
    if nonce is None:
        closed = _CLOSED.match(text, end)
        return (payload, closed.end()) if closed else (None, start)
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        return None, start
    at = text.find(f"\n{_END} {nonce}>>>", end)
    return (payload, at) if at >= 0 else (None, start)


def _said(raw: RawInstructions, payload: dict[str, Any]) -> Instructions:
    stated, preferences = _object(payload, "instructions"), _object(payload, "preferences")
    return Instructions(
        raw.session,
        raw.ordinal,
        direction_status=_word(payload.get("status")) or UNPARSED,
        instructions_sha256=_matching(stated.get("sha256"), _SHA256) or _matching(stated.get("target_sha256"), _SHA256),
        instructions_path=_path(stated.get("resolved_target")),
        preferences_sha256=_matching(preferences.get("sha256"), _SHA256),
        preferences_status=_word(preferences.get("status")),
        direction_sha256=_files(payload.get("files")),
        repository_root=_path(payload.get("repository_root")),
        git_head=_matching(_object(_object(payload, "git"), "head").get("sha"), _COMMIT),
    )


def _files(files: Any) -> str | None:
    """One digest over the hashes of the direction files, by name."""
    if not isinstance(files, list):
        return None
    hashes = {
        str(each.get("name")): each["sha256"]
        for each in files
        if isinstance(each, dict) and _matching(each.get("sha256"), _SHA256)
    }
    if not hashes:
        return None
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode("utf-8", "replace")).hexdigest()


def _whole(text: str, releases: Sequence[Release]) -> str | None:
    """The release whose file this is, with or without its final newline."""
    stripped = text.removesuffix("\n").encode("utf-8", "replace")
    known = {each.sha256 for each in releases if len(stripped) <= each.size_bytes <= len(stripped) + 1}
    if not known:
        return None
    digests = (hashlib.sha256(each).hexdigest() for each in (stripped, stripped + b"\n"))
    return next((each for each in digests if each in known), None)


def _beginning(text: str, releases: Sequence[Release]) -> str | None:
    """The release that the text begins with, byte for byte; the longest if several."""
    data = memoryview(text.encode("utf-8", "replace"))
    sofar, at, found = hashlib.sha256(), 0, None
    for release in sorted(releases, key=lambda each: each.size_bytes):
        if release.size_bytes > len(data):
            break
        sofar.update(data[at : release.size_bytes])
        at = release.size_bytes
        if sofar.hexdigest() == release.sha256:
            found = release.sha256
    return found


def _object(payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def _matching(value: Any, pattern: re.Pattern[str]) -> str | None:
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _word(value: Any) -> str | None:
    """A status of any vocabulary, if it is a word and no secret."""
    word = _matching(value, _WORD)
    return word if word is not None and redact(word) == word else None


def _path(value: Any) -> str | None:
    """An absolute path on one line, without markers, secrets replaced; None for anything else."""
    if not isinstance(value, str) or not value.startswith("/"):
        return None
    return names.label(value, _PATH_LONGEST)
