"""Small files of other programs: regular ones only, and no more of them than expected."""

import os
import stat
from pathlib import Path


def read_small(path: Path, largest: int) -> bytes | None:
    """The file's bytes; None when it is no regular file, is larger, or cannot be read."""
    try:
        # A pipe or a device must not hold us up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > largest:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(largest + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if len(data) <= largest else None
