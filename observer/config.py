"""The person's own settings: extra roots, project aliases, time zone.

Reads one small TOML file and refuses it by place when it is wrong; absent means
defaults. Decides nothing about records and never writes (cli/config.py does).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct

from observer.base import paths, zones
from observer.base.errors import ConfigInvalid, UsageError

VARIABLE = "AGENT_OBSERVER_CONFIG"
HARNESSES = ("codex", "claude", "opencode", "grok", "router")
# Everything below a directory; without it a path means that directory alone.
BELOW = "/*"
_LONGEST_NAME = 80
_LARGEST_BYTES = 1_000_000


class Config(Struct, frozen=True):
    """What the file at `path` says, `~` expanded; all defaults when it does not exist.

    `roots`: per harness, places to look in beside the usual ones. `projects`:
    alias → directories; one that ends in `/*` stands for everything below it.
    """

    path: Path
    exists: bool = False
    timezone: str | None = None
    roots: Mapping[str, tuple[Path, ...]] = {}
    projects: Mapping[str, tuple[str, ...]] = {}


def place(environment: Mapping[str, str], home: Path) -> Path:
    """The file: `AGENT_OBSERVER_CONFIG`, else below `XDG_CONFIG_HOME`, else below `~/.config`."""
    chosen = environment.get(VARIABLE)
    if chosen:
        return _expanded(chosen, home)
    base = environment.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if base.startswith("/") else home / ".config"
    return folder / "agent-observer" / "config.toml"


def current() -> Path:
    """The file of this process, whether it exists or not."""
    return place(paths.environment(), paths.home())


def load() -> Config:
    """The settings in force for this process. ConfigInvalid names every faulty place."""
    path = current()
    if not path.exists() and not paths.environment().get(VARIABLE):
        return Config(path)
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_BYTES + 1)
    except OSError as error:
        raise ConfigInvalid(f"{path}: {error.strerror}", f"check the file, or unset {VARIABLE}") from error
    return parse(data, path, home=paths.home())


def parse(data: bytes, path: Path, *, home: Path) -> Config:
    """The settings in the bytes of a file. ConfigInvalid names every faulty place, one a line."""
    import tomllib

    if len(data) > _LARGEST_BYTES:
        _refuse(path, [f"is larger than {_LARGEST_BYTES:,} bytes"])
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        _refuse(path, [f"is not TOML: {error}"])
    faults: list[str] = [f"{name}: is not known" for name in document if name not in ("timezone", "roots", "projects")]
    config = Config(
        path,
        exists=True,
        timezone=_timezone(document.get("timezone"), faults),
        roots={
            name: tuple(map(Path, places)) for name, places in _table(document, "roots", home, faults).items() if places
        },
        projects=_table(document, "projects", home, faults),
    )
    _check_names(config, faults)
    if faults:
        _refuse(path, faults)
    return config


def _refuse(path: Path, faults: list[str]) -> NoReturn:
    raise ConfigInvalid("\n  ".join([f"{path} is invalid:", *faults]), "README.md, “Settings”, shows a valid one")


def _timezone(value: Any, faults: list[str]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        faults.append("timezone: must be text")
        return None
    try:
        zones.zone(value)
    except UsageError:
        faults.append(f"timezone: {value!r} is none; local, utc, or a name such as Europe/Berlin")
    return value


def _table(document: Mapping[str, Any], name: str, home: Path, faults: list[str]) -> dict[str, tuple[str, ...]]:
    """A table of lists of paths; what does not fit is a fault at its place."""
    value = document.get(name, {})
    if not isinstance(value, dict):
        faults.append(f"{name}: must be a table")
        return {}
    return {key: tuple(_paths(places, f"{name}.{key}", home, faults)) for key, places in value.items()}


def _paths(value: Any, where: str, home: Path, faults: list[str]) -> list[str]:
    if not isinstance(value, list):
        faults.append(f"{where}: must be a list of paths")
        return []
    found = []
    for number, text in enumerate(value):
        place = f"{where}[{number}]"
        if not isinstance(text, str) or "\0" in text:
            faults.append(f"{place}: must be text")
        elif not text.startswith(("/", "~/")):
            faults.append(f"{place}: must begin with / or ~/")
        else:
            found.append(_trimmed(str(_expanded(text, home))))
    return found


def _check_names(config: Config, faults: list[str]) -> None:
    faults.extend(
        f"roots.{name}: is no agent; {', '.join(HARNESSES)}" for name in config.roots if name not in HARNESSES
    )
    owner: dict[str, str] = {}
    for name, places in config.projects.items():
        if not is_alias(name):
            faults.append(f"projects.{name!r}: a name is 1 to {_LONGEST_NAME} printable characters without /")
        claimed = [each for each in places if owner.setdefault(each, name) != name]
        faults.extend(f"projects.{name}: {each} belongs to {owner[each]} already" for each in claimed)


def is_alias(name: str) -> bool:
    """Whether a text can name a project; anything with a slash is a path."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and "/" not in name and name == name.strip()


def _expanded(text: str, home: Path) -> Path:
    return home / text[2:] if text.startswith("~/") else Path(text)


def _trimmed(text: str) -> str:
    return text.rstrip("/") or "/"
