"""Laws of the privacy screen: no planted secret passes, nothing breaks its reader, twice is once."""

import json
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from observer.base import canon
from observer.privacy import credentials, detail, excerpt, named, names, targets
from observer.privacy.credentials import redact
from observer.privacy.plain import plain
from observer.privacy.screen import screen
from observer.privacy.targets import target
from observer.records.event import Event, Family, RawDetail, RawEvent
from observer.records.response import Response
from observer.records.session import Session, Turn
from observer.records.source import Batch, Quarantine, RawBatch
from observer.records.submission import Kind, RawSubmission, Submission
from observer.records.usage import TokenUsage
from tests.unit.privacy import planted

KEY = planted.LETTERS
# Everything that means something to one of the rules, and ordinary words between.
PIECES = [
    *"'\"`\\$(){}[]<>|&;#=:,@/-_!*~ \t\n",
    *(
        "\\n",
        "$(",
        "${",
        "<<",
        "<<<",
        "<<EOF",
        "EOF\n",
        "\nEOF\n",
        "2>&1",
        ">&2",
        " > f ",
        "echo ",
        "printf ",
        "tee ",
        "cat ",
    ),
    *(
        "bash -c ",
        "python ",
        "if ",
        "fi ",
        "for ",
        "done ",
        "case ",
        "esac ",
        "{ ",
        "}; ",
        "token",
        "TOKEN=",
        "password: ",
    ),
    *("--secret ", "api_key", "Authorization: ", "Bearer ", "://", "user:pw@", "true", "null", "curl -u ", "mysql -p"),
    *(
        "*** Begin Patch\n",
        "*** Begin Patch\\n",
        "*** Add File: ",
        "*** End Patch",
        "PRIVATE KEY",
        "-----",
        "word ",
        "x=1",
    ),
    *("/src/a.py", "npm test", "été", "日本", "①", "<b", "</", "\x00", "\x1b", "\ud83d", "\u2028", "\u202e", "\u0130"),
    *("[redacted]", "[omitted]", "sk-", "ghp_", "eyJ", "AKIA", "abcdefgh12345678"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=24).map("".join)
honest = st.text(alphabet="abcXYZ 019/._-éß日", max_size=12)
named_places = st.sampled_from(planted.NAMED_PLACES)
written_places = st.sampled_from(planted.WRITTEN_PLACES)
numbers = st.none() | st.integers(-(2**70), 2**70)
families: st.SearchStrategy[Family] = st.sampled_from(get_args(Family))
kinds: st.SearchStrategy[Kind] = st.sampled_from(get_args(Kind))


@st.composite
def secrets_in_text(draw: st.DrawFn) -> str:
    """A text with a secret of known form somewhere, or with any secret in a place that gives it away."""
    formed = draw(st.sampled_from(sorted(planted.FORMED.values())))
    if draw(st.booleans()):
        glue = draw(st.sampled_from(["", " ", "=", '"', "'", "\n", "\\n", ":", "/"]))
        return draw(honest) + glue + formed + draw(honest)
    return draw(st.sampled_from(["", "cd /src && ", "set -e\n"])) + draw(named_places).format(
        draw(st.sampled_from([formed, KEY]))
    )


@st.composite
def secrets_in_commands(draw: st.DrawFn) -> str:
    """The same, or any secret in what a command writes to a file."""
    if draw(st.booleans()):
        return draw(secrets_in_text())
    return draw(st.sampled_from(["", "cd /src && ", "set -e\n", "true; "])) + draw(written_places).format(KEY)


def batches(
    strings: st.SearchStrategy[str], commands: st.SearchStrategy[str] | None = None
) -> st.SearchStrategy[RawBatch]:
    """Batches in which every string of every record is drawn from `strings`, targets from `commands` if given."""
    maybe = st.none() | strings
    command = st.none() | (strings if commands is None else commands)
    details = st.builds(
        RawDetail, st.lists(strings, max_size=3).map(tuple), maybe, maybe, command, numbers, numbers, numbers, maybe
    )
    events = st.builds(
        RawEvent, strings, families, strings, st.just(0), numbers, maybe, maybe, command, maybe, numbers, numbers,
        st.booleans(), st.none() | details,
    )  # fmt: skip
    submissions = st.builds(
        RawSubmission, strings, strings, kinds, strings, st.just(0), numbers, maybe, st.booleans(), maybe
    )
    sessions = st.builds(Session, strings, strings, strings, maybe, st.just("main"), *[maybe] * 5, numbers)
    turns = st.builds(Turn, strings, strings, numbers, numbers, numbers, maybe, maybe, maybe)
    responses = st.builds(
        Response, strings, strings, strings, st.builds(TokenUsage, numbers), st.just(0), numbers, *[maybe] * 4,
        st.booleans(), st.integers(0, 3), numbers, maybe, maybe, maybe, numbers,
    )  # fmt: skip
    faults = st.builds(Quarantine, st.none(), strings, st.lists(strings, max_size=3).map(tuple))
    return st.builds(
        RawBatch,
        *[st.lists(each, max_size=2) for each in (sessions, turns, responses, submissions, events, faults)],
    )


def strings_of(value: Any) -> Iterator[str]:
    """Every string of a batch; details also as what they say."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        for each in msgspec.structs.astuple(value):
            yield from strings_of(each)
        if isinstance(value, Event) and value.detail is not None:
            yield from strings_of(json.loads(value.detail))
    elif isinstance(value, dict):
        yield from strings_of([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings_of(each)


@given(batches(secrets_in_text(), secrets_in_commands()))
def test_no_planted_secret_is_in_any_field_of_a_batch(raw: RawBatch) -> None:
    for text in strings_of(screen(raw)):
        assert KEY not in text
        assert planted.CAPITALS not in text


@given(batches(texts))
def test_every_string_can_be_stored_and_printed(raw: RawBatch) -> None:
    for text in strings_of(screen(raw)):
        text.encode("utf-8")
        assert "\x00" not in text
        assert "\x1b" not in text


@given(batches(texts))
def test_everything_is_bounded(raw: RawBatch) -> None:
    kept = screen(raw)
    for each in kept.submissions:
        assert len(each.excerpt) <= excerpt.SUBMISSION_LONGEST
        assert excerpt.marker(each.excerpt) < 0
    for each in kept.events:
        assert len(each.target or "") <= targets.LONGEST
        assert len(each.detail or "") <= detail.LONGEST
        assert len(each.name or "") <= 80
    for each in kept.faults:
        assert len(",".join(each.keys)) <= names.KEYS_LONGEST


@given(batches(texts))
def test_a_batch_holds_no_text_of_submissions_that_are_not_genuine(raw: RawBatch) -> None:
    for given_, kept in zip(raw.submissions, screen(raw).submissions, strict=True):
        if given_.kind != "genuine" or not given_.main:
            assert kept.excerpt == ""
        assert kept.kind == given_.kind
        assert kept.text_hash == excerpt.text_hash(given_.text)


@given(texts)
def test_screening_a_target_twice_is_screening_it_once(text: str) -> None:
    once = target(text)
    assert target(once) == once


@given(texts | secrets_in_text())
def test_redacting_twice_is_redacting_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(texts | secrets_in_text())
def test_the_quick_look_before_a_rule_never_skips_it(text: str) -> None:
    """The rules of forms and of names, applied without asking first whether there can be anything."""
    text = plain(text)
    assert credentials._FORMS.search(text) is None or credentials._has_prefix(text)
    once = redact(text)
    assert named.redact(once, credentials._lower(once), named.STEMS) == once


@settings(max_examples=400)
@example("xoxb.AAAAAAAA")
@given(st.from_regex(credentials._FORMS))
def test_the_quick_look_sees_every_token_of_a_known_form(text: str) -> None:
    """Whatever the form allows, with nothing around it that it might be seen by instead."""
    assert credentials._has_prefix(text)


@given(st.from_regex(names._HEXADECIMAL, fullmatch=True) | st.from_regex(names._RUN, fullmatch=True))
def test_an_id_that_is_kept_at_first_sight_is_one_the_rules_keep(text: str) -> None:
    """The patterns of usual ids let nothing through that the full rule would replace."""
    assert names._IDENTIFIER.fullmatch(text)
    assert redact(text) == text or (names._RUN.fullmatch(text) and credentials.begins_in_run(text))


def test_the_longest_id_kept_at_first_sight_is_not_too_long() -> None:
    longest = f"opencode:{'a' * 73}:advisor:{'1' * 17}:{'f' * 17}"
    assert names._HEXADECIMAL.fullmatch(longest)
    assert names._IDENTIFIER.fullmatch(longest)


@given(texts)
def test_an_excerpt_of_an_excerpt_is_the_excerpt(text: str) -> None:
    prompt, answer = excerpt.submission(text), excerpt.answer(text)
    assert excerpt.submission(prompt) == prompt
    assert excerpt.answer(answer) == answer


@given(batches(texts))
def test_screened_records_pass_again_unchanged(raw: RawBatch) -> None:
    kept = screen(raw)
    again = screen(
        RawBatch(list(kept.sessions), list(kept.turns), list(kept.responses), [], [], list(kept.faults)),
    )
    assert again == Batch(kept.sessions, kept.turns, kept.responses, (), (), kept.faults)


@given(st.lists(texts, max_size=4), texts, numbers)
def test_a_detail_is_canonical_json(paths: list[str], command: str, line: int | None) -> None:
    raw = RawDetail(paths=tuple(paths), command=command, path=command, start_line=line, text=command)
    for family in get_args(Family):
        kept = detail.detail(family, raw)
        if kept is not None:
            assert canon.canonical(json.loads(kept)).decode() == kept


@given(texts, st.lists(texts, max_size=3))
def test_no_text_around_a_written_payload_brings_it_back(before: str, after: list[str]) -> None:
    """Whatever comes before it on lines of its own, a payload in a heredoc that is closed or not stays out."""
    closed = all(sign not in before for sign in "'\"`\\$(){}<#*|&;=:\n") and "case" not in before
    text = f"{before}\ncat <<'EOF' > f\n{KEY}\nEOF\n" + "".join(after)
    if closed:
        assert KEY not in str(target(text))


@given(batches(honest))
def test_numbers_of_records_stay(raw: RawBatch) -> None:
    kept = screen(raw)
    assert len(kept.submissions) == len(raw.submissions)
    assert len(kept.events) == len(raw.events)
    assert len(kept.sessions) == len(raw.sessions)
    assert len(kept.responses) + len(kept.faults) == len(raw.responses) + len(raw.faults)
    assert all(isinstance(each, Submission) for each in kept.submissions)


def test_the_strategies_reach_every_string_field() -> None:
    """A field that is added to a record is planted as well."""
    assert len(RawEvent.__struct_fields__) == 13
    assert len(RawSubmission.__struct_fields__) == 9
    assert len(RawDetail.__struct_fields__) == 8
    assert len(Session.__struct_fields__) == 13
    assert len(Turn.__struct_fields__) == 8
    assert len(Response.__struct_fields__) == 17
