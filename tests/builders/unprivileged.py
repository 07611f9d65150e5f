"""Work done without the superuser's rights, so that a file that may not be read cannot be, whoever runs the tests."""

import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Made = TypeVar("Made")
_NOBODY = 65534


def done_by_nobody(folder: Path, work: Callable[[], Made]) -> Made:
    """What `work` returns when a user without rights does it, to whom everything below `folder` belongs.

    Whatever `work` imports must be imported already: an interpreter of the
    superuser's own may be out of that user's reach. Who is not the superuser
    does it directly.
    """
    if os.geteuid() != 0:
        return work()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
    take, give = os.pipe()
    child = os.fork()
    if child == 0:
        _report(give, work)
    os.close(give)
    with open(take, "rb") as answers:
        data = answers.read()
    os.waitpid(child, 0)
    assert data, "the work came to no end"
    answer, words = pickle.loads(data)
    assert words is None, words
    return answer  # type: ignore[no-any-return]


def _report(give: int, work: Callable[[], Any]) -> None:
    """The child: does the work, writes what came of it, and ends without the parent's clean-up."""
    try:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
        answer = (work(), None)
    except BaseException as error:  # noqa: BLE001 (told to the parent, whatever it was)
        answer = (None, f"{type(error).__name__}: {error}")
    with open(give, "wb") as answers:
        pickle.dump(answer, answers)
    sys.stdout.flush()
    os._exit(0)
