"""Identifiers, names, statuses and labels: the short texts that are kept as recorded or not at all.

An honest value passes unchanged, so that what is shown is what was recorded.
Anything else is dropped; only an identifier, which rows are joined by, is
replaced, always by the same digest.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

from observer.privacy.credentials import begins_in_run, redact
from observer.privacy.excerpt import marker
from observer.privacy.plain import is_line
from observer.records.event import Family
from observer.records.evidence import IDENTIFIER

KEYS_LONGEST = 200
_IDENTIFIER = re.compile(IDENTIFIER)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]{0,79}")
# Most ids are of these kinds: hexadecimal with words of the adapters between, which no secret is, or a known
# word and one run of letters and digits, in which few secrets fit.
_HEXADECIMAL = re.compile(
    r"(?:(?:claude|codex|opencode|grok):)?(?:[0-9a-f][0-9a-f-]{7,72}|line)"
    r"(?::(?:p|tc|turn|agent|queue|advisor))?(?::[0-9a-f]{1,17}){0,2}"
)
_RUN = re.compile(r"(?:(?:claude|codex|opencode):)?(?:toolu|call|msg|prt|resp|req|ses|fc|ctc|rs)_[0-9A-Za-z]{8,72}")
_HARNESS = re.compile(r"(?:claude|codex|opencode|grok|router|t3):")
_HTTP_STATUS = re.compile(r"[1-5][0-9]{2}")
_MARKUP = re.compile(r"[<>`]")

# Families whose names are words of ours or of a harness, never of a user.
_CLOSED_NAMES: dict[Family, frozenset[str]] = {
    "lifecycle": frozenset(
        "api_error collab_agent hook_prompt informational plan review_entered review_exited stop_hook_summary"
        " subagent_activity thread_goal_updated turn_aborted turn_duration"
        " hook_execution model_auto_switched model_changed retry rewind_marker subagent_finished subagent_spawned"
        " task_backgrounded task_completed"
        " error interrupted session_start session_end turn_start turn_end".split()
    ),
    "compaction": frozenset(("compact_boundary", "auto", "manual")),
    "assistant_message": frozenset(("text", "final", "commentary")),
    "file_change": frozenset(
        "Edit MultiEdit NotebookEdit Write apply_patch edit multiedit notebook_edit patch write".split()
    ),
}
_OUTCOMES = ("ok", "error", "denied", "cancelled")
_STATUSES: dict[Family, frozenset[str]] = {
    "tool_call": frozenset(("pending", "running", *_OUTCOMES)),
    "tool_result": frozenset((*_OUTCOMES, "timeout")),
    "read": frozenset(_OUTCOMES),
    "skill_read": frozenset(_OUTCOMES),
    "skill_invoke": frozenset(_OUTCOMES),
    "file_change": frozenset(_OUTCOMES),
    "permission": frozenset(("requested", "allowed", "denied", "cancelled")),
    "assistant_message": frozenset(),
    "compaction": frozenset(("started", "ok", "error", "cancelled")),
    "lifecycle": frozenset(("started", "active", *_OUTCOMES)),
}
_WITH_HTTP_STATUS = frozenset(("lifecycle", "tool_result"))
FAMILIES = frozenset(_STATUSES)


@lru_cache(maxsize=16384)
def identifier(text: str) -> str:
    """An id as it is, if it is one that evidence may carry and holds no secret; else its SHA-256.

    A harness prefix stays before the digest, so that a key still tells its
    harness. Equal ids stay equal, whatever record they stand in.
    """
    if _HEXADECIMAL.fullmatch(text) or (_RUN.fullmatch(text) and not begins_in_run(text)):
        return text
    if _IDENTIFIER.fullmatch(text) and redact(text) == text:
        return text
    harness = _HARNESS.match(text)
    prefix = harness[0] if harness else ""
    return prefix + hashlib.sha256(text[len(prefix) :].encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=4096)
def event_name(family: Family, text: str) -> str | None:
    """The name of a tool, skill or step, None when it is no identifier or not on its family's list."""
    closed = _CLOSED_NAMES.get(family)
    if closed is not None:
        return text if text in closed else None
    return name(text)


@lru_cache(maxsize=4096)
def name(text: str) -> str | None:
    """A name of at most 80 characters, letters (ASCII) first; None for anything else (behaviour §9.5)."""
    return text if _NAME.fullmatch(text) and redact(text) == text else None


@lru_cache(maxsize=256, typed=True)
def status(family: Family, value: str | int) -> str | None:
    """A status of the family's closed list, or an HTTP status where one can be; None for others."""
    if isinstance(value, bool):
        return None
    text = str(value)
    if text in _STATUSES[family] or (family in _WITH_HTTP_STATUS and _HTTP_STATUS.fullmatch(text)):
        return text
    return None


@lru_cache(maxsize=4096)
def label(text: str, longest: int) -> str | None:
    """One line of recorded metadata, secrets replaced; None when it has controls, a marker, or is too long."""
    if not text.isprintable():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if not text or len(text) > longest or not is_line(text) or marker(text) >= 0:
        return None
    return redact(text)


@lru_cache(maxsize=1024)
def model(text: str) -> str | None:
    """The name of a model or provider: any line of up to 128 characters without markup."""
    return None if _MARKUP.search(text) else label(text, 128)


@lru_cache(maxsize=256)
def word(text: str) -> str | None:
    """A setting such as an effort or a tier: an identifier of up to 64 characters."""
    return text if len(text) <= 64 and identifier(text) == text else None


def key_names(keys: Iterable[str]) -> tuple[str, ...]:
    """Sorted key names of a record, those that look like names; at most 200 characters when joined."""
    kept: list[str] = []
    room = KEYS_LONGEST
    for key in sorted({key for key in keys if name(key)}):
        if len(key) > room:
            break
        kept.append(key)
        room -= len(key) + 1
    return tuple(kept)
