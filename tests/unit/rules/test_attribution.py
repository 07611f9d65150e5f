"""Attribution: every response of a scope is in exactly one partition, and none is owned twice."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from observer.records.ownership import Assignment
from observer.rules.attribution import Attribution, Ownership, Prompt, contested_sessions, joint, missing, partners

TASKS = ("T-A", "T-B", "T-C")
SESSIONS = ("claude:1", "claude:2")
TURNS = ("t1", "t2", "t3", None)


def bound(submission: str, tasks: Iterable[str], *, shared: bool = False) -> tuple[Assignment, ...]:
    return tuple(Assignment(submission, task, None, None, None, shared) for task in tasks)


def prompt(
    name: str, *, session: str = "claude:1", turn: str | None = "t1", at_ms: int | None = 0, ordinal: int = 0
) -> Prompt:
    return Prompt(name, session, turn, at_ms, ordinal)


def owned(
    prompts: Iterable[Prompt],
    bindings: dict[str, tuple[Assignment, ...]],
    whole: dict[str, tuple[str, ...]] | None = None,
) -> Ownership:
    return Ownership(tuple(prompts), bindings, whole or {})


@st.composite
def ownerships(draw: st.DrawFn) -> Ownership:
    prompts = [
        prompt(f"p{number}", session=session, turn=turn, at_ms=at_ms, ordinal=number)
        for number, (session, turn, at_ms) in enumerate(
            draw(
                st.lists(
                    st.tuples(st.sampled_from(SESSIONS), st.sampled_from(TURNS), st.none() | st.integers(0, 3)),
                    max_size=6,
                )
            )
        )
    ]
    some = st.sets(st.sampled_from(TASKS), max_size=2).map(sorted)
    bindings = {each.id: bound(each.id, draw(some), shared=draw(st.booleans())) for each in prompts}
    whole = {session: tuple(draw(some)) for session in SESSIONS if draw(st.booleans())}
    return owned(
        prompts, {name: rows for name, rows in bindings.items() if rows}, {s: t for s, t in whole.items() if t}
    )


_RESPONSES = [(session, turn) for session in SESSIONS for turn in TURNS]


@given(ownerships())
def test_adding_up_all_tasks_never_counts_a_response_twice(ownership: Ownership) -> None:
    """E164: a response is attributed to one task at most, and then nobody shares it."""
    for session, turn in _RESPONSES:
        claims = [Attribution(task, ownership).claim(session, turn).partition for task in TASKS]
        assert claims.count("attributed") <= 1
        assert "attributed" not in claims or claims.count("shared") == 0


@given(ownerships())
def test_shared_work_appears_with_each_task_that_claims_it(ownership: Ownership) -> None:
    """E154: in full with every claimant, and with the same partners on both sides."""
    for session, turn in _RESPONSES:
        sharing = {task for task in TASKS if Attribution(task, ownership).claim(session, turn).partition == "shared"}
        for task in sharing:
            assert sharing - {task} <= partners(task, ownership)
            assert partners(task, ownership)


@given(ownerships())
def test_a_response_nobody_owns_is_unassigned_for_everyone(ownership: Ownership) -> None:
    """§12.1: and one that somebody owns is claimed by a task that exists."""
    for session, turn in _RESPONSES:
        claims = [Attribution(task, ownership).claim(session, turn) for task in TASKS]
        assert len({claim.owned for claim in claims}) == 1
        if not claims[0].owned:
            assert {claim.partition for claim in claims} == {"unassigned"}
        else:
            assert {claim.partition for claim in claims} != {"unassigned"}


@given(ownerships())
def test_every_prompt_is_owned_or_named_as_missing(ownership: Ownership) -> None:
    """E165: nothing falls between."""
    lacking = {each.id for each in missing(ownership)}
    for each in ownership.prompts:
        has_owner = each.id in ownership.bindings or each.session in ownership.session_tasks
        assert has_owner is (each.id not in lacking)


@given(ownerships(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(ownership: Ownership, random: st.DataObject) -> None:
    prompts = list(ownership.prompts)
    random.shuffle(prompts)  # type: ignore[attr-defined]
    other = Ownership(tuple(prompts), ownership.bindings, ownership.session_tasks)
    for task in TASKS:
        for session, turn in _RESPONSES:
            assert Attribution(task, ownership).claim(session, turn) == Attribution(task, other).claim(session, turn)


def test_a_turn_belongs_to_its_first_genuine_prompt() -> None:
    """§12.1: a prompt that joined the turn later owns nothing of it, whatever came first to the ledger."""
    prompts = [prompt("late", at_ms=9), prompt("first", at_ms=1), prompt("timeless", at_ms=None)]
    ownership = owned(prompts, {"late": bound("late", ["T-B"]), "first": bound("first", ["T-A"])})
    assert Attribution("T-A", ownership).claim("claude:1", "t1").partition == "attributed"
    assert Attribution("T-B", ownership).claim("claude:1", "t1").partition == "unassigned"


def test_a_prompt_without_owner_is_not_inherited_from_the_one_before() -> None:
    """E161: prompt 1 is T-A's, prompt 2 nobody's: missing, and its turn unassigned."""
    ownership = owned([prompt("p1"), prompt("p2", turn="t2", at_ms=1)], {"p1": bound("p1", ["T-A"])})
    claim = Attribution("T-A", ownership).claim("claude:1", "t2")
    assert (claim.partition, claim.owned) == ("unassigned", False)
    assert [each.id for each in missing(ownership)] == ["p2"]


def test_a_prompt_of_another_task_is_unassigned_but_not_missing() -> None:
    """E162: its turn has an owner, only not this one."""
    ownership = owned(
        [prompt("p1"), prompt("p2", turn="t2", at_ms=1)], {"p1": bound("p1", ["T-A"]), "p2": bound("p2", ["T-B"])}
    )
    claim = Attribution("T-A", ownership).claim("claude:1", "t2")
    assert (claim.partition, claim.owned) == ("unassigned", True)
    assert missing(ownership) == []


def test_two_tasks_on_one_prompt_are_a_conflict_unless_both_share() -> None:
    """E153, E154: in neither case is the usage anybody's alone."""
    for shared in (False, True):
        ownership = owned([prompt("p1")], {"p1": bound("p1", ["T-A", "T-B"], shared=shared)})
        assert [(each.tasks, each.all_shared) for each in joint(ownership)] == [(("T-A", "T-B"), shared)]
        for task in ("T-A", "T-B"):
            assert Attribution(task, ownership).claim("claude:1", "t1").partition == "shared"
    half = {"p1": (*bound("p1", ["T-A"], shared=True), *bound("p1", ["T-B"]))}
    assert [each.all_shared for each in joint(owned([prompt("p1")], half))] == [False]


def test_a_whole_session_outranks_the_turns_inside_it() -> None:
    """§12.1: even a turn without any prompt belongs to the session's task."""
    ownership = owned([prompt("p1")], {}, {"claude:1": ("T-A",)})
    for turn in TURNS:
        assert Attribution("T-A", ownership).claim("claude:1", turn).partition == "attributed"
        assert Attribution("T-B", ownership).claim("claude:1", turn).partition == "unassigned"
    assert missing(ownership) == []


def test_whole_session_and_prompt_of_different_tasks_contest_the_session() -> None:
    """E157: neither task has anything of it for its own."""
    ownership = owned(
        [prompt("p1"), prompt("p2", turn="t2", at_ms=1)], {"p1": bound("p1", ["T-B"])}, {"claude:1": ("T-A",)}
    )
    assert contested_sessions(ownership) == {"claude:1"}
    for task in ("T-A", "T-B"):
        attribution = Attribution(task, ownership)
        assert "attributed" not in {attribution.claim("claude:1", turn).partition for turn in TURNS}
    assert partners("T-A", ownership) == {"T-B"}
    assert partners("T-B", ownership) == {"T-A"}


def test_a_turn_without_a_prompt_has_no_owner() -> None:
    """§12.1: synthetic and unknown turns are unassigned unless the session is owned."""
    ownership = owned([prompt("p1"), prompt("p2", turn=None)], {"p1": bound("p1", ["T-A"]), "p2": bound("p2", ["T-A"])})
    assert Attribution("T-A", ownership).claim("claude:1", "t9").partition == "unassigned"
    assert Attribution("T-A", ownership).claim("claude:1", None).partition == "unassigned"


def test_partners_are_those_of_this_task_only() -> None:
    """What other tasks share among themselves in the same session is not shared with this one."""
    ownership = owned(
        [prompt("p1"), prompt("p2", turn="t2")],
        {"p1": bound("p1", ["T-A"]), "p2": bound("p2", ["T-B", "T-C"], shared=True)},
    )
    assert partners("T-A", ownership) == set()
    assert partners("T-B", ownership) == {"T-C"}
