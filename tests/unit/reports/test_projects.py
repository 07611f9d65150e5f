"""Projects: what an alias says first, then what git's files prove; never how a path is spelt."""

from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observer.base.errors import UsageError
from observer.facts.filters import Filter
from observer.reports import projects, usage
from observer.reports.projects import Projects
from tests.builders import mini
from tests.builders.batches import Book, response, session
from tests.unit.native.test_worktrees import linked, repository

DASHES = ("/srv/open source/kit", "/srv/open-source/kit", "/srv/open_source/kit")


def test_without_proof_every_directory_is_its_own_project() -> None:
    """Case 16 and the corpus's `.worktrees`: nothing of them exists here."""
    recorded = (*DASHES, "/home/dev/work/orchard", "/home/dev/work/orchard/.worktrees/fix-42")
    known = Projects(recorded, {})
    assert {each: known.named(each) for each in recorded} == {each: each for each in recorded}
    assert all(known.directories(each) == (each,) for each in recorded)
    assert known.named(None) is None


@given(st.lists(st.text(alphabet="ab-_./ ", max_size=12)))
def test_no_spelling_makes_two_directories_one(names: list[str]) -> None:
    recorded = {f"/no-such-place/{name}" for name in names}
    known = Projects(recorded, {})
    assert {known.named(each) for each in recorded} == recorded


def test_an_alias_names_its_directories_and_no_neighbour() -> None:
    aliases = {"kit": ("/srv/kit", "/old/kit"), "fixes": ("/srv/kit/.worktrees/*",), "one": ("/srv/kit/.worktrees/1",)}
    recorded = ("/srv/kit", "/old/kit", "/srv/kit2", "/srv/kit/sub", "/srv/kit/.worktrees/1", "/srv/kit/.worktrees/2/x")
    known = Projects(recorded, aliases)
    assert [known.named(each) for each in recorded] == ["kit", "kit", "/srv/kit2", "/srv/kit/sub", "one", "fixes"]
    assert known.directories("kit") == ("/old/kit", "/srv/kit")
    assert known.directories("/srv/kit") == ("/srv/kit",)


def test_the_longer_prefix_wins() -> None:
    known = Projects(("/srv/a/b/c", "/srv/a/c", "/x"), {"all": ("/*",), "a": ("/srv/a/*",), "b": ("/srv/a/b/*",)})
    assert [known.named(each) for each in ("/srv/a/b/c", "/srv/a/c", "/x")] == ["b", "a", "all"]


def test_proof_and_alias_work_together(tmp_path: Path) -> None:
    main = repository(tmp_path / "kit")
    tree, other = linked(main, tmp_path / "fix"), linked(main, tmp_path / "try")
    (tmp_path / "link").symlink_to(main)
    recorded = [str(each) for each in (main, tree, other, tmp_path / "link")]
    plain = Projects(recorded, {})
    assert {plain.named(each) for each in recorded} == {str(main)}
    assert plain.directories(str(main)) == tuple(sorted(recorded))
    assert plain.directories(str(tree)) == (str(tree),)  # any other path is itself
    named = Projects(recorded, {"kit": (str(tmp_path / "link"),), "try": (str(other),)})
    assert [named.named(each) for each in recorded] == ["kit", "kit", "try", "kit"]


def test_a_name_that_is_none_is_refused_with_the_nearest() -> None:
    known = Projects(("/srv/kit", "odd name"), {"kitchen": ("/srv/kitchen",)})
    assert known.directories("odd name") == ("odd name",)
    assert known.directories("/nowhere") == ("/nowhere",)
    assert known.directories("kitchen") == ("/srv/kitchen",)  # an alias that nothing was recorded for is no "all"
    with pytest.raises(UsageError, match="kitchn") as refused:
        known.directories("kitchn")
    assert "kitchen" in refused.value.hint


@pytest.fixture
def book(tmp_path: Path) -> Book:
    main = repository(tmp_path / "kit")
    tree = linked(main, tmp_path / "fix")
    found = Book(tmp_path)
    for number, place in enumerate((str(main), str(tree), "/srv/other", None), 1):
        key = f"codex:s{number}"
        found.told(f"/{number}", session(key, project=place), response(f"codex:r{number}", key, total=number * 100))
    return found


def test_usage_by_project_adds_what_is_one_project_and_says_of_what(book: Book, tmp_path: Path) -> None:
    main, tree = str(tmp_path / "kit"), str(tmp_path / "fix")
    with book.reader() as reader:
        document = usage.build(reader, Filter(), by="project", zone=UTC, schedule=mini.schedule())
    groups = {each["key"]: each for each in document["groups"]}
    assert groups.keys() == {main, "/srv/other", None}
    assert groups[main]["responses"] == 2
    assert groups[main]["directories"] == sorted((main, tree))
    assert groups[None]["directories"] == []
    assert [each["total_tokens"] for each in groups[main]["by_semantics"].values()] == [300]


def test_a_filter_on_what_usage_shows_gives_what_usage_shows(book: Book, tmp_path: Path) -> None:
    aliases = {"other": ("/srv/other",), "none": ("/srv/none",)}
    expected = {str(tmp_path / "kit"): 2, str(tmp_path / "fix"): 1, "other": 1, "/srv/other": 1, "none": 0}
    with book.reader() as reader:
        for name, count in expected.items():
            wanted = projects.narrowed(reader, Filter(projects=(name,)), aliases)
            document = usage.build(reader, wanted, by="model", zone=UTC, schedule=mini.schedule(), aliases=aliases)
            assert sum(each["responses"] for each in document["groups"]) == count, name
