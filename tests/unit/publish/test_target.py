"""What can be a target, decided before any network."""

import pytest

from observer.base.errors import TargetRefused
from publish import target
from publish.target import Target


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ({"pr": 7}, "pr:7"),
        ({"pr": "7"}, "pr:7"),
        ({"commit": "3F9D2C"}, "commit:3f9d2c"),
        ({"commit": "a" * 40}, "commit:" + "a" * 40),
    ],
)
def test_a_target_is_one_pull_request_or_one_commit(words: dict[str, object], key: str) -> None:
    found = target.parse("octocat/hello-world.js", **words)
    assert (found.repo, found.key) == ("octocat/hello-world.js", key)


@pytest.mark.parametrize(
    "repo",
    ["owner", "o/r/x", "", "/r", "o/", "o/..", "o/r\n", "o r/x", "-o/r", "https://github.com/o/r", 7, None, True],
)
def test_what_is_no_repository_is_refused(repo: object) -> None:
    """E238: `owner`, `o/r/x` and their kin."""
    with pytest.raises(TargetRefused, match="not a repository"):
        target.parse(repo, pr=7)


@pytest.mark.parametrize("pr", [0, -1, True, False, 1.0, "0", "07", "+7", "7; rm -rf /", "７", "", 2**31, "9" * 40])
def test_what_is_no_pull_request_is_refused(pr: object) -> None:
    """E238: 0, -1, true; P22: anything that only begins like a number."""
    with pytest.raises(TargetRefused, match="pull request"):
        target.parse("o/r", pr=pr)


@pytest.mark.parametrize("commit", ["xyz", "abcde", "a" * 41, "a" * 64, "main", "abcdef\n", 1234567, ""])
def test_what_is_no_commit_is_refused(commit: object) -> None:
    """E238: a commit is 6 to 40 hexadecimal digits."""
    with pytest.raises(TargetRefused, match="not a commit"):
        target.parse("o/r", commit=commit)


@pytest.mark.parametrize("words", [{}, {"pr": 7, "commit": "abcdef"}])
def test_neither_and_both_are_refused(words: dict[str, object]) -> None:
    """E239: exactly one of both, exit 2."""
    with pytest.raises(TargetRefused, match="exactly one") as caught:
        target.parse("o/r", **words)
    assert caught.value.exit_code == 2


def test_a_target_names_itself() -> None:
    assert str(Target("o", "r", pr=7)) == "o/r#7"
    assert str(Target("o", "r", commit="abcdef")) == "o/r@abcdef"
