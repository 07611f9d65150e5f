"""Publishers at the same time, against the emulator: one comment is left, and every subject is in it."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from observer.records.evidence import Evidence
from publish import api, plan, target
from publish.github import GitHub
from publish.ownership import Comment
from publish.patience import Patience
from publish.plan import Proposal
from publish.posting import Place, Publication
from publish.result import Result
from tests.builders.evidence import encode, evidence, used
from tests.command_line import Cli
from tests.peers.fixtures import TOKEN, Lab

PUBLISHERS = 6
ROUNDS = 50
# Waits between publishers are made for a network; on the loopback a twentieth is as long.
HASTE = 0.05


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(PUBLISHERS) as made:
        yield made


def task(number: int, minute: int) -> Evidence:
    """One publisher's task, as it was in that minute."""
    cutoff = f"2026-09-24T10:{minute:02d}:00.000Z"
    return evidence(used(input=minute + 1), task=f"T-{number}", cutoff=cutoff, snapshot=str(minute))


def publish(github: Lab, given: Evidence) -> Result:
    """What api.publish does, with shorter waits."""
    chosen = target.parse(github.repo, pr=github.pr)
    prepared = api.prepare([given], chosen)
    patience = Patience(sleep=lambda seconds: time.sleep(HASTE * seconds))
    with GitHub(chosen, TOKEN, api_url=github.api_url) as server:
        proposal = Proposal(chosen.key, prepared.subjects)
        return Publication(server, proposal, patience, place=Place(chosen, checked=False), settle_s=4.0).run()


def shown(github: Lab) -> dict[str, str | None]:
    """Subject → cutoff, in the one comment that is there."""
    (comment,) = github.comments()
    found = plan.remembered_by(Comment(comment["id"], comment["body"], None, None))
    assert found is not None
    return {each.subject_id: each.cutoff for each in found}


def clear(github: Lab) -> None:
    for comment in github.comments():
        github.ask("DELETE", f"/repos/{github.repo}/issues/comments/{comment['id']}")


def test_six_publishers_and_fifty_rounds_leave_one_comment_with_every_subject(
    github: Lab, pool: ThreadPoolExecutor
) -> None:
    """P07, A2: every other round begins without a comment; in the others all update the one that is there."""
    together = Barrier(PUBLISHERS)

    def start(given: Evidence) -> Result:
        together.wait(timeout=60)
        return publish(github, given)

    for number in range(ROUNDS):
        if number % 2 == 0:
            clear(github)
        given = [task(publisher, number) for publisher in range(PUBLISHERS)]
        results = list(pool.map(start, given))
        assert {each.result for each in results} <= {"created", "updated"}, [each.message for each in results]
        assert shown(github) == {each.subject.subject_id: each.cutoff for each in given}, f"round {number}"


def test_six_processes_leave_one_comment_with_every_subject(github: Lab, cli: Cli, pool: ThreadPoolExecutor) -> None:
    """P07: as it is in a matrix of jobs, each with its own program."""
    given = [task(publisher, 1) for publisher in range(PUBLISHERS)]
    files = [cli.home / f"{number}.json" for number in range(PUBLISHERS)]
    for file, each in zip(files, given, strict=True):
        file.write_bytes(encode(each))
    words = ("--repo", github.repo, "--pr", github.pr, "--api-url", github.api_url, "--settle", 1)
    variables = {"GITHUB_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}
    answers = list(pool.map(lambda file: cli("publish", "--evidence", file, *words, env=variables), files))
    assert {each.code for each in answers} == {0}, [each.err for each in answers]
    assert set(shown(github)) == {each.subject.subject_id for each in given}
