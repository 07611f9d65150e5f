"""Laws of damaged records: whatever stands in them, a sync ends, and no response counts twice.

Real files, changed as `builders.damage` says, through the real import.
"""

import shutil
import sqlite3
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.adapters.protocol import Adapter
from observer.adapters.registry import adapter
from observer.native.decode import decode
from tests.builders.corpora import homes, lay
from tests.builders.damage import damage_database, damaged_lines, damages
from tests.builders.imports import Machine, machine
from tests.places import RECORDS

# Where each agent that keeps a store expects it.
STORES = {"opencode": ".local/share/opencode", "grok": ".grok", "router": ".local/share/durable-runner"}
_SETS = {"opencode": "opencode", "grok": "grok-build", "router": "model-router"}
_LINES = {name: harness for harness in ("claude", "codex") for name in homes() if harness in name.partition("/")[0]}


def responses(found: Machine) -> int:
    with sqlite3.connect(f"file:{found.ledger}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM response").fetchone()[0])


def stumbles(found: Machine) -> list[tuple[str, str]]:
    """Sources that our own code failed on."""
    with sqlite3.connect(f"file:{found.ledger}?mode=ro", uri=True) as connection:
        return connection.execute(
            "SELECT path, category FROM fault JOIN source ON source.id = source_id WHERE category = 'import_error'"
        ).fetchall()


def is_read(found: Machine) -> None:
    """The sync ends without a stumble, and reading everything again changes nothing."""
    found.sync()
    assert stumbles(found) == []
    before = found.whole()
    answers = found.sync(full=True).values()
    assert sum(each.responses_inserted for each in answers) == 0
    assert found.whole() == before


@cache
def clean_count(name: str) -> int:
    with machine() as found:
        lay(found.home, homes()[name])
        found.sync()
        return responses(found)


@pytest.mark.parametrize("harness", ["claude", "codex"])
@given(data=st.data())
def test_damaged_lines_cost_themselves(harness: str, data: st.DataObject) -> None:
    """E015, E016, E017: a damaged line is a fault of its own; at most it tells of one response more."""
    name = data.draw(st.sampled_from(sorted(name for name, owner in _LINES.items() if owner == harness)))
    sources = homes()[name]
    path = data.draw(st.sampled_from(sorted(each for each in sources if not each.endswith(".zst"))))
    content, count = damaged_lines(data.draw, sources[path])
    with machine() as found:
        lay(found.home, {**sources, path: content})
        is_read(found)
        assert responses(found) <= clean_count(name) + 2 * count


def states(harness: str) -> list[Path]:
    """Every folder that is a store of that agent."""
    marks = {"opencode": ("opencode.db", "storage"), "grok": ("sessions",), "router": ("jobs.db",)}[harness]
    folders = {path.parent for mark in marks for path in (RECORDS / _SETS[harness]).rglob(mark)}
    return sorted(folders)


@pytest.mark.parametrize("harness", sorted(STORES))
@given(data=st.data())
def test_damaged_stores_cost_no_more_than_themselves(harness: str, data: st.DataObject) -> None:
    """E024: documents and cells of a store that hold something else."""
    state = data.draw(st.sampled_from(states(harness)))
    with machine() as found:
        place = found.home / STORES[harness]
        shutil.copytree(state, place)
        paths = sorted(path for path in place.rglob("*") if path.suffix in (".json", ".jsonl", ".db"))
        path = data.draw(st.sampled_from(paths))
        if path.suffix == ".db":
            damage_database(data.draw, path)
        elif path.suffix == ".jsonl":
            path.write_bytes(damaged_lines(data.draw, path.read_bytes())[0])
        else:
            path.write_bytes(data.draw(damages)(path.read_bytes()))
        is_read(found)


@cache
def decoder(harness: str) -> msgspec.json.Decoder[object]:
    found = adapter(harness)
    assert isinstance(found, Adapter)
    return msgspec.json.Decoder(found.reader.line)


@pytest.mark.parametrize("harness", ["claude", "codex"])
@given(data=st.data())
def test_every_line_is_decoded_or_named(harness: str, data: st.DataObject) -> None:
    """E016, E017, E018: any bytes; as many records as lines that are not blank, each usable or with its fault."""
    name = data.draw(st.sampled_from(sorted(name for name, owner in _LINES.items() if owner == harness)))
    real = sorted(line for content in homes()[name].values() for line in content.split(b"\n"))[:200]
    pieces = st.binary(max_size=200) | st.builds(lambda damage, line: damage(line), damages, st.sampled_from(real))
    content = b"\n".join(data.draw(st.lists(pieces | st.sampled_from(real), max_size=6)))
    lines = decode(content, decoder(harness), first=7)
    assert len(lines.records) == sum(1 for line in content.split(b"\n") if line.strip())
    assert all(record is not None or index in lines.odd for index, record in enumerate(lines.records))


@pytest.mark.parametrize("harness", ["claude", "codex"])
def test_a_value_that_goes_on_over_a_newline_is_two_broken_lines(harness: str) -> None:
    """E016, E022: only a newline ends a record, wherever the bytes are cut."""
    line = b'{"type":"user","timestamp":"2026-09-24T10:00:00Z"}'
    whole = line + b"\n" + line.replace(b',"t', b',\n"t') + b"\n" + line + b"\n"
    lines = decode(whole, decoder(harness), first=0)
    assert len(lines.records) == 4
    assert [lines.odd[index].fault for index in (1, 2)] == ["json", "json"]
