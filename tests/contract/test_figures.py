"""What comes out: the bill to the token, nothing invented, everything in its place."""

import json
import random
from collections import Counter, defaultdict
from typing import Any

import pytest

from observer.adapters import capability, registry
from observer.records import semantics
from observer.records.response import Response
from tests.builders import documents
from tests.builders.answers import COUNTERS, Row, by_model, sums
from tests.builders.imports import Machine, machine
from tests.builders.inside import Inside
from tests.contract import bills, reading, record_sets
from tests.contract.imported import Imported
from tests.contract.record_sets import RecordSet

# Field of a response row → field of a record's usage.
_FIELDS = {field: field.removesuffix("_tokens") for field in COUNTERS.values()}


def test_every_model_has_exactly_its_billed_counters(billed_set: RecordSet, imports: Any) -> None:
    """Each response once: copies, streams, forks and copies of a router's are no second bill."""
    assert billed_set.bill is not None
    wanted = bills.wanted(billed_set.harness, billed_set.bill)
    rows = [row for row in imports.of(billed_set).counted if any(row[field] is not None for field in _FIELDS)]
    found = {
        model: {name: value for name, value in sums(group).items() if name in wanted.get(model, {})}
        for model, group in _by_billed_model(rows, wanted).items()
    }
    assert found == wanted


def _by_billed_model(rows: list[Row], wanted: bills.Sums) -> dict[str, list[Row]]:
    """The rows by model, without the provider where the bill names none."""
    found: dict[str, list[Row]] = defaultdict(list)
    for model, group in by_model(rows).items():
        found[model if model in wanted else model.rpartition("/")[2]] += group
    return dict(found)


def test_sums_agree_with_the_rows(told: Imported) -> None:
    """§23.3, §23.4: per meaning of counters; a sum of nothing known is unknown, one of something says what it lacks."""
    wanted = {label: _added(rows) for label, rows in _by("semantics", told.counted).items()}
    for by in ("day", "model", "session", "harness"):
        groups = told.usage(by)
        assert sum(group["responses"] for group in groups) == len(told.counted)
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for group in groups:
            for label, part in group["by_semantics"].items():
                for field in _FIELDS:
                    assert (part["responses"] == part["unknown_counts"].get(field, 0)) == (part[field] is None)
                found[label].update({field: part[field] for field in _FIELDS if part[field] is not None})
                found[label].update({f"{field}?": count for field, count in part["unknown_counts"].items()})
        assert {label: +each for label, each in found.items()} == wanted, by
    assert sum(session["responses"] for session in told.sessions) == len(told.counted)


def _added(rows: list[Row]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found.update({field: row[field] for field in _FIELDS if row[field] is not None})
        found.update({f"{field}?": 1 for field in _FIELDS if row[field] is None})
    return +found


def _by(name: str, rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[name]].append(row)
    return found


def test_every_id_is_its_agents_and_stands_once(told: Imported) -> None:
    """Prefix and native id; also of sessions and prompts."""
    ids = [row["response_id"] for row in told.rows]
    assert len(ids) == len(set(ids))
    for key in (*ids, *(row["session"] for row in (*told.rows, *told.sessions))):
        harness, _, native = key.partition(":")
        assert harness in registry.HARNESSES
        assert native
    prompts = [row[1] for row in told.whole["submission"]]
    assert all(name.partition(":")[0] in registry.HARNESSES for name in prompts)


def test_sessions_name_parents_that_are_there(told: Imported, record_set: RecordSet) -> None:
    """A subagent has one, and nothing else has; every response stands in a session that is listed."""
    known = {session["session"] for session in told.sessions}
    named = {session["parent"] for session in told.sessions} - {None}
    assert {row["session"] for row in told.rows} <= known
    assert named <= known or record_set.name in record_sets.ODD
    assert {each["session"] for each in told.sessions if each["parent"]} == {
        each["session"] for each in told.sessions if each["role"] == "subagent"
    }


def test_counters_have_a_meaning_that_is_known(told: Imported) -> None:
    """§23.3: never a label that nobody can price or add."""
    labels = {row["semantics"] for row in told.rows}
    assert labels <= set(semantics.KNOWN)


def test_results_are_joined_to_their_calls(told: Imported, record_set: RecordSet) -> None:
    """By equal ids; as surely as the harness says of itself."""
    for session in told.sessions:
        join = told.ask("trace", "--session", session["session"], "--json").json["join"]
        supported = capability.of(session["session"].partition(":")[0])["call_results"].supported
        if supported == "yes":
            assert join["unmatched_results"] == [], session["session"]
        elif supported == "no":
            assert (join["calls"], join["results"]) == (0, 0)


def test_what_cannot_be_shown_never_is(harness: str, imports: Any) -> None:
    """Over all its real records."""
    never = {family for family in capability.FAMILIES if capability.of(harness)[family].supported == "no"}
    seen = {
        row[1]
        for each in record_sets.of(harness)
        for row in imports.of(each).whole["event"]
        if row[0].partition(":")[0] == harness
    }
    assert seen & never == set()


def test_an_unknown_counter_stays_unknown(told: Imported, record_set: RecordSet) -> None:
    """§23.4: what no record tells is null in every answer, and what one tells is that number."""
    versions: dict[str, list[Response]] = defaultdict(list)
    for harness in registry.HARNESSES:
        for _, batches in reading.everything(registry.adapter(harness), told.machine.home):
            for response in (response for batch in batches for response in batch.responses):
                versions[response.id].append(response)
    for row in told.rows:
        read = versions.get(row["response_id"], [])
        shown = {field: row[field] for field in _FIELDS}
        figures = [{field: getattr(each.usage, name) for field, name in _FIELDS.items()} for each in read]
        assert not read or shown in figures, row["response_id"]


@pytest.mark.parametrize("seed", range(2))
def test_records_that_lose_numbers_gain_no_zero(record_set: RecordSet, seed: int) -> None:
    """§23.4, E045, E069: a figure that was there and is not is unknown; never 0, and never another one made up."""
    dice = random.Random(seed)
    with machine() as found:
        record_set.lay(found.home)
        for path in documents.files(found.home):
            documents.rewrite(path, lambda document: _without_numbers(document, dice))
        found.sync()
        rows = Inside(found.ledger)("responses", "list", "--json").json["responses"]
        assert _stumbles(found) == []
    whole = _zeros(_rows_of(record_set))
    assert _zeros(rows) <= whole


def _rows_of(record_set: RecordSet) -> list[Row]:
    with machine() as found:
        record_set.lay(found.home)
        found.sync()
        rows: list[Row] = Inside(found.ledger)("responses", "list", "--json").json["responses"]
        return rows


def _zeros(rows: list[Row]) -> set[tuple[str, str]]:
    """Which counters are 0 anywhere, per harness."""
    return {(row["response_id"].partition(":")[0], field) for row in rows for field in _FIELDS if row[field] == 0}


def _without_numbers(document: bytes, dice: random.Random) -> bytes:
    """The document without some of its numbers."""
    try:
        value = json.loads(document)
    except ValueError:
        return document
    return json.dumps(_thinned(value, dice), ensure_ascii=False, separators=(",", ":")).encode()


def _thinned(value: Any, dice: random.Random) -> Any:
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if type(item) not in (int, float) or dice.random() < 0.6}
        return {key: _thinned(item, dice) for key, item in kept.items()}
    return [_thinned(item, dice) for item in value] if isinstance(value, list) else value


def _stumbles(found: Machine) -> list[Any]:
    return [row for row in found.whole()["fault"] if "import_error" in row]
