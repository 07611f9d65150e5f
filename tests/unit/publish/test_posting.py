"""The steps of a publication, on a server that can be made to misbehave."""

from collections.abc import Callable, Iterable

import msgspec
import pytest

from publish import comment, extract, plan, posting
from publish.answers import Refused, Unreachable
from publish.figures import Subject
from publish.ownership import Comment
from publish.patience import Patience
from publish.plan import Proposal
from publish.posting import Publication
from publish.result import Result, Stop
from publish.target import Target
from tests.builders.evidence import evidence, used
from tests.unit.publish.servers import MemoryServer


def subject(minute: int = 0, *, task: str = "T-42") -> Subject:
    """A task's figures as they were at some minute."""
    cutoff = f"2026-09-24T10:{minute:02d}:00.000Z"
    return extract.subject(evidence(used(input=minute + 1), task=task, cutoff=cutoff, snapshot=str(minute)))


def body(*subjects: Subject) -> str:
    """The comment that shows them."""
    return comment.compose("pr:7", subjects)


def publication(server: MemoryServer, minute: int = 0, *, task: str = "T-42") -> Publication:
    """One call of publish."""
    wanted = Proposal("pr:7", (subject(minute, task=task),))
    patience = Patience(sleep=lambda _seconds: None)
    return Publication(server, wanted, patience, place=server.locate())


def remembered(server: MemoryServer, number: int) -> tuple[Subject, ...]:
    """The subjects that a stored comment shows."""
    return plan.remembered_by(server.stored[number]) or ()


def run(server: MemoryServer, minute: int = 0, *, task: str = "T-42") -> Result:
    """Publishes."""
    return publication(server, minute, task=task).run()


def raising(errors: Iterable[Exception | None]) -> Callable[[], None]:
    """Raises one after another; then all is well."""
    left = iter(errors)

    def happen() -> None:
        error = next(left, None)
        if error is not None:
            raise error

    return happen


def test_create_lists_before_and_after() -> None:
    server = MemoryServer()
    made = run(server)
    assert (made.result, made.comment_id, made.comment_url, made.exit_code) == ("created", 1, "#1", 0)
    assert server.calls == ["comments", "me", "create", "created", "comments"]


def test_update_writes_once_and_looks_again() -> None:
    server = MemoryServer()
    run(server)
    server.calls.clear()
    assert run(server, 1).result == "updated"
    assert server.calls == ["comments", "me", "edit", "comments"]


@pytest.mark.parametrize("error", [Refused(502, "Bad Gateway"), Unreachable("ReadTimeout")])
def test_a_stored_post_without_an_answer_is_found_again(error: Exception) -> None:
    """P08: list before anything else."""
    server = MemoryServer()
    server.trouble["created"] = raising([error])
    assert (run(server).result, len(server.stored)) == ("created", 1)
    assert server.calls.count("create") == 1


def test_a_post_that_was_not_stored_is_made_again_after_looking() -> None:
    server = MemoryServer()
    server.trouble["create"] = raising([Unreachable("ConnectionError")])
    assert (run(server).result, len(server.stored)) == ("created", 1)
    assert server.calls[:5] == ["comments", "me", "create", "comments", "create"]


def test_a_post_that_turns_up_late_leaves_one_comment() -> None:
    """The first one is stored after we looked: the second one is surplus and goes."""
    server = MemoryServer()
    late: list[Comment] = []

    def lose() -> None:
        if not late:
            late.append(server.stored.popitem()[1])
            raise Refused(504, "Gateway Timeout")
        server.stored = {late[0].id: late[0]} | server.stored

    server.trouble["created"] = lose
    made = run(server)
    assert (made.result, made.comment_id, list(server.stored)) == ("unchanged", 1, [1])


def test_somebody_elses_equal_text_is_not_taken_for_ours() -> None:
    """P08: what is found after a failed POST has to be by us."""
    server = MemoryServer()

    def fail() -> None:
        server.stored[99] = Comment(99, body(subject()), "mallory", "User")
        server.trouble.clear()
        raise Refused(502, "Bad Gateway")

    server.trouble["create"] = fail
    made = run(server)
    assert (made.result, made.comment_id) == ("created", 1)


def test_creation_is_tried_twice_at_most() -> None:
    server = MemoryServer()
    server.trouble["create"] = raising([Refused(500, "Oops")] * 9)
    made = run(server)
    assert (made.result, made.reason, made.exit_code, server.calls.count("create")) == ("failed", "server_error", 1, 2)


def test_reading_and_editing_are_repeated_through_a_short_outage() -> None:
    server = MemoryServer()
    run(server)
    server.trouble["comments"] = raising([Refused(503, ""), Unreachable("")])
    server.trouble["edit"] = raising([Refused(502, ""), Unreachable("")])
    assert run(server, 1).result == "updated"


def test_a_long_outage_is_a_failure() -> None:
    server = MemoryServer()
    server.trouble["comments"] = raising([Unreachable("ConnectTimeout")] * 9)
    made = run(server)
    assert (made.result, made.reason, len(server.calls)) == ("failed", "network", 3)


def test_somebody_with_our_identity_was_first_and_older() -> None:
    """P07: theirs stays, with our newer text; ours goes."""
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 1)
    made = run(server, 5)
    assert (made.result, made.comment_id, list(server.stored)) == ("updated", 1, [1])
    (shown,) = remembered(server, 1)
    assert shown.snapshot_id == subject(5).snapshot_id


def test_somebody_with_our_identity_was_first_and_newer() -> None:
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 9)
    made = run(server, 5)
    assert (made.result, made.reason, list(server.stored)) == ("skipped", "older", [1])
    assert server.stored[1].body == body(subject(9))


def test_somebody_with_our_identity_published_another_subject_meanwhile() -> None:
    """A2, P07: the comment that was first shows both subjects."""
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 1, task="other")
    made = run(server, 5)
    assert (made.result, list(server.stored)) == ("updated", [1])
    assert {each.subject_id for each in remembered(server, 1)} == {
        subject(1, task="other").subject_id,
        subject(5).subject_id,
    }
    assert made.other_subjects == [subject(1, task="other").subject_id]


def test_an_update_that_another_publisher_overwrote_is_made_again() -> None:
    """A2: they listed before we wrote, and wrote after us, without our subject."""
    server = MemoryServer()
    run(server, task="first")
    theirs = body(subject(1, task="first"), subject(1, task="theirs"))

    def overwrite() -> None:
        del server.trouble["edited"]
        server.stored[1] = msgspec.structs.replace(server.stored[1], body=theirs)

    server.trouble["edited"] = overwrite
    made = run(server, 1, task="ours")
    assert (made.result, server.calls.count("edit")) == ("updated", 2)
    assert len(remembered(server, 1)) == 3


def test_a_comment_that_others_replace_for_ever_is_a_failure() -> None:
    server = MemoryServer()
    run(server, task="first")
    theirs = body(subject(1, task="first"))

    def overwrite() -> None:
        server.stored[1] = msgspec.structs.replace(server.stored[1], body=theirs)

    server.trouble["edited"] = overwrite
    made = run(server, 1, task="ours")
    assert (made.result, made.reason, made.exit_code) == ("failed", "contended", 1)


def test_the_comment_that_was_to_stay_is_gone_so_ours_stays() -> None:
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 1)
    server.trouble["edit"] = lambda: server.stored.pop(1, None) and None
    made = run(server, 5)
    assert (made.result, made.comment_id, list(server.stored)) == ("created", 2, [2])


def test_a_surplus_that_is_gone_already_is_gone() -> None:
    """P07: a 404 while removing counts as done."""
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 1)
    server.trouble["remove"] = lambda: server.stored.pop(2, None) and None
    assert run(server, 5).result == "updated"


def test_a_surplus_that_cannot_be_removed_is_a_failure() -> None:
    server = MemoryServer()
    server.trouble["create"] = lambda: _race(server, 1)
    server.trouble["remove"] = raising([Refused(403, "no")] * 3)
    assert run(server, 5).reason == "forbidden"


def test_a_vanished_comment_is_created_once() -> None:
    """P43: list again once, then create."""
    server = MemoryServer()
    run(server)
    server.trouble["edit"] = server.stored.clear
    made = run(server, 1)
    assert (made.result, made.comment_id, server.calls.count("edit")) == ("created", 2, 1)


def test_a_comment_that_can_never_be_edited_ends_the_publication() -> None:
    """P43: no endless loop."""
    server = MemoryServer()
    run(server)
    server.trouble["edit"] = raising([Refused(404, "Not Found")] * 9)
    made = run(server, 1)
    assert (made.result, made.reason, server.calls.count("edit")) == ("failed", "vanished", 2)


def test_every_step_that_the_server_refuses_ends_in_a_result() -> None:
    for step in ("comments", "me", "create", "edit"):
        server = MemoryServer()
        if step == "edit":
            run(server)
        server.trouble[step] = raising([Refused(403, "Resource not accessible by integration")] * 9)
        made = run(server, 1)
        assert (made.result, made.reason, made.exit_code) == ("failed", "forbidden", 1), step


def test_locating_says_what_the_server_says() -> None:
    class Nowhere(MemoryServer):
        """Knows no target."""

        def locate(self) -> posting.Place:
            raise Refused(401, "Bad credentials")

    with pytest.raises(Stop) as caught:
        posting.locate(Nowhere(), Patience())
    assert (caught.value.outcome, caught.value.reason) == ("refused", "bad_credentials")


def test_the_result_has_the_documented_shape() -> None:
    """P40: what was there before, which subjects, which target."""
    server = MemoryServer()
    first, second = run(server), run(server, 1)
    document = second.document()
    documented = {
        "result",
        "reason",
        "comment_id",
        "comment_url",
        "target",
        "subjects",
        "duplicates",
        "foreign_markers",
    }
    assert documented <= document.keys()
    assert document["target"] == {"repo": "o/r", "pr": 7, "commit": None}
    assert document["subjects"] == [subject().subject_id]
    assert first.previous_state is None
    assert second.previous_state is not None
    assert [Result(word, Target("o", "r", pr=7), []).exit_code for word in ("skipped", "refused", "failed")] == [
        0,
        2,
        1,
    ]


def _race(server: MemoryServer, minute: int, *, task: str = "T-42") -> None:
    """Another publisher of ours gets in between."""
    del server.trouble["create"]
    trouble, server.trouble = server.trouble, {}
    server.create(body(subject(minute, task=task)))
    server.trouble = trouble
