"""The task report: who owns what, what is missing, and when no total may be told."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from observer.base.errors import UnknownSession, UnknownTask
from observer.capture import tasks
from observer.capture.tasks import OutcomeFields
from observer.ledger import assertions
from observer.records.session import Turn
from observer.reports import task as reporting
from observer.reports import taskview
from observer.reports.model import TaskReport
from tests.builders import mini
from tests.builders.batches import Book, response, session, submission, usage
from tests.builders.mini import P1, P2, S, assign, create, records, report, whole


def tokens(found: TaskReport, partition: Any) -> int:
    return sum(row.usage.usage.total or 0 for row in found.part(partition))


def shares(found: TaskReport) -> dict[str, int]:
    return {name: tokens(found, name) for name in ("attributed", "shared", "unassigned")}


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return mini.book(tmp_path)


def test_both_prompts_bound_attribute_everything(book: Book) -> None:
    """E151: a phase nobody knows is accepted; 5500 attributed, reconciled, without gaps."""
    assign(book, P1, phase="followup")
    assign(book, P2)
    found = report(book)
    assert shares(found) == {"attributed": 5500, "shared": 0, "unassigned": 0}
    assert found.coverage.reconciles
    assert found.coverage.complete
    assert not found.coverage.has_gaps


def test_one_prompt_under_two_tasks_is_a_conflict_in_both_reports(book: Book) -> None:
    """E153: not attributed to either; exit 3."""
    create(book, "T-B")
    assign(book, P1)
    assign(book, P1, "T-B", shared=True)
    for task in ("T-A", "T-B"):
        found = report(book, task)
        assert shares(found) == {"attributed": 0, "shared": 3350, "unassigned": 2150}
        assert [each.submission for each in found.coverage.conflicting] == [P1]
        assert found.coverage.has_gaps
        assert not found.coverage.complete


def test_joint_work_stands_in_full_with_each_task(book: Book) -> None:
    """E154: both say shared: no conflict, none of it attributed, and each names the other."""
    create(book, "T-B")
    for task in ("T-A", "T-B"):
        assign(book, P1, task, shared=True)
        assign(book, P2, task, shared=True)
    for task, other in (("T-A", "T-B"), ("T-B", "T-A")):
        found = report(book, task)
        assert shares(found) == {"attributed": 0, "shared": 5500, "unassigned": 0}
        assert [each.submission for each in found.coverage.joint] == [P1, P2]
        assert not found.coverage.has_gaps
        assert found.shared_with == (other,)
        assert taskview.total_cost(found)["shared_responses"] == 3


def test_tasks_that_share_elsewhere_are_not_partners(book: Book) -> None:
    """Shared-with names only those that this task shares with."""
    create(book, "T-B", "T-C")
    assign(book, P1)
    for task in ("T-B", "T-C"):
        assign(book, P2, task, shared=True)
    assert report(book).shared_with == ()
    assert report(book, "T-B").shared_with == ("T-C",)


def test_a_session_and_its_prompt_under_different_tasks_contest_it(book: Book) -> None:
    """E157: nothing attributed on either side, the session is named, and the answer is an ownership conflict."""
    create(book, "T-B")
    whole(book, S)
    with book.writer() as connection:  # as two machines' assertions meet in one ledger
        assertions.append(connection, "assignment", {"submission": P1, "task": "T-B"}, {})
    for task, other in (("T-A", "T-B"), ("T-B", "T-A")):
        found = report(book, task)
        assert tokens(found, "attributed") == 0
        assert found.coverage.conflicting_sessions == (S,)
        assert not found.coverage.complete
        assert found.coverage.has_gaps
        assert found.shared_with == (other,)
        assert taskview.document(found)["estimated_cost"]["estimated_cost_usd_total"] is None


def test_a_prompt_nobody_owns_is_missing(book: Book) -> None:
    """E161, E165: its 2150 tokens are unassigned and not inherited; exit 3."""
    assign(book, P1)
    found = report(book)
    assert shares(found) == {"attributed": 3350, "shared": 0, "unassigned": 2150}
    assert [each.id for each in found.coverage.missing] == [P2]
    assert found.coverage.has_gaps
    assert found.coverage.unbound_responses == 1


def test_a_prompt_of_another_task_is_not_missing(book: Book) -> None:
    """E162, E164: 3350 and 2150, complete on both sides, and nothing is in two partitions."""
    create(book, "T-B")
    assign(book, P1)
    assign(book, P2, "T-B")
    one, two = report(book), report(book, "T-B")
    assert shares(one) == {"attributed": 3350, "shared": 0, "unassigned": 2150}
    assert shares(two) == {"attributed": 2150, "shared": 0, "unassigned": 3350}
    for found in (one, two):
        assert found.coverage.complete
        assert not found.coverage.has_gaps
        ids = [name for row in found.rows for name in row.ids]
        assert sorted(ids) == ["codex:r1", "codex:r2", "codex:r3"]


def test_sessions_of_bound_prompts_add_up(book: Book) -> None:
    """E163: 5500 of one thread and 5500 of another are 11000 in six responses."""
    book.told("/child", *records("codex:child", prefix="c"))
    for prompt in (P1, P2, "codex:cp1", "codex:cp2"):
        assign(book, prompt)
    found = report(book)
    assert shares(found)["attributed"] == 11000
    assert sum(len(row.ids) for row in found.part("attributed")) == 6


def test_a_task_without_sessions_costs_nobody_knows_what(book: Book) -> None:
    """E166: unknown, not $0.00."""
    document = taskview.document(report(book))
    assert document["coverage"]["no_measured_sessions"]
    assert not document["complete"]
    assert document["total_cost"]["text"] == "unknown"
    assert document["total_cost"]["usd"] is None
    assert document["estimated_cost"]["estimated_cost_usd_total"] is None
    assert document["estimated_cost"]["estimated_cost_usd_partial"] is None


def test_a_bound_session_that_this_ledger_never_saw_forbids_a_total(book: Book) -> None:
    """E167: missing, incomplete; what is known stays a part."""
    whole(book, S)
    with book.writer() as connection:
        assertions.append(
            connection, "session", {"session": "claude:elsewhere", "task": "T-A"}, {"evidence": "said so"}
        )
    document = taskview.document(report(book))
    assert document["coverage"]["missing_sessions"] == ["claude:elsewhere"]
    assert not document["complete"]
    assert document["estimated_cost"]["estimated_cost_usd_total"] is None
    assert document["total_cost"]["text"].startswith("at least $")


def test_a_bound_session_without_usage_forbids_a_total(book: Book) -> None:
    """E168: nothing recorded is not nothing used."""
    whole(book, S)
    book.told("/idle", session("codex:idle"))
    whole(book, "codex:idle")
    document = taskview.document(report(book))
    assert document["coverage"]["sessions_without_usage"] == ["codex:idle"]
    assert not document["complete"]
    assert document["estimated_cost"]["estimated_cost_usd_total"] is None


def test_two_meanings_of_counters_have_no_common_sum(book: Book) -> None:
    """E169, §23.3: sums stand per semantics only, and still reconcile."""
    book.told("/claude", *records("claude:s"))
    for prompt in (P1, P2, "claude:p1", "claude:p2"):
        assign(book, prompt)
    document = taskview.document(report(book))
    for name in ("attributed", "scope"):
        assert "total_tokens" not in document[name]
        assert {label: sums["total_tokens"] for label, sums in document[name]["by_semantics"].items()} == {
            "claude:input_excludes_cache,output_includes_thinking": 5500,
            "codex:input_includes_cached,output_includes_reasoning": 5500,
        }
    assert document["attributed"]["responses"] == 6
    assert document["reconciles"]


def test_one_unknown_counter_makes_its_sum_a_lower_bound(book: Book) -> None:
    """E170: only that sum, and the number of unknown responses stands beside it."""
    book.told("/more", response("codex:r4", S, turn="A", usage=replace(usage(1000), cached_input=None)))
    assign(book, P1)
    part = taskview.document(report(book))["attributed"]
    assert part["total_tokens"] == 4350
    assert part["unknown_counts"] == {"cached_input_tokens": 1}
    assert part["cached_input_tokens"] == 0


def test_a_subagent_nobody_bound_is_a_gap(book: Book) -> None:
    """E171: its usage is not attributed; bound with its parent it is."""
    child = "codex:worker"
    book.told("/worker", session(child, role="subagent", parent=S), response("codex:w1", child, total=777))
    whole(book, S)
    found = report(book)
    assert found.coverage.unbound_worker_sessions == (child,)
    assert tokens(found, "attributed") == 5500
    assert found.coverage.has_gaps
    assert not found.coverage.complete
    whole(book, child)
    found = report(book)
    assert found.coverage.unbound_worker_sessions == ()
    assert tokens(found, "attributed") == 6277


def test_work_that_is_recorded_as_running_is_not_complete(book: Book) -> None:
    """E172: whatever else is known."""
    whole(book, S)
    with book.writer() as connection:
        tasks.record_outcome(connection, "T-A", OutcomeFields("active"))
    document = taskview.document(report(book))
    assert document["has_active_work"]
    assert not document["complete"]
    assert document["acceptance_state"] == "active"


def test_an_unknown_task_or_session_is_refused(book: Book) -> None:
    """E174: with exit 2."""
    with pytest.raises(UnknownTask) as refused:
        report(book, "T-X")
    assert refused.value.exit_code == 2
    with pytest.raises(UnknownSession), book.reader() as connection:
        reporting.of_sessions(connection, ["codex:nowhere"], mini.schedule())


def test_reasoning_is_a_share_of_output_only_when_all_responses_tell(book: Book) -> None:
    """E175: output 100 with 40 reasoning: other 60, share 0.4; one that is silent makes the share unknown."""
    tell = replace(usage(1000), output=100, reasoning_output=40)
    book.told(
        "/x",
        session("codex:x"),
        submission("codex:px", "codex:x", turn="t"),
        response("codex:x1", "codex:x", turn="t", usage=tell),
    )
    assign(book, "codex:px")
    generation = taskview.document(report(book))["models"][0]["generation"]
    assert generation == {
        "reasoning_tokens": 40,
        "other_output_tokens": 60,
        "reasoning_share": "0.4",
        "measured_responses": 1,
        "unknown_responses": 0,
    }
    silent = replace(tell, reasoning_output=None)
    book.told("/x", response("codex:x2", "codex:x", turn="t", usage=silent))
    generation = taskview.document(report(book))["models"][0]["generation"]
    assert (generation["reasoning_tokens"], generation["other_output_tokens"]) == (40, 60)
    assert (generation["reasoning_share"], generation["unknown_responses"]) == (None, 1)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1, "under $0.01"), (3, "$0.01"), (0, "$0.00")],
)
def test_money_is_told_in_words_that_fit(book: Book, rate: int, text: str) -> None:
    """E176: 0.00335 is under a cent, 0.01005 a cent, and free is $0.00."""
    assign(book, P1)
    free = dict.fromkeys(
        ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens"),
        rate,
    )
    cost = taskview.total_cost(report(book, prices=mini.schedule(**free)))
    assert cost["text"] == text
    assert Decimal(cost["usd"]) == Decimal(3350 * rate) / 10**6
    assert cost["status"] == "complete"


def test_what_is_partly_priced_costs_at_least_that(book: Book) -> None:
    """E176, §23.8: an unpriced response never lowers a total silently; nothing priced is unknown."""
    book.told("/more", response("codex:r4", S, turn="A", model="nobody-knows"))
    assign(book, P1)
    document = taskview.document(report(book))
    assert document["total_cost"]["text"].startswith("at least $0.0")
    assert document["estimated_cost"]["estimated_cost_usd_total"] is None
    assert sum(document["estimated_cost"]["unpriced_reasons"].values()) == 1
    create(book, "T-B")
    book.told("/y", session("codex:y"), response("codex:y1", "codex:y", model="nobody-knows"))
    whole(book, "codex:y", "T-B")
    assert taskview.total_cost(report(book, "T-B"))["text"] == "unknown"


def test_what_records_tell_twice_is_left_out_and_said(book: Book) -> None:
    """§12.1: overlap responses are counted apart and never summed."""
    label = "codex:input_includes_cached,output_includes_reasoning;source=token_count"
    book.told(
        "/o",
        session("codex:o"),
        response("codex:rec", "codex:o", total=100, cumulative=100),
        response("codex:o:tc:0:100", "codex:o", total=100, cumulative=100, semantics=label),
    )
    whole(book, "codex:o")
    document = taskview.document(report(book))
    assert (document["scope"]["responses"], document["scope"]["overlap_responses"]) == (1, 1)
    assert document["measured"]["attributed"] == ["codex:rec"]


def test_turns_without_usage_are_named(book: Book) -> None:
    """A cancelled turn used something nobody recorded: unknown, not zero. A turn copied with its history is none."""
    whole(book, S)
    book.told("/mini", Turn(S, "A"), Turn(S, "C", state="cancelled"))
    assert report(book).coverage.turns_without_usage == ((S, "C"),)
    fork = "codex:fork"
    book.told(
        "/fork",
        session(fork, ended_ms=2**41),
        Turn(fork, "A"),
        response("codex:r1", fork, turn="A", total=1100, minute=1),
        response("codex:f", fork, turn="D", minute=9),
    )
    whole(book, fork)
    assert report(book).coverage.turns_without_usage == ((S, "C"),)


def test_a_selection_of_sessions_is_reported_like_a_task(book: Book) -> None:
    """Everything in it is attributed; no assignment is missed; a session named twice counts once."""
    with book.reader() as connection:
        found = reporting.of_sessions(connection, [S, S], mini.schedule())
    assert shares(found) == {"attributed": 5500, "shared": 0, "unassigned": 0}
    assert not found.coverage.has_gaps
    assert found.task is None
    assert taskview.document(found)["scope_sessions"] == [S]


_BINDINGS = st.lists(
    st.tuples(
        st.sampled_from([P1, P2, "codex:cp1", "codex:cp2"]), st.sampled_from(["T-A", "T-B", "T-C"]), st.booleans()
    ),
    max_size=6,
)


@given(bindings=_BINDINGS)
def test_partitions_of_any_bindings_add_up(bindings: list[tuple[str, str, bool]], tmp_path_factory: Any) -> None:
    """§23.2: disjoint, exhaustive, and no response attributed twice over all tasks."""
    book = mini.book(tmp_path_factory.mktemp("book"), task=None)
    book.told("/child", *records("codex:child", prefix="c"))
    create(book, "T-A", "T-B", "T-C")
    for prompt, task, shared in bindings:
        assign(book, prompt, task, shared=shared)
    attributed: list[str] = []
    for task in ("T-A", "T-B", "T-C"):
        found = report(book, task)
        parts = [
            sorted(name for row in found.part(part) for name in row.ids)
            for part in ("attributed", "shared", "unassigned")
        ]  # type: ignore[arg-type]
        together = [name for part in parts for name in part]
        assert len(together) == len(set(together)) == 3 * len(found.scope.sessions)
        assert found.coverage.reconciles
        attributed += parts[0]
    assert len(attributed) == len(set(attributed))
