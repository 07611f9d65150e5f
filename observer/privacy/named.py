"""Values that a name gives away: `API_TOKEN=…`, `"password": "…"`, `--secret …`.

Finds the name, then decides from what stands around it whether a value is
assigned to it, then replaces the value alone. The text need not be code: a
name in prose, without an assignment, changes nothing.
"""

import re
from collections.abc import Iterable

PLACEHOLDER = "[redacted]"

# Where a secret-like name may be; all patterns see the text in lower case. Searching for these
# and matching there is many times as fast as searching for the names themselves.
STEMS = (
    *("pass", "pwd", "secret", "token", "credential", "mnemonic", "auth", "cookie", "sig", "jwt", "otp", "bearer"),
    *("key", "conn", "webhook"),
)
# A word may stand inside a name (`MY_TOKEN_2`); those that are also parts of
# ordinary words are fenced in.
_WORDS = "|".join(
    (
        r"passw(?:or)?d",
        r"passphrase",
        r"passcode",
        r"pass(?![a-z])",
        r"(?<=[a-z0-9_-])(?<!old)pwd",
        # The working directory is `PWD=/…`; a connection string has `Pwd=…`.
        r"pwd(?=[ \t]?=[ \t]?[\"']?[^\s/$.~\"'])",
        r"secret",
        r"token(?!i[sz])",
        r"credential",
        r"mnemonic",
        r"authorization",
        r"auth[_-]?key",
        r"auth(?![a-z])",
        r"cookie",
        r"signature",
        r"(?<![a-z])(?:otp|sig|jwt|bearer)(?![a-z])",
        r"key",
        r"conn(?:ection)?[_-]?str(?:ing)?",
        r"webhook[_-]?(?:key|url)",
    )
)
# What makes a key a secret one; any other may still be an environment variable's.
_KEY_KINDS = (
    *("api", "app", "access", "account", "admin", "cipher", "client", "deploy", "encryption", "functions", "hmac"),
    *("license", "master", "private", "root", "secret", "service", "session", "shared", "signing", "ssh", "storage"),
    "subscription",
)
_HEAD = re.compile(
    rf"(?P<word>{_WORDS})(?P<tail>[a-z0-9_-]{{0,40}})(?P<close>\\*[\"'`])?\]?"
    r"(?:[ \t]{0,8}(?P<op>=>|[:+?!]?={1,3}|:(?!:))[ \t]{0,16}|(?P<gap>[ \t]{0,4},\s{0,8}|[ \t]{1,16}(?:\\\n\s{0,32})?))"
)
# A quote that opens is followed by its text; one followed by white space or
# punctuation closes a string that began before the name.
_QUOTED = re.compile(
    r"(?:[fbruFBRU]{1,2}|\$)?(?P<quote>\\*[\"'`])(?![\s)|;&,\]}]|(?P=quote)|\Z)"
    r"(?P<value>(?:(?!(?<!\\)(?P=quote)).)*+)(?P=quote)?",
    re.DOTALL,
)
_CLOSES = r"[\s,;)}\]|&:\"'`\\]|\Z"
_RUN = re.compile(
    r"(?!\$\(|<\()(?:[^\s\"'`;&|<>()\\]"
    rf"|\\++[^\s\"'`\\]|\\++[\"'`](?!{_CLOSES})"
    rf"|(?<=[^\s=:])(?:\"(?!{_CLOSES})[^\"]*+\"?|'(?!{_CLOSES})[^']*+'?|`(?!{_CLOSES})[^`]*+`?))++"
)
_CONTAINER = re.compile(r"\[[^\]]*+\]?|\{[^}]*+\}?")
_WORDLESS = frozenset(("true", "false", "null", "none", "nil", "undefined", "yes", "no"))
# A name that ends so holds the place of a secret, not the secret.
_PLACES = ("file", "path", "dir", "stdin")
_COUNTED = re.compile(r"s\Z|s?[_-]?(?:limit|count|budget|size|length|usage|max|min|per|ttl|expir)")
_SETTERS = frozenset(("set", "setenv", "config", "-x", "-gx"))
_STRONG = re.compile(r"\d(?!\d{0,4}\Z)|(?<=\D)\d|.{20}")
# How much of a value is looked at before it is decided that it is one.
_JUDGED = 80


def may_assign(lower: str) -> bool:
    """Whether a text in lower case has anything that gives a name a value."""
    if "=" in lower or ":" in lower or "-" in lower:
        return True
    return lower.startswith("set ") or " set " in lower or "setenv " in lower or "config " in lower


def redact(text: str, lower: str, stems: Iterable[str]) -> str:
    """The text with the value of every secret-like name replaced by `[redacted]`.

    `lower` is the same text in lower case, of the same length; `stems` those of STEMS that are in it.
    """
    kept: list[str] = []
    done = 0
    for start in _starts(lower, stems):
        head = _HEAD.match(lower, start) if start >= done else None
        span = _value(text, lower, head) if head else None
        if span is not None:
            kept += (text[done : span[0]], PLACEHOLDER)
            done = span[1]
    return "".join((*kept, text[done:])) if kept else text


def _starts(lower: str, stems: Iterable[str]) -> list[int]:
    found = []
    for stem in stems:
        at = lower.find(stem)
        while at >= 0:
            found.append(at)
            at = lower.find(stem, at + 1)
    return sorted(found)


def _value(text: str, lower: str, head: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret stands that is assigned by `head`, None when nothing is."""
    if head["tail"].endswith(_PLACES) or (head["word"] == "key" and not _is_secret_key(text, lower, head)):
        return None
    at = head.end()
    if head["close"] and head["op"] == ":":
        at += len(lower[at : at + 64]) - len(lower[at : at + 64].lstrip())
    if head["gap"] and not _takes_argument(text, head):
        return None
    quoted = _QUOTED.match(text, at)
    if quoted:
        return quoted.span("value")
    if head["close"] and head["op"] == ":" and text.startswith(("[", "{"), at) and not head["tail"].startswith("s"):
        return _container(text, at)
    return _bare(text, lower, head, at)


def _bare(text: str, lower: str, head: re.Match[str], at: int) -> tuple[int, int] | None:
    """The same for a value without quotes; judged by its first characters, so that a refusal costs little."""
    start = _RUN.match(text, at, at + _JUDGED)
    if start is None or not _is_value(lower, head, _trimmed(start[0])):
        return None
    run = _RUN.match(text, at)
    return (at, at + len(_trimmed(run[0]))) if run else None


def _trimmed(run: str) -> str:
    """A value without the punctuation that belongs to what surrounds it."""
    return run.rstrip("," if "{" in run else ",}")


def _is_value(lower: str, head: re.Match[str], value: str) -> bool:
    if not value or value.lower() in _WORDLESS or (head["gap"] and value.startswith("-")):
        return False
    if value.isdecimal() and (_COUNTED.match(head["tail"]) or head["word"] == "pass"):
        return False
    return head["op"] != ":" or bool(head["close"]) or _reads_as_field(lower, head, value)


def _container(text: str, at: int) -> tuple[int, int] | None:
    found = _CONTAINER.match(text, at)
    return found.span() if found and found[0] != PLACEHOLDER else None


def _is_secret_key(text: str, lower: str, head: re.Match[str]) -> bool:
    """Whether a KEY is one of the secret kinds, or is assigned the way an environment variable is."""
    before = lower[max(0, head.start() - 16) : head.start()]
    if before.removesuffix("_").removesuffix("-").endswith(_KEY_KINDS):
        return True
    constant = text[max(0, head.start() - 2) : head.end("word")]
    return head["op"] == "=" and len(constant) == 5 and constant[1] == "_" and constant.isupper()


def _takes_argument(text: str, head: re.Match[str]) -> bool:
    """Whether what follows the name after white space or a comma is its value.

    So it is after an option (`--api-key abc`) and where a compound name is
    set (`aws configure set aws_secret_access_key abc`).
    """
    before = text[max(0, head.start() - 1) : head.start()]
    stands_alone = not before or before.isspace()
    if stands_alone and not head["tail"]:
        return False
    words = text[max(0, head.start() - 64) : head.start()].split()
    prefix = words.pop() if words and not stands_alone else ""
    if prefix.lstrip("\"'`\\[({,").startswith("-"):
        return True
    return bool(prefix or head["tail"]) and not _SETTERS.isdisjoint(words[-2:])


def _reads_as_field(lower: str, head: re.Match[str], value: str) -> bool:
    """Whether `name: value` without quotes is a field rather than prose or a label.

    A password always is; another name must be a compound one (`api_key: …`,
    `X-Token: …`) or its value must look like more than a word.
    """
    name = lower[max(0, head.start() - 16) : head.end("tail")].rsplit(maxsplit=1)[-1]
    return "_" in name or "-" in name or head["word"].startswith("pass") or bool(_STRONG.search(value))
