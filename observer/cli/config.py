"""Show the settings in force, or write the file that holds them.

Settings are extra places to look for records in, names for projects, and the
time zone that decides days. Without a file there are only defaults.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from observer import config
from observer.adapters.registry import HARNESSES, adapter
from observer.base import paths
from observer.base.errors import ConfigInvalid, UsageError
from observer.cli.output import Output
from observer.config import Config


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("show", help="the settings in force, and every place that is looked in")
    init = actions.add_parser("init", help="write the settings file; an existing one is never touched")
    init.add_argument("--timezone", default="local", metavar="ZONE", help="decides days (default: %(default)s)")
    init.add_argument("--root", action="append", default=[], metavar="AGENT=PATH",
                      help="also look here: an agent's home or its sessions folder (repeatable)")  # fmt: skip
    init.add_argument("--alias", action="append", default=[], metavar="NAME=PATH",
                      help="call this directory NAME; PATH/* is everything below it (repeatable)")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the settings, or writes them and says where."""
    return _init(args, out) if args.action == "init" else _show(out)


def _show(out: Output) -> int:
    settings = config.load()
    document = _document(settings)
    if out.wants_json:
        out.json(document)
        return 0
    out.text(f"{'file':10}{settings.path}{'' if settings.exists else ' (does not exist: defaults)'}")
    out.text(f"{'timezone':10}{settings.timezone or 'local'}")
    for name, places in settings.projects.items():
        out.text(f"{'project':10}{name} = {', '.join(places)}")
    out.text()
    out.table(
        ("agent", "place", "from", "exists"),
        [
            (each["harness"], each["path"], each["from"], "yes" if each["exists"] else "no")
            for each in document["places"]
        ],
    )
    return 0


def _document(settings: Config) -> dict[str, Any]:
    places = []
    for harness in HARNESSES:
        usual = adapter(harness).roots(paths.environment(), paths.home())
        places += [_place(harness, path, "default") for path in usual]
        places += [_place(harness, path, "settings") for path in settings.roots.get(harness, ())]
    return {
        "path": str(settings.path),
        "exists": settings.exists,
        "timezone": settings.timezone or "local",
        "roots": {name: list(map(str, found)) for name, found in settings.roots.items()},
        "projects": {name: list(found) for name, found in settings.projects.items()},
        "places": places,
    }


def _place(harness: str, path: Path, origin: str) -> dict[str, Any]:
    return {"harness": harness, "path": str(path), "from": origin, "exists": path.exists()}


def _init(args: argparse.Namespace, out: Output) -> int:
    import tomli_w

    home = paths.home()
    path = config.place(paths.environment(), home)
    document = {
        "timezone": args.timezone,
        "roots": {name: [] for name in config.HARNESSES} | _grouped(args.root, "--root"),
        "projects": _grouped(args.alias, "--alias"),
    }
    content = tomli_w.dumps(document).encode("utf-8")
    try:  # what would be refused later is refused now
        settings = config.parse(content, path, home=home)
    except ConfigInvalid as error:
        raise UsageError(f"these settings would not be valid:{error.message.partition(':')[2]}") from None
    _create(path, content)
    if out.wants_json:
        out.json(_document(settings))
    else:
        out.text(f"wrote {path}")
    return 0


def _grouped(pairs: list[str], option: str) -> dict[str, list[str]]:
    """`NAME=PATH` words by name; a relative path is meant from here."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, sign, path = pair.partition("=")
        if not (name and sign and path):
            raise UsageError(f"{option} {pair!r} is not NAME=PATH")
        found.setdefault(name, []).append(path if path.startswith("~/") else os.path.abspath(path))
    return found


def _create(path: Path, content: bytes) -> None:
    """A new private file, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.link(draft, path)
        finally:
            draft.unlink()
    except FileExistsError:
        raise UsageError(f"{path} exists already", "edit it, or move it aside first") from None
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", f"choose another file with {config.VARIABLE}"
        ) from error
