"""What a refusal means, and how long to wait for it."""

import pytest

from observer.base import clock
from observer.base.errors import UsageError
from publish import answers
from publish.answers import Refused, Unreachable
from publish.patience import Patience, Uncertain
from publish.result import Stop

SECONDARY = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
TOO_LONG = "Body is too long (maximum is 65536 characters)"


@pytest.mark.parametrize(
    ("refused", "outcome", "reason"),
    [
        (Refused(401, "Bad credentials"), "refused", "bad_credentials"),
        (Refused(403, "Unable to create comment because issue is locked."), "skipped", "locked"),
        (Refused(403, "Resource not accessible by integration"), "failed", "forbidden"),
        (Refused(403, "Commit comments are disabled"), "failed", "forbidden"),
        (Refused(404, "Not Found"), "failed", "not_found"),
        (Refused(410, "Gone"), "failed", "gone"),
        (Refused(422, "Validation Failed", details=f"[{{'message': '{TOO_LONG}'}}]"), "failed", "too_long"),
        (Refused(422, "Validation Failed", details=f"[{{'message': '{TOO_LONG.lower()}'}}]"), "failed", "too_long"),
        (Refused(422, "Validation Failed"), "failed", "rejected"),
        (Refused(403, "Repository was archived so is read-only."), "failed", "archived"),
        (Refused(500, "Oops"), "failed", "server_error"),
        (Refused(429, "Slow down"), "failed", "rate_limited"),
        (Refused(403, SECONDARY), "failed", "rate_limited"),
    ],
)
def test_every_refusal_has_its_own_word(refused: Refused, outcome: str, reason: str) -> None:
    """P10, P15, P26, P27: the same status is told apart by its message."""
    stop = answers.stop(refused)
    assert (stop.outcome, stop.reason) == (outcome, reason)
    assert stop.message


def test_a_message_of_the_server_is_shown_without_its_control_characters() -> None:
    assert "\x1b" not in answers.stop(Refused(500, "a\x1b[31mb")).message


@pytest.mark.parametrize(
    ("status", "message", "headers", "seconds"),
    [
        (403, SECONDARY, {"retry-after": "3"}, 3),
        (429, "", {"retry-after": "1"}, 1),
        (403, SECONDARY, {}, 60),
        (429, "", {}, 60),
        (403, "API rate limit exceeded for user", {}, 60),
        (403, "", {"x-ratelimit-remaining": "0"}, None),
        (403, "Resource not accessible by integration", {"x-ratelimit-remaining": "4711"}, None),
        (403, "no", {"retry-after": "soon"}, None),
        (404, "", {"retry-after": "3"}, None),
        (500, "", {"retry-after": "3"}, None),
    ],
)
def test_only_evidence_of_a_limit_is_a_limit(
    status: int, message: str, headers: dict[str, str], seconds: int | None
) -> None:
    """P27: a plain 403 is waited for by nobody."""
    wait = answers.limit(Refused(status, message, headers=headers))
    assert (wait.seconds if wait else None) == seconds


def test_a_reset_in_the_past_is_waited_for_no_longer() -> None:
    now = clock.now_ms() // clock.MS
    for reset, least, most in ((now - 100, 0, 0), (now + 855, 850, 855)):
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
        wait = answers.limit(Refused(403, "", headers=headers))
        assert wait is not None
        assert least <= wait.seconds <= most


def limited(times: int, seconds: str = "3") -> "list[Refused]":
    """So many refusals by a limit."""
    return [Refused(403, SECONDARY, headers={"retry-after": seconds}) for _ in range(times)]


class Requests:
    """A request that fails as told, and counts."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.sent = 0

    def __call__(self) -> str:
        self.sent += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def test_a_limit_is_waited_out_and_said_aloud() -> None:
    """P27: 3 seconds, then one more try, also for what must not be repeated."""
    slept: list[float] = []
    said: list[str] = []
    patience = Patience(sleep=slept.append, announce=said.append)
    assert patience.once(Requests(*limited(1))) == "done"
    assert slept == [3]
    assert "3 s" in said[0]


def test_all_waiting_together_stays_within_what_was_allowed() -> None:
    slept: list[float] = []
    patience = Patience(max_wait=7, sleep=slept.append)
    assert patience.repeatable(Requests(*limited(2))) == "done"
    with pytest.raises(Stop, match="until") as caught:
        patience.repeatable(Requests(*limited(1)))
    assert (slept, caught.value.reason) == ([3, 3], "rate_limited")


def test_a_limit_that_does_not_end_is_given_up() -> None:
    requests = Requests(*limited(9, "0"))
    with pytest.raises(Stop, match="rate limit"):
        Patience(sleep=lambda _seconds: None).repeatable(requests)
    assert requests.sent == 3


@pytest.mark.parametrize("error", [Refused(502, ""), Unreachable("timeout")])
def test_what_may_have_been_done_is_not_sent_again(error: Exception) -> None:
    requests = Requests(error)
    with pytest.raises(Uncertain):
        Patience().once(requests)
    assert requests.sent == 1


def test_a_plain_refusal_is_final() -> None:
    for send in (Patience().once, Patience().repeatable):
        requests = Requests(Refused(403, "no"))
        with pytest.raises(Refused):
            send(requests)
        assert requests.sent == 1


def test_pauses_after_outages_are_announced_and_counted() -> None:
    """P27: nothing sleeps in silence, and nothing beyond what was allowed."""
    slept: list[float] = []
    said: list[str] = []
    patience = Patience(max_wait=1.5, sleep=slept.append, announce=said.append)
    assert patience.repeatable(Requests(Refused(503, "Oops"), Unreachable("ReadTimeout"))) == "done"
    assert (slept, len(said)) == ([0.5, 1.0], 2)
    assert "503: Oops; trying again in 0.5 s" in said[0]
    with pytest.raises(Stop, match="did not answer"):
        patience.repeatable(Requests(Unreachable("ReadTimeout")))
    assert sum(slept) == 1.5


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_only_a_time_can_be_waited(seconds: float) -> None:
    with pytest.raises(UsageError, match="time to wait"):
        Patience(max_wait=seconds)


def test_the_permission_that_the_server_asks_for_is_named_unless_it_is_none() -> None:
    """P15: GitHub's own header; what does not look like permissions is not repeated."""
    needed = Refused(403, "no", headers={"x-accepted-github-permissions": "issues=write; pull_requests=write"})
    assert "needed here: issues=write; pull_requests=write" in answers.stop(needed).message
    odd = Refused(403, "no", headers={"x-accepted-github-permissions": "<b>anything</b>"})
    assert "anything" not in answers.stop(odd).message
