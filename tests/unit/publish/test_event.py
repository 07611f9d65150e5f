"""The target comes from the event: every kind of it, and nothing that an artifact could say."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import event
from publish.event import Pull, Repository, Side
from publish.result import Stop

REPO = "octocat/hello"
HERE, FORK = 10, 55
SHA, OTHER = "a" * 40, "b" * 40
OPEN = Pull(7, "open", Side("patch-1", SHA, Repository(FORK)), Side("main", OTHER, Repository(HERE)))


class Known:
    """A server that knows these pull requests; `asked` says what it was asked."""

    def __init__(self, *of_commit: Pull, of_branch: tuple[Pull, ...] = (), numbered: tuple[Pull, ...] = ()) -> None:
        self._of_commit, self._of_branch = list(of_commit), list(of_branch)
        self._numbered = {each.number: each for each in numbered}
        self.asked: list[str] = []

    def of_commit(self, sha: str) -> list[Pull]:
        self.asked.append(sha)
        return self._of_commit

    def of_branch(self, owner: str, branch: str) -> list[Pull]:
        self.asked.append(f"{owner}:{branch}")
        return self._of_branch

    def get(self, number: int) -> Pull | None:
        self.asked.append(f"#{number}")
        return self._numbered.get(number)


def pull(number: int = 7, **changes: Any) -> Pull:
    """The open pull request from the fork, or one that differs."""
    head = {"ref": "patch-1", "sha": SHA, "repo": FORK} | {
        k: v for k, v in changes.items() if k in ("ref", "sha", "repo")
    }
    side = Side(head["ref"], head["sha"], None if head["repo"] is None else Repository(head["repo"]))
    return Pull(number, changes.get("state", "open"), side, Side("main", OTHER, Repository(changes.get("base", HERE))))


def resolved(name: str, payload: dict[str, Any], *, pr: str = "", commit: str = "", server: Any = None) -> str:
    """The target as text, or the result word with its reason."""
    data = json.dumps({"repository": {"id": HERE, "full_name": REPO}} | payload).encode()
    read = event.read(data, name=name, repo=REPO, sha=SHA)
    try:
        return str(event.resolve(read, pr=pr, commit=commit, pulls=server or Known()))
    except Stop as stop:
        return f"{stop.outcome}({stop.reason})"


def run(**changes: Any) -> dict[str, Any]:
    """A `workflow_run` event as a fork's run causes it."""
    about = {
        "id": 9,
        "event": "pull_request",
        "head_sha": SHA,
        "head_branch": "patch-1",
        "head_repository": {"id": FORK, "full_name": "forker/hello"},
        "pull_requests": [],
    }
    return {"workflow_run": about | changes}


@pytest.mark.parametrize("name", ["pull_request", "pull_request_review", "pull_request_review_comment"])
def test_a_pull_request_event_names_its_number(name: str) -> None:
    assert resolved(name, {"pull_request": {"number": 7}}) == f"{REPO}#7"


def test_a_comment_on_a_pull_request_does_too_and_one_on_an_issue_does_not() -> None:
    assert resolved("issue_comment", {"issue": {"number": 7, "pull_request": {"url": "x"}}}) == f"{REPO}#7"
    assert resolved("issue_comment", {"issue": {"number": 7}}) == "skipped(no_pull_request)"


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "pull_request", "merge_group", "release"])
def test_an_input_holds_for_every_event(name: str) -> None:
    """P22: an explicit number is honoured whatever the event."""
    server = Known(pull(8))
    assert resolved(name, {"pull_request": {"number": 9}}, pr="7", server=server) == f"{REPO}#7"
    assert resolved(name, {}, commit="3F9D2C1", server=server) == f"{REPO}@3f9d2c1"
    assert server.asked == []


@pytest.mark.parametrize("pr", ["7; rm -rf /", "0", "-1", "7\n8", "٧", "1e3", "99999999999", "#7", "$(id)", "`id`"])
def test_an_input_that_is_no_number_is_refused(pr: str) -> None:
    """P22: also before the server of a workflow_run is asked."""
    for name, payload in (("push", {}), ("workflow_run", run())):
        server = Known(pull())
        assert resolved(name, payload, pr=pr, server=server) == "refused(invalid_target)"
        assert server.asked == []


def test_both_inputs_at_once_are_refused() -> None:
    assert resolved("push", {}, pr="7", commit=SHA) == "refused(invalid_target)"
    assert resolved("push", {}, commit="not hex") == "refused(invalid_target)"


def test_a_push_leads_to_the_open_pull_request_of_its_commit() -> None:
    """P22: one is the target, none is a skip, several are a refusal."""
    own = pull(7, repo=HERE)
    assert resolved("push", {"after": SHA}, server=Known(own)) == f"{REPO}#7"
    assert resolved("push", {}, server=Known(Pull(7, "open"))) == f"{REPO}#7"
    assert resolved("push", {"after": SHA}, server=Known()) == "skipped(no_pull_request)"
    assert resolved("push", {"after": SHA}, server=Known(own, pull(8))) == "refused(several_pull_requests)"


@pytest.mark.parametrize("change", [{"state": "closed"}, {"base": 99}, {"sha": OTHER}])
def test_a_push_ignores_closed_foreign_and_stacked_pull_requests(change: dict[str, Any]) -> None:
    """The commit of a push is part of every branch on top of it; only the branch itself is meant."""
    assert resolved("push", {"after": SHA}, server=Known(pull(8, **change))) == "skipped(no_pull_request)"
    assert resolved("push", {"after": SHA}, server=Known(pull(8, **change), pull(7))) == f"{REPO}#7"


def test_a_push_that_deletes_a_branch_asks_nobody() -> None:
    server = Known(pull())
    assert resolved("push", {"after": "0" * 40}, server=server) == "skipped(no_pull_request)"
    assert server.asked == []


@pytest.mark.parametrize("base", ["main", "release/1.x", "x/pr-3-y"])
def test_the_merge_queue_names_the_pull_request_in_its_ref(base: str) -> None:
    ref = {"merge_group": {"head_ref": f"refs/heads/gh-readonly-queue/{base}/pr-12-{SHA}"}}
    right = Pull(12, "open", Side(), Side(base))
    assert resolved("merge_group", ref, server=Known(numbered=(right,))) == f"{REPO}#12"
    wrong = Pull(12, "open", Side(), Side("other"))
    for server in (Known(numbered=(wrong,)), Known()):
        assert resolved("merge_group", ref, server=server) == "skipped(no_pull_request)"


@pytest.mark.parametrize(
    "ref", ["", "refs/heads/main", f"refs/heads/gh-readonly-queue/main/pr-x-{SHA}", "refs/heads/pr-12-" + SHA]
)
def test_another_ref_of_a_merge_group_asks_nobody(ref: str) -> None:
    server = Known(numbered=(pull(12),))
    assert resolved("merge_group", {"merge_group": {"head_ref": ref}}, server=server) == "skipped(no_pull_request)"
    assert server.asked == []


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "release", "", "pull_request"])
def test_an_event_without_a_pull_request_is_skipped(name: str) -> None:
    assert resolved(name, {}) == "skipped(no_pull_request)"


def test_a_run_of_a_fork_leads_to_the_pull_request_that_agrees_in_everything() -> None:
    """P17: base repository, head repository, branch and commit; never the first that comes."""
    near = [pull(1, repo=56), pull(2, ref="patch-2"), pull(3, sha=OTHER), pull(4, base=99), pull(5, state="closed")]
    server = Known(*near, pull(6, repo=None), Pull(8, "open"), OPEN)
    assert resolved("workflow_run", run(), server=server) == f"{REPO}#7"
    assert server.asked == [SHA]
    assert resolved("workflow_run", run(), server=Known(*near)) == "skipped(no_pull_request)"
    assert resolved("workflow_run", run(), server=Known(OPEN, pull(8))) == "refused(several_pull_requests)"


def test_a_commit_that_is_only_in_the_fork_is_found_by_its_branch() -> None:
    """P17: the base repository does not know the commits of forks; the same four things must agree."""
    server = Known(of_branch=(pull(3, sha=OTHER), OPEN))
    assert resolved("workflow_run", run(), server=server) == f"{REPO}#7"
    assert server.asked == [SHA, "forker:patch-1"]
    assert resolved("workflow_run", run(), server=Known(of_branch=(pull(3, repo=56),))) == "skipped(no_pull_request)"


def test_a_run_of_this_repository_brings_its_pull_request_along() -> None:
    own = {"head": {"ref": "patch-1", "sha": OTHER, "repo": {"id": FORK}}, "base": {"repo": {"id": HERE}}}
    server = Known()
    listed = run(pull_requests=[{"number": 3, **own, "base": {"repo": {"id": 99}}}, {"number": 7, **own}])
    assert resolved("workflow_run", listed, server=server) == f"{REPO}#7"
    assert server.asked == []
    both = run(pull_requests=[{"number": 7, **own}, {"number": 8, **own}])
    assert resolved("workflow_run", both) == "refused(several_pull_requests)"


@pytest.mark.parametrize(
    "lost", [{"head_repository": None}, {"head_branch": None}, {"head_sha": ""}, {"head_sha": "main/../.."}]
)
def test_a_run_that_says_too_little_proves_nothing(lost: dict[str, Any]) -> None:
    server = Known(OPEN, of_branch=(OPEN,))
    assert resolved("workflow_run", run(**lost), server=server) == "skipped(no_pull_request)"
    assert server.asked == []


def test_an_input_of_a_run_may_only_repeat_what_the_event_leads_to() -> None:
    """P19, P22: in a workflow_run the trusted lookup decides."""
    assert resolved("workflow_run", run(), pr="7", server=Known(OPEN)) == f"{REPO}#7"
    assert resolved("workflow_run", run(), pr="1", server=Known(OPEN)) == "refused(target_mismatch)"
    assert resolved("workflow_run", run(), pr="7", server=Known()) == "skipped(no_pull_request)"
    assert resolved("workflow_run", run(), commit=SHA[:9]) == f"{REPO}@{SHA}"
    assert resolved("workflow_run", run(), commit=OTHER) == "refused(target_mismatch)"


def test_a_workflow_run_without_a_run_is_no_event() -> None:
    assert resolved("workflow_run", {}, pr="7") == "refused(invalid_event)"


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"pull_request": 7}', b"\xff", b"[" * 9000, b'{"after": 1}'])
def test_what_is_no_event_is_refused(data: bytes) -> None:
    with pytest.raises(Stop) as caught:
        event.read(data, name="push", repo=REPO, sha=SHA)
    assert (caught.value.outcome, caught.value.reason) == ("refused", "invalid_event")


_ids = st.sampled_from([None, HERE, FORK, 56])
_sides = st.none() | st.builds(
    Side,
    st.sampled_from([None, "patch-1", "main"]),
    st.sampled_from([None, SHA, OTHER]),
    st.none() | st.builds(Repository, _ids),
)
_pulls = st.lists(
    st.builds(Pull, st.integers(1, 4), st.sampled_from([None, "open", "closed"]), _sides, _sides), max_size=5
)


@given(_pulls, _pulls)
def test_law_only_a_pull_request_that_proves_everything_is_ever_chosen(first: list[Pull], second: list[Pull]) -> None:
    """P17: whatever the server lists, the chosen one is open and equal in all four things."""
    proven = {
        each.number
        for each in (*first, *second)
        if each.state == "open"
        and each.base is not None
        and each.base.repo == Repository(HERE)
        and each.head == Side("patch-1", SHA, Repository(FORK))
    }
    answer = resolved("workflow_run", run(), server=Known(*first, of_branch=tuple(second)))
    assert answer in {f"{REPO}#{number}" for number in proven} or answer.startswith(("skipped", "refused(several"))
    if len(proven) == 1:
        assert answer == f"{REPO}#{min(proven)}"
    if not proven:
        assert answer == "skipped(no_pull_request)"
