"""A finding of the doctor: what is not as it should be, where, and what to do."""

from typing import Literal

from msgspec import Struct

Check = Literal["installation", "settings", "ledger", "permissions", "integrity", "sources", "retention"]
CHECKS: tuple[Check, ...] = ("installation", "settings", "ledger", "permissions", "integrity", "sources", "retention")


class Finding(Struct, frozen=True):
    """One thing to be done. `where` is a path or a name."""

    check: Check
    where: str
    problem: str
    fix: str
