"""E138: hostile input of 60,000 characters and more takes time in proportion to its length."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from observer.privacy import excerpt
from observer.privacy.targets import target

SIZE = 60_000
# Units that were chosen to make every rule fail late, many times, or nest.
HOSTILE = [
    *(
        "(",
        "((",
        "{ ",
        "$(",
        '"$(',
        "`",
        '"',
        "'",
        "\\",
        "${",
        '${"',
        "case a in ",
        "for a do ",
        "if ",
        ") ",
        "} ",
        "done ",
    ),
    *(
        "<<",
        "<<a\n",
        "<<A <<B ",
        "<<<",
        ">&",
        "2>",
        "echo a|",
        "echo a > b;",
        "(echo a;",
        "{ echo a;",
        "echo $(",
        "echo ${",
    ),
    *("echo '", 'echo "', "echo \\n", "<<EOF\n", "EOF EOF\n", "\t", "\n", "#", "$((1<<", "| tee ", "bash -c 'echo > "),
    *("://", "://a:b", "a:b@", "://a:a/", "https://x@", "-u a", "curl -u ", "mysql ", "docker login ", "ssh-keygen "),
    *("eyJ", "eyJa.", "SG.", "SG.a", "sk-", "ghp_", "AKIA", "a-", "xox", "gl", "ya29.", "-----BEGIN ", "-----END "),
    *("-----BEGIN RSA PRIVATE KEY-----", "PRIVATE KEY", "token", "token:", "token:a", "token=", "token=\\", "token='"),
    *(
        'token="',
        '"token":',
        '"token": [',
        '"token": "\\',
        "token='a\\'",
        "token token",
        "--token ",
        "--token,",
        'token\\"',
    ),
    *(
        "api_",
        "key=",
        "a_key=",
        "pass",
        "pass:",
        "password ",
        "secret-",
        "secret_",
        "auth ",
        "Authorization: ",
        "set token ",
    ),
    *(
        "Authorization: Bearer ",
        "Cookie: a=b;",
        "bearer ",
        "--from-literal=",
        "[",
        "{",
        "=",
        ":",
        "-",
        " -",
        "/echo ",
        "~/",
    ),
    *(
        "*** Begin Patch",
        "*** Begin Patch\n",
        "*** Begin Patch\\n",
        "*** Add File: a",
        "\\n",
        "\\\\n",
        "\\n*** Add File: ",
    ),
    *("<", "<a", "< ", "a", "\u0130", "\ud800", "é"),
]
BEFORE = ["", "echo a > ", "<<X\n", '"', "$(", "*** Begin Patch\n", "token=", "x secret: echo "]


@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_the_text_takes_about_twice_the_steps(unit: str) -> None:
    """E138: counted in lines of our own code that ran."""
    for before in BEFORE:
        short = before + unit * (600 // len(unit))
        long = before + unit * (1200 // len(unit))
        for screened in (target, excerpt.submission, excerpt.answer):
            assert _steps(screened, long) <= 2.6 * _steps(screened, short) + 200, before


@pytest.mark.parametrize("unit", HOSTILE)
def test_sixty_thousand_characters_are_no_problem(unit: str) -> None:
    """E138: what no count of steps sees, the patterns, is linear as well, or this would not end."""
    text = "echo <<x token: " + unit * (SIZE // len(unit))
    target(text)
    excerpt.submission(text)
    excerpt.answer(text)


def _steps(screened: Callable[[str], object], text: str) -> int:
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal count
        if "observer" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        screened(text)
    finally:
        sys.settrace(None)
    return count
