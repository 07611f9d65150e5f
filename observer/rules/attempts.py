"""What recorded runs of work say about completeness: what still runs, what crashed, what is out of sight."""

from collections.abc import Iterable, Sequence

from observer.records.ownership import Attempt
from observer.records.router import WITHOUT_SESSION


def in_state(attempts: Iterable[Attempt], state: str) -> tuple[str, ...]:
    """The runs that are in a state, by their turns."""
    return tuple(each.turn for each in attempts if each.state == state)


def out_of_sight(attempts: Sequence[Attempt], measured: Iterable[str]) -> tuple[str, ...]:
    """Runs of a model whose session is not among those that are bound and in the ledger: their usage is unknown.

    Proofs run no model, and a planner's callbacks run in a person's session.
    """
    seen = frozenset(measured)
    return tuple(each.turn for each in attempts if each.role not in WITHOUT_SESSION and each.session not in seen)
