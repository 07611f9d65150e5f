"""Data that wants out: whatever stands in the figures, the comment stays ours."""

from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from observer.records.evidence import Outcome, Totals
from publish import comment, evidence, extract, marker, render
from publish.figures import Before, Figures, Subject
from tests.builders.evidence import CODEX, document, sealed, used
from tests.builders.evidence import evidence as made
from tests.unit.publish import reading

CANARY = "canary-6f1c"
ATTACKS = st.sampled_from(
    [
        "@octocat", "org/team", "#12", "GH-12", "o/r#3", "3f9d2c1a0b", ":tada:", "T-42", "a|b", "a`b", "a``b`", "a\nb",
        "a\r\n# H", "a\\|b", "  ", "", "\u202ea", "\u200b", "a\x00b", "<img src=x onerror=1>", "</details>", "</sub>",
        "[x](https://evil.example)", "![x](https://evil.example/x.png)", "https://evil.example", "www.evil.example",
        "**b**", "-->", "--!>", "<!--", "$x$", "~~x~~", "> [!WARNING]", "\n\n| a | b |", "{{ 1 }}", "{% raw %}",
        "&commat;octocat", "&#64;octocat", "mailto:a@b.example", "```", "<details>", "a\u2028b", "x" * 5_000, "\ud83d",
    ]
)  # fmt: skip
TEXT = ATTACKS | st.text(max_size=30) | st.builds("{}{}".format, st.sampled_from(["model-", ""]), ATTACKS)
COUNT = st.integers(0, 2**63 - 1)
SUBJECT = extract.subject(
    made(
        used(responses=3, input=100, output=10),
        used("gpt-6-astra", label=CODEX, responses=2, input=400_000, cached_input=None, output=10),
        used("x", responses=2, input=4),
        used(share="shared", input=1),
        outcome=Outcome("complete", candidate="o/r", proof="3f9d2c1"),
        missing_assignments=1,
    )
)


# In the long profile the wall is tried ten thousand times.
HARD = settings(
    max_examples=10 * settings().max_examples if settings().max_examples > 100 else settings().max_examples,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.data_too_large],
)


def replaced(draw: st.DrawFn, value: Any) -> Any:
    """The same figures with every text replaced by a hostile one and every count by any other."""
    if isinstance(value, str):
        return draw(TEXT)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return draw(COUNT)
    if isinstance(value, list):
        return [replaced(draw, each) for each in value]
    if isinstance(value, dict):
        return {draw(TEXT): draw(COUNT) for _ in value}
    if isinstance(value, Totals):
        return msgspec.structs.replace(value, unpriced_reasons={draw(TEXT): draw(COUNT)})
    # Words of closed vocabularies and amounts are typed; nothing else than a number or a word of ours gets there.
    kept = {"kind", "state", "tier", "usd", "subtotal_usd", "total_usd", "native_usd", "left_out"}
    kept |= (
        {"input", "cached_input", "cache_write_5m", "cache_write_1h", "output", "reasoning_output"}
        if hasattr(value, "tier")
        else set()
    )
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    return type(value)(**{name: each if name in kept else replaced(draw, each) for name, each in fields.items()})


@st.composite
def subjects(draw: st.DrawFn) -> Subject:
    """Figures that never went through a decoder."""
    return replaced(draw, SUBJECT)  # type: ignore[no-any-return]


@HARD
@given(subjects())
def test_no_text_in_the_figures_becomes_active(subject: Subject) -> None:
    """E235, P29, P30, P31, P33: no mention, link, image, tag, formula, or broken table, and the marker on line 1."""
    body = comment.compose("pr:7", [subject])
    assert render.units(body) <= comment.BUDGET
    assert marker.find(body) is not None
    reading.check(body)


@HARD
@given(st.lists(subjects(), min_size=2, max_size=4))
def test_no_text_in_the_figures_of_several_subjects_becomes_active(hostile: list[Subject]) -> None:
    """A2, A6: the sums, the table of subjects and the changes are cells as well."""
    before = Before(responses=1, priced=0, usd="0", price_schedule_id="@octocat", acceptance="failed")
    body = comment.compose("pr:7", [msgspec.structs.replace(each, before=before) for each in hostile])
    assert render.units(body) <= comment.BUDGET
    assert marker.find(body) is not None
    reading.check(body)


@given(TEXT)
def test_one_hostile_name_is_one_harmless_cell(name: str) -> None:
    """E235: the table keeps its rows and columns."""
    assert isinstance(SUBJECT.figures, Figures)
    rows = [msgspec.structs.replace(each, model=name) for each in SUBJECT.figures.models]
    hostile = msgspec.structs.replace(SUBJECT.figures, models=rows)
    plain = comment.compose("pr:7", [SUBJECT]).count("\n")
    body = comment.compose("pr:7", [msgspec.structs.replace(SUBJECT, figures=hostile)])
    assert body.count("\n") == plain
    reading.check(body)


@given(st.dictionaries(TEXT, st.integers(1, 9), min_size=1, max_size=5))
def test_reasons_are_said_in_our_words(reasons: dict[str, int]) -> None:
    assert isinstance(SUBJECT.figures, Figures)
    totals = Totals(9, 0, "0", None, reasons)
    hostile = msgspec.structs.replace(SUBJECT.figures, priced=totals)
    reading.check(comment.compose("pr:7", [msgspec.structs.replace(SUBJECT, figures=hostile)]))


def test_a_canary_in_any_unknown_or_local_field_stays_out_of_the_body() -> None:
    """E237, P20: title, project, branch, path, command, prompt and worker may be there; nobody reads them."""
    fields = document(made(used(input=10), used("x", input=4), outcome=Outcome("complete")))
    local = dict.fromkeys(
        ("title", "project", "branch", "path", "command", "prompt", "worker", "rendered_body"), CANARY
    )
    for place in (
        fields,
        fields["subject"],
        fields["coverage"],
        fields["outcome"],
        *fields["usage"],
        fields["measured"],
    ):
        place.update(local)
    for entry in fields["price_schedule"]["models"].values():
        entry.update({"basis": CANARY, "note": CANARY})
    body = comment.compose("pr:7", [extract.subject(evidence.read(sealed(fields)))])
    assert CANARY not in body
    reading.check(body)


def test_every_golden_comment_is_harmless() -> None:
    from tests.golden_files import FOLDER

    for path in (FOLDER / "comment").iterdir():
        reading.check(path.read_text(encoding="utf-8"))
