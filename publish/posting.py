"""The publication, step by step: locate, list, decide, write, look again.

Does what publish.ownership decides through a Server, which is all it knows of
a network. Ends in a Result, whatever the server answers.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from msgspec import Struct

from publish import answers, ownership
from publish.answers import Refused
from publish.ownership import Comment, Decision, Me, Proposal
from publish.patience import Patience, Uncertain
from publish.result import Outcome, Result, Stop
from publish.target import Target

T = TypeVar("T")

_MOST_CREATIONS = 2
_SAID = {
    ownership.OLDER: "the comment already shows a newer snapshot",
    ownership.OTHER_SUBJECTS: "the comment shows another subject, which would be lost; --only replaces it",
}


class Place(Struct, frozen=True):
    """The target as the server knows it: full commit id, state of the pull request."""

    target: Target
    state: str | None = None


class Server(Protocol):
    """What a publication asks of a server; each call may raise Refused or Unreachable."""

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
    """One call of publish: a proposal on its way to a server."""

    def __init__(self, server: Server, proposal: Proposal, patience: Patience) -> None:
        self._server = server
        self._proposal = proposal
        self._patience = patience

    def run(self, place: Place) -> Result:
        """Publishes to the located target."""
        decision = Decision("create")
        try:
            comments, me = self._look()
            decision = ownership.decide(comments, me, self._proposal)
            outcome, reason, comment = self._obey(decision, me, {each.id for each in comments})
        except Stop as stop:
            return self._result(stop.outcome, place, decision, reason=stop.reason, message=stop.message)
        return self._result(outcome, place, decision, reason=reason, comment=comment)

    def _look(self) -> tuple[list[Comment], Me]:
        comments = self._ask(self._server.comments)
        claiming = ownership.candidates(comments, self._proposal.target)
        return comments, self._ask(lambda: self._server.me(claiming))

    def _obey(self, decision: Decision, me: Me, present: set[int]) -> tuple[Outcome, str | None, Comment | None]:
        if decision.action == "create" or decision.comment is None:
            return self._create(me, present)
        if decision.action == "update":
            return self._update(decision.comment)
        words: dict[str, Outcome] = {"unchanged": "unchanged", "skip": "skipped", "refuse": "refused"}
        return words[decision.action], decision.reason, decision.comment

    def _update(self, comment: Comment) -> tuple[Outcome, str | None, Comment | None]:
        edited = self._edit(comment)
        if edited is not None:
            return "updated", None, edited
        # It vanished between listing and writing: look once more, and only once.
        comments, me = self._look()
        decision = ownership.decide(comments, me, self._proposal)
        if decision.action == "update" and decision.comment is not None:
            edited = self._edit(decision.comment)
            if edited is None:
                raise Stop("failed", "vanished", "the comment disappears whenever it is to be written")
            return "updated", None, edited
        return self._obey(decision, me, {each.id for each in comments})

    def _edit(self, comment: Comment) -> Comment | None:
        """The comment with its new text; None when it is gone."""
        try:
            return self._patience.repeatable(lambda: self._server.edit(comment, self._proposal.body))
        except Refused as refused:
            if refused.status == 404:
                return None
            raise answers.stop(refused) from refused

    def _create(self, me: Me, present: set[int]) -> tuple[Outcome, str | None, Comment | None]:
        created = self._post(me, present)
        if me.login is not None and not me.is_author(created):
            # The next publication would not recognise this comment and post another one.
            self._remove(created)
            raise Stop("refused", "identity_mismatch", f"the token does not speak for {me.login}")
        author = Me(created.login, created.kind, me.wrote | {created.id})
        settled = ownership.settle(self._ask(self._server.comments), author, self._proposal, created=created)
        if settled.keep.id == created.id:
            return "created", None, created
        # Somebody else with our identity was first: theirs stays, with the newer text, and ours goes.
        kept = self._edit(settled.keep) if settled.write else settled.keep
        if kept is None:
            return "created", None, created
        if settled.remove:
            self._remove(created)
        if settled.write:
            return "updated", None, kept
        words: dict[str | None, Outcome] = {ownership.OLDER: "skipped", ownership.OTHER_SUBJECTS: "refused"}
        return words.get(settled.reason, "unchanged"), settled.reason, kept

    def _post(self, me: Me, present: set[int]) -> Comment:
        """Posts. After an answer that proves nothing, looks before it posts again."""
        for attempt in range(1, _MOST_CREATIONS + 1):
            try:
                return self._patience.once(lambda: self._server.create(self._proposal.body))
            except Refused as refused:
                raise answers.stop(refused) from refused
            except Uncertain as uncertain:
                found = self._arrived(me, present)
                if found is not None:
                    return found
                if attempt == _MOST_CREATIONS:
                    raise uncertain.cause from uncertain
        raise AssertionError("unreachable")

    def _arrived(self, me: Me, present: set[int]) -> Comment | None:
        """Our new comment, if it is there after all."""
        comments = self._ask(self._server.comments)
        new = [each for each in comments if each.id not in present and each.body == self._proposal.body]
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
        place: Place,
        decision: Decision,
        *,
        reason: str | None = None,
        message: str = "",
        comment: Comment | None = None,
    ) -> Result:
        return Result(
            result=outcome,
            target=place.target,
            subjects=[each.subject_id for each in self._proposal.subjects],
            reason=reason,
            message=message or _SAID.get(reason or "", ""),
            comment_id=None if comment is None else comment.id,
            comment_url=(comment.url or None) if comment is not None else None,
            duplicates=list(decision.duplicates),
            foreign_markers=list(decision.foreign),
            previous_state=decision.previous_state,
            state_discarded=decision.state_discarded,
            target_state=place.state,
        )


def locate(server: Server, patience: Patience) -> Place:
    """The target as the server knows it. Stop when it is none, or the server says no."""
    try:
        return patience.repeatable(server.locate)
    except Refused as refused:
        raise answers.stop(refused) from refused
