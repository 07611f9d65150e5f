"""No planted secret comes through: not into the ledger's files, not into any answer, not into evidence.

Secrets in their usual forms are planted in every string of every native
shape; ordinary words in every string of which nothing may be kept.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders.corpora import homes, lay
from tests.builders.imports import Machine, machine
from tests.builders.inside import kept
from tests.builders.planting import Change, is_form, is_kept, is_text, planted
from tests.unit.privacy.planted import CAPITALS, FORMED, LETTERS, NAMED_PLACES

_HOMES = [name for name, sources in sorted(homes().items()) if not any(path.endswith(".zst") for path in sources)]
_TRACES = (LETTERS[:12].encode(), LETTERS[8:20].encode(), LETTERS[16:28].encode(), CAPITALS[:12].encode())
_WORD = "pl4nted-w0rd"
# Longer than any excerpt.
_FILLER = "word " * 90
_COMMANDS = frozenset(("command", "cmd"))
# How often a word that makes a line what it is gets a secret, too.
_OFTEN = 0.03


def import_planted(found: Machine, name: str, change: Change) -> None:
    sources = {
        path: b"".join(planted(line, change) + b"\n" for line in content.split(b"\n") if line.strip())
        for path, content in homes()[name].items()
    }
    lay(found.home, sources)
    found.sync()


@given(
    name=st.sampled_from(_HOMES),
    secret=st.sampled_from(sorted(FORMED.values())),
    place=st.sampled_from(NAMED_PLACES),
    seed=st.integers(0, 2**32),
)
def test_a_secret_in_any_string_is_kept_nowhere(name: str, secret: str, place: str, seed: int) -> None:
    """E018, E019, §23.5: keys, tokens and passwords, in prompts, commands, paths, labels, ids and types alike."""
    dice = random.Random(seed)

    def change(key: str, value: str, hidden: bool) -> str:
        if is_form(key) and dice.random() > _OFTEN:
            return value
        if key in _COMMANDS:
            return f"{value}; {place.format(LETTERS)}"
        return f"{value} {secret}"

    with machine() as found:
        import_planted(found, name, change)
        everything = kept(found.ledger)
    assert [trace for trace in _TRACES if trace in everything] == []


@pytest.mark.parametrize("name", _HOMES)
def test_what_may_not_be_kept_is_kept_nowhere(name: str) -> None:
    """§9.10, §23.5: outputs, reasoning, patches, titles, the middle of prompts and replies, and every unknown field."""

    def change(key: str, value: str, hidden: bool) -> str:
        if is_form(key):
            return value
        value = value.replace("\n+", f"\n+{_WORD} ")  # the lines that a patch adds
        if hidden:
            return f"{_WORD} {value} {_WORD}"
        if is_kept(key):
            return value
        if is_text(key):
            return f"{value} {_FILLER}{_WORD} {_FILLER}"
        return f"{value} {_WORD}"

    with machine() as found:
        import_planted(found, name, change)
        everything = kept(found.ledger)
        assert sum(len(rows) for rows in found.whole().values()) > 0
    at = everything.find(_WORD.encode())
    assert at < 0, everything[max(0, at - 300) : at + 100]


@pytest.mark.parametrize("name", ["claude-code/multi-turn-tools", "codex/multi-turn-tools"])
def test_what_may_be_kept_is_seen_by_these_laws(name: str) -> None:
    """The control: a directory and a command with the same word in it are found."""
    for key in ("cwd", "command" if name.startswith("claude") else "cmd"):
        with machine() as found:
            import_planted(found, name, lambda at, value, _hidden, key=key: f"{value} {_WORD}" if at == key else value)  # type: ignore[misc]
            assert _WORD.encode() in kept(found.ledger)
