"""Evidence: what a machine says about one subject, and nothing else.

One JSON document, sanitized, sealed with identities that whoever receives it
recomputes. It is the only thing that crosses to the publisher and to fleet
reports. Every field is a number, an instant, a digest, a word of a closed
list, or an identifier that passes IDENTIFIER: no path, prompt, title, branch
or free text can be said in it. Source of the fields: fleet A3, publish A1.

Decode with `msgspec.json.decode(data, type=Evidence)` after the caps of
`publish.evidence`; unknown fields are ignored, wrong types refused.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

FORMAT: Final = "agent-observer/evidence"
VERSION: Final = 1

# Every pattern ends with `$(?!\n)`: to Python alone, `$` also matches before a
# newline at the end; to JSON Schema's dialect the addition changes nothing.
# Letters, digits and . _ : / - + @ [ ] — what model ids, task ids and session
# keys consist of. No white space, no markup, no control characters.
IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9._:/+@\[\]-]{0,127}$(?!\n)"
# A candidate, proof or issue: a GitHub URL of a repository, issue, pull or
# commit; owner/name; owner/name#N; a number; 7 to 64 hex digits.
REFERENCE = (
    r"^(?:https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+(?:/(?:issues|pull|commit)/[0-9a-f]+)?"
    r"|[A-Za-z0-9-]+/[A-Za-z0-9._-]+(?:#[0-9]+)?|[0-9]{1,10}|[0-9a-f]{6,64})$(?!\n)"
)

Identifier = Annotated[str, Meta(pattern=IDENTIFIER)]
Reference = Annotated[str, Meta(pattern=REFERENCE)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
LedgerId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]
Instant = Annotated[str, Meta(pattern=r"^[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}\.[0-9]{3}Z$(?!\n)")]
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]$(?!\n)")]
Money = Annotated[str, Meta(pattern=r"^(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,18})?$(?!\n)")]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Row = Annotated[int, Meta(ge=0, le=10**6)]
Acceptance = Literal["complete", "active", "cancelled", "failed", "quota_blocked", "crashed", "unknown"]


class Subject(Struct, frozen=True, forbid_unknown_fields=False):
    """What the evidence is about.

    `id`: the task id, or for a session selection the digest of its sorted
    session keys. `subject_id` = SHA-256 of `ledger_id NUL kind NUL id`.
    """

    kind: Literal["task", "sessions"]
    id: Identifier
    subject_id: Digest


class Target(Struct, frozen=True):
    """Where the subject's work went, when the exporter was told."""

    repo: Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}$(?!\n)")] | None = None
    pr: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    commit: Annotated[str, Meta(pattern=r"^[0-9a-f]{7,64}$(?!\n)")] | None = None


class Outcome(Struct, frozen=True):
    """The coordinator's record; a finished process proves nothing.

    A reference that does not look like one is not exported; `withheld` counts
    those.
    """

    state: Acceptance
    candidate: Reference | None = None
    proof: Reference | None = None
    repairs: Count | None = None
    corrections: Count | None = None
    withheld: Count = 0


class Coverage(Struct, frozen=True):
    """How complete the ownership is (counts; behaviour §12.2 `coverage`)."""

    complete: bool
    reconciles: bool
    genuine_prompts: Count
    missing_assignments: Count
    conflicting_assignments: Count
    joint_assignments: Count
    sessions: Count
    missing_sessions: Count
    sessions_without_usage: Count
    conflicting_sessions: Count
    unbound_worker_sessions: Count
    unbound_responses: Count
    turns_without_usage: Count


class Partitions(Struct, frozen=True):
    """Response counts; attributed + shared + unassigned = scope."""

    attributed: Count
    shared: Count
    unassigned: Count
    scope: Count
    overlap: Count


class Counter(Struct, frozen=True):
    """One counter of a row: known sum, responses that did not report it, its cost.

    `usd` is the part of the row's `usd`; null where the counter is not
    priced by itself.
    """

    tokens: Count
    unknown: Count = 0
    usd: Money | None = None


class UsageRow(Struct, frozen=True):
    """Homogeneous usage: equal in every dimension, so one rate fits all of it.

    `priced_responses` is `responses` or 0; 0 comes with a `price_reason`.
    `shape` and `over` are what the valuation depends on (records.usage).
    Counters a harness does not have are known 0 with all responses unknown.
    """

    day: Day | None
    harness: Identifier
    model: Identifier | None
    provider: Identifier | None
    effort: Identifier | None
    semantics: Annotated[str, Meta(pattern=r"^[a-z]+:[a-z_,;=]{1,100}$(?!\n)")]
    agentsmd: Identifier | None
    phase: Identifier | None
    share: Literal["attributed", "shared"]
    tier: Literal["base", "long", "unknown"]
    service_tier: Identifier | None
    speed: Identifier | None
    final: bool
    shape: Annotated[int, Meta(ge=0, lt=2**20)]
    responses: Annotated[int, Meta(ge=1, le=2**63 - 1)]
    priced_responses: Count
    price_reason: Annotated[str, Meta(pattern=r"^[A-Za-z0-9 _:;,.=()'-]{1,160}$(?!\n)")] | None
    usd: Money
    web_search_requests: Count
    native_usd: Money | None
    native_responses: Count
    input: Counter
    cached_input: Counter
    cache_write_input: Counter
    cache_write_5m: Counter
    cache_write_1h: Counter
    output: Counter
    reasoning_output: Counter


class Totals(Struct, frozen=True):
    """The valuation of one share: subtotal of what is priced; total only when all is."""

    responses: Count
    priced_responses: Count
    subtotal_usd: Money
    total_usd: Money | None
    unpriced_reasons: dict[str, Count]


class Measured(Struct, frozen=True):
    """The exact set that was counted: pairs of response id and row number.

    `unassigned` are the ids of scope responses that the subject does not own.
    """

    attributed: list[tuple[Identifier, Row]]
    shared: list[tuple[Identifier, Row]]
    unassigned: list[Identifier]


class Evidence(Struct, frozen=True):
    """The document. `evidence_id` = digest of the canonical JSON without that field.

    `cutoff`: the latest native record time behind the figures. `detectors`
    and `elapsed_ms` are absent until something measures them: absent is not 0.
    """

    format: Literal["agent-observer/evidence"]
    version: Literal[1]
    evidence_id: Digest
    observer_version: Identifier
    ledger_id: LedgerId
    producer: Identifier
    subject: Subject
    target: Target
    cutoff: Instant | None
    snapshot_id: Digest
    price_schedule_id: Digest
    price_schedule: dict[str, Any]
    outcome: Outcome | None
    coverage: Coverage
    partitions: Partitions
    usage: list[UsageRow]
    attributed: Totals
    shared: Totals
    measured: Measured
    shared_with: Count = 0
    elapsed_ms: Count | None = None
    elapsed_source: Identifier | None = None
    detectors: dict[Identifier, Count] | None = None
