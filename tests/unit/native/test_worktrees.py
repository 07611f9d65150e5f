"""Which directories are one repository: links, worktrees as git writes them, and everything that only looks alike."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from observer.native.worktrees import Place, places


def repository(top: Path) -> Path:
    """A directory that git would take for a main working tree."""
    (top / ".git" / "worktrees").mkdir(parents=True)
    return top


def linked(main: Path, top: Path, *, common: Path | None = None) -> Path:
    """A worktree of it, as git writes it (relative paths in the common directory)."""
    own = (common or main / ".git") / "worktrees" / top.name
    own.mkdir(parents=True)
    top.mkdir(parents=True)
    (top / ".git").write_text(f"gitdir: {own}\n", "utf-8")
    (own / "commondir").write_text("../..\n", "utf-8")
    (own / "gitdir").write_text(f"{top / '.git'}\n", "utf-8")
    return top


def mains(*paths: Path | str) -> dict[str, str]:
    return {path: place.main for path, place in places(map(str, paths)).items()}


def test_a_worktree_is_its_main_tree_wherever_it_lies(tmp_path: Path) -> None:
    main = repository(tmp_path / "kit")
    inside, beside = linked(main, main / ".worktrees" / "fix-42"), linked(main, tmp_path / "kit-fix")
    (inside / "src").mkdir()
    assert mains(main, inside, beside, inside / "src") == {
        str(main): str(main),
        str(inside): str(main),
        str(beside): str(main),
        str(inside / "src"): str(main / "src"),
    }


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    main = repository(tmp_path / "kit")
    (tmp_path / "link").symlink_to(main)
    assert places([str(tmp_path / "link")]) == {str(tmp_path / "link"): Place(str(main), str(main))}


def test_neighbours_and_directories_inside_stay_apart(tmp_path: Path) -> None:
    """Names that look like worktrees prove nothing; neither do dashes that one folder name would hide."""
    main = repository(tmp_path / "open-source" / "kit")
    names = ("open source/kit", "open_source/kit", "open-source/kit/.worktrees/fix", "open-source/kit/sub", "kit-copy")
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    paths = [main, *(tmp_path / name for name in names)]
    assert mains(*paths) == {str(path): str(path) for path in paths}


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    main = repository(tmp_path / "kit")
    (main / ".git" / "modules" / "lib").mkdir(parents=True)
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n", "utf-8")
    assert mains(main / "lib") == {str(main / "lib"): str(main / "lib")}


def test_a_worktree_of_a_bare_repository_is_that_repository(tmp_path: Path) -> None:
    bare = tmp_path / "kit.git"
    one, two = (linked(bare, tmp_path / name, common=bare) for name in ("one", "two"))
    assert mains(one, two) == {str(one): str(bare), str(two): str(bare)}


def test_a_worktree_that_is_gone_counts_while_git_lists_it(tmp_path: Path) -> None:
    main = repository(tmp_path / "kit")
    inside, beside = linked(main, main / ".worktrees" / "fix"), linked(main, tmp_path / "elsewhere")
    for each in (inside, beside):
        shutil.rmtree(each)
    gone = {str(inside): str(main), str(inside / "src"): str(main / "src")}
    assert mains(inside, inside / "src") == gone  # the repository lies around it
    assert mains(beside) == {str(beside): str(beside)}  # nothing leads there
    assert mains(beside, main) == {str(beside): str(main), str(main): str(main)}
    shutil.rmtree(main / ".git" / "worktrees" / "fix")
    assert mains(inside, main)[str(inside)] == str(inside)  # pruned


@pytest.mark.parametrize("text", [b"", b"gitdir:", b"gitdir: \0", b"nonsense\n", b"gitdir: /nowhere\n", b"\xff" * 9000])
def test_a_broken_pointer_makes_no_worktree(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / ".git").write_bytes(text)
    assert mains(tmp_path / "kit") == {str(tmp_path / "kit"): str(tmp_path / "kit")}


def test_a_pipe_in_its_place_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    os.mkfifo(tmp_path / "kit" / ".git")
    assert mains(tmp_path / "kit") == {str(tmp_path / "kit"): str(tmp_path / "kit")}


@pytest.mark.parametrize("name", ["", "relative", "=HYPERLINK(1)", "/no/such/place", "/bad\0name", "/srv/kit/"])
def test_what_is_no_directory_here_is_itself(name: str) -> None:
    assert mains(name) == {name: name}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_git_itself_makes_is_understood(tmp_path: Path) -> None:
    def git(*words: str, where: Path) -> None:
        names = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", *names, *words], cwd=where, check=True, capture_output=True, env=clean)

    main = tmp_path / "kit"
    main.mkdir()
    git("init", "--quiet", where=main)
    git("commit", "--quiet", "--allow-empty", "--message", "first", where=main)
    git("worktree", "add", "--quiet", str(tmp_path / "fix-42"), where=main)
    assert mains(tmp_path / "fix-42", main) == {str(tmp_path / "fix-42"): str(main), str(main): str(main)}
    shutil.rmtree(tmp_path / "fix-42")
    assert mains(tmp_path / "fix-42", main)[str(tmp_path / "fix-42")] == str(main)
