"""What is a price schedule, and what is none."""

import hashlib
import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from observer.base.errors import REFUSED, ScheduleError
from observer.pricing.schedule import parse, read
from tests.unit.pricing import examples


def faults(document: Any) -> list[str]:
    """The faulty places that the refusal names."""
    with pytest.raises(ScheduleError) as refused:
        parse(document)
    assert refused.value.exit_code == REFUSED
    return [line.strip() for line in refused.value.message.split("\n")[1:]]


def with_entry(**changes: Any) -> dict[str, Any]:
    return {**examples.document(), "models": {"m.1": examples.entry(**changes)}}


def with_rate(rate: Any) -> dict[str, Any]:
    return with_entry(rates={**examples.table(10, 1, 12.5, 50), "input_tokens": rate})


def test_key_order_does_not_change_the_identity() -> None:
    """E181: keys reordered in the file."""
    forward = json.dumps(examples.document()).encode()
    backward = json.dumps(examples.document(), sort_keys=True).encode()
    assert forward != backward
    assert read(forward, form="json").schedule_id == read(backward, form="json").schedule_id


def test_the_identity_is_the_digest_of_the_plain_document() -> None:
    document = examples.document()
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    schedule = parse(document)
    assert schedule.document == document
    assert schedule.schedule_id == hashlib.sha256(canonical).hexdigest()


def test_the_identity_ignores_remarks_and_unknown_keys() -> None:
    document = examples.document()
    document["comment"] = {"by": "somebody"}
    document["models"]["claude-opus-5-5"]["basis"] = "a remark"
    document["models"]["claude-opus-5-5"]["tier"] = [1]
    schedule = parse(document)
    assert schedule.schedule_id == examples.schedule().schedule_id
    assert schedule.document == examples.document()
    assert schedule.models["claude-opus-5-5"].basis == "a remark"


@pytest.mark.parametrize(
    "change",
    [
        {"as_of": "2026-09-25"},
        {"source_url": "https://example.com/other"},
        {"models": {}},
        {"models": {**examples.document()["models"], "claude-opus-5-5": {"semantics": ["x"], "rates": {}}}},
    ],
)
def test_the_identity_moves_with_everything_else(change: dict[str, Any]) -> None:
    assert examples.schedule(**change).schedule_id != examples.schedule().schedule_id


def test_toml_and_json_say_the_same() -> None:
    toml = b"""
        source_url = "https://example.com/prices"
        as_of = 2026-09-24
        [models."a b"]
        semantics = ["s"]
        rates = { input_tokens = 0.1, cache_write_input_tokens = { 5m = 10.0, 1h = 2_0 } }
    """
    entry = {"semantics": ["s"], "rates": {"input_tokens": 0.10, "cache_write_input_tokens": {"5m": 10, "1h": 20}}}
    document = {"source_url": "https://example.com/prices", "as_of": "2026-09-24", "models": {"a b": entry}}
    from_toml, from_json = read(toml, form="toml"), read(json.dumps(document).encode(), form="json")
    assert from_toml == from_json
    assert from_toml.models["a b"].rates.input == Decimal("0.1")
    assert from_toml.models["a b"].rates.cache_write_by_lifetime == {"5m": Decimal(10), "1h": Decimal(20)}


def test_rates_are_exact_decimals() -> None:
    document = b'{"source_url":"http://a","as_of":"2026-01-01","models":{"m":{"semantics":["s"],"rates":{"input_tokens":0.1}}}}'
    assert read(document, form="json").models["m"].rates.input == Decimal("0.1")


@pytest.mark.parametrize(
    ("rate", "complaint"),
    [
        (-1, "must not be negative"),
        (-0.5, "must not be negative"),
        (True, "must be a number"),
        ("10", "must be a number"),
        (None, "must be a number"),
        ([1], "must be a number"),
        ({"5m": 1}, "must be a number"),
        (float("inf"), "must be finite"),
        (float("nan"), "must be finite"),
        (Decimal("sNaN"), "must be finite"),
        (10**400, "must not be above 1000000"),
        (Decimal("1E+999999"), "must not be above 1000000"),
        (Decimal("1E-999999"), "must not have more than 12 decimals"),
        (Decimal("123456.123456789012"), "has more digits than a JSON number keeps"),
    ],
)
def test_a_rate_is_a_finite_number_from_zero_up(rate: Any, complaint: str) -> None:
    """E203: −1, true, infinity, text."""
    assert faults(with_rate(rate)) == [f'models."m.1".rates.input_tokens: {complaint}']


@pytest.mark.parametrize("rate", [b"Infinity", b"-Infinity", b"NaN", b"1e999"])
def test_numbers_that_only_json_readers_know_are_named_by_their_place(rate: bytes) -> None:
    """E203: infinity inside a file."""
    document = json.dumps(with_rate(0)).encode().replace(b'"input_tokens": 0', b'"input_tokens": ' + rate)
    with pytest.raises(ScheduleError, match=r'models\."m\.1"\.rates\.input_tokens: must'):
        read(document, form="json")


@pytest.mark.parametrize("rate", [0, 0.0, -0.0, 1_000_000, Decimal("0.000000000001"), 2.4999999])
def test_any_other_number_is_a_rate(rate: Any) -> None:
    read_rate = parse(with_rate(rate)).models["m.1"].rates.input
    assert read_rate == Decimal(str(rate))
    assert read_rate is not None
    assert not read_rate.is_signed()


@pytest.mark.parametrize(
    "day",
    ["2026-9-1", "20260901", "2026-W36-2", "2026-02-30", "2026-09-24T00:00:00", " 2026-09-24", "", 20260924, None],
)
def test_a_date_is_canonical(day: Any) -> None:
    """E203: 2026-9-1 and other spellings."""
    complaint = "must be a date like 2026-09-24"
    assert faults({**examples.document(), "as_of": day}) == [f"as_of: {complaint}"]
    assert faults(with_entry(valid_from=day)) == [f'models."m.1".valid_from: {complaint}']


def test_only_dollars_per_million_tokens_are_understood() -> None:
    """E203: currency EUR."""
    assert faults({**examples.document(), "currency": "EUR"}) == ['currency: must be "USD"']
    assert faults({**examples.document(), "unit": "USD"}) == ['unit: must be "USD per million tokens"']


@pytest.mark.parametrize(
    "url", ["ftp://a/b", "file:///etc", "example.com", "https://", "https:///x", "https://a b", "", 7]
)
def test_a_source_is_a_web_address(url: Any) -> None:
    complaint = "must be an http or https address"
    assert faults({**examples.document(), "source_url": url}) == [f"source_url: {complaint}"]
    assert faults(with_entry(source_url=url)) == [f'models."m.1".source_url: {complaint}']


def test_what_is_required_is_missed_by_name() -> None:
    assert faults({}) == ["source_url: is missing", "as_of: is missing", "models: is missing"]
    assert faults(["models"]) == ["the whole document: must be a table"]
    assert faults({**examples.document(), "models": []}) == ["models: must be a table"]
    assert faults({**examples.document(), "models": {"m": 1}}) == ['models."m": must be a table']
    assert faults({**examples.document(), "models": {"m": {}}}) == [
        'models."m".semantics: must list at least one counter semantics',
        'models."m".rates: is missing',
    ]


def test_an_empty_table_of_models_is_tolerated() -> None:
    assert examples.schedule(models={}).models == {}


def test_either_name_of_the_date_will_do() -> None:
    document = examples.document()
    document["effective_date"] = document.pop("as_of")
    assert parse(document).as_of == "2026-09-24"
    assert parse({**document, "as_of": date(2026, 9, 24)}).as_of == "2026-09-24"
    assert faults({**document, "as_of": "2026-09-25"}) == ["effective_date: must be the same day as as_of"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"semantics": []}, "semantics: must list at least one counter semantics"),
        ({"semantics": "codex"}, "semantics: must be a list of texts that are not empty"),
        ({"semantics": ["codex", 1]}, "semantics: must be a list of texts that are not empty"),
        ({"semantics": [""]}, "semantics: must be a list of texts that are not empty"),
        ({"rates": 1}, "rates: must be a table"),
        ({"rates": {"total_tokens": 1}}, "rates.total_tokens: is no bucket; buckets are input_tokens, "),
        (
            {"rates": {"cache_write_input_tokens": {"": 1}}},
            "rates.cache_write_input_tokens: a lifetime must not be empty",
        ),
        (
            {"rates": {"cache_write_input_tokens": {"5m": -1}}},
            "rates.cache_write_input_tokens.5m: must not be negative",
        ),
        ({"long_context_threshold": 0}, "long_context_threshold: must be a whole number above 0"),
        ({"long_context_threshold": True}, "long_context_threshold: must be a whole number above 0"),
        ({"long_context_threshold": 1.5}, "long_context_threshold: must be a whole number above 0"),
        ({"long_context_threshold": 2**63}, "long_context_threshold: must be a whole number above 0"),
        ({"long_context_rates": {}}, "long_context_rates: needs long_context_threshold"),
        (
            {"long_context_threshold": 1, "long_context_comparison": "above"},
            'long_context_comparison: must be "over" or "at_least"',
        ),
        ({"long_context_threshold": 1, "long_context_rates": []}, "long_context_rates: must be a table"),
        ({"valid_from": "2026-02-01", "valid_until": "2026-01-31"}, "valid_until: must not be before valid_from"),
        ({"web_search_usd_per_1000": "10"}, "web_search_usd_per_1000: must be a number"),
        ({"basis": 1}, "basis: must be text"),
        ({"aliases": "m"}, "aliases: must be a list of texts that are not empty"),
        ({"aliases": ["m.1"]}, 'aliases: "m.1" already names "m.1"'),
        ({"aliases": ["a", "a"]}, 'aliases: "a" already names "m.1"'),
    ],
)
def test_a_faulty_field_is_named_by_its_path(change: dict[str, Any], fault: str) -> None:
    (found,) = faults(with_entry(**change))
    assert found.startswith(f'models."m.1".{fault}')


def test_one_id_has_one_entry() -> None:
    models = {"a": examples.entry(aliases=["b", "c"]), "b": 1, "d": examples.entry(aliases=["c"])}
    assert faults({**examples.document(), "models": models}) == [
        'models."b": must be a table',
        'models."a".aliases: "b" already names "b"',
        'models."d".aliases: "c" already names "a"',
    ]


@pytest.mark.parametrize("name", ["", " "])
def test_a_model_id_is_not_empty(name: str) -> None:
    found = faults({**examples.document(), "models": {name: examples.entry()}})
    assert found == [f"models.{json.dumps(name)}: the model id must not be empty"]


def test_every_faulty_place_is_named_at_once() -> None:
    document = with_rate(-1)
    document["currency"] = "EUR"
    document["models"]["n"] = {"semantics": [], "rates": {"x": 1}}
    assert len(faults(document)) == 4


def test_a_model_id_cannot_break_the_message() -> None:
    (found,) = faults({**examples.document(), "models": {'x"\n\x1b[2J': 1}})
    assert found == 'models."x\\"\\n\\u001b[2J": must be a table'


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1' + b"0" * 5000 + b"}"])
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(ScheduleError, match="the price schedule is not JSON"):
        read(data, form="json")


@pytest.mark.parametrize("data", [b"a", b"a = 1\na = 2", b"\xff", b"x = " + b"[" * 100_000])
def test_what_is_not_toml_is_refused(data: bytes) -> None:
    with pytest.raises(ScheduleError, match="the price schedule is not TOML"):
        read(data, form="toml")


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(ScheduleError, match='"as_of" is named twice'):
        read(b'{"as_of": "2026-01-01", "as_of": "2026-01-02"}', form="json")
