"""The release map: tags of a repository made for the test, asked and never changed."""

import hashlib
from pathlib import Path

import pytest

from observer.base.errors import SourceMissing
from observer.importing import versions
from tests.builders.direction import Repository, sha256

OLD, NEW = "# Rules 12.0\n", "# Rules 12.1\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "clone")


def versions_of(repository: Repository) -> dict[str, str]:
    return {each.sha256: each.version for each in versions.releases(repository.path)}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_release_is_a_plain_tag_and_the_file_at_either_place(repository: Repository) -> None:
    """E147: `v` or not, in a folder or not; a candidate is no release."""
    repository.release("v12.0.0", {"AGENTS.md": OLD}).release("v12.1.0-rc1", {"AGENTS.md": "rc\n"})
    repository.release("12.1.0", {"global/AGENTS.md": NEW, "AGENTS.md": "of the repository itself\n"}, annotated=True)
    repository.release("nightly-12.2.0", {"AGENTS.md": "n\n"}).release("v12.2", {"AGENTS.md": "m\n"})
    repository.release("v12.3.0", {"README.md": "no instructions\n"}).release("v\u0661.0.0", {"AGENTS.md": "d\n"})
    before = contents(repository.path)
    assert versions_of(repository) == {sha256(OLD): "12.0.0", sha256(NEW): "12.1.0"}
    assert contents(repository.path) == before
    first = versions.releases(repository.path)[0]
    assert first.size_bytes == len(OLD)
    assert first.released_ms is not None
    assert first.released_ms % 1000 == 0


def test_the_earliest_release_keeps_a_file_that_several_have(repository: Repository) -> None:
    """E147: by version, not by the alphabet or by when it was tagged."""
    repository.release("v12.10.0", {"AGENTS.md": NEW}).release("v12.9.0", {"AGENTS.md": NEW})
    repository.release("v9.0.1", {"global/AGENTS.md": OLD}).release("v10.0.0", {"AGENTS.md": OLD})
    assert versions_of(repository) == {sha256(NEW): "12.9.0", sha256(OLD): "9.0.1"}


def test_bytes_are_hashed_as_they_are(repository: Repository) -> None:
    odd = b"\xff\xfe\r\nno newline at the end"
    repository.release("v1.0.0", {"AGENTS.md": odd})
    found = versions.releases(repository.path)[0]
    assert (found.sha256, found.size_bytes) == (hashlib.sha256(odd).hexdigest(), len(odd))


def test_what_is_no_repository_has_no_releases(tmp_path: Path, repository: Repository) -> None:
    assert versions.releases(None) == versions.releases(tmp_path / "absent") == []
    assert versions.releases(repository.path) == []
    with pytest.raises(SourceMissing, match="no git repository"):
        versions.repository(tmp_path / "absent", {}, tmp_path)


def test_the_option_comes_before_the_variable_and_that_before_a_link(tmp_path: Path, repository: Repository) -> None:
    home, other = tmp_path / "home", Repository(tmp_path / "other")
    repository.release("v1.0.0", {"AGENTS.md": OLD})
    (home / ".codex").mkdir(parents=True)
    assert versions.repository(None, {}, home) is None
    (home / ".codex" / "AGENTS.md").symlink_to(repository.path / "AGENTS.md")
    assert versions.repository(None, {}, home) == repository.path.resolve()
    named = {versions.VARIABLE: str(other.path)}
    assert versions.repository(None, named, home) == other.path
    assert versions.repository(repository.path, named, home) == repository.path


@pytest.mark.parametrize("place", [".claude/CLAUDE.md", ".codex/AGENTS.md", ".grok/AGENTS.md"])
def test_a_link_of_the_file_or_its_folder_leads_to_the_repository(tmp_path: Path, place: str) -> None:
    folder, name = place.split("/")
    repository = Repository(tmp_path / "clone").release("v1.0.0", {f"global/{name}": OLD})
    for number, linked in enumerate(("file", "folder")):
        home = tmp_path / str(number)
        home.mkdir()
        if linked == "folder":
            (home / folder).symlink_to(repository.path / "global")
        else:
            (home / folder).mkdir()
            (home / place).symlink_to(repository.path / "global" / name)
        assert versions.repository(None, {}, home) == repository.path.resolve(), linked


def test_a_variable_of_the_agent_moves_where_its_link_is_looked_for(tmp_path: Path, repository: Repository) -> None:
    repository.release("v1.0.0", {"AGENTS.md": OLD})
    moved = tmp_path / "codex"
    moved.mkdir()
    (moved / "AGENTS.md").symlink_to(repository.path / "AGENTS.md")
    assert versions.repository(None, {"CODEX_HOME": str(moved)}, tmp_path) == repository.path.resolve()


def test_a_file_of_its_own_in_a_home_that_is_a_repository_says_nothing(tmp_path: Path) -> None:
    """Settings kept in git are no releases of the instructions."""
    home = Repository(tmp_path / "home").release("v1.0.0", {".claude/CLAUDE.md": "mine\n"})
    assert versions.repository(None, {}, home.path) is None
    dangling = home.path / ".codex"
    dangling.mkdir()
    (dangling / "AGENTS.md").symlink_to(tmp_path / "nowhere")
    assert versions.repository(None, {}, home.path) is None


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.release("v1.0.0", {"AGENTS.md": OLD})
    other = Repository(tmp_path / "other").release("v2.0.0", {"AGENTS.md": NEW})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    assert versions_of(repository) == {sha256(OLD): "1.0.0"}


def test_a_machine_without_git_has_no_releases(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.release("v1.0.0", {"AGENTS.md": OLD})
    monkeypatch.setenv("PATH", "/nowhere")
    assert versions.releases(repository.path) == []
