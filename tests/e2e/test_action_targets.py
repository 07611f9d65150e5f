"""Where the Action publishes: five kinds of events, artifacts of strangers, and nothing that they could decide."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from observer.records.evidence import Target
from tests.builders.evidence import document, encode, evidence, sealed, used
from tests.peers import faults
from tests.peers.actions import RUN_ID, Ended, Machine
from tests.peers.exchange import Answer, Request, answer
from tests.peers.lab import ForeignPull, Lab
from tests.peers.proxy import Fault

Hosted = Callable[..., Machine]
CHEAP = used(responses=2, input=1000, output=200)


def data(**fields: Any) -> bytes:
    """Evidence as it is exported."""
    return encode(evidence(CHEAP, **fields))


def local(machine: Machine, **inputs: str) -> Ended:
    """One run with evidence from the workspace."""
    (machine.workspace / "evidence.json").write_bytes(data())
    return machine.use(evidence="evidence.json", **inputs)


def ended_run(theirs: ForeignPull, **changes: Any) -> dict[str, Any]:
    """The event that a run of a fork's pull request causes in this repository."""
    fork = {"id": theirs.head_repository_id, "full_name": "mallory/any"}
    run = {
        "id": 9,
        "event": "pull_request",
        "head_sha": theirs.head_sha,
        "head_branch": theirs.head_branch,
        "head_repository": fork,
        "pull_requests": [],
    }
    return {"workflow_run": run | changes}


@pytest.fixture
def theirs(github: Lab) -> ForeignPull:
    """A pull request from a stranger's fork, beside the repository's own."""
    return github.foreign_pull("patch-1")


def left(github: Lab, theirs: ForeignPull, files: dict[str, bytes] | bytes) -> int:
    """What the stranger's run left behind."""
    where = {"head_sha": theirs.head_sha, "head_branch": theirs.head_branch}
    return github.artifact(files, run=9, head_repository_id=theirs.head_repository_id, **where)


def word(ended: Ended) -> str:
    """The result with its reason, from the outputs."""
    return (
        f"{ended.outputs['result']}({ended.outputs['reason']})" if ended.outputs["reason"] else ended.outputs["result"]
    )


def on_pull(github: Lab, number: int) -> list[dict[str, Any]]:
    """The comments of one pull request."""
    found: list[dict[str, Any]] = github.ask("GET", f"/repos/{github.repo}/issues/{number}/comments")
    return found


def test_a_push_finds_the_open_pull_request_of_its_branch(github: Lab, hosted: Hosted) -> None:
    """P22."""
    assert word(local(hosted("push", {"after": github.head_sha}))) == "created"
    assert len(github.comments()) == 1
    quiet = local(hosted("push", {"after": github.commit}))
    assert (word(quiet), quiet.code) == ("skipped(no_pull_request)", 0)
    assert quiet.commands[0].startswith("::notice ")
    assert "no open pull request" in quiet.summary


def test_a_push_with_several_pull_requests_does_not_guess(github: Lab, hosted: Hosted) -> None:
    """P22: one branch, two bases."""
    github.ask("POST", f"/repos/{github.repo}/git/refs", ref="refs/heads/release", sha=github.commit)
    second = github.ask("POST", f"/repos/{github.repo}/pulls", title="two", head="topic", base="release")["number"]
    ended = local(hosted("push", {"after": github.head_sha}))
    assert (word(ended), ended.code) == ("refused(several_pull_requests)", 2)
    assert word(local(hosted("push", {"after": github.head_sha}), pr=str(second))) == "created"
    assert (len(github.comments()), len(on_pull(github, second))) == (0, 1)


def test_the_merge_queue_leads_to_the_pull_request_in_its_ref(github: Lab, hosted: Hosted) -> None:
    def queue(base: str, number: int) -> dict[str, Any]:
        return {"merge_group": {"head_ref": f"refs/heads/gh-readonly-queue/{base}/pr-{number}-{github.commit}"}}

    assert word(local(hosted("merge_group", queue("main", github.pr)))) == "created"
    for wrong in (queue("release", github.pr), queue("main", 4711), {"merge_group": {"head_ref": "refs/heads/x"}}):
        assert word(local(hosted("merge_group", wrong))) == "skipped(no_pull_request)"
    assert len(github.comments()) == 1


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch"])
def test_events_without_a_pull_request_take_the_inputs(github: Lab, hosted: Hosted, name: str) -> None:
    """P22."""
    assert word(local(hosted(name, {}))) == "skipped(no_pull_request)"
    assert word(local(hosted(name, {}), pr=str(github.pr))) == "created"
    assert word(local(hosted(name, {}), pr=str(github.issue))) == "refused(not_a_pull_request)"


def test_a_run_of_a_fork_is_published_where_the_event_leads(github: Lab, hosted: Hosted, theirs: ForeignPull) -> None:
    """P17, P39: the artifact comes from a second host, which never sees the token."""
    left(github, theirs, {"evidence.json": data()})
    ended = hosted("workflow_run", ended_run(theirs)).use(artifact_name="evidence")
    assert word(ended) == "created"
    assert (len(on_pull(github, theirs.number)), len(github.comments())) == (1, 0)
    asked = github.facade.artifacts.asked_store
    assert len(asked) == 1
    assert "authorization" not in asked[0].headers
    assert github.app_tokens["github-actions"] not in str(asked[0])


def test_a_commit_that_this_repository_does_not_know_is_found_by_its_branch(
    github: Lab, hosted: Hosted, theirs: ForeignPull
) -> None:
    """P17: the server lists no pull requests for commits that are only in a fork."""
    github.facade.fail(
        faults.on(lambda asked: asked.place.endswith(f"{theirs.head_sha}/pulls"), answer(200, [])), times=9
    )
    event = ended_run(theirs, head_repository={"id": theirs.head_repository_id, "full_name": f"mallory/{github.name}"})
    left(github, theirs, {"evidence.json": data()})
    assert word(hosted("workflow_run", event).use(artifact_name="evidence")) == "created"
    assert len(on_pull(github, theirs.number)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"head_sha": "b" * 40},
        {"head_branch": "patch-2"},
        {"head_repository": {"id": 4711, "full_name": "eve/any"}},
        {"head_repository": None},
    ],
)
def test_a_run_that_fits_no_pull_request_in_everything_is_skipped(
    github: Lab, hosted: Hosted, theirs: ForeignPull, changes: dict[str, Any]
) -> None:
    """P17: none is a skip, and nothing is downloaded."""
    left(github, theirs, {"evidence.json": data()})
    ended = hosted("workflow_run", ended_run(theirs, **changes)).use(artifact_name="evidence")
    assert (word(ended), ended.code) == ("skipped(no_pull_request)", 0)
    assert github.writes == []
    assert github.facade.artifacts.asked_store == []


@pytest.mark.parametrize("chosen", ["artifact", "input", "both"])
def test_an_artifact_or_input_that_names_another_pull_request_is_refused(
    github: Lab, hosted: Hosted, theirs: ForeignPull, chosen: str
) -> None:
    """P19: nothing is posted to either of them."""
    named = Target(repo=github.repo, pr=github.pr) if chosen != "input" else None
    left(github, theirs, {"evidence.json": data(target=named)})
    inputs = {} if chosen == "artifact" else {"pr": str(github.pr)}
    ended = hosted("workflow_run", ended_run(theirs)).use(artifact_name="evidence", **inputs)
    assert (word(ended), ended.code) == ("refused(target_mismatch)", 2)
    assert (on_pull(github, theirs.number), github.comments()) == ([], [])


def test_an_artifact_of_another_repository_is_refused(github: Lab, hosted: Hosted, theirs: ForeignPull) -> None:
    """P19."""
    left(github, theirs, {"evidence.json": data(target=Target(repo="else/where", pr=theirs.number))})
    assert word(hosted("workflow_run", ended_run(theirs)).use(artifact_name="evidence")) == "refused(target_mismatch)"


def test_text_in_an_artifact_is_never_posted(github: Lab, hosted: Hosted, theirs: ForeignPull) -> None:
    """P20: unknown fields are ignored, the comment is made anew, an identifier that is none is refused."""
    evil = "## Security notice\n[log in](https://evil.example) @everyone".replace("\n", " ")
    left(github, theirs, {"evidence.json": sealed(document(evidence(CHEAP)) | {"rendered_body": evil})})
    ended = hosted("workflow_run", ended_run(theirs)).use(artifact_name="evidence")
    assert word(ended) == "created"
    (comment,) = on_pull(github, theirs.number)
    assert "evil.example" not in comment["body"] + ended.summary + ended.log
    forged = document(evidence(CHEAP))
    forged["usage"][0]["model"] = "x](https://evil.example)"
    left(github, theirs, {"evidence.json": sealed(forged)})
    assert word(hosted("workflow_run", ended_run(theirs)).use(artifact_name="evidence")) == "refused(evidence_refused)"


def _bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../.bashrc", b"touch PWNED")
        archive.writestr("valuation.json", bytes(50_000_000))
        archive.writestr("VALUATION.JSON", b"{}")
    return packed.getvalue()


@pytest.mark.parametrize("archive", [b"no archive", {}, {"evidence.txt": b"{}"}, "bomb", "large"])
def test_a_hostile_archive_fails_by_name(
    github: Lab, hosted: Hosted, theirs: ForeignPull, archive: dict[str, bytes] | bytes | str
) -> None:
    """P21: nothing is unpacked to disk, nothing posted."""
    given = {"bomb": _bomb(), "large": bytes(17 * 2**20)}[archive] if isinstance(archive, str) else archive
    left(github, theirs, given)
    machine = hosted("workflow_run", ended_run(theirs))
    before = sorted(machine.folder.rglob("*"))
    ended = machine.use(artifact_name="evidence")
    assert (word(ended), ended.code) == ("failed(bad_artifact)", 1)
    assert "the artifact" in ended.summary
    made = {path.name for path in machine.folder.rglob("*")} - {path.name for path in before}
    assert made <= {"script-1", "output-1"}
    assert github.writes == []


def test_the_run_of_the_artifact_is_the_events_own(github: Lab, hosted: Hosted, theirs: ForeignPull) -> None:
    left(github, theirs, {"evidence.json": data()})
    machine = hosted("workflow_run", ended_run(theirs))
    assert word(machine.use(artifact_name="evidence", run_id="10")) == "refused(run_mismatch)"
    github.artifact({"evidence.json": data()}, run=9, name="foreign", head_sha="b" * 40)
    assert word(hosted("workflow_run", ended_run(theirs)).use(artifact_name="foreign")) == "failed(bad_artifact)"
    assert word(hosted("workflow_run", ended_run(theirs)).use(artifact_name="none")) == "skipped(no_artifact)"


def test_a_person_may_publish_the_artifact_of_a_run_by_hand(github: Lab, hosted: Hosted) -> None:
    github.artifact({"evidence.json": data()}, run=9)
    chosen = {"artifact_name": "evidence", "pr": str(github.pr)}
    assert word(hosted("workflow_dispatch", {}).use(run_id="9", **chosen)) == "created"
    assert word(hosted("workflow_dispatch", {}).use(run_id="8", **chosen)) == "failed(no_artifact)"
    github.artifact({"evidence.json": data()}, run=RUN_ID, name="mine")
    assert word(hosted("workflow_dispatch", {}).use(artifact_name="mine", pr=str(github.pr))) == "unchanged"
    github.artifact({"evidence.json": data()}, run=9, name="old", expired=True)
    old = hosted("workflow_dispatch", {}).use(artifact_name="old", run_id="9", pr=str(github.pr))
    assert word(old) == "failed(artifact_expired)"


def moved_to(location: str, status: int = 302) -> Fault:
    """A download that leads there."""
    return faults.on(lambda asked: asked.place.endswith("/zip"), Answer(status, headers={"Location": location}))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (moved_to("http://192.0.2.1/x"), "insecure_download"),
        (moved_to("ftp://127.0.0.1/x"), "insecure_download"),
        (moved_to("file:///etc/passwd"), "insecure_download"),
        (moved_to("https://[::1"), "network"),
        (faults.on(lambda asked: asked.place.endswith("/zip"), faults.said(410, "expired")), "artifact_expired"),
        (faults.on(lambda asked: asked.place.endswith("/zip"), faults.said(502, "bad")), "server_error"),
        (faults.on(lambda asked: asked.place.endswith("/artifacts"), faults.said(403, "no access")), "forbidden"),
    ],
)  # fmt: skip
def test_a_download_that_goes_wrong_fails_by_name(github: Lab, hosted: Hosted, fault: Fault, reason: str) -> None:
    """P39: never to an address where anybody could listen."""
    github.artifact({"evidence.json": data()}, run=9)
    github.facade.fail(fault, times=9)
    machine = hosted("workflow_dispatch", {})
    ended = machine.use(artifact_name="evidence", run_id="9", pr=str(github.pr))
    assert word(ended) == f"failed({reason})"
    assert github.facade.artifacts.asked_store == []


def test_a_short_outage_of_the_download_is_survived(github: Lab, hosted: Hosted) -> None:
    def once(request: Request) -> bool:
        return request.place.endswith(("/zip", "/artifacts"))

    github.artifact({"evidence.json": data()}, run=9)
    github.facade.fail(faults.on(once, faults.said(503, "wait")), times=2)
    machine = hosted("workflow_dispatch", {})
    assert word(machine.use(artifact_name="evidence", run_id="9", pr=str(github.pr))) == "created"
