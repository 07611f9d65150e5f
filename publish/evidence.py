"""Evidence as untrusted bytes: decoded strictly, its identities recomputed.

Every way in which a document can be malformed ends in EvidenceRefused with
the name of the field. What the figures say to each other is publish.audit's.
"""

import json
import re
from typing import Any, NoReturn

import msgspec

from observer.base import canon
from observer.base.errors import EvidenceRefused
from observer.records.evidence import Evidence
from publish import audit

LARGEST = 8 * 1024 * 1024
DEEPEST = 16
_MOST_FAULTS = 5
_UNMEASURED = ("elapsed_ms", "elapsed_source", "detectors")
_HINT = "make it again with: agent-observer export"
_PLACE = re.compile(r"^(.*) - at `\$\.?([^`]*)`$", re.DOTALL)


def read(data: bytes) -> Evidence:
    """The evidence in a document, verified down to every cent.

    EvidenceRefused when it is no such document (8 MiB, 16 levels at most) or
    when any identity, price or total is not what its own parts give.
    """
    return verified(parse(data))


def verified(document: dict[str, Any]) -> Evidence:
    """The evidence in a parsed document, under the same conditions as `read`."""
    _look_through(document, "", 1)
    evidence = _decode(document)
    faults = [*_identity(document, evidence), *audit.faults(evidence)]
    if faults:
        more = f" (and {len(faults) - _MOST_FAULTS} more)" if len(faults) > _MOST_FAULTS else ""
        raise EvidenceRefused("; ".join(faults[:_MOST_FAULTS]) + more, _HINT)
    return evidence


def document(evidence: Evidence) -> dict[str, Any]:
    """The JSON form, which `read` takes again; what nothing has measured is absent, not null."""
    fields: dict[str, Any] = msgspec.to_builtins(evidence)
    return {name: each for name, each in fields.items() if each is not None or name not in _UNMEASURED}


def parse(data: bytes, *, largest: int = LARGEST) -> dict[str, Any]:
    """One reading of the bytes, which both the digest and the types go by.

    EvidenceRefused for anything but one JSON object of at most `largest`
    bytes, without a field that is given twice or a number that is none.
    """
    if len(data) > largest:
        raise EvidenceRefused(f"evidence has {len(data)} bytes, the limit is {largest}")
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise EvidenceRefused(f"evidence is nested deeper than {DEEPEST} levels") from None
    except ValueError as error:
        raise EvidenceRefused(f"evidence is not JSON: {_first_words(error)}", _HINT) from None
    if not isinstance(document, dict):
        raise EvidenceRefused("evidence is not a JSON object", _HINT)
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field is given twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _look_through(value: Any, path: str, depth: int) -> None:
    """No depth, and no character, that a reader further on has to be on guard against."""
    if depth > DEEPEST:
        raise EvidenceRefused(f"evidence is nested deeper than {DEEPEST} levels")
    if isinstance(value, str):
        if not value.isprintable():
            raise EvidenceRefused(f"{path}: holds a character that is not printable")
    elif isinstance(value, dict):
        for name, each in value.items():
            _look_through(name, path or "a field name", depth)
            _look_through(each, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            _look_through(each, f"{path}[{number}]", depth + 1)


def _decode(document: dict[str, Any]) -> Evidence:
    try:
        return msgspec.convert(document, Evidence)
    except msgspec.ValidationError as error:
        text = str(error)
        found = _PLACE.match(text)
        raise EvidenceRefused(f"{found[2]}: {found[1]}" if found else text, _HINT) from None


def _identity(document: dict[str, Any], evidence: Evidence) -> list[str]:
    unsealed = {name: each for name, each in document.items() if name != "evidence_id"}
    try:
        identity = canon.digest(unsealed)
    except ValueError:
        raise EvidenceRefused("evidence holds a number that JSON cannot say", _HINT) from None
    return audit.differs("evidence_id", evidence.evidence_id, "the document", identity)


def _first_words(error: ValueError) -> str:
    return str(error).partition("\n")[0][:120]
