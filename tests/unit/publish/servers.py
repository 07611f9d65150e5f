"""A server in memory, for what a real one would do once in a thousand times."""

from collections.abc import Callable

import msgspec

from publish.answers import Refused
from publish.ownership import Comment, Me
from publish.posting import Place
from publish.target import Target


class MemoryServer:
    """Comments of one target. `trouble` maps a method to what happens before (and after) it works."""

    def __init__(self, login: str = "octocat") -> None:
        self.login = login
        self.stored: dict[int, Comment] = {}
        self.calls: list[str] = []
        self.trouble: dict[str, Callable[[], None]] = {}
        self._next = 1

    @property
    def target(self) -> Target:
        """Never renamed."""
        return Target("o", "r", pr=7)

    @property
    def state(self) -> str | None:
        """Told by nobody."""
        return None

    def locate(self) -> Place:
        """The target exists."""
        return Place(Target("o", "r", pr=7), "open")

    def comments(self) -> list[Comment]:
        """Oldest first."""
        self._call("comments")
        return list(self.stored.values())

    def me(self, claiming: list[Comment]) -> Me:
        """An account."""
        self._call("me")
        return Me(self.login, "User")

    def create(self, body: str) -> Comment:
        """Stored under the next id."""
        self._call("create")
        made = Comment(self._next, body, self.login, "User", url=f"#{self._next}", created=f"{self._next:06d}")
        self._next += 1
        self.stored[made.id] = made
        self._call("created")
        return made

    def edit(self, comment: Comment, body: str) -> Comment:
        """404 when it is gone."""
        self._call("edit")
        if comment.id not in self.stored:
            raise Refused(404, "Not Found")
        edited = msgspec.structs.replace(self.stored[comment.id], body=body)
        self.stored[comment.id] = edited
        self._call("edited")
        return edited

    def remove(self, comment: Comment) -> None:
        """404 when it is gone."""
        self._call("remove")
        if self.stored.pop(comment.id, None) is None:
            raise Refused(404, "Not Found")

    def _call(self, name: str) -> None:
        if name != "edited":
            self.calls.append(name)
        if name in self.trouble:
            self.trouble[name]()
