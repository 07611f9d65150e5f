"""Every reason that pricing can give has words of its own in the comment."""

import msgspec
import pytest

from observer.pricing import reasons
from publish import comment, extract
from tests.builders.evidence import CODEX, Used, evidence, used


def test_no_reason_falls_back_to_other_words() -> None:
    made = [getattr(reasons, name) for name in vars(reasons) if name.isupper()]
    made += [
        reasons.unsupported_semantics("grok:x"),
        reasons.no_rate_for_speed("fast"),
        reasons.no_rate_for_service_tier("www.evil.example"),
        reasons.unknown_counter("input_tokens"),
        reasons.invalid_counter("input_tokens"),
        reasons.missing_rate("input_tokens"),
        reasons.missing_cache_write_rate("1h"),
    ]
    texts = [each for each in made if isinstance(each, str)]
    assert len(texts) == 15
    for text in texts:
        assert "another reason" not in _shown(text), text
    assert "for another reason" in _shown("something new")


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (used("x", input=1), "1 of a model that the schedule does not list"),
        (used(speed="fast", input=1), "1 at a speed without a rate"),
        (used(service_tier="flex", input=1), "1 in a service tier without a rate"),
        (used(final=False, input=1), "1 whose closing figures never came"),
        (
            used(cache_write_input=1, cache_write_5m=None, cache_write_1h=None),
            "1 whose cache-write lifetime was not recorded",
        ),
        (used("gpt-6-astra", label=CODEX, input=None), "1 whose long-context tier cannot be told"),
        (used("gpt-6-astra", label=CODEX, cached_input=5), "1 with contradictory counters"),
        (used(label="grok:x", input=1), "1 with counters that the schedule has no rates for"),
        (used(input=None), "1 without a counter that pricing needs"),
    ],
)
def test_reasons_are_said_in_words(use: Used, said: str) -> None:
    text = comment.compose("pr:7", [extract.subject(evidence(use))])
    assert f"1 response not priced: {said}." in text


def test_reasons_with_the_same_words_are_one() -> None:
    uses = [used(service_tier=tier, input=1) for tier in ("flex", "priority")]
    text = comment.compose("pr:7", [extract.subject(evidence(*uses))])
    assert "2 responses not priced: 2 in a service tier without a rate." in text


def _shown(reason: str) -> str:
    subject = extract.subject(evidence(used("x", input=1)))
    assert subject.figures is not None
    totals = msgspec.structs.replace(subject.figures.priced, unpriced_reasons={reason: 1})
    changed = msgspec.structs.replace(subject.figures, priced=totals)
    return comment.compose("pr:7", [msgspec.structs.replace(subject, figures=changed)])
