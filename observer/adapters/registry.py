"""The harnesses that can be read, in the order they are imported."""

import importlib

from observer.adapters.protocol import Adapter, Reader, Store

HARNESSES = ("codex", "claude", "opencode", "grok", "router")
# Stores that keep homes of other agents beside them: what is found there is imported with those agents' own sources.
HOSTS = {"router": frozenset(("codex",))}


def adapter(harness: str) -> Reader:
    """What reads a harness; its module is loaded only now."""
    found = importlib.import_module(f"observer.adapters.{harness}").ADAPTER
    assert isinstance(found, Adapter | Store)
    return found
