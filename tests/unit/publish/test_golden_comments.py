"""Whole comments, as a person reads them. A changed file is to be looked at, rendered, before it is accepted."""

import pytest

from observer.records.evidence import Evidence, Outcome
from publish import api, comment, extract, plan, target
from publish.ownership import Comment
from publish.plan import Proposal
from tests import golden_files
from tests.builders.evidence import CODEX, CODEX_FALLBACK, evidence, used
from tests.golden_files import Golden
from tests.unit.publish import reading

CANDIDATE = "3f9d2c1a0b3f9d2c1a0b3f9d2c1a0b3f9d2c1a0b"
LONG = [used(f"model-{number:03d}", responses=number + 1, input=number, output=1) for number in range(400)]

COMMENTS: dict[str, Evidence] = {
    # Everything owned, everything priced: nothing to explain.
    "complete.md": evidence(
        used(
            responses=22,
            input=81_204,
            cached_input=2_410_331,
            cache_write_input=310_002,
            cache_write_5m=300_002,
            cache_write_1h=10_000,
            output=44_010,
            reasoning_output=None,
        ),
        outcome=Outcome("complete", candidate=CANDIDATE, proof="octocat/hello-world#7", repairs=1, corrections=0),
        elapsed_ms=8_040_000,
    ),
    # Two harnesses, unpriced responses, gaps, shared work, a long-context tier and web searches.
    "gaps.md": evidence(
        used(responses=22, input=81_204, cached_input=2_410_331, output=44_010, reasoning_output=None),
        used(
            responses=3,
            effort="medium",
            input=1_204,
            cache_write_input=31_002,
            cache_write_5m=None,
            cache_write_1h=None,
            output=4_010,
            reasoning_output=None,
        ),
        used("gpt-6-astra", label=CODEX, responses=19, input=1_920_113, cached_input=1_610_240, output=38_120,
             reasoning_output=21_704),
        used("gpt-6-astra", label=CODEX, responses=1, input=300_000, output=900, reasoning_output=100),
        used("acme-local-7b", label=CODEX, responses=5, effort=None, input=12_000, cached_input=None,
             cache_write_input=None, output=3_100, reasoning_output=None),
        used("gpt-6-astra", label=CODEX_FALLBACK, responses=2, input=5_000, cached_input=100, output=50,
             cache_write_input=7, reasoning_output=3),
        used(responses=1, web_search_requests=4, input=12, output=3, native_usd="0.0417"),
        used(responses=2, share="shared", input=2_000, output=400),
        unassigned=2, overlap=3, shared_with=1, missing_assignments=1, unbound_responses=1,
        sessions_without_usage=2,
    ),
    "nothing-priced.md": evidence(
        used("acme-local-7b", responses=5, input=10, output=2),
        used(None, responses=1, effort=None, final=False, input=1, output=1),
        outcome=Outcome("failed", withheld=1),
    ),
    "nothing-measured.md": evidence(outcome=Outcome("active"), complete=False, sessions=0, cutoff=None),
    "not-reconciled.md": evidence(used(input=5), reconciles=False, complete=False, outcome=Outcome("unknown")),
    # A selection of sessions is no task: no acceptance, no cost.
    "sessions.md": evidence(used(responses=4, input=500, output=80), selection=True),
    "free.md": evidence(used("free-model", input=1_000, output=10), outcome=Outcome("complete")),
    "long.md": evidence(*LONG, outcome=Outcome("complete")),
}  # fmt: skip


TASKS = [
    evidence(
        used(responses=22, input=81_204, cached_input=2_410_331, output=44_010, reasoning_output=None),
        outcome=Outcome("complete", candidate=CANDIDATE),
        elapsed_ms=8_040_000,
    ),
    evidence(
        used(responses=4, input=9_204, cached_input=110_331, output=4_010, reasoning_output=None),
        used("gpt-6-astra", label=CODEX, responses=19, input=1_920_113, cached_input=1_610_240, output=38_120,
             reasoning_output=21_704),
        task="T-43",
        outcome=Outcome("active"),
        cutoff="2026-09-24T12:30:00.000Z",
    ),
    evidence(
        used("acme-local-7b", label=CODEX, responses=5, effort=None, input=12_000, cached_input=None, output=3_100,
             reasoning_output=None),
        task="T-44",
        missing_assignments=2,
        cutoff="2026-09-24T09:00:00.000Z",
    ),
]  # fmt: skip
# The same task on another machine, to which a part of the first one's records was copied.
ELSEWHERE = evidence(
    used(responses=22, input=81_204, cached_input=2_410_331, output=44_010, reasoning_output=None),
    used(responses=7, effort="medium", input=5_000, output=900, reasoning_output=None),
    ledger="beef" * 8,
    outcome=Outcome("complete"),
    cutoff="2026-09-24T11:00:00.000Z",
)
EARLIER = evidence(
    used(responses=12, input=40_204, cached_input=1_210_331, output=20_010, reasoning_output=None),
    outcome=Outcome("active"),
    cutoff="2026-09-23T10:02:11.000Z",
    snapshot="3aa0",
)
SELECTION = evidence(used(responses=4, input=500, output=80), selection=True, task="claude:abc")

# What is published, one call after another; the last comment is kept.
CALLS: dict[str, list[list[Evidence]]] = {
    "several.md": [TASKS],
    "machines.md": [[TASKS[0], ELSEWHERE]],
    "mixed.md": [[TASKS[1], SELECTION]],
    "update.md": [[EARLIER], [TASKS[0]]],
    "updates.md": [[EARLIER, *TASKS[1:]], [TASKS[0]]],
    "selections.md": [[SELECTION, evidence(used(responses=1, input=7), selection=True, task="codex:x")]],
    "thirty.md": [[evidence(used(responses=number + 1, input=1_000, output=90), task=f"T-{number}", cutoff=None)
                   for number in range(30)]],
}  # fmt: skip


@pytest.mark.parametrize("name", COMMENTS)
def test_comment_is_as_last_approved(name: str, golden: Golden) -> None:
    golden(f"comment/{name}", comment.compose("pr:7", [extract.subject(COMMENTS[name])]))


@pytest.mark.parametrize("name", CALLS)
def test_comment_of_several_subjects_is_as_last_approved(name: str, golden: Golden) -> None:
    there: Comment | None = None
    for given in CALLS[name]:
        prepared = api.prepare(given, target.parse("octocat/hello-world", pr=7))
        there = Comment(1, plan.make(there, Proposal("pr:7", prepared.subjects)).body, None, None)
    assert there is not None
    reading.check(there.body)
    golden(f"comment/{name}", there.body)


def test_no_golden_comment_is_left_over() -> None:
    assert golden_files.names("comment") == set(COMMENTS) | set(CALLS)
