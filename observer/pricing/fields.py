"""Reading one field of a price document: its value, or a fault with its dotted path.

Knows the form of single values (numbers, dates, addresses, texts), never what
they mean together. Stops at nothing: a faulty field is noted and the next one
is read, so that one reading names every faulty place.
"""

import json
import re
from datetime import date
from decimal import Context, Decimal
from typing import Any

# What a rate may look like, so that every amount keeps a bounded number of digits, also when the document is hostile.
LARGEST_RATE = 1_000_000
DECIMALS = 12
_SMALLEST_STEP = Decimal(1).scaleb(-DECIMALS)
_WIDE = Context(prec=100)
_LARGEST_COUNT = 2**63 - 1
_ADDRESS = re.compile(r"https?://[A-Za-z0-9\[][^\s\x00-\x1f\x7f]*", re.IGNORECASE)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def step(path: str, key: str) -> str:
    """The dotted path one level down; the names of models are quoted."""
    name = key if _BARE.fullmatch(key) and path != "models" else json.dumps(key)
    return f"{path}.{name}" if path else name


class Table:
    """One table of the document while it is read.

    `kept` collects the fields that were known and sound, as plain JSON values.
    Faults of all tables go into one list. Every reader returns None when the
    field is absent or faulty; a field that is present as null is faulty.
    """

    def __init__(self, value: dict[Any, Any], path: str, faults: list[str]) -> None:
        self.value = value
        self.path = path
        self.faults = faults
        self.kept: dict[str, Any] = {}

    def fault(self, key: str, text: str) -> None:
        """Notes that the field `key` is faulty."""
        self.faults.append(f"{step(self.path, key)}: {text}")

    def table(self, key: str) -> "Table | None":
        """A table below this one. What is kept of it is for the caller to add."""
        if key not in self.value:
            return None
        inner = self.value[key]
        if not isinstance(inner, dict):
            self.fault(key, "must be a table")
            return None
        return Table(inner, step(self.path, key), self.faults)

    def address(self, key: str) -> str | None:
        """An http or https address."""
        return self._keep_text(key, _ADDRESS.fullmatch, "must be an http or https address")

    def day(self, key: str) -> str | None:
        """A date in the form `2026-09-24`; TOML's own dates count too."""
        return self._keep_text(key, is_day, "must be a date like 2026-09-24")

    def word(self, key: str, *choices: str) -> str | None:
        """One of the given words."""
        return self._keep_text(
            key, choices.__contains__, "must be " + " or ".join(json.dumps(each) for each in choices)
        )

    def text(self, key: str) -> str | None:
        """Free text for the reader. It is not kept: nothing depends on it."""
        value = self.value.get(key)
        if key in self.value and not isinstance(value, str):
            self.fault(key, "must be text")
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        value = self.value.get(key, [])
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each.strip() for each in value):
            self.fault(key, "must be a list of texts that are not empty")
            return ()
        if key in self.value:
            self.kept[key] = list(value)
        return tuple(value)

    def positive_count(self, key: str) -> int | None:
        """A whole number above 0."""
        if key not in self.value:
            return None
        value = self.value[key]
        if type(value) is not int or not 0 < value <= _LARGEST_COUNT:
            self.fault(key, "must be a whole number above 0")
            return None
        self.kept[key] = value
        return value

    def rate(self, key: str) -> Decimal | None:
        """An amount of money that is not negative."""
        if key not in self.value:
            return None
        number = decimal(self.value[key])
        if isinstance(number, str):
            self.fault(key, number)
            return None
        self.kept[key] = _plain(number)
        return number

    def _keep_text(self, key: str, accepts: Any, complaint: str) -> str | None:
        if key not in self.value:
            return None
        value = self.value[key]
        if type(value) is date:
            value = value.isoformat()
        if not isinstance(value, str) or not accepts(value):
            self.fault(key, complaint)
            return None
        self.kept[key] = value
        return value


def decimal(value: object) -> Decimal | str:
    """The exact rate that a value of the document says, or what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return "must be a number"
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return "must be finite"
    if number < 0:
        return "must not be negative"
    if number > LARGEST_RATE:
        return f"must not be above {LARGEST_RATE}"
    if number != number.quantize(_SMALLEST_STEP, context=_WIDE):
        return f"must not have more than {DECIMALS} decimals"
    # The document keeps plain numbers; one that reads back as another amount would change the price on the way.
    if Decimal(repr(_plain(number))) != number:
        return "has more digits than a JSON number keeps"
    return number.copy_abs()


def is_day(text: str) -> bool:
    """Whether the text is a date in the one form that schedules use, `2026-09-24`."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _plain(number: Decimal) -> int | float:
    """As JSON writes it. `10.0` and `10` are one rate, so they are one number."""
    return int(number) if number == number.to_integral_value() else float(number)
