"""Cells: the closed list of things that a comment can say.

Each cell validates, escapes and bounds itself when it is made; printing one
is safe anywhere in the comment, inside a table too. There is no cell for free
text, so free text cannot be said. Never knows where a value came from.
"""

import re
from collections.abc import Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from urllib.parse import urlsplit

from observer.base import clock
from observer.records.evidence import IDENTIFIER, REFERENCE

WITHHELD = "withheld"
NOT_REPORTED = "n/r"
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}"

_IDENTIFIER = re.compile(IDENTIFIER)
_REFERENCE = re.compile(REFERENCE)
_HEX = re.compile(r"[0-9a-f]{6,64}")
_URL_PATH = re.compile(r"(?:/[A-Za-z0-9._-]+)*/?")
_SHOWN_HEX = 12
_CENT = Decimal("0.01")
# Sums of exact amounts have more digits than the default context keeps.
_EXACT = Context(prec=100)

# Publishers of price lists; a link may lead nowhere else.
PRICE_HOSTS = frozenset(
    {
        "ai.google.dev",
        "api-docs.deepseek.com",
        "claude.com",
        "developers.openai.com",
        "docs.x.ai",
        "help.openai.com",
        "openai.com",
        "opencode.ai",
        "platform.claude.com",
        "platform.openai.com",
    }
)


class Cell:
    """Something printable, complete and safe as it is."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._text!r})"


class Count(Cell):
    """A number of things, digits grouped: `1,920,113`. `number` is for decisions, not for printing."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        super().__init__(_grouped(number))
        self.number = number


class Tokens(Cell):
    """A sum of one counter: exact, a lower bound when some responses did not
    report it, `n/r` when none did.
    """

    __slots__ = ("lower_bound", "reported")

    def __init__(self, known: int, *, unknown: int, responses: int) -> None:
        self.reported = unknown < responses
        self.lower_bound = self.reported and unknown > 0
        bound = AT_LEAST if self.lower_bound else ""
        super().__init__(f"{bound}{_grouped(known)}" if self.reported else NOT_REPORTED)


class Money(Cell):
    """US dollars to the cent, rounded once and here: `USD 3.87`.

    A complete amount rounds half up; below half a cent it is `under USD 0.01`.
    A known subtotal is a lower bound and rounds down, so that it stays one.
    """

    __slots__ = ()

    def __init__(self, amount: Decimal, *, complete: bool) -> None:
        super().__init__(_money(amount, complete=complete, currency="USD "))


class Amount(Cell):
    """Money under a column header that names the currency: `3.87`; lower bounds are marked."""

    __slots__ = ()

    def __init__(self, amount: Decimal, *, complete: bool) -> None:
        text = _money(amount, complete=complete, currency="")
        super().__init__(text if complete or text.startswith("over") else AT_LEAST + text)


class Rate(Cell):
    """USD per million tokens, every digit of it; a dash where there is no rate."""

    __slots__ = ()

    def __init__(self, rate: Decimal | None) -> None:
        super().__init__("\N{EN DASH}" if rate is None else _plain(rate))


class Identifier(Cell):
    """A model, a task, a version: in a code span when it is an identifier, else `withheld`.

    None is `not recorded`, which is another thing than withheld.
    """

    __slots__ = ()

    def __init__(self, text: str | None) -> None:
        if text is None:
            super().__init__("not recorded")
        else:
            super().__init__(_code(text) if _IDENTIFIER.fullmatch(text) else WITHHELD)


class Digest(Cell):
    """The first digits of a hexadecimal identity, in a code span."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(_code(text[:_SHOWN_HEX]) if _HEX.fullmatch(text) else WITHHELD)


class Ref(Cell):
    """A candidate or proof, in a code span so that nothing links to it; else `withheld`."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        if _HEX.fullmatch(text):
            super().__init__(_code(text[:_SHOWN_HEX]))
        else:
            super().__init__(_code(text) if _REFERENCE.fullmatch(text) else WITHHELD)


class Source(Cell):
    """A link to a price list, for the publishers named here and for plain paths only."""

    __slots__ = ()

    def __init__(self, url: str | None) -> None:
        super().__init__("not recorded" if url is None else _link(url))


class Duration(Cell):
    """Elapsed time in its two largest units: `2 h 14 min`, `41 s`."""

    __slots__ = ()

    def __init__(self, elapsed_ms: int) -> None:
        seconds = round(elapsed_ms / clock.MS)
        minutes, hours = seconds // 60, seconds // 3600
        if minutes < 2:
            text = f"{seconds} s"
        elif hours < 1:
            text = f"{minutes} min"
        else:
            text = f"{_grouped(hours)} h {minutes % 60} min"
        super().__init__(text)


class Moment(Cell):
    """An instant to the minute, UTC: `2026-09-24 10:02 UTC`, else `withheld`."""

    __slots__ = ()

    def __init__(self, instant: str) -> None:
        text = clock.iso(clock.parse_iso(instant))
        super().__init__(WITHHELD if text is None else f"{text[:10]} {text[11:16]} UTC")


class Day(Cell):
    """A calendar day, `2026-09-24`, else `withheld`."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        valid = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and clock.parse_iso(text) is not None
        super().__init__(text if valid else WITHHELD)


class Word(Cell):
    """One entry of a closed vocabulary; anything else is a mistake of ours."""

    __slots__ = ()

    def __init__(self, vocabulary: Mapping[str, str], key: str) -> None:
        super().__init__(vocabulary[key])


class Counted(Cell):
    """A counted phrase of a closed list, in singular or plural: `2 sessions without usage`."""

    __slots__ = ("number",)

    def __init__(self, phrases: Mapping[str, tuple[str, str]], key: str, *, count: int) -> None:
        one, many = phrases[key]
        super().__init__(f"{_grouped(count)} {one if count == 1 else many}")
        self.number = count


def _grouped(number: int) -> str:
    if isinstance(number, bool) or number < 0:
        raise ValueError("a count is a whole number that is not negative")
    return f"{number:,}"


def _money(amount: Decimal, *, complete: bool, currency: str) -> str:
    if not amount.is_finite() or amount < 0:
        raise ValueError("money is a finite amount that is not negative")
    cents = amount.quantize(_CENT, ROUND_HALF_UP if complete else ROUND_DOWN, context=_EXACT)
    if amount > 0 and cents == 0:
        return f"under {currency}0.01" if complete else f"over {currency}0.00"
    return f"{currency}{cents:,}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"


def _code(text: str) -> str:
    return f"`{text}`"


def _link(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return WITHHELD
    plain = parts.scheme == "https" and parts.netloc in PRICE_HOSTS and _URL_PATH.fullmatch(parts.path)
    # A fragment says where on the page and is left off; a query is no price list.
    # The last two labels name the publisher; the whole host would make the widest column of the table.
    publisher = ".".join(parts.netloc.split(".")[-2:])
    return f"[{publisher}](https://{parts.netloc}{parts.path})" if plain and not parts.query else WITHHELD
