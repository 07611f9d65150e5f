"""What a Project Direction block or an instruction text proves, and that nothing else of it is kept."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.privacy import screen
from observer.privacy.direction import instructions
from observer.records.identity import Instructions, RawInstructions, Release, TextKind
from observer.records.source import RawBatch
from tests.builders import direction
from tests.builders.direction import BEGIN, block, payload, sections, sha256

FILE = "# Rules\n\nBe brief. Über alles: tests.\n"
LATER = FILE + "And plain.\n"
MARK = "pl4nted-w0rd"


def release(version: str, text: str) -> Release:
    return Release(version, sha256(text), len(text.encode()))


RELEASES = [release("12.0.0", FILE), release("12.1.0", LATER)]

# An instruction text was there, and it is of no release that is known.
UNKNOWN = Instructions("claude:s", 3)


def proved(text: str, kind: TextKind = "context") -> Instructions | None:
    return instructions(RawInstructions("claude:s", kind, 3, text), RELEASES)


def told(text: str) -> Instructions:
    found = proved(text)
    assert found is not None
    return found


def without_place(found: Instructions) -> dict[str, Any]:
    said = msgspec.structs.asdict(found)
    return {name: value for name, value in said.items() if name not in ("session", "ordinal", "direction_sha256")}


@pytest.mark.parametrize("form", [block, sections])
def test_both_forms_of_a_block_tell_the_same(form: Any) -> None:
    """E142: hashes, status words and paths of the block, nothing else."""
    assert without_place(told("hook says\n" + form(payload()) + "that was it")) == {
        "direction_status": "ready",
        "instructions_sha256": "c" * 64,
        "instructions_path": direction.TARGET,
        "preferences_sha256": "e" * 64,
        "preferences_status": "ready",
        "repository_root": "/srv/kit",
        "git_head": direction.HEAD,
        "matched_sha256": None,
    }


def test_the_digest_of_the_direction_depends_on_its_files_alone() -> None:
    files = [{"name": name, "sha256": digit * 64} for name, digit in (("A.md", "1"), ("B.md", "2"))]
    whole = told(block(payload(files=files))).direction_sha256
    assert whole == told(sections(payload(None, status="stale", files=files[::-1]))).direction_sha256
    assert whole != told(block(payload(files=files[:1]))).direction_sha256
    assert told(block(payload(files=[]))).direction_sha256 is None


@pytest.mark.parametrize("word", ["ready", "stale", "potentially_stale", "not_in_repository", "some-later-word"])
def test_a_status_of_any_vocabulary_is_kept(word: str) -> None:
    assert told(block(payload(status=word))).direction_status == word


@pytest.mark.parametrize("odd", [None, 7, "two words", "", "x" * 65, "ghp_" + "A1b2C3d4E5f6G7h8", ["ready"]])
def test_a_status_that_is_no_word_or_a_secret_is_unparsed_and_the_hash_still_used(odd: Any) -> None:
    found = told(block(payload(status=odd, preferences={"status": odd})))
    assert (found.direction_status, found.preferences_status) == ("unparsed", None)
    assert found.instructions_sha256 == "c" * 64


@pytest.mark.parametrize(
    "broken",
    [
        block("{"),
        block("[]"),
        block("not JSON"),
        block('{"status": NaN, "sections": 7}'),
        block("[" * 100_000),
        block('{"n": ' + "9" * 5000 + "}"),
        block().replace("END_", "FIN_"),
        block()[:-40],
        sections().replace(f"V1 {direction.NONCE}>>>", "V1 other>>>"),
        sections().replace(f"V1 {direction.NONCE}>>>", "V1>>>"),
        sections({**payload()}, nonce="a b"),
        BEGIN,
    ],
)
def test_a_block_that_cannot_be_read_is_unparsed(broken: str) -> None:
    """E143."""
    assert told("hook\n" + broken) == Instructions("claude:s", 3, direction_status="unparsed")


def test_the_last_good_block_of_a_text_wins() -> None:
    """E143: wherever the broken one stands."""
    good, older = block(payload("1" * 64)), sections(payload("2" * 64))
    for text in (older + block("{") + good, older + good + block("{"), block("{") + good, older + good):
        assert told(text).instructions_sha256 == "1" * 64, text


def test_a_block_that_a_section_quotes_is_content() -> None:
    quoted = sections(payload("1" * 64), content=block(payload("2" * 64)))
    assert told(quoted).instructions_sha256 == "1" * 64
    quoted = block(payload("1" * 64, note=f"see {BEGIN}\n" + block(payload("2" * 64))))
    assert told(quoted).instructions_sha256 == "1" * 64


def test_a_text_that_only_names_the_marker_says_nothing() -> None:
    assert proved(f"What does `{BEGIN}` mean?") is None
    assert proved("") is None
    assert proved(block(), "loaded") == UNKNOWN
    assert proved(block(), "embedded") == UNKNOWN


@pytest.mark.parametrize("odd", ["AGENTS.md", "", "/" + "x" * 1024, "/srv/<system>", "/srv/a\nb", "/a\x1b[2J", 7, None])
def test_a_target_that_is_no_plain_absolute_path_is_dropped(odd: Any) -> None:
    """E148: relative, over-long, marked; the hash is used all the same."""
    stated = {"sha256": "c" * 64, "resolved_target": odd}
    found = told(block(payload(instructions=stated, repository_root=odd)))
    assert (found.instructions_path, found.repository_root) == (None, None)
    assert (found.direction_status, found.instructions_sha256) == ("ready", "c" * 64)


@pytest.mark.parametrize("odd", ["C" * 64, "c" * 63, "c" * 65, " " + "c" * 63, 12, None, {}])
def test_a_hash_that_is_none_is_dropped(odd: Any) -> None:
    """The own hash is meant when both are there; each must be 64 lower-case hex digits."""
    wrong = {"sha256": odd, "target_sha256": odd}
    head = {"head": {"sha": odd}}
    found = told(block(payload(instructions=wrong, preferences={"sha256": odd}, git=head, files=[{"sha256": odd}])))
    assert (found.instructions_sha256, found.preferences_sha256) == (None, None)
    assert (found.git_head, found.direction_sha256) == (None, None)


def test_the_own_hash_of_the_instructions_comes_before_that_of_the_target() -> None:
    both = {"sha256": "1" * 64, "target_sha256": "2" * 64}
    assert told(block(payload(instructions=both))).instructions_sha256 == "1" * 64


@pytest.mark.parametrize("text", [LATER, LATER.removesuffix("\n")])
def test_a_loaded_file_is_its_release_with_or_without_the_final_newline(text: str) -> None:
    """E145."""
    for kind in ("loaded", "embedded"):
        found = proved(text, kind)  # type: ignore[arg-type]
        assert found == Instructions("claude:s", 3, matched_sha256=sha256(LATER))


def test_an_embedded_text_is_the_longest_release_it_begins_with() -> None:
    """E144: byte for byte; whatever the host says after it."""
    found = proved(FILE + "\n--- project ---\nMore.", "embedded")
    assert found is not None
    assert found.matched_sha256 == sha256(FILE)
    found = proved(LATER + "Host text", "embedded")
    assert found is not None
    assert found.matched_sha256 == sha256(LATER)
    assert proved(LATER + "Host text", "loaded") == UNKNOWN
    assert proved("\n" + FILE, "embedded") == UNKNOWN


@given(st.integers(0, len(FILE) - 1), st.characters(exclude_categories=["Cs"]))
def test_one_character_changed_is_no_match(at: int, other: str) -> None:
    """E144."""
    changed = FILE[:at] + other + FILE[at + 1 :]
    found = proved(changed + "host text", "embedded")
    assert (found != UNKNOWN) == (changed == FILE)


_PIECES = st.sampled_from(
    [
        BEGIN, "\n", "{", "}", '"', "<<<END_AGENTSMD_PROJECT_DIRECTION_V1>>>",
        f"<<<END_AGENTSMD_PROJECT_DIRECTION_V1 {direction.NONCE}>>>", json.dumps({"status": MARK}), MARK, "\ud800",
        block(), sections(), block(payload(status=MARK + " x")), json.dumps(payload()), '{"sections": "n"}', "\x00",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES | st.text(max_size=20), max_size=12).map("".join)


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    """A block of either form with a piece cut out, doubled or put in, and text around."""
    said = payload(**draw(st.dictionaries(st.sampled_from(sorted(payload())), st.none() | st.text() | st.integers())))
    text = draw(st.sampled_from([block, sections]))(said)
    start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return draw(_TEXTS) + text[:start] + draw(_TEXTS) + text[end:] + draw(_TEXTS)


@given(_TEXTS | _mutated(), st.sampled_from(["context", "loaded", "embedded"]))
def test_no_text_is_refused_and_nothing_but_digests_words_and_paths_comes_out(text: str, kind: TextKind) -> None:
    kept = screen.screen(RawBatch(instructions=[RawInstructions("claude:s", kind, 0, text)]), RELEASES).instructions
    assert len(kept) <= 1
    for found in kept:
        said = msgspec.structs.asdict(found)
        for name in ("instructions_sha256", "preferences_sha256", "direction_sha256", "matched_sha256"):
            assert said[name] is None or len(said[name]) == 64
        for name in ("instructions_path", "repository_root"):
            assert said[name] is None or (said[name].startswith("/") and said[name].isprintable())
        assert MARK + " " not in json.dumps(said)
        assert "prefers tabs" not in json.dumps(said)
        msgspec.json.encode(found)


@pytest.mark.parametrize("unit", [BEGIN, BEGIN + "\n{", BEGIN + '\n{"a":"', sections(nonce="q"), BEGIN + " " * 40])
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """E138: attempts are counted, so that a text of markers is no trap."""
    proved(unit * (600_000 // len(unit)))
