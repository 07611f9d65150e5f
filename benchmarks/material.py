"""Random but reproducible material for transcripts: text, ids, sizes, instants.

The same seed gives the same bytes on every machine. Nothing here knows a
harness.
"""

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

DAY_SECONDS = 86_400

WORDS = (
    "ledger parse token usage cache window session reader cursor index batch commit rollback schema "
    "adapter stream buffer offset digest record snapshot replay merge worktree branch thread turn "
    "prompt response billing schedule rate partial total import export publish render filter scope "
    "error retry timeout socket handler router queue worker dispatch test assert fixture expected "
    "actual value result return class def self none true false raise yield await async lambda"
).split()
# Ends of lines that are unkind to readers: escapes, other scripts, and text that looks like usage.
_TAILS = (
    "ok",
    "failed: expected 3, got 4",
    "…",
    "→ done",
    "été",
    "日本語",
    "\u001b[32mPASS\u001b[0m",
    '"quoted"',
    "C:\\\\temp\\\\x",
    "\ttab",
    '{"usage":{"input_tokens":999}}',
    "// TODO",
    *("",) * 4,
)
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
_POOL_CHARACTERS = 3_000_000
_BLOCK_CHARACTERS = 97
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def js(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def slug(path: str) -> str:
    """The folder name Claude Code gives a project directory."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in path)


def iso(at_ms: int) -> str:
    """ISO 8601 UTC with milliseconds."""
    return (_EPOCH + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def before_midnight(at_ms: int) -> int:
    """The instant, moved into the next day when it lies in a day's last minute.

    A response whose lines straddled midnight would belong to two days.
    """
    return at_ms + 120_000 if at_ms // 1000 % DAY_SECONDS > DAY_SECONDS - 60 else at_ms


class Text:
    """A pool of JSON-escaped lines; a run of whole lines is a valid piece of a JSON string."""

    def __init__(self, rng: random.Random) -> None:
        lines: list[str] = []
        self.starts: list[int] = []
        at = 0
        while at < _POOL_CHARACTERS:
            words = " ".join(WORDS[rng.randrange(len(WORDS))] for _ in range(3 + rng.randrange(16)))
            indent = "    " * rng.randrange(4)
            line = f"{indent}{words} {rng.randrange(100000)} {_TAILS[rng.randrange(len(_TAILS))]}"
            self.starts.append(at)
            lines.append(js(line)[1:-1] + "\\n")
            at += len(lines[-1])
        self.pool = "".join(lines)

    def run(self, rng: random.Random, characters: int) -> str:
        """About that many characters of whole lines, each ending in an escaped newline."""
        pieces = []
        while characters > 0:
            start = self.starts[rng.randrange(len(self.starts))]
            pieces.append(self.pool[start : self._line_end(start + characters)])
            characters -= max(len(pieces[-1]), 1)
        return "".join(pieces)

    def line(self, rng: random.Random, characters: int) -> str:
        """The same without the last newline."""
        return self.run(rng, characters)[:-2]

    def _line_end(self, at: int) -> int:
        if at >= len(self.pool):
            return len(self.pool)
        end = self.pool.index("\\n", at)
        while self.pool[end - 1] == "\\":  # an escaped backslash before an n is no newline
            end = self.pool.index("\\n", end + 2)
        return end + 2


def hexadecimal(rng: random.Random, digits: int) -> str:
    """That many hexadecimal digits."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def uuid(rng: random.Random, version: int = 4) -> str:
    """A UUID of that version's shape."""
    digits = hexadecimal(rng, 32)
    variant = "89ab"[rng.randrange(4)]
    return f"{digits[:8]}-{digits[8:12]}-{version}{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def token(rng: random.Random, prefix: str, characters: int = 22) -> str:
    """An id as the APIs make them: a prefix and letters and digits."""
    return prefix + "".join(_ALPHABET[rng.randrange(len(_ALPHABET))] for _ in range(characters))


def opaque(rng: random.Random, characters: int) -> str:
    """Text that looks encrypted, made cheaply from one random block."""
    block = token(rng, "", _BLOCK_CHARACTERS)
    return (block * (characters // _BLOCK_CHARACTERS + 1))[:characters]


def pick(rng: random.Random, table: Sequence[tuple[str, int]]) -> str:
    """One name, as likely as its weight."""
    at = rng.randrange(sum(weight for _, weight in table))
    for name, weight in table:
        at -= weight
        if at < 0:
            return name
    raise AssertionError("weights add up to less than their sum")


def skewed(rng: random.Random, mean: int) -> int:
    """A size of about that mean with a long tail: most are small, a few are very large."""
    at = rng.random()
    if at < 0.55:
        factor = 0.05 + 0.5 * rng.random()
    elif at < 0.90:
        factor = 0.4 + 1.6 * rng.random()
    elif at < 0.99:
        factor = 2 + 4 * rng.random()
    else:
        factor = 10 + 30 * rng.random()
    return int(mean * factor)
