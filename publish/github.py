"""GitHub as the publication needs it: where the target is, what stands there, who we are, and writing.

One method per step, each of one or a few requests (publish.wire). Retries,
waits and decisions are made elsewhere. Who wrote a comment is never decided by
comparing a name of GraphQL with one of REST: they write apps differently.
"""

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from observer.base.errors import TargetRefused
from publish import answers
from publish.addresses import API_URL
from publish.answers import Refused, Unreachable
from publish.ownership import Comment, Me
from publish.posting import Place
from publish.result import Stop
from publish.target import Target
from publish.wire import Wire

# Tokens by their first letters that speak for a person, who can always be asked for by name.
_PERSONAL = ("ghp_", "github_pat_", "gho_", "ghu_")
_OF_APPS = "ghs_"
_NODES = "nodes(ids:$ids){id ... on Comment{viewerDidAuthor}}"
_AUTHORED = f"query($ids:[ID!]!){{{_NODES}}}"
# One question more in the same request: what the result says of a pull request that was not asked for.
_AUTHORED_IN = (
    f"query($ids:[ID!]!,$owner:String!,$name:String!,$number:Int!){{{_NODES}"
    "repository(owner:$owner,name:$name){pullRequest(number:$number){state}}}"
)
_MOST_IDS = 100
_REPOSITORY = re.compile(r"/repos/([^/]+/[^/]+)/(?:issues/comments|comments|commits)/[0-9a-f]+$")


class GitHub:
    """A Server (publish.posting) for one target. Use as a context manager: it holds connections."""

    def __init__(
        self,
        target: Target,
        token: str,
        *,
        api_url: str = API_URL,
        ca_file: str | None = None,
        app_slug: str | None = None,
    ) -> None:
        self._wire = Wire(token, api_url=api_url, ca_file=ca_file)
        self._target = target
        self._personal = token.startswith(_PERSONAL)
        self._of_app = token.startswith(_OF_APPS)
        self._slug = app_slug
        self._account: Me | None = None
        self._located: Place | None = None
        self._state: str | None = None
        # Of the target and of each listed comment: what GraphQL calls it.
        self._target_node = ""
        self._nodes: dict[int, str] = {}

    def __enter__(self) -> "GitHub":
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()

    @property
    def target(self) -> Target:
        """The target, under the name that its repository has now as far as an answer told."""
        return self._target

    @property
    def state(self) -> str | None:
        """The state of the pull request, as far as it was told."""
        return self._state if self._located is None else self._located.state

    def locate(self) -> Place:
        """The pull request or commit, under the name that its repository has now; asked once.

        Stop when it does not exist or is something else.
        """
        if self._located is None:
            number, commit = self._target.pr, self._target.commit or ""
            self._located = self._locate_commit(commit) if number is None else self._locate_pull(number)
        return self._located

    def comments(self) -> list[Comment]:
        """All comments of the target, 100 a page, every page; after a redirect without its query, 30 a page."""
        listed = {each.id: each for page in self._wire.pages(self._place(), list[_Comment]) for each in page}
        self._nodes.update((each.id, each.node_id) for each in listed.values())
        for each in listed.values():
            self._learn(each)
        return [each.plain() for each in listed.values()]

    def me(self, claiming: list[Comment]) -> Me:
        """Who we are, by the first that answers: GraphQL's word on each comment, the account, the app's name.

        With nothing to tell apart, a personal token need not say whose it is.
        Stop (identity_unknown) when nothing tells.
        """
        if self._personal and not claiming:
            return Me()
        if self._account is None and not claiming and not self._of_app:
            # No comment to ask about: the account is the shorter way to be sure that the next publication knows ours.
            self._account = self._ask_account()
        if self._account is None:
            try:
                wrote = self._authored(claiming)
            except (Refused, Unreachable) as error:
                self._account = self._ask_account() or self._app(error)
            else:
                if wrote is not None:
                    return Me(wrote=wrote)
                self._account = self._ask_account() or self._app(None)
        return self._account

    def create(self, body: str) -> Comment:
        """Posts a new comment."""
        made = self._wire.ask("POST", self._place(), _Comment, {"body": body})
        self._nodes[made.id] = made.node_id
        self._learn(made)
        return made.plain()

    def edit(self, comment: Comment, body: str) -> Comment:
        """Replaces the text of a comment."""
        made = self._wire.ask("PATCH", self._of(comment), _Comment, {"body": body})
        if made.id != comment.id:
            raise answers.unexpected("another comment than the one that was edited")
        return made.plain()

    def remove(self, comment: Comment) -> None:
        """Deletes a comment."""
        self._wire.send("DELETE", self._of(comment))

    def _locate_pull(self, number: int) -> Place:
        try:
            pull = self._wire.ask("GET", f"/repos/{self._target.repo}/pulls/{number}", _Pull)
        except Refused as refused:
            if refused.status == 404:
                raise self._not_found(is_issue=self._is_issue(number)) from refused
            raise
        if pull.number != number:
            raise answers.unexpected("another pull request than the one that was asked for")
        self._target = _named(self._target, pull.base.repo.full_name)
        self._target_node = pull.node_id
        return Place(self._target, "merged" if pull.merged else pull.state)

    def _locate_commit(self, commit: str) -> Place:
        try:
            found = self._wire.ask("GET", f"/repos/{self._target.repo}/commits/{commit}", _Commit)
        except Refused as refused:
            # 422 is what the server says of a commit id that belongs to nothing.
            if refused.status in (404, 422):
                raise self._not_found(is_issue=False) from refused
            raise
        if not found.sha.startswith(commit):
            raise Stop("refused", "not_found", f"{self._target} is not the commit that GitHub answers with")
        self._target = replace(_named(self._target, _repository(found.url) or self._target.repo), commit=found.sha)
        self._target_node = found.node_id
        return Place(self._target)

    def _learn(self, comment: "_Comment") -> None:
        """What a renamed repository is called now."""
        self._target = _named(self._target, _repository(comment.url) or self._target.repo)

    def _is_issue(self, number: int) -> bool:
        try:
            self._wire.ask("GET", f"/repos/{self._target.repo}/issues/{number}", _Numbered)
        except (Refused, Unreachable):
            return False
        return True

    def _not_found(self, *, is_issue: bool) -> Stop:
        if is_issue:
            return Stop("refused", "not_a_pull_request", f"{self._target} is an issue, not a pull request")
        return Stop("refused", "not_found", f"GitHub does not find {self._target}, or the token may not see it")

    def _place(self) -> str:
        kind = f"issues/{self._target.pr}" if self._target.pr is not None else f"commits/{self._target.commit}"
        return f"/repos/{self._target.repo}/{kind}/comments"

    def _of(self, comment: Comment) -> str:
        kind = "issues/comments" if self._target.pr is not None else "comments"
        return f"/repos/{self._target.repo}/{kind}/{comment.id}"

    def _authored(self, claiming: list[Comment]) -> frozenset[int] | None:
        """Which of the comments the server says are ours; None where it does not tell.

        With none to ask about, the target itself is asked about, only to see
        that next time ours will be told from others'.
        """
        if not claiming:
            self.locate()
        nodes = {self._nodes[each.id]: each.id for each in claiming} or {self._target_node: 0}
        names = sorted(nodes)
        ours: set[int] = set()
        for start in range(0, len(names), _MOST_IDS):
            asked = names[start : start + _MOST_IDS]
            found = self._ask_authors(asked)
            if not found.tells(len(asked)):
                return None
            ours |= {nodes[each.id] for each in found.nodes if each is not None and each.viewer_did_author}
        return frozenset(ours - {0})

    def _ask_authors(self, asked: list[str]) -> "_Authored":
        target = self._target
        if target.pr is None or self.state is not None:
            return self._wire.query(_AUTHORED, {"ids": asked}, _Authored)
        variables = {"ids": asked, "owner": target.owner, "name": target.name, "number": target.pr}
        found = self._wire.query(_AUTHORED_IN, variables, _Authored)
        self._state = found.state
        return found

    def _ask_account(self) -> Me | None:
        """Whose token it is; None for an app's token, which may not ask."""
        try:
            user = self._wire.ask("GET", "/user", _User)
        except Refused as refused:
            if refused.status == 403 and answers.limit(refused) is None:
                return None
            raise
        return Me(user.login, user.type)

    def _app(self, trouble: Refused | Unreachable | None) -> Me:
        """The app that was named. What kept GraphQL from telling is thrown again if it may pass."""
        if self._slug is not None:
            return Me(f"{self._slug}[bot]", "Bot")
        if trouble is not None and answers.may_pass(trouble):
            raise trouble
        raise Stop(
            "refused",
            "identity_unknown",
            "the token does not say whose it is; name the app that it belongs to: --app-slug NAME",
        )


def _repository(url: str) -> str | None:
    """`owner/name` in the API's address of a comment or commit."""
    found = _REPOSITORY.search(url)
    return None if found is None else found[1]


def _named(target: Target, repo: str) -> Target:
    try:
        return target.in_repo(repo)
    except TargetRefused as error:
        raise answers.unexpected("a name that no repository has") from error


class _User(Struct):
    login: str
    type: str


class _Comment(Struct):
    id: int
    node_id: str
    url: str
    html_url: str
    user: _User | None
    created_at: str
    updated_at: str
    body: str | None = None

    def plain(self) -> Comment:
        return Comment(
            id=self.id,
            body=self.body or "",
            login=None if self.user is None else self.user.login,
            kind=None if self.user is None else self.user.type,
            # It is printed: nothing of a terminal's own language may be in it.
            url=self.html_url if self.html_url.isascii() and self.html_url.isprintable() else "",
            created=self.created_at,
            updated=self.updated_at,
        )


class _Named(Struct):
    full_name: str


class _Base(Struct):
    repo: _Named


class _Pull(Struct):
    number: int
    node_id: str
    state: str
    base: _Base
    merged: bool = False


class _Commit(Struct):
    sha: str
    node_id: str
    url: str = ""


class _Numbered(Struct):
    number: int


class _Node(Struct, rename="camel"):
    id: str
    viewer_did_author: bool = False


class _Trouble(Struct):
    type: str = ""


class _State(Struct):
    state: Literal["OPEN", "CLOSED", "MERGED"]


class _Pulls(Struct, rename="camel"):
    pull_request: _State | None = None


class _Nodes(Struct):
    nodes: list[_Node | None] = []
    repository: _Pulls | None = None


class _Authored(Struct):
    data: _Nodes | None = None
    errors: list[_Trouble] | None = None

    @property
    def nodes(self) -> list[_Node | None]:
        return self.data.nodes if self.data is not None else []

    @property
    def state(self) -> str | None:
        repository = self.data.repository if self.data is not None else None
        pull = repository.pull_request if repository is not None else None
        return None if pull is None else pull.state.lower()

    def tells(self, asked: int) -> bool:
        """A comment that is gone by now is nobody's; any other error means that we do not know."""
        return len(self.nodes) == asked and all(each.type == "NOT_FOUND" for each in self.errors or ())
