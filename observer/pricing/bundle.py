"""Price files: those that travel with the program, or one that was named.

The only module of this room that opens files. Chooses the newest bundled
schedule by the date in its name; never mixes two schedules and never looks at
the network.
"""

from pathlib import Path
from typing import Literal

from observer.base import data
from observer.base.errors import ScheduleError
from observer.pricing.schedule import read
from observer.records.valuation import PriceSchedule

_DATED = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].toml"


def files() -> list[Path]:
    """The bundled price files, oldest first."""
    return sorted(data.bundled("prices").glob(_DATED))


def newest() -> Path:
    """The bundled file in force. ScheduleError when the installation has none."""
    found = files()
    if not found:
        raise ScheduleError("no price schedule came with this installation", "give one with --prices FILE")
    return found[-1]


def load(path: Path | None) -> PriceSchedule:
    """The schedule in a file, TOML or JSON; the newest bundled one for None.

    ScheduleError, naming the file, when it cannot be read or is not valid.
    """
    chosen = newest() if path is None else path
    try:
        content = chosen.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ScheduleError(f"{chosen}: {reason}", "agent-observer prices list shows the bundled schedules") from None
    try:
        return read(content, form=_form(chosen, content))
    except ScheduleError as error:
        raise ScheduleError(f"{chosen}: {error.message}", error.hint) from None


def thresholds(schedule: PriceSchedule) -> dict[str, int]:
    """Model id or alias → n, where a request is in the long tier ⇔ its context tokens > n.

    Holds for either comparison; models without a long tier are absent.
    """
    result = {}
    for name, prices in schedule.models.items():
        if prices.long_context_threshold is not None:
            inclusive = prices.long_context_comparison == "at_least"
            result[name] = prices.long_context_threshold - inclusive
    return result


def _form(path: Path, content: bytes) -> Literal["toml", "json"]:
    suffix = path.suffix.lower()
    if suffix in (".toml", ".json"):
        return "toml" if suffix == ".toml" else "json"
    return "json" if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "toml"
