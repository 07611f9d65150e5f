"""A comment that somebody looked at: the saved dry run, posted as it was seen or not at all.

Makes the comment again from the evidence in the file and compares. Never
takes the text of the file for what the evidence says.
"""

import difflib
import json
from typing import Any

import msgspec

from observer.base.errors import EvidenceRefused, ReviewRefused
from publish import api, evidence, target
from publish.api import Prepared
from publish.target import Target

LARGEST = 8 * evidence.LARGEST
_HINT = "agent-observer publish … --dry-run --json > review.json"
_MOST_LINES = 40


def read(data: bytes) -> Prepared:
    """The prepared comment in the file of a dry run.

    EvidenceRefused when it is no such file or its evidence is refused,
    TargetRefused for a target that cannot be; ReviewRefused, with the
    difference, when evidence, target and this program no longer give that
    text byte for byte.
    """
    document = evidence.parse(data, largest=LARGEST)
    given = document.get("evidence")
    if document.get("dry_run") is not True or not isinstance(given, list):
        raise EvidenceRefused("this is not the file of a dry run", _HINT)
    if not all(isinstance(each, dict) for each in given):
        raise EvidenceRefused("evidence: is not a list of documents", _HINT)
    prepared = api.prepare([evidence.verified(each) for each in given], _target(document.get("target")))
    seen = document.get("body")
    if seen != prepared.body:
        raise ReviewRefused(
            f"the reviewed text is not what its evidence gives now:\n{_difference(seen, prepared.body)}", _HINT
        )
    if document.get("summary") != json.loads(json.dumps(prepared.summary)):
        raise ReviewRefused("the reviewed summary is not what its evidence gives now", _HINT)
    return msgspec.structs.replace(prepared, reviewed=True)


def _target(fields: Any) -> Target:
    if not isinstance(fields, dict):
        raise EvidenceRefused("target: is not an object", _HINT)
    return target.parse(fields.get("repo"), pr=fields.get("pr"), commit=fields.get("commit"))


def _difference(seen: Any, now: str) -> str:
    """The lines that differ; control characters of the file stay out of the terminal."""
    text = seen if isinstance(seen, str) else ""
    lines = list(difflib.unified_diff(text.splitlines(), now.splitlines(), "reviewed", "now", n=0, lineterm=""))
    more = [f"… and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    shown = ("".join(each if each.isprintable() else "?" for each in line)[:200] for line in lines[:_MOST_LINES])
    return "\n".join([*shown, *more])
