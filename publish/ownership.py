"""Whose comment is it? Pure decisions; publish.posting obeys.

Ours is a comment with a valid marker for the target on its first line that
the identity behind the token wrote, by login and type. Whatever else a
comment says or looks like, it is never edited and never removed.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from publish import marker


class Comment(Struct, frozen=True):
    """A comment as the server lists it; `login` and `kind` (User, Bot) are None when it has no author.

    `created` and `updated` sort as text.
    """

    id: int
    body: str
    login: str | None
    kind: str | None
    url: str = ""
    created: str = ""
    updated: str = ""


class Me(Struct, frozen=True):
    """Who the token speaks for: an account, or the comments that the server says are ours."""

    login: str | None = None
    kind: str | None = None
    wrote: frozenset[int] = frozenset()

    def is_author(self, comment: Comment) -> bool:
        """Whether the comment is by this identity."""
        by_account = self.login is not None and (comment.login, comment.kind) == (self.login, self.kind)
        return by_account or comment.id in self.wrote


class Standing(Struct, frozen=True):
    """The comments that claim to be for this target: ours, oldest id first, and the ids of others'."""

    owned: tuple[Comment, ...] = ()
    foreign: tuple[int, ...] = ()

    @property
    def newest(self) -> Comment | None:
        """The one that a publication updates: the last by creation, then update, then id."""
        return max(self.owned, key=lambda each: (each.created, each.updated, each.id), default=None)

    @property
    def lowest(self) -> Comment | None:
        """The one that stays when several were created at the same time."""
        return self.owned[0] if self.owned else None

    def find(self, number: int) -> Comment | None:
        """Our comment of that id."""
        return next((each for each in self.owned if each.id == number), None)

    def beside(self, kept: Comment) -> tuple[int, ...]:
        """The ids of our other comments."""
        return tuple(each.id for each in self.owned if each.id != kept.id)


def candidates(comments: Iterable[Comment], target: str) -> list[Comment]:
    """The comments that claim to be ours for this target, whoever wrote them."""
    return [each for each in comments if (found := marker.find(each.body)) is not None and found.target == target]


def standing(comments: Sequence[Comment], me: Me, target: str) -> Standing:
    """Which of the comments that claim to be ours are."""
    claiming = sorted(candidates(comments, target), key=lambda each: each.id)
    owned = tuple(each for each in claiming if me.is_author(each))
    return Standing(owned, tuple(each.id for each in claiming if not me.is_author(each)))
