"""The harnesses that can be read, in the order they are imported."""

import importlib

from observer.adapters.protocol import Adapter

HARNESSES = ("codex", "claude")


def adapter(harness: str) -> Adapter:
    """The adapter of a harness; its module is loaded only now."""
    found = importlib.import_module(f"observer.adapters.{harness}").ADAPTER
    assert isinstance(found, Adapter)
    return found
