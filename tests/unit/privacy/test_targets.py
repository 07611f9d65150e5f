"""Targets: secrets, patch bodies and written payloads go, everything else stays."""

import pytest

from observer.privacy import credentials
from observer.privacy.targets import LONGEST, target
from tests.unit.privacy import planted

WORD = "correct-horse-battery"


@pytest.mark.parametrize("place", ["{}", "deploy {} --now", "KEY={}", "https://{}@example.com/x", "a\\n{}\\nb", '"{}"'])
@pytest.mark.parametrize("kind", planted.FORMED)
def test_a_secret_of_known_form_is_replaced_wherever_it_stands(kind: str, place: str) -> None:
    """E133: provider prefixes, web tokens and private keys."""
    kept = target(place.format(planted.FORMED[kind]))
    assert kept is not None
    assert planted.LETTERS not in kept
    assert planted.CAPITALS not in kept
    assert credentials.PLACEHOLDER in kept


@pytest.mark.parametrize("place", planted.NAMED_PLACES)
def test_a_secret_that_its_place_gives_away_is_replaced(place: str) -> None:
    """E133: assignments, options, headers, addresses, JSON keys."""
    kept = str(target(place.format(WORD)))
    assert WORD not in kept
    assert credentials.PLACEHOLDER in kept
    program = place.split(maxsplit=1)[0]
    assert "{" in program or kept.startswith(program)


def test_the_rest_of_a_command_is_kept() -> None:
    """E133: only the values go."""
    command = "A_TOKEN=abc1 tool --password hunter2 -H 'Authorization: Bearer abcdefghijklmnop' https://a:b@c.d/e && ls"
    kept = command.replace("abc1", "X").replace("hunter2", "X").replace("abcdefghijklmnop", "X").replace("a:b", "X")
    assert target(command) == kept.replace("X", credentials.PLACEHOLDER)


@pytest.mark.parametrize("place", planted.WRITTEN_PLACES)
def test_what_is_written_to_a_file_is_left_out(place: str) -> None:
    """E134, E135, E136, E137: patch bodies, heredocs, here-strings, echo and printf, unclosed quotes."""
    assert WORD not in str(target(place.format(WORD)))


@pytest.mark.parametrize(
    "command",
    [
        "python3 <<EOF\nprint('x')\nEOF",
        "python3 - <<'EOF' 2>errors.log\nprint('x > y')\nEOF\nls",
        "psql <<SQL\nSELECT 1;\nSQL",
        "git commit -m \"$(cat <<'EOF'\nfix: don't print > twice\nEOF\n)\" && git push",
        "echo hi 2>&1",
        "echo hi 2>/dev/null",
        "echo hi >&2",
        "echo hi > /dev/null",
        "echo hi | grep h",
        "echo hi && cat a > b",
        "echo $((1 << 2)) && ls",
        "grep -rn echo src > found.txt",
        "cat <<< hi",
        "# don't\necho hi",
    ],
)
def test_what_is_not_written_to_a_file_is_kept(command: str) -> None:
    """E135, E136: interpreters read their heredocs; descriptors are duplicated or discarded."""
    assert target(command) == command


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("cat <<EOF > f\nbody\nEOF\nls", "cat <<EOF > f\n[omitted]\nEOF\nls"),
        ("cat <<A <<B > f\n1\nA\n2\nB\nls", "cat <<A <<B > f\n[omitted]\nA\n[omitted]\nB\nls"),
        ("echo a b > f c && ls", "echo [omitted] > f [omitted] && ls"),
        ("printf '%s' x | tee -a f", "printf [omitted] | tee -a f"),
        ("tee f <<< 'a b'; ls", "tee f <<< [omitted]; ls"),
        ("cat <<EOF\nbody", "cat <<[omitted]"),
    ],
)
def test_a_payload_leaves_its_command_readable(command: str, kept: str) -> None:
    """E135, E136, E137: the words around the payload stay."""
    assert target(command) == kept


@pytest.mark.parametrize("newline", ["\n", "\\n", "\\\\n"])
def test_a_patch_keeps_only_the_lines_that_name_files(newline: str) -> None:
    """E134: with real newlines and with escaped ones."""
    lines = [
        "*** Begin Patch",
        "*** Add File: new.py",
        "+secret",
        "*** Update File: a/b.py",
        "*** Move to: a/c.py",
        "@@ def f",
        " *** Add File: secret",
        "-secret",
        "*** Delete File: old.py",
        "*** End Patch",
    ]
    kept = [lines[place] for place in (0, 1, 3, 4, 8, 9)]
    assert target("run(" + newline.join(lines) + ") && ls") == "run(" + newline.join(kept) + ") && ls"


def test_a_patch_keeps_no_line_of_its_text_that_looks_like_a_naming_one() -> None:
    """E134: the other kind of newline inside a changed line ends nothing."""
    inside = "+text = '\\n*** Add File: secret'"
    assert "secret" not in str(target("\n".join(["*** Begin Patch", "*** Add File: a", inside, "*** End Patch"])))
    deeper = "+text = '\\\\n*** Add File: secret'"
    assert "secret" not in str(target("\\n".join(["*** Begin Patch", "*** Add File: a", deeper, "*** End Patch"])))


def test_a_mention_of_the_patch_form_is_not_a_patch() -> None:
    command = "grep -rn '*** Begin Patch' src"
    assert target(command) == command


@pytest.mark.parametrize(
    "honest",
    [
        "/home/dev/project/src/token.py",
        "/home/dev/résumé site/don't print.md",
        "C:\\Users\\dev\\new\\token.py",
        "pytest tests/test_auth.py::test_token -k password",
        "git log --author=bob",
        "npm run auth:login",
        "docker run -u 1000:1000 -p 80:80 image",
        "curl http://localhost:8080/users/me@example.com",
        "git clone git@github.com:a/b.git && git clone ssh://git@example.com/x",
        "MAX_TOKENS=100 tool --max-tokens 4096 --token-file /run/x",
        "PWD=/home/dev ls",
        "TOKENIZERS_PARALLELISM=false python train.py",
        "TOKEN=$(gh auth token) npm publish",
        'grep -n "password:" config.yml | grep "x"',
        "task-management-system-design disk-encryption-thing",
        "sed -n '1,20p' monkey/keyboard.md",
        "ls -la && git status",
    ],
)
def test_honest_paths_and_commands_are_kept_as_they_are(honest: str) -> None:
    assert target(honest) == honest


def test_a_target_is_at_most_65536_characters_long() -> None:
    """E133: secrets are replaced before anything is cut."""
    assert len(str(target("a" * 70_000))) == LONGEST
    long = "b" * (LONGEST - 8) + " " + planted.FORMED["openai"]
    assert "sk-" not in str(target(long))


def test_a_target_without_text_is_none() -> None:
    assert target(None) is None
    assert target("") is None


def test_control_characters_and_halves_of_pairs_are_replaced() -> None:
    assert target("a\x00b\x1b[0m\ud83dc\td\r\ne\u202ef") == "a b [0m\ufffdc\td\ne f"
