"""What an adapter is: its name, its places, what it finds there, and what it says of itself."""

import ast
import importlib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from observer.adapters import capability, registry
from observer.adapters.protocol import Adapter, Store
from observer.adapters.registry import adapter
from observer.records.source import SourceFile
from tests.contract import reading, record_sets
from tests.contract.record_sets import RecordSet

# What a page of facts must tell, by its headings.
_TOPICS = ("Where", "Records", "Tokens", "Fallbacks", "Traps")
# What an adapter may lean on, beside its folder and what adapters share: others' bytes, arithmetic, the field's words.
_ROOMS = ("observer.native", "observer.rules", "observer.records", "observer.base")
_CLOSED = frozenset(
    "socket http urllib.request ssl subprocess sqlite3 time random secrets uuid tempfile shutil threading"
    " multiprocessing httpx requests github".split()
)


class Asked(Mapping[str, str]):
    """An environment that remembers which variables were asked for."""

    def __init__(self, **values: str) -> None:
        self.values_, self.names = values, set[str]()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return self.values_[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


def folder_of(harness: str) -> Path:
    """The folder of an adapter."""
    module = importlib.import_module(f"observer.adapters.{harness}")
    assert module.__file__ is not None
    return Path(module.__file__).parent


def test_it_is_named_after_its_folder(harness: str) -> None:
    found = adapter(harness)
    assert isinstance(found, Adapter | Store)
    assert (found.harness, folder_of(harness).name) == (harness, harness)
    assert re.fullmatch(r"[a-z]{2,16}", harness)
    assert type(found.version) is int
    assert found.version >= 1


def test_it_has_real_records_to_be_held_against(harness: str) -> None:
    assert record_sets.of(harness)
    assert any(each.bill for each in record_sets.of(harness))


def test_its_places_come_from_home_and_the_environment_alone(harness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every variable it asks for moves a root, and none of this process's own is looked at."""
    roots, here, there = adapter(harness).roots, Path("/home/dev"), Path("/srv/other")
    asked = Asked()
    usual = roots(asked, here)
    assert usual
    assert all(root.is_relative_to(here) for root in usual)
    assert [there / root.relative_to(here) for root in usual] == roots({}, there)
    for name in asked.names:
        monkeypatch.setenv(name, "/nowhere/at/all")
    assert roots({}, here) == usual
    for name in asked.names:
        moved = roots({name: "/elsewhere/x"}, here)
        assert any(root.is_relative_to("/elsewhere/x") for root in moved), name


def test_nothing_is_found_where_nothing_is(harness: str, home: Path) -> None:
    assert reading.found(adapter(harness), home) == []


def test_its_page_tells_places_records_tokens_fallbacks_and_traps(harness: str) -> None:
    page = (folder_of(harness) / "FACTS.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (.+)\n([^#]*(?:#(?!# )[^#]*)*)", page, re.MULTILINE))
    assert [topic for topic in _TOPICS if len(sections.get(topic, "").split()) < 8] == []


def test_it_states_what_its_records_cannot_show(harness: str) -> None:
    """For every subject one sentence, so that absence is not read as zero."""
    table = capability.of(harness)
    assert tuple(table) == capability.SUBJECTS
    for subject, each in table.items():
        assert re.fullmatch(r"[^\n]{10,109}\.", each.says), subject


def test_it_knows_no_ledger_no_network_and_no_clock(harness: str) -> None:
    """By its imports, also those inside functions; a record's text is for the privacy screen alone."""
    strays = []
    for path in sorted(folder_of(harness).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            strays += [f"{path.name}:{node.lineno} {name}" for name in _imported(node) if not _is_open(name, harness)]
    assert strays == []


def test_the_same_is_found_every_time_in_the_same_order(record_set: RecordSet, home: Path) -> None:
    """Whatever order a file system lists in; each once, its real path, below a root."""
    record_set.lay(home)
    found = reading.found(record_set.reader, home)
    assert found == reading.found(record_set.reader, home)
    with reading.listings_reversed():
        assert found == reading.found(record_set.reader, home)
    paths = [each.path for each in found]
    assert len(paths) == len(set(paths)) > 0
    tops = [root.resolve() for root in record_set.reader.roots({}, home)]
    for each in found:
        file = Path(each.path.partition("#")[0])
        assert (each.harness, file.resolve(), file.exists()) == (record_set.harness, file, True)
        assert any(file.is_relative_to(top) for top in tops)
        if isinstance(each, SourceFile):
            assert (each.fingerprint is None) == isinstance(record_set.reader, Adapter)


def test_links_into_foreign_trees_are_not_followed(record_set: RecordSet, home: Path, tmp_path: Path) -> None:
    """A person's notes, another machine's backup: linked into every folder of the records, and not found."""
    record_set.lay(home)
    before = reading.found(record_set.reader, home)
    foreign = record_set.lay(tmp_path / "foreign")
    folders = [path for path in sorted(home.rglob("*")) if path.is_dir() and not path.is_symlink()]
    for folder in folders:
        twin = foreign / folder.relative_to(home)
        (folder / "linked").symlink_to(twin)
        (folder / "loop").symlink_to(folder)
    for path in [path for path in sorted(home.rglob("*")) if path.is_file()]:
        itself = path.with_name(f"{path.stem}x{path.suffix}")
        itself.symlink_to(itself)
    found = [each.path for each in reading.found(record_set.reader, home)]
    assert found == [each.path for each in before]


def test_a_link_to_the_records_is_the_same_records(record_set: RecordSet, tmp_path: Path) -> None:
    """Reached by another road, each source has the same real path."""
    real = record_set.lay(tmp_path / "real")
    (tmp_path / "road").symlink_to(real)
    assert reading.found(record_set.reader, tmp_path / "road") == reading.found(record_set.reader, real)


def test_a_context_stays_small(line_harness: str, home: Path) -> None:
    """It is stored with every source of line files, as JSON, and read back."""
    found = adapter(line_harness)
    assert isinstance(found, Adapter)
    for each in record_sets.of(line_harness):
        shutil.rmtree(home)
        each.lay(home)
        for source in reading.sources(found, home):
            context = reading.context_after(found, source)
            stored = msgspec.json.encode(context)
            assert len(stored) < 8192, source.path
            assert msgspec.json.decode(stored, type=found.reader.context) == context


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        # `from observer.adapters import x` names a module, everything else a part of one.
        inside = node.module == "observer.adapters"
        return [f"{node.module}.{alias.name}" for alias in node.names] if inside else [node.module or ""]
    return []


def _is_open(name: str, harness: str) -> bool:
    if not name.startswith("observer"):
        return not {name, name.partition(".")[0]} & _CLOSED
    room = ".".join(name.split(".")[:2])
    if room != "observer.adapters":
        return room in _ROOMS
    own = name.split(".")[2]
    return own == harness or own not in registry.HARNESSES
