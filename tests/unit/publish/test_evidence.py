"""Evidence is believed only where its own parts prove it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.base.errors import EvidenceRefused
from observer.records.evidence import Outcome
from publish import evidence as reading
from tests.builders.evidence import CODEX, document, encode, evidence, sealed, used

VALID = evidence(
    used(responses=22, input=81_204, cached_input=2_410_331, cache_write_input=310_002, cache_write_5m=300_002,
         cache_write_1h=10_000, output=44_010, reasoning_output=None, native_usd="3.1"),
    used("gpt-6-astra", label=CODEX, responses=3, input=900_000, cached_input=500, output=900, reasoning_output=100),
    used("acme-local-7b", responses=5, effort=None, input=12_000, cached_input=None, output=3_100),
    used(responses=2, web_search_requests=3, input=40, output=9),
    used(responses=2, share="shared", input=2_000, output=400),
    outcome=Outcome("complete", candidate="3f9d2c1"),
    unassigned=2, overlap=3, shared_with=1, elapsed_ms=5_000,
)  # fmt: skip
DOCUMENT = encode(VALID)


def refused(data: bytes) -> str:
    """Why the bytes are refused."""
    with pytest.raises(EvidenceRefused) as caught:
        reading.read(data)
    assert caught.value.exit_code == 2
    return caught.value.message


def changed(path: str, value: Any) -> bytes:
    """The valid document with another value at a dotted path, under a fitting identity."""
    fields = document(VALID)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = json.loads(json.dumps(fields))
    root = place
    for step in steps:
        place = place[step]
    place[last] = value
    return sealed(root)


def test_valid_evidence_is_read_as_it_is() -> None:
    assert reading.read(DOCUMENT) == VALID
    assert reading.read(DOCUMENT + b"\n") == VALID


def test_unknown_fields_are_ignored_but_sealed() -> None:
    """P20: a rendered body in the evidence is nobody's business."""
    fields = document(VALID) | {"rendered_body": "## Notice\n@everyone".replace("\n", " ")}
    assert reading.read(sealed(fields)) == reading.read(sealed(fields))
    tampered = {**fields, "evidence_id": VALID.evidence_id}
    assert "evidence_id" in refused(json.dumps(tampered).encode())


def test_no_digit_can_be_changed() -> None:
    """A1: every digit of every counter, rate, amount, date and id, one after another."""
    places = [place for place, byte in enumerate(DOCUMENT) if chr(byte).isdigit()]
    assert len(places) > 1_000
    for place in places:
        other = b"%d" % ((DOCUMENT[place] - ord("0") + 1 + place % 9) % 10)
        assert refused(DOCUMENT[:place] + other + DOCUMENT[place + 1 :])


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("usage.0.usd", "1.24", "usage[0].usd: is 1.24, the rates give"),
        ("usage.0.usd", "0", "usage[0].usd"),
        ("usage.0.input.usd", None, "usage[0].input.usd: is null, the rates give 0.324816"),
        ("usage.0.output.tokens", 44_011, "usage[0].usd"),
        ("usage.0.cache_write_1h.tokens", 10_001, "usage[0].shape"),
        ("usage.0.reasoning_output.unknown", 0, "usage[0].reasoning_output.unknown: is 0, the shape gives 22"),
        ("usage.0.reasoning_output.tokens", 7, "usage[0].reasoning_output.tokens: is 7, but no response reported it"),
        ("usage.0.input.unknown", 1, "usage[0].input.unknown: is 1, the shape gives 0"),
        ("usage.0.input.tokens", 21, "usage[0].input.tokens: too few for 22 responses"),
        ("usage.0.input.tokens", 0, "usage[0].shape"),
        ("usage.0.shape", 0, "usage[0].shape"),
        ("usage.0.shape", 2**19, "usage[0].shape"),
        ("usage.0.tier", "long", "usage[0].tier: is long, but the model has no long-context tier"),
        ("usage.1.tier", "base", "usage[1].tier: is base, the input gives long"),
        ("usage.1.tier", "unknown", "usage[1].tier"),
        ("usage.1.input.tokens", 2_000, "usage[1].tier: is long, the input gives base"),
        ("usage.0.responses", 21, "usage[0].reasoning_output.unknown: is 22, the shape gives 21"),
        ("usage.0.priced_responses", 0, "usage[0].priced_responses: is 0, the rates give 22"),
        ("usage.0.price_reason", "unknown model", "usage[0].price_reason: is unknown model, the rates give null"),
        ("usage.2.price_reason", None, "usage[2].price_reason: is null, the rates give unknown model"),
        ("usage.2.priced_responses", 5, "usage[2].priced_responses"),
        ("usage.0.model", "gpt-6-astra", "usage[0].price_reason"),
        ("usage.0.speed", "fast", "usage[0].price_reason"),
        ("usage.0.final", False, "usage[0].price_reason"),
        ("usage.0.share", "shared", "attributed.responses"),
        ("usage.0.native_responses", 0, "usage[0].native_responses"),
        ("usage.0.native_usd", None, "usage[0].native_responses"),
        ("usage.0.native_responses", 23, "usage[0].native_responses"),
        ("usage.3.web_search_requests", 4, "usage[3].usd"),
        ("attributed.subtotal_usd", "0.01", "attributed.subtotal_usd: is 0.01, usage gives"),
        ("attributed.total_usd", "0.01", "attributed.total_usd: is 0.01, but not everything is known and priced"),
        ("attributed.responses", 1, "attributed.responses"),
        ("attributed.priced_responses", 32, "attributed.priced_responses"),
        ("attributed.unpriced_reasons", {}, "attributed.unpriced_reasons"),
        ("shared.total_usd", None, "shared.total_usd: is null, usage gives 0.016"),
        ("shared.total_usd", "0.017", "shared.total_usd: is 0.017, usage gives 0.016"),
        ("partitions.attributed", 31, "partitions.attributed: is 31, usage gives 32"),
        ("partitions.shared", 3, "partitions.shared"),
        ("partitions.unassigned", 1, "partitions.unassigned: is 1, measured gives 2"),
        ("partitions.scope", 40, "partitions.scope: is 40, partitions gives 36"),
        ("measured.unassigned", ["claude:other_00000"], "partitions.unassigned"),
        ("measured.unassigned", [VALID.measured.attributed[0][0], "a"], "measured: names 1 responses more than once"),
        ("measured.shared", [["a", 4], ["b", 0]], "measured.shared: responses of row 0: is 1, usage gives 0"),
        ("measured.shared", [["a", 4], ["b", 999]], "measured.shared: responses of row 4"),
        ("coverage.missing_assignments", 1, "coverage.complete: is true, but gaps are counted beside it"),
        ("coverage.sessions", 0, "attributed.total_usd"),
        ("outcome.state", "active", "coverage.complete"),
        ("cutoff", "2026-09-31T10:02:11.000Z", "cutoff: 2026-09-31T10:02:11.000Z is no instant"),
        ("cutoff", "２026-09-30T10:02:11.000Z", "cutoff: Expected"),
        ("usage.0.day", "2026-02-30", "usage[0].day: 2026-02-30 is no day"),
        ("subject.id", "T-43", "subject.subject_id"),
        ("subject.kind", "sessions", "outcome: a selection of sessions has none"),
        ("ledger_id", "0" * 32, "subject.subject_id"),
        ("price_schedule_id", "0" * 64, "price_schedule_id"),
        ("price_schedule.models.claude-opus-5-5.rates.input_tokens", 5, "price_schedule_id"),
        ("price_schedule.as_of", "2026-09-25", "price_schedule_id"),
        ("price_schedule.models.claude-opus-5-5.rates.input_tokens", -1, "rates.input_tokens: must not be negative"),
        ("price_schedule", {}, "price_schedule:"),
    ],
)  # fmt: skip
def test_what_does_not_follow_from_its_parts_is_refused_by_name(path: str, value: Any, said: str) -> None:
    """A1: the fault names the field, also when every identity was made again."""
    if path == "coverage.sessions":
        fields = document(evidence(used(input=5)))
        fields["coverage"]["sessions"] = 0
        assert said in refused(sealed(fields))
    else:
        assert said in refused(changed(path, value))


def test_rates_that_were_changed_together_with_their_identity_are_refused() -> None:
    fields = document(VALID)
    fields["price_schedule"]["models"]["claude-opus-5-5"]["rates"]["input_tokens"] = 5
    from observer.pricing import schedule

    fields["price_schedule_id"] = schedule.parse(fields["price_schedule"]).schedule_id
    assert "usage[0].usd" in refused(sealed(fields))


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("usage.0.responses", True, "usage[0].responses"),
        ("usage.0.responses", "22", "usage[0].responses"),
        ("usage.0.responses", 22.5, "usage[0].responses"),
        ("usage.0.responses", 0, "usage[0].responses"),
        ("usage.0.responses", -1, "usage[0].responses"),
        ("usage.0.input.tokens", 2**63, "usage[0].input.tokens"),
        ("usage.0.usd", 1.24, "usage[0].usd"),
        ("usage.0.usd", "1e3", "usage[0].usd"),
        ("usage.0.usd", "-1", "usage[0].usd"),
        ("usage.0.model", "a|b", "usage[0].model"),
        ("usage.0.model", "@octocat", "usage[0].model"),
        ("usage.0.harness", None, "usage[0].harness"),
        ("usage.0.share", "mine", "usage[0].share"),
        ("usage.0.price_reason", "<b>", "usage[0].price_reason"),
        ("outcome.state", "accepted", "outcome.state"),
        ("outcome.candidate", "the good one", "outcome.candidate"),
        ("subject.id", "../../etc", "subject.id"),
        ("version", 2, "version"),
        ("format", "something/else", "format"),
        ("cutoff", "yesterday", "cutoff"),
        ("target", {"repo": "a b/c"}, "target.repo"),
    ],
)
def test_what_has_the_wrong_form_is_refused_by_name(path: str, value: Any, field: str) -> None:
    assert refused(changed(path, value)).startswith(f"{field}: ")


@pytest.mark.parametrize("mark", ["\n", "\x00", "\u202e", "\u200b", "\u2028", "\x85", "\t", "\x1b[31m"])
@pytest.mark.parametrize("path", ["usage.0.model", "subject.id", "outcome.candidate", "price_schedule.source_url"])
def test_a_character_that_cannot_be_printed_is_refused_wherever_it_is(path: str, mark: str) -> None:
    """P30: a pattern that ends in `$` lets a line break pass; this does not."""
    message = refused(changed(path, "abcdef" + mark))
    assert "not printable" in message
    assert mark not in message


def test_field_names_are_looked_at_too() -> None:
    assert "not printable" in refused(changed("price_schedule.models.x\ny", {}))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{} {}", "not JSON"),
        (b'{"a": 1, "a": 1}', "given twice"),
        (b'{"a": NaN}', "no number"),
        (b'{"a": -Infinity}', "no number"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"\xff{}", "not JSON"),
        (DOCUMENT.decode().encode("utf-16"), "not JSON"),
        (b'{"a": "\\ud83d"}', "not printable"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
        (b'{"a":' * 20 + b"1" + b"}" * 20, "nested"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b"{" + b" " * 8 * 1024 * 1024 + b"}", "the limit is 8388608"),
        (b"{}", "missing required field"),
    ],
)
def test_what_is_no_document_is_refused(data: bytes, said: str) -> None:
    """A1: size cap, depth cap, one strict reading."""
    assert said in refused(data)


def test_a_number_beyond_json_is_refused() -> None:
    data = DOCUMENT[:-1] + b',"unknown":1e999}'
    assert "number" in refused(data)


def test_many_faults_are_counted_and_the_first_ones_named() -> None:
    fields = document(VALID)
    for row in fields["usage"]:
        row["usd"] = "77"
        row["priced_responses"] = 1
    message = refused(sealed(fields))
    assert message.count("; ") == 4
    assert message.endswith("more)")


NAMES = st.sampled_from([*document(VALID)])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_no_document_ends_in_anything_but_a_refusal(value: Any) -> None:
    assert refused(json.dumps(value).encode())


@given(st.binary(max_size=200))
def test_no_bytes_end_in_anything_but_a_refusal(data: bytes) -> None:
    assert refused(data)
