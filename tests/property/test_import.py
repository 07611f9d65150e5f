"""Import laws over whole ledgers: however the records come, the ledger is that of one clean import."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.importing import source
from observer.native import jsonl
from tests.builders.corpora import homes, lay
from tests.builders.imports import inserted, machine
from tests.builders.wholes import Whole

# What tells which file a row came from.
_BY_SOURCE = ("source", "response_copy", "fault", "instruction")
_HOMES = sorted(homes())
# A compressed file is a source only while its plain twin is not there.
_TWINS = {name for name, sources in homes().items() if any(f"{path}.zst" in sources for path in sources)}


@cache
def clean(name: str) -> Whole:
    """The ledger of one sync of that HOME."""
    with machine() as found:
        lay(found.home, homes()[name])
        found.sync()
        return found.whole()


def without_sources(found: Whole) -> Whole:
    """The rows without what depends on where files lie."""
    kept = {table: rows for table, rows in found.items() if table not in _BY_SOURCE}
    return kept | {"response": sorted((row[:1] + row[2:] for row in kept["response"]), key=repr)}


@pytest.mark.parametrize("name", _HOMES)
def test_twice_is_once(name: str) -> None:
    """E010, E020, §23.1, §23.6: again, or in full, changes neither the ledger nor a record."""
    with machine() as found:
        lay(found.home, homes()[name])
        found.sync()
        assert inserted(found.sync()) == 0
        answers = found.sync(full=True).values()
        assert sum(each.responses_inserted + each.submissions_inserted + each.events_inserted for each in answers) == 0
        assert found.whole() == clean(name)
        assert found.contents() == dict(homes()[name])


@given(name=st.sampled_from(_HOMES), data=st.data())
def test_files_may_come_in_any_order(name: str, data: st.DataObject) -> None:
    """E022: one sync per file, or several files at a time."""
    with machine() as found:
        sources = homes()[name]
        for path in data.draw(st.permutations(sorted(sources))):
            lay(found.home, {path: sources[path]})
            if data.draw(st.booleans()):
                found.sync()
        found.sync()
        if name in _TWINS:
            assert without_sources(found.whole()) == without_sources(clean(name))
        else:
            assert found.whole() == clean(name)


@given(name=st.sampled_from(_HOMES), data=st.data())
def test_files_may_be_cut_anywhere(name: str, data: st.DataObject) -> None:
    """E011, E012, E022: each file grows by any bytes between syncs, also in the middle of a line or a character."""
    with machine() as found:
        sources = homes()[name]
        stages = data.draw(st.integers(1, 3))
        cuts = {
            path: sorted(data.draw(st.lists(st.integers(0, len(content)), min_size=stages, max_size=stages)))
            for path, content in sources.items()
            if not path.endswith(".zst")
        }
        for stage in range(stages):
            lay(found.home, {path: sources[path][: cut[stage]] for path, cut in cuts.items()})
            found.sync()
        lay(found.home, sources)
        found.sync()
        assert found.whole() == clean(name)


@given(name=st.sampled_from(sorted(set(_HOMES) - _TWINS)), data=st.data())
def test_files_may_be_copied_and_renamed(name: str, data: st.DataObject) -> None:
    """§2.1: the records are the same wherever they lie, and none counts twice."""
    with machine() as found:
        sources = homes()[name]
        lay(found.home, sources)
        found.sync()
        path = data.draw(st.sampled_from(sorted(sources)))
        other = path.replace(".jsonl", "-copy.jsonl")
        if data.draw(st.booleans()):
            (found.home / path).unlink()
        lay(found.home, {other: sources[path]})
        found.sync()
        assert without_sources(found.whole()) == without_sources(clean(name))


@given(name=st.sampled_from(_HOMES), data=st.data())
def test_a_rewritten_file_leaves_nothing_behind(name: str, data: st.DataObject) -> None:
    """E013, E014: a file that was shorter, or had other bytes, and then is what it should be."""
    with machine() as found:
        sources = homes()[name]
        lay(found.home, sources)
        found.sync()
        path = data.draw(st.sampled_from([each for each in sorted(sources) if not each.endswith(".zst")] or [None]))
        if path is None:
            return
        lines = sources[path].splitlines(keepends=True)
        kept: Any = lines[: data.draw(st.integers(0, len(lines)))]
        lay(found.home, {path: b"".join(kept)})
        found.sync()
        lay(found.home, sources)
        found.sync()
        assert found.whole() == clean(name)


@given(name=st.sampled_from(_HOMES), size=st.integers(1, 5000), rows=st.sampled_from([0, 3, 10**6]))
def test_files_may_be_read_in_pieces_of_any_size(name: str, size: int, rows: int) -> None:
    """E022: whatever is decoded at once, and whatever is written at once."""
    with machine() as found, pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "CHUNK_BYTES", size)
        patch.setattr(source, "_MOST_ROWS", rows)
        lay(found.home, homes()[name])
        found.sync()
        assert found.whole() == clean(name)


def test_the_homes_hold_the_traps() -> None:
    """Copies, contradictions, overlaps, faults and inherited models are all among what the laws were tried on."""
    everything = [clean(name) for name in _HOMES]
    assert any(found["response_copy"] for found in everything)
    assert any("usage_conflict" in row for found in everything for row in found["fault"])
    responses = [row for found in everything for row in found["response"]]
    assert len(responses) > 100
    overlap, model_inherited = zip(*(row[-2:] for row in responses), strict=True)
    assert sum(overlap) > 0
    assert sum(model_inherited) > 0
