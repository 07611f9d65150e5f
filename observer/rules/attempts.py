"""What recorded runs and dispatches say about completeness: what still runs, what crashed, what is out of sight."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from observer.records.ownership import Attempt, Dispatch
from observer.records.router import DISPATCHERS, WITHOUT_SESSION, WORKERS

Gap = Literal["no_worker", "unknown_worker", "ambiguous_worker", "unbound_worker"]


def in_state(attempts: Iterable[Attempt], state: str) -> tuple[str, ...]:
    """The runs that are in a state, by their turns."""
    return tuple(each.turn for each in attempts if each.state == state)


def out_of_sight(attempts: Sequence[Attempt], measured: Iterable[str]) -> tuple[Attempt, ...]:
    """Runs of a model whose session is not among those that are bound and in the ledger: their usage is unknown.

    Proofs run no model, and a planner's callbacks run in a person's session.
    """
    seen = frozenset(measured)
    return tuple(each for each in attempts if each.kind not in WITHOUT_SESSION and each.session not in seen)


def joined(
    said: Sequence[Dispatch], attempts: Sequence[Attempt], *, present: Iterable[str], owned: Iterable[str]
) -> tuple[Dispatch, ...]:
    """A coordinator's dispatches, each with what a router says of the same worker, then those only a router tells.

    A coordinator's word stands; a router's fills what it leaves open.
    `present`: sessions of the scope that are in the ledger; `owned`: those of
    them that are bound.
    """
    made = _of_router(attempts, frozenset(present), frozenset(owned))
    known = {each.session: each for each in made}
    taken = {_name(each) for each in said}
    own = [_filled(each, known.get(_name(each)), attempts) for each in said]
    return (*own, *(each for each in made if each.session is None or each.session not in taken))


def without_worker(dispatches: Iterable[Dispatch], attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """The workers of a coordinator's dispatches whose session is unknown or bound to no task (behaviour §12.4).

    One that is missed as the session of a run (`attempts`) is not told twice.
    """
    told = {each.session for each in attempts}
    return tuple(
        dict.fromkeys(
            _name(each)
            for each in dispatches
            if each.origin == "capture" and gap(each) is not None and _name(each) not in told
        )
    )


def gap(dispatch: Dispatch) -> Gap | None:
    """Why a dispatch has no worker whose usage is known; None when it has one."""
    if dispatch.worker is None:
        return "no_worker"
    if not dispatch.namesakes:
        return "unknown_worker"
    if dispatch.session is None:
        return "ambiguous_worker"
    return None if dispatch.owned else "unbound_worker"


def _of_router(attempts: Sequence[Attempt], present: frozenset[str], owned: frozenset[str]) -> list[Dispatch]:
    """One for each session that a job made for a model, and one for each run of a model without a session."""
    found: dict[tuple[str | None, str], Dispatch] = {}
    for each in attempts:
        if each.kind not in DISPATCHERS and each.kind not in WORKERS:
            continue
        place = (each.request, each.session or each.turn)
        first = found.get(place) or Dispatch(
            origin="router",
            submission=None,
            request=each.request,
            worker=each.session,
            session=each.session,
            namesakes=int(each.session in present),
            owned=each.session in owned,
            requested_route=each.requested_route,
            policy_version=each.policy_version,
            reason=each.reason,
        )
        found[place] = replace(first, attempts=(*first.attempts, each.turn))
    return list(found.values())


def _name(dispatch: Dispatch) -> str:
    """The worker by its key, else as it was named; a router names keys."""
    return dispatch.session or dispatch.worker or ""


def _filled(said: Dispatch, made: Dispatch | None, attempts: Sequence[Attempt]) -> Dispatch:
    runs = tuple(each.turn for each in attempts if each.session == _name(said))
    if made is None:
        return replace(said, attempts=runs)
    open_fields = {
        name: getattr(made, name)
        for name in ("request", "requested_route", "policy_version", "reason")
        if getattr(said, name) is None
    }
    return replace(said, attempts=runs, **open_fields)
