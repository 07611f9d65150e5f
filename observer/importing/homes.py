"""Homes of one agent that lie in another's store: imported with it, and refused with it.

A router starts agents in homes of its own. Their records are those agents'
sources like any other; what they are found through decides whether they may
be read.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from observer.adapters.protocol import Discovered, Store
from observer.adapters.registry import adapter
from observer.records.source import Unreadable

Found = dict[str, list[Discovered]]


def add_homes(found: Found, hosts: Mapping[str, Sequence[Discovered]]) -> None:
    """Adds the sources in the homes beside each readable unit of a host to what was found, each once.

    Beside a unit that cannot be read nothing is: there they are taken out,
    however they were found. Homes that lead elsewhere lie elsewhere.
    """
    for host, units in hosts.items():
        store = adapter(host)
        assert isinstance(store, Store)
        for unit in units:
            beside = os.path.dirname(unit.path) + os.sep
            for guest, sources in _guests(store, unit.path, found):
                known = {each.path: each for each in found[guest]}
                if isinstance(unit, Unreadable):
                    for each in sources:
                        if each.path.startswith(beside):
                            known.pop(each.path, None)
                else:
                    known = {each.path: each for each in sources} | known
                found[guest] = [known[path] for path in sorted(known)]


def _guests(store: Store, unit: str, found: Found) -> Iterator[tuple[str, Iterable[Discovered]]]:
    """The sources in each home beside a unit, of the agents that are imported."""
    for guest, root in store.homes(unit) if store.homes else ():
        if guest in found:
            yield guest, adapter(guest).discover(root)
