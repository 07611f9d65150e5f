"""Files that a command writes: whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from observer.base.errors import UsageError

_PRIVATE = 0o600
_ORDINARY = 0o666


def replace(path: Path, content: bytes, *, private: bool = False) -> None:
    """A reader of the file sees the old content or the new, never a half. `private`: its owner only."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE if private else _ORDINARY), "wb"
        ) as file:
            file.write(content)
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}", "choose another file with -o") from error
