"""Projects: recorded directories that are one piece of work, under one name.

An alias of the person's settings decides first, then what git's files prove
(native.worktrees). Nothing is merged because of how its path is spelt.
"""

from collections.abc import Iterable, Mapping

import msgspec

from observer.base.errors import UsageError
from observer.config import BELOW
from observer.facts import projects
from observer.facts.filters import Filter
from observer.ledger.open import Reader
from observer.native.worktrees import Place, places

Aliases = Mapping[str, tuple[str, ...]]


class Projects:
    """The project of each recorded directory, and the directories of each project."""

    def __init__(self, recorded: Iterable[str], aliases: Aliases) -> None:
        self._aliases = aliases
        owner = {each: name for name, given in aliases.items() for each in given}
        directories = list(recorded)
        found = places([*directories, *owner])
        owner = {found[each].real: name for each, name in owner.items()} | owner
        self._names = {each: _name(each, found[each], owner) for each in directories}

    def named(self, directory: str | int | None) -> str | None:
        """What the project of a recorded directory is called: an alias, or a path; None where none was recorded."""
        return None if directory is None else self._names.get(str(directory), str(directory))

    def directories(self, wanted: str) -> tuple[str, ...]:
        """The recorded directories that a name or path stands for.

        An alias and the path of a project stand for the whole project, any
        other path for itself. UsageError when it can be none of these.
        """
        found = tuple(sorted(each for each, name in self._names.items() if name == wanted))
        if found or wanted in self._names or wanted.startswith("/"):
            return found or (wanted,)
        if wanted in self._aliases:
            return self._aliases[wanted]
        from difflib import get_close_matches

        near = get_close_matches(wanted, self._aliases, 1, 0.5)
        hint = (
            f"did you mean {near[0]}?" if near else "give a directory as it was recorded, or an alias of the settings"
        )
        raise UsageError(f"no project {wanted!r}", hint)


def of(reader: Reader, aliases: Aliases) -> Projects:
    """The projects of a ledger."""
    return Projects(projects.recorded(reader), aliases)


def narrowed(reader: Reader, wanted: Filter, aliases: Aliases) -> Filter:
    """The filter with its projects as the directories they stand for."""
    if not wanted.projects:
        return wanted
    known = of(reader, aliases)
    directories = dict.fromkeys(place for name in wanted.projects for place in known.directories(name))
    return msgspec.structs.replace(wanted, projects=tuple(directories))


def _name(directory: str, place: Place, owner: Mapping[str, str]) -> str:
    """The most specific alias of the directory, or of the place it is; else that place."""
    for each in (directory, place.real, place.main):
        if each in owner:
            return owner[each]
        above = each
        while above:
            above = above.rpartition("/")[0]
            if above + BELOW in owner:
                return owner[above + BELOW]
    return place.main
