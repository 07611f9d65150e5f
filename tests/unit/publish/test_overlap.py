"""Several exports in one call: the newest of each subject, every response once, sums that stay honest."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from observer.records.evidence import Evidence, Outcome
from publish import api, extract, groups, overlap, plan, target, totals
from publish.figures import shown
from publish.ownership import Comment
from publish.plan import Proposal
from tests.builders.evidence import CODEX, LEDGER, evidence, used

OTHER = "beef" * 8
PR = target.parse("o/r", pr=7)
FIRST = evidence(used(responses=3, input=300), used("gpt-6-astra", label=CODEX, responses=2, input=90))


def test_a_copied_row_is_counted_under_one_subject() -> None:
    """Records that were copied to another machine: whole rows fall out exactly."""
    copy = evidence(used(responses=3, input=300), used(effort="low", responses=1, input=7), ledger=OTHER)
    prepared = api.prepare([FIRST, copy], PR)
    assert prepared.overlap == 3
    added = totals.of(prepared.subjects)
    assert added.priced.responses == 6
    assert sum(row.input.tokens for table in added.tokens for row in table.rows) == 300 + 90 + 7
    assert added.priced.total_usd is not None


def test_of_a_row_that_is_copied_in_part_the_rest_is_counted_and_not_priced() -> None:
    """Nobody can say which part of the row's sums remains: unknown, not guessed."""
    mores = (evidence(used(responses=5, input=1_000), ledger=f"{number:04x}" * 8) for number in range(99))
    more = next(each for each in mores if each.subject.subject_id > FIRST.subject.subject_id)
    prepared = api.prepare([FIRST, more], PR)
    added = totals.of(prepared.subjects)
    assert prepared.overlap == 3
    assert added.priced.responses == 3 + 2 + 2
    assert added.priced.total_usd is None
    assert "2 that stand among responses counted under another subject" in prepared.body


def test_the_same_export_twice_and_an_older_one_count_once() -> None:
    older = evidence(used(responses=1, input=1), cutoff="2026-09-20T10:00:00.000Z", snapshot="old")
    prepared = api.prepare([older, FIRST, FIRST], PR)
    assert (len(prepared.subjects), prepared.superseded, prepared.overlap) == (1, 2, 0)
    assert prepared.body == api.prepare([FIRST], PR).body


def test_an_export_published_again_alone_stays_counted_once() -> None:
    """A2: the comment still shows the other machine, so what both hold must not be added now."""
    copy = evidence(used(responses=3, input=300), used(effort="low", responses=1, input=7), ledger=OTHER)
    both = api.prepare([FIRST, copy], PR)
    there = Comment(1, both.body, None, None)
    for each in (FIRST, copy):
        again = plan.make(there, Proposal(PR.key, api.prepare([each], PR).subjects))
        assert (again.action, again.body) == ("unchanged", both.body)


def test_a_selection_gives_way_to_a_task() -> None:
    selection = evidence(used(responses=3, input=300), selection=True, ids="T-42")
    chosen = overlap.select([selection, FIRST])
    assert [each.subject.kind for each in chosen.evidence] == ["task", "sessions"]
    assert chosen.elsewhere == ({}, {0: 3})


def test_one_task_of_two_ledgers_is_one_group_and_two_verdicts_are_said() -> None:
    pair = [
        extract.subject(evidence(used(input=1), outcome=Outcome("complete"), ids="a")),
        extract.subject(evidence(used(input=2), outcome=Outcome("failed"), ledger=OTHER, ids="b")),
    ]
    (group,) = groups.of(pair)
    assert (group.acceptance, group.figures.priced.responses) == (groups.DIFFER, 2)
    silent = extract.subject(evidence(used(input=2), ledger=OTHER, ids="b"))
    assert groups.of([pair[0], silent])[0].acceptance == "complete"


@st.composite
def exports(draw: st.DrawFn) -> list[Evidence]:
    """Tasks of two ledgers whose responses overlap in whole rows, in part, or not at all."""
    made = {}
    for _ in range(draw(st.integers(1, 5))):
        task, ledger = draw(st.sampled_from(["A", "B", "C"])), draw(st.sampled_from([LEDGER, OTHER]))
        uses = [
            used(responses=draw(st.integers(1, 4)), effort=effort, input=draw(st.integers(4, 999)))
            for effort in ("high", "low")[: draw(st.integers(1, 2))]
        ]
        made[task, ledger] = evidence(*uses, task=task, ledger=ledger, ids=draw(st.sampled_from(["x", "y", task])))
    return list(made.values())


@given(exports(), st.randoms())
def test_every_response_is_counted_exactly_once_in_whatever_order(given: list[Evidence], random: st.DataObject) -> None:
    """A2, fleet A7: the sum over subjects is the number of distinct ids, and the order of the call changes nothing."""
    prepared = api.prepare(given, PR)
    mixed = list(given)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert api.prepare(mixed, PR).body == prepared.body
    ids = {name for each in given for name, _ in each.measured.attributed}
    assert sum(shown(each).priced.responses for each in prepared.subjects) == len(ids)
    for each in prepared.subjects:
        figures = shown(each)
        assert sum(row.responses for row in figures.models) == figures.priced.responses
        assert figures.partitions.attributed == figures.priced.responses


@given(exports())
def test_sums_are_lower_bounds_of_what_the_exports_say(given: list[Evidence]) -> None:
    prepared = api.prepare(given, PR)
    known, whole = prepared.cost
    stated = sum((Decimal(each.attributed.subtotal_usd) for each in given), Decimal(0))
    assert known <= stated
    if not prepared.overlap:
        assert (known, whole) == (stated, True)
