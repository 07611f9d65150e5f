"""The JSON Schema of evidence, from the same types that decode it."""

from typing import Any

import msgspec

from observer.records.evidence import FORMAT, VERSION, Evidence


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the evidence document."""
    found: dict[str, Any] = msgspec.json.schema(Evidence)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT} version {VERSION}",
        **found,
    }
