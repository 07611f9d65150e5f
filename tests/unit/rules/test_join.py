"""Calls and results are joined by equal ids, and by nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from observer.rules.join import in_order, join

KEYS = st.lists(st.tuples(st.sampled_from(["s1", "s2"]), st.sampled_from("abcd")))


def test_each_half_is_listed_once() -> None:
    """E246: a call with its result, a call without, a result without."""
    found = join([("s", "both"), ("s", "asked")], [("s", "both"), ("s", "told")])
    assert (found.joined, found.unanswered_calls, found.unmatched_results) == (
        (("s", "both"),),
        (("s", "asked"),),
        (("s", "told"),),
    )


def test_a_wrapper_and_the_command_inside_it_stay_apart() -> None:
    """E244: their ids differ, so the item is a result without a call."""
    found = join([("s", "call_1")], [("s", "call_1"), ("s", "exec-1")])
    assert found.unmatched_results == (("s", "exec-1"),)


def test_the_same_id_in_two_sessions_is_two_calls() -> None:
    found = join([("s1", "call_0")], [("s2", "call_0")])
    assert (found.joined, found.calls, found.results) == ((), 1, 1)


@given(KEYS, KEYS)
def test_every_id_is_in_exactly_one_list(calls: list[tuple[str, str]], results: list[tuple[str, str]]) -> None:
    found = join(calls, results)
    lists = [*found.joined, *found.unanswered_calls, *found.unmatched_results]
    assert sorted(lists) == sorted({*calls, *results})
    assert len(found.joined) + len(found.unanswered_calls) == found.calls == len(set(calls))
    assert len(found.joined) + len(found.unmatched_results) == found.results == len(set(results))


@given(
    st.dictionaries(st.sampled_from("xyz"), st.lists(st.integers(), max_size=3)),
    st.dictionaries(st.sampled_from("xyz"), st.lists(st.integers(), max_size=3)),
)
def test_ends_without_ids_belong_to_as_many_calls_or_to_none(
    calls: dict[str, list[int]], ends: dict[str, list[int]]
) -> None:
    ids = {tool: [f"{tool}{place}" for place, _ in enumerate(found)] for tool, found in calls.items()}
    found = in_order(ids, ends)
    for tool, names in ids.items():
        told = ends.get(tool, [])
        assert [found.get(name) for name in names] == (told if len(told) == len(names) else [None] * len(names))
