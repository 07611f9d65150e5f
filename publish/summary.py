"""Summary: the subjects of a comment as the template sees them, built field by field out of cells.

The last step before text. Holds cells and yes-or-no only; what has no cell
cannot be shown. The shapes are here, publish.summarize fills them.
"""

from msgspec import Struct

from publish.cells import Cell, Count, Counted, Tokens


class Cost(Struct, frozen=True):
    """What is known of a cost: `amount` is None when nothing is priced.

    `whole`: the amount is a total; otherwise it is a known subtotal.
    """

    amount: Cell | None
    whole: bool
    responses: Counted
    priced: Count
    unpriced: Counted
    reasons: tuple["Reason", ...]


class Reason(Struct, frozen=True):
    """How many responses are unpriced, and the words for why."""

    count: Count
    words: Cell


class Shared(Struct, frozen=True):
    """Usage that several tasks own together; it is outside every other figure."""

    count: Count
    responses: Counted
    tasks: Counted
    amount: Cell | None


class Model(Struct, frozen=True):
    """A row of the main table; `usd` is None where nothing of it is priced."""

    model: Cell
    effort: Cell
    responses: Count
    priced: Count
    usd: Cell | None


class Usage(Struct, frozen=True):
    """A row of a token table; `model` is None in the row that adds the others up."""

    model: Cell | None
    input: Tokens
    cached: Tokens
    write: Tokens
    output: Tokens
    reasoning: Tokens


class Table(Struct, frozen=True):
    """One counter semantics; only its own rows may be added up.

    `cached_inside` and `reasoning_inside`: the counter is part of the one
    before it. `has_writes` and `has_reasoning`: the column has anything in it.
    """

    cached: Cell
    origin: Cell
    harnesses: tuple[Cell, ...]
    cached_inside: bool
    reasoning_inside: bool
    has_writes: bool
    has_reasoning: bool
    rows: tuple[Usage, ...]
    every: Usage | None


class RateLine(Struct, frozen=True):
    """A row of the price table, USD per million tokens."""

    model: Cell
    tier: Cell
    input: Cell
    cached: Cell
    write_5m: Cell
    write_1h: Cell
    output: Cell
    reasoning: Cell
    source: Cell


class Prices(Struct, frozen=True):
    """Under which schedules the cost was estimated: `as_of` is None when there are several."""

    as_of: Cell | None
    schedules: Counted
    lines: tuple[RateLine, ...]
    has_reasoning: bool
    searches: Counted


class Origin(Struct, frozen=True):
    """Where the figures of one subject come from, and what the coordinator recorded of it."""

    name: Cell
    snapshot: Cell
    evidence: Cell
    cutoff: Cell | None
    schedule: Cell
    as_of: Cell
    version: Cell
    candidate: Cell | None
    proof: Cell | None
    repairs: Counted | None
    corrections: Counted | None


class Line(Struct, frozen=True):
    """A row of the table of subjects; `usd` is None where nothing of it is priced."""

    name: Cell
    acceptance: Cell
    flags: Cell
    responses: Count
    usd: Cell | None
    is_task: bool


class Change(Struct, frozen=True):
    """What an update changed of one subject; the costs and outcomes are None where they say nothing new."""

    name: Cell
    responses_before: Count
    responses: Counted
    usd_before: Cell | None
    usd: Cell | None
    acceptance_before: Cell | None
    acceptance: Cell | None
    repriced: bool


class Provenance(Struct, frozen=True):
    """What the figures were made from: one origin per subject, and what concerns all of them."""

    origins: tuple[Origin, ...]
    more_origins: Counted
    native: Cell | None
    native_responses: Counted
    copies: Counted


class Summary(Struct, frozen=True):
    """Everything that the comment says.

    `several`: it shows more than one task or selection, so `name` is a count
    and `lines` has a row for each. `accepted` of `tasks` are accepted.
    `missing` and `lower_bounds`: whether the legend has to explain them.
    `details` and `names_flags` are no when they were left out for length.
    """

    several: bool
    is_task: bool
    mixed: bool
    name: Cell
    acceptance: Cell
    accepted: Count
    tasks: Counted
    selections: Counted
    lines: tuple[Line, ...]
    more_lines: Counted
    complete: bool
    reconciles: bool
    scope: Counted
    owned: Count
    unassigned: Count
    flag_count: Counted
    flags: tuple[Counted, ...]
    elapsed: Cell | None
    cost: Cost
    shared: Shared
    elsewhere: Counted
    changes: tuple[Change, ...]
    models: tuple[Model, ...]
    folded_models: Counted
    more_models: Counted
    tables: tuple[Table, ...]
    missing: bool
    lower_bounds: bool
    prices: Prices
    provenance: Provenance
    details: bool
    names_flags: bool
    left_out: tuple[Cell, ...]
