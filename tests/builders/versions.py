"""Versions that a test makes up: of an adapter, of the privacy rules, and of what they let through."""

import importlib
from typing import Any

import pytest
from msgspec.structs import replace

from observer.adapters.registry import HARNESSES
from observer.privacy import excerpt, version


def adapter_version(patch: pytest.MonkeyPatch, harness: str, number: int, **changed: Any) -> None:
    """The harness's adapter is of that version, with other parts of its reader of lines if given."""
    module = importlib.import_module(f"observer.adapters.{harness}")
    patch.setattr(module, "ADAPTER", replace(module.ADAPTER, version=number))
    if changed:
        reading = importlib.import_module(f"observer.adapters.{harness}.read")
        patch.setattr(reading, "READER", replace(reading.READER, **changed))


def all_adapters(patch: pytest.MonkeyPatch, number: int) -> None:
    """Every adapter is of that version."""
    for harness in HARNESSES:
        adapter_version(patch, harness, number)


def privacy_version(patch: pytest.MonkeyPatch, number: int, *, longest: int = excerpt.SUBMISSION_LONGEST) -> None:
    """The privacy rules are of that version, and let at most `longest` characters of a prompt through."""
    patch.setattr(version, "PRIVACY_VERSION", number)
    patch.setattr(excerpt, "SUBMISSION_LONGEST", longest)
