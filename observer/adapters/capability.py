"""What a harness's records can and cannot show, so that absence is never read as zero.

The words of the tables in `<harness>/capabilities.py`; holds no facts itself.
"""

import importlib
from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from observer.records.event import Family

# Rises when a family, a status or the meaning of an event's fields changes.
EVENT_CONTRACT = 1
Subject = Literal[
    "model_usage",
    "model",
    "effort",
    "native_cost",
    "prompts",
    "subagents",
    "forks",
    Family,
    "exit_status",
    "call_results",
    "quota",
    "live_state",
]
Supported = Literal["yes", "partly", "no"]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
FAMILIES: tuple[Family, ...] = get_args(Family)


class Capability(Struct, frozen=True):
    """Whether records show something, and one sentence on how or why not."""

    supported: Supported
    says: str


Capabilities = Mapping[Subject, Capability]


def yes(says: str) -> Capability:
    """The records show it."""
    return Capability("yes", says)


def partly(says: str) -> Capability:
    """The records show some of it; what is absent may have happened."""
    return Capability("partly", says)


def no(says: str) -> Capability:
    """The records do not show it; its absence says nothing."""
    return Capability("no", says)


def of(harness: str) -> Capabilities:
    """The table of a harness, in the order of SUBJECTS."""
    table: Capabilities = importlib.import_module(f"observer.adapters.{harness}.capabilities").CAPABILITIES
    return {subject: table[subject] for subject in SUBJECTS}
