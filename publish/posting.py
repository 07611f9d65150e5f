"""The publication, step by step: list, plan, write, look again.

Does what publish.ownership and publish.plan decide through a Server, which is
all it knows of a network. GitHub has no lock and no conditional write, so
whoever wrote looks again, and publishers that created comments at the same
time join theirs one after another. Ends in a Result, whatever the server
answers.
"""

import random
from collections.abc import Callable
from typing import Protocol, TypeVar

from msgspec import Struct

from observer.base import clock
from observer.base.errors import PublishRefused
from publish import answers, ownership, plan
from publish.answers import Refused
from publish.ownership import Comment, Me, Standing
from publish.patience import Patience, Uncertain
from publish.plan import Plan, Proposal
from publish.result import Outcome, Result, Stop
from publish.target import Target

T = TypeVar("T")
Ending = tuple[Outcome, str | None, Comment | None]

_MOST_CREATIONS = 2
# How often a comment that others keep replacing or deleting is written again.
_MOST_CHECKS = 8
_MOST_POLLS = 40
_POLL_S = 0.25
# Several comments of ours this young are publishers at work, not leftovers of earlier ones.
_YOUNG_MS = 15_000
# So many polls without a change, and nobody is at work any more.
_STILL = 8
_SAID = {
    plan.OLDER: "the comment already shows a newer snapshot",
    plan.OTHER_SUBJECTS: "the comment shows other subjects too, which the reviewed text would drop; --only drops them",
}
_WORDS: dict[str, Outcome] = {"unchanged": "unchanged", "skip": "skipped", "refuse": "refused", "update": "updated"}


class Place(Struct, frozen=True):
    """The target as the server knows it: full commit id, state of the pull request.

    `checked`: the server was asked. A pull request that has our comment needs
    no question.
    """

    target: Target
    state: str | None = None
    checked: bool = True


class Server(Protocol):
    """What a publication asks of a server; each call may raise Refused or Unreachable."""

    @property
    def target(self) -> Target:
        """The target as earlier answers call it: a renamed repository has its new name."""

    @property
    def state(self) -> str | None:
        """What earlier answers said of the pull request: open, closed, merged; None when none did."""

    def locate(self) -> Place:
        """Makes sure that the target exists and is what it is called. Stop when it is not."""

    def comments(self) -> list[Comment]:
        """All comments of the target, from every page."""

    def me(self, claiming: list[Comment]) -> Me:
        """Who we are, sure enough to tell which of these are ours. Stop when that cannot be told."""

    def create(self, body: str) -> Comment:
        """Posts a new comment."""

    def edit(self, comment: Comment, body: str) -> Comment:
        """Replaces the text of a comment."""

    def remove(self, comment: Comment) -> None:
        """Deletes a comment."""


class Publication:
    """One call of publish: a proposal on its way to a server.

    `settle_s`: how long to wait before looking whether another publisher,
    which was reading while we wrote, has overwritten our update.
    """

    def __init__(
        self, server: Server, proposal: Proposal, patience: Patience, *, place: Place, settle_s: float = 0.0
    ) -> None:
        self._server = server
        self._place = place
        self._proposal = proposal
        self._patience = patience
        self._settle_s = settle_s
        self._me = Me()
        self._first: Plan | None = None
        self._seen = Standing()
        self._kept: Comment | None = None
        self._present: set[int] = set()

    def run(self) -> Result:
        """Publishes."""
        try:
            outcome, reason, comment = self._publish()
        except Stop as stop:
            return self._result(stop.outcome, reason=stop.reason, message=stop.message)
        except PublishRefused as error:
            return self._result("refused", reason="does_not_fit", message=error.message)
        return self._result(outcome, reason=reason, comment=comment)

    def _publish(self) -> Ending:
        """Lists and writes; once more when the comment vanished meanwhile, and only once."""
        for _ in range(2):
            standing = self._quiet(self._look(identify=True))
            self._seen = standing
            there = standing.newest
            self._kept = there
            if there is None:
                return self._create()
            planned = self._plan(there)
            if planned.action != "update":
                return _WORDS[planned.action], planned.reason, there
            edited = self._edit(there, planned.body)
            if edited is not None:
                return "updated", None, self._verified(edited)
        raise Stop("failed", "vanished", "the comment disappears whenever it is to be written")

    def _plan(self, there: Comment | None) -> Plan:
        made = plan.make(there, self._proposal)
        self._first = self._first or made
        return made

    def _look(self, *, identify: bool = False) -> Standing:
        comments = self._comments()
        if identify:
            claiming = ownership.candidates(comments, self._proposal.target)
            self._me = self._ask(lambda: self._server.me(claiming))
        self._present = {each.id for each in comments}
        return ownership.standing(comments, self._me, self._proposal.target)

    def _comments(self) -> list[Comment]:
        try:
            return self._patience.repeatable(self._server.comments)
        except Refused as refused:
            if refused.status == 404 and not self._place.checked:
                self._check()  # says in words what is not there
            raise answers.stop(refused) from refused

    def _check(self) -> None:
        if not self._place.checked:
            self._place = self._ask(self._server.locate)

    def _quiet(self, standing: Standing) -> Standing:
        """The comments once no other publisher of ours is just joining its own with another."""
        still = 0
        for _ in range(_MOST_POLLS):
            if len(standing.owned) < 2 or still >= _STILL or not _is_young(standing):
                break
            self._patience.pause(_POLL_S)
            again = self._look(identify=self._me.login is None)
            still = still + 1 if again == standing else 0
            standing = again
        return standing

    def _verified(self, edited: Comment) -> Comment:
        """Our comment, sure to show what we publish.

        Another publisher that listed before we wrote and writes after us takes
        our subjects out again without knowing: they are put back.
        """
        self._me = Me(edited.login, edited.kind, self._me.wrote | {edited.id})
        for attempt in range(_MOST_CHECKS):
            if self._settle_s or attempt:
                self._patience.pause(max(self._settle_s, _POLL_S) * random.uniform(0.5, 1.5))
            there = self._look().find(edited.id)
            if there is None:
                raise Stop("failed", "vanished", "the comment was deleted while it was written")
            if plan.holds(there, self._proposal):
                return there
            planned = plan.make(there, self._proposal)
            self._edit(there, planned.body)
        raise Stop("failed", "contended", "other publishers keep replacing the comment")

    def _edit(self, comment: Comment, body: str) -> Comment | None:
        """The comment with its new text; None when it is gone."""
        try:
            return self._patience.repeatable(lambda: self._server.edit(comment, body))
        except Refused as refused:
            if refused.status == 404:
                return None
            raise answers.stop(refused) from refused

    def _create(self) -> Ending:
        self._check()
        planned = self._plan(None)
        created = self._post(planned.body)
        if self._me.login is not None and not self._me.is_author(created):
            # The next publication would not recognise this comment and post another one.
            self._remove(created)
            raise Stop("refused", "identity_mismatch", f"the token does not speak for {self._me.login}")
        self._me = Me(created.login, created.kind, self._me.wrote | {created.id})
        for _ in range(_MOST_CHECKS):
            standing = self._turn(created)
            lowest = standing.lowest
            if lowest is None or lowest.id >= created.id:
                return "created", None, created
            # Another publisher of ours was first: theirs stays, with our subjects in it, and ours goes.
            joined = plan.make(lowest, self._proposal)
            if joined.action != "update":
                self._remove(created)
                return _WORDS[joined.action], joined.reason, lowest
            edited = self._edit(lowest, joined.body)
            if edited is not None:
                self._remove(created)
                self._settle_s = max(self._settle_s, _POLL_S)
                return "updated", None, self._verified(edited)
        raise Stop("failed", "vanished", "the comment disappears whenever it is to be written")

    def _turn(self, created: Comment) -> Standing:
        """What stands there once the publishers that created before us have joined their comments, or gave up."""
        standing = self._look()
        still = 0
        for _ in range(_MOST_POLLS):
            lowest = standing.lowest
            ahead = [each for each in standing.owned if lowest is not None and lowest.id < each.id < created.id]
            if not ahead or still >= _STILL:
                break
            self._patience.pause(_POLL_S * random.uniform(0.5, 1.5))
            again = self._look()
            still = still + 1 if again == standing else 0
            standing = again
        return standing

    def _post(self, body: str) -> Comment:
        """Posts. After an answer that proves nothing, looks before it posts again."""
        present = self._present
        for attempt in range(1, _MOST_CREATIONS + 1):
            try:
                return self._patience.once(lambda: self._server.create(body))
            except Refused as refused:
                raise answers.stop(refused) from refused
            except Uncertain as uncertain:
                found = self._arrived(body, present)
                if found is not None:
                    return found
                if attempt == _MOST_CREATIONS:
                    raise uncertain.cause from uncertain
        raise AssertionError("unreachable")

    def _arrived(self, body: str, present: set[int]) -> Comment | None:
        """Our new comment, if it is there after all."""
        comments = self._ask(self._server.comments)
        new = [each for each in comments if each.id not in present and each.body == body]
        me = self._me
        if me.login is None and new:
            me = self._ask(lambda: self._server.me(new))
        return next((each for each in new if me.is_author(each)), None)

    def _remove(self, comment: Comment) -> None:
        try:
            self._patience.repeatable(lambda: self._server.remove(comment))
        except Refused as refused:
            if refused.status != 404:  # gone already is gone
                raise answers.stop(refused) from refused

    def _ask(self, request: Callable[[], T]) -> T:
        try:
            return self._patience.repeatable(request)
        except Refused as refused:
            raise answers.stop(refused) from refused

    def _result(
        self,
        outcome: Outcome,
        *,
        reason: str | None = None,
        message: str = "",
        comment: Comment | None = None,
    ) -> Result:
        planned = self._first
        remembered = (plan.remembered_by(comment) if comment is not None else None) or ()
        ours = {each.subject_id for each in self._proposal.subjects}
        return Result(
            result=outcome,
            target=self._server.target,
            subjects=[each.subject_id for each in self._proposal.subjects],
            reason=reason,
            message=message or _SAID.get(reason or "", ""),
            comment_id=None if comment is None else comment.id,
            comment_url=(comment.url or None) if comment is not None else None,
            duplicates=list(self._seen.beside(self._kept)) if self._kept is not None else [],
            foreign_markers=list(self._seen.foreign),
            previous_state=None if planned is None else planned.previous,
            state_discarded=planned is not None and planned.discarded,
            target_state=self._place.state or self._server.state,
            other_subjects=sorted(each.subject_id for each in remembered if each.subject_id not in ours),
            older=[] if planned is None else list(planned.older),
            lost=[] if planned is None else list(planned.lost),
            body=None if comment is None else comment.body,
        )


def locate(server: Server, patience: Patience) -> Place:
    """The target as the server knows it. Stop when it is none, or the server says no."""
    try:
        return patience.repeatable(server.locate)
    except Refused as refused:
        raise answers.stop(refused) from refused


def _is_young(standing: Standing) -> bool:
    """Whether the newest of our comments was created a moment ago."""
    newest = standing.newest
    created_ms = None if newest is None else clock.parse_iso(newest.created)
    return created_ms is not None and abs(clock.now_ms() - created_ms) < _YOUNG_MS
