"""The comment: what it says, in what length, and that a template cannot say anything else."""

import re

import jinja2
import pytest

from observer.base.errors import PublishRefused
from observer.records.evidence import Evidence, Outcome
from publish import comment, extract, marker, render, state
from publish.cells import Count, Identifier
from tests.builders.evidence import CODEX, evidence, used
from tests.unit.publish import reading


def body(given: Evidence, *, budget: int = comment.BUDGET) -> str:
    """The comment on pull request 7."""
    return comment.compose("pr:7", [extract.subject(given)], budget=budget)


def many(models: int) -> Evidence:
    """A task with many priced and unpriced models, every gap there is, and long names."""
    names = (f"model-{number:03d}-{'x' * 100}" for number in range(models))
    return evidence(
        *(used(name, label=CODEX, responses=2, effort="e" * 100, input=10**15, output=10**15) for name in names),
        *(used(effort=f"effort-{number}", input=10**15, cached_input=None, output=1) for number in range(40)),
        used("gpt-6-astra", label=CODEX, input=300_000, output=10**12),
        used(speed="fast", input=4, output=1),
        used(service_tier="flex", input=4, output=1),
        used(final=False, input=4, output=1),
        used(input=4, cache_write_input=9, cache_write_5m=None, cache_write_1h=None),
        used("gpt-6-astra", label=CODEX, input=4, cached_input=5),
        used("gpt-6-astra", label=CODEX, input=None),
        used("claude-opus-5-5", label="grok:whatever", input=4),
        used(share="shared", input=1),
        outcome=Outcome("active", candidate="o/" + "r" * 120, proof="https://github.com/o/" + "r" * 100, withheld=3),
        complete=False, reconciles=False, unassigned=5_000, overlap=7, shared_with=3,
        missing_assignments=2**40, conflicting_assignments=2, missing_sessions=2, sessions_without_usage=2,
        conflicting_sessions=2, unbound_worker_sessions=2, unbound_responses=2, turns_without_usage=2,
    )  # fmt: skip


def test_the_verdict_comes_first_and_says_no_flags() -> None:
    """E241: nothing to flag is said in two words; nothing else is added."""
    text = body(evidence(used(input=5), outcome=Outcome("complete")))
    lines = text.splitlines()
    assert marker.find(text) is not None
    assert lines[1] == "### Agent Observer · `T-42`"
    assert lines[3].startswith("**Accepted** · coverage complete, 1 of 1 response owned, no flags · ")
    assert "> [!" not in text


def test_gaps_are_counted_phrases_in_the_one_alert() -> None:
    """E241: an incomplete task is published, with its flags."""
    text = body(evidence(used(input=5), missing_assignments=1, sessions_without_usage=2))
    assert "coverage **incomplete**" in text
    assert "2 flags" in text
    assert "1 prompt without owner, 2 sessions without usage." in text
    assert text.count("> [!") == 1


def test_a_selection_of_sessions_has_no_acceptance_and_no_cost() -> None:
    """E242: a note about the limited scope instead."""
    text = body(evidence(used(input=10**6, output=10**6), selection=True))
    assert "not a task: no acceptance and no cost" in text
    shown = text.rpartition("\n<!--")[0]
    assert not re.search(r"USD|[Aa]ccepted|Priced|Price basis|unpriced", shown)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (evidence(used(input=1_000_000)), "list-price estimate **USD 4.00**, 1 of 1 response priced"),
        (evidence(used(input=1_000_000), used("x", input=1)), "known subtotal **USD 4.00** at list prices, 1 of 2"),
        (evidence(used("x", input=1)), "cost **unknown**, 0 of 1 response priced"),
        (evidence(used("free-model", input=1)), "list-price estimate **USD 0.00**"),
        (evidence(used(input=1_000_000), missing_sessions=1), "known subtotal **USD 4.00**"),
        (evidence(), "nothing to price"),
        (evidence(used(input=1_000_000, final=False)), "known subtotal **USD 4.00** at list prices, 0 of 1"),
    ],
)  # fmt: skip
def test_cost_is_a_total_only_when_it_is_one(given: Evidence, said: str) -> None:
    assert said in body(given)


def test_counters_of_different_semantics_are_never_added() -> None:
    text = body(evidence(used(input=111), used("gpt-6-astra", label=CODEX, input=222), used("b", label=CODEX, input=1)))
    assert "333" not in text
    assert "| **all** | 223 |" in text
    assert text.count("**Tokens** ·") == 2
    assert "Cache read" in text
    assert "of which cached" in text


def test_unknown_counters_are_not_zero() -> None:
    text = body(evidence(used("a", label=CODEX, input=9, cached_input=None), used("b", label=CODEX, input=9)))
    assert "| `a` | 9 | n/r | 0 |" in text
    assert "| **all** | 18 | ≥\N{NO-BREAK SPACE}0 | 0 |" in text
    assert "which is not zero" in text


def test_sections_that_nobody_measured_are_not_there() -> None:
    text = body(evidence(used("x", input=1)))
    for section in ("Price basis", "Time", "Phases", "Diagnostics", "Shared", "Left out"):
        assert section not in text
    assert " min" not in text
    assert "1 h 0 min" in body(evidence(used(input=1), elapsed_ms=3_600_000))


def test_equal_evidence_gives_an_equal_body() -> None:
    assert body(many(5)) == body(many(5))
    assert body(many(5)) != body(many(6))


def test_rows_stand_in_one_order_whatever_order_the_evidence_has() -> None:
    uses = [used(name, input=10 * number) for number, name in enumerate(("b", "a", "claude-opus-5-5", "c"))]
    tables = [body(evidence(*some)).partition("| Model")[2].partition("<details>")[0] for some in (uses, uses[::-1])]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("budget", [*range(2_000, 12_000, 500), 20_000, 40_000, 60_000, 65_536])
def test_every_budget_is_kept_and_nothing_is_cut(budget: int) -> None:
    """E243, P10, P11: whole sections and rows are left out, marker, verdict and cost stay."""
    given = many(120)
    text = body(given, budget=budget)
    assert render.units(text) <= budget
    assert text.count("<details>") == text.count("</details>")
    reading.check(text)
    found = marker.find(text)
    assert found is not None
    remembered = state.read(text, found)
    assert remembered is not None
    assert remembered[0].evidence_id == given.evidence_id
    for part in (
        "**In progress**",
        "coverage **incomplete**",
        "known subtotal **USD",
        "responses priced",
        "Snapshot `",
    ):
        assert part in text
    if budget < 12_000:
        assert "left out for length" in text


def test_sections_go_in_a_fixed_order() -> None:
    """A6: rates, token tables, rows of the main table, provenance, the list of gaps."""
    given, seen = many(120), []
    for budget in [*range(2_000, 12_000, 500), *range(12_000, 160_000, 6_000)]:
        text = body(given, budget=budget)
        there = ("Price basis" in text, "**Tokens**" in text, "more rows, left out" not in text,
                 "Provenance</summary>" in text, "prompts without owner" in text)  # fmt: skip
        if there not in seen:
            seen.append(there)
    # From short to long, a section that is there is never left out again.
    assert seen == sorted(seen, key=sum)
    assert seen[0] == (False,) * 5
    assert seen[-1] == (True,) * 5


def test_an_impossible_budget_is_refused() -> None:
    with pytest.raises(PublishRefused, match="does not fit"):
        body(many(1), budget=500)


def test_a_comment_without_subjects_is_none() -> None:
    with pytest.raises(ValueError, match="at least one"):
        comment.compose("pr:7", [])


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'text' }}",
        "{{ name }}",
        "{{ name ~ cell }}",
        "{{ cell ~ '' }}",
        "{{ cell|upper }}",
        "{{ cell|string }}",
        "{{ [cell] }}",
        "{{ [cell]|join(',') }}",
        "{% set x %}{{ cell }}{% endset %}{{ x }}",
        "{% macro m() %}{{ cell }}{% endmacro %}{{ m() }}",
        "{% filter upper %}{{ cell }}{% endfilter %}{{ 'a' }}",
        "{{ missing }}",
        "{{ none }}",
        "{{ true }}",
        "{{ 1.5 }}",
        "{{ cell.__class__.__name__ }}",
        "{{ cell.__init__.__globals__ }}",
        "{{ '%s' % name }}",
        "{{ name.format(cell) }}",
    ],
)
def test_a_template_can_print_nothing_but_cells(template: str) -> None:
    """The wall: a string never reaches the comment, by whatever way."""
    found = render.environment(jinja2.DictLoader({"t": template})).get_template("t")
    with pytest.raises((TypeError, jinja2.TemplateError)):
        found.render(cell=Identifier("a"), name="@everyone")


def test_a_template_prints_cells_and_integers() -> None:
    template = "{{ cell }} {{ number }} {% if name == 'x' %}yes{% endif %}"
    found = render.environment(jinja2.DictLoader({"t": template})).get_template("t")
    assert found.render(cell=Count(1_000), number=1_000, name="x") == "1,000 1000 yes"


def test_length_is_counted_as_the_server_counts_it() -> None:
    assert render.units("a≥😀") == 4
