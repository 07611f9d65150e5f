"""Figures: the allow-listed numbers of one subject, as plain data.

What a comment shows and what its state block remembers, and the only form in
which evidence goes on to the renderer. Never holds a response id, and never
anything that evidence cannot say. publish.extract takes them from evidence,
publish.totals adds them up.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from observer.records.evidence import (
    Acceptance,
    Count,
    Coverage,
    Day,
    Digest,
    Identifier,
    Instant,
    Money,
    Outcome,
    Partitions,
    Totals,
)

Section = Literal["rates", "tokens", "changes", "details", "flags"]
COUNTERS = ("input", "cached_input", "cache_write_input", "output", "reasoning_output")


class ModelRow(Struct, frozen=True, omit_defaults=True):
    """A model at one effort, over all harnesses; `usd` is what is known of its cost."""

    model: Identifier | None
    effort: Identifier | None
    responses: Count
    priced: Count
    usd: Money


class Known(Struct, frozen=True, omit_defaults=True):
    """A sum, and how many responses did not report the counter."""

    tokens: Count
    unknown: Count = 0


class TokenRow(Struct, frozen=True, omit_defaults=True):
    """The counters of one model within one counter semantics."""

    model: Identifier | None
    responses: Count
    input: Known
    cached_input: Known
    cache_write_input: Known
    output: Known
    reasoning_output: Known


class TokenTable(Struct, frozen=True, omit_defaults=True):
    """All models of one semantics label, with the harnesses that reported them."""

    semantics: Annotated[str, Meta(pattern=r"^[a-z]+:[a-z_,;=]{1,100}$")]
    harnesses: list[Identifier]
    rows: list[TokenRow]


class RateRow(Struct, frozen=True, omit_defaults=True):
    """Rates that were used, USD per million tokens; None where there is none."""

    model: Identifier
    tier: Literal["base", "long"]
    input: Money | None = None
    cached_input: Money | None = None
    cache_write_5m: Money | None = None
    cache_write_1h: Money | None = None
    output: Money | None = None
    reasoning_output: Money | None = None
    source: Annotated[str, Meta(max_length=300)] | None = None


class Figures(Struct, frozen=True, omit_defaults=True):
    """Everything shown of one subject.

    `priced` is the valuation of its own usage, `shared` of what it shares
    with other tasks. `elsewhere` responses of its own were published under
    another subject at the same time and are in none of these figures.
    `more_models` rows and the sections in `left_out` were dropped to keep the
    comment short.
    """

    id: Identifier
    observer_version: Identifier
    price_schedule_id: Digest
    priced_as_of: Day
    coverage: Coverage
    partitions: Partitions
    priced: Totals
    shared: Totals
    shared_with: Count = 0
    elsewhere: Count = 0
    outcome: Outcome | None = None
    elapsed_ms: Count | None = None
    native_usd: Money | None = None
    native_responses: Count = 0
    web_searches: Count = 0
    models: list[ModelRow] = []
    more_models: Count = 0
    tokens: list[TokenTable] = []
    rates: list[RateRow] = []
    left_out: list[Section] = []


class Before(Struct, frozen=True, omit_defaults=True):
    """What the comment said of a subject before its present snapshot."""

    responses: Count
    priced: Count
    usd: Money
    price_schedule_id: Digest
    acceptance: Acceptance | None = None


class Subject(Struct, frozen=True, omit_defaults=True):
    """One subject of a comment: which snapshot of it is shown, and its figures.

    `figures` is None where the comment had no room to remember them;
    `before` where no earlier snapshot was shown.
    """

    subject_id: Digest
    kind: Literal["task", "sessions"]
    snapshot_id: Digest
    evidence_id: Digest
    cutoff: Instant | None = None
    figures: Figures | None = None
    before: Before | None = None


def shown(subject: Subject) -> Figures:
    """The figures of a subject that is to be shown. ValueError when it has none."""
    if subject.figures is None:
        raise ValueError("a subject without figures cannot be shown")
    return subject.figures
