"""GitHub, through PyGithub: the only module that speaks to it.

One method per request kind, one mapping of the library's exceptions to ours.
Retries, waits and decisions are made elsewhere. Importing PyGithub takes a
quarter of a second, so it happens when something is really posted.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from observer import __version__
from observer.base.errors import PublishRefused
from publish import answers
from publish.answers import Refused, Unreachable
from publish.ownership import Comment, Me
from publish.posting import Place
from publish.result import Stop
from publish.target import Target

if TYPE_CHECKING:
    from github.Commit import Commit
    from github.CommitComment import CommitComment
    from github.IssueComment import IssueComment
    from github.NamedUser import NamedUser
    from github.Organization import Organization
    from github.PullRequest import PullRequest

API_URL = "https://api.github.com"

T = TypeVar("T")

_PAGE = 100
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# Tokens by their first letters that speak for a person, who can always be asked for by name.
_PERSONAL = ("ghp_", "github_pat_", "gho_", "ghu_")
_LOCATE_FIRST = "a target is located before anything is done to it"
_AUTHORED = "query($ids:[ID!]!){nodes(ids:$ids){id ... on Comment{viewerDidAuthor}}}"


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
        from github import Auth, Github

        # The library installs a handler that writes to everybody's stderr.
        logging.getLogger("github").handlers.clear()
        logging.getLogger("github").propagate = False
        self._github = Github(
            base_url=checked_url(api_url),
            auth=Auth.Token(token),
            user_agent=f"agent-observer/{__version__}",
            per_page=_PAGE,
            verify=ca_file or True,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
        )
        self._target = target
        self._personal = token.startswith(_PERSONAL)
        self._slug = app_slug
        self._account: Me | None = None
        self._asked_account = False
        self._listed: dict[int, IssueComment | CommitComment] = {}
        self._pull: PullRequest | None = None
        self._commit: Commit | None = None
        self._state: str | None = None

    def __enter__(self) -> "GitHub":
        return self

    def __exit__(self, *_: object) -> None:
        self._github.close()

    @property
    def state(self) -> str | None:
        """The state of the pull request, as far as it was told."""
        return self._state

    def locate(self) -> Place:
        """The pull request or commit. Stop when it does not exist or is something else."""
        if self._target.pr is not None:
            return self._locate_pull(self._target.pr)
        return self._locate_commit(self._target.commit or "")

    def comments(self) -> list[Comment]:
        """All comments of the target, 100 a page, every page."""
        if self._commit is not None:
            found: Iterable[Any] = self._commit.get_comments()
        elif self._target.pr is not None:
            found = self._github.get_repo(self._target.repo).get_issue(self._target.pr).get_comments()
        else:
            raise ValueError(_LOCATE_FIRST)
        listed = _asked(lambda: list(found))
        self._listed.update((each.id, each) for each in listed)
        return [_comment(each) for each in listed]

    def me(self, claiming: list[Comment]) -> Me:
        """The account behind the token; for an app's token, which of these comments it wrote.

        With nothing to tell apart, a personal token need not say whose it is.
        Stop (identity_unknown) when nothing tells.
        """
        if self._personal and not claiming:
            return Me()
        if not self._asked_account:
            self._account = self._ask_account()
            self._asked_account = True
        return self._account or self._author_of(claiming) or self._app()

    def create(self, body: str) -> Comment:
        """Posts a new comment."""
        if self._pull is not None:
            post: Callable[[str], IssueComment | CommitComment] = self._pull.create_issue_comment
        elif self._commit is not None:
            post = self._commit.create_comment
        else:
            raise ValueError(_LOCATE_FIRST)
        return self._written(_asked(lambda: post(body)))

    def edit(self, comment: Comment, body: str) -> Comment:
        """Replaces the text of a comment that was listed or created."""
        known = self._listed[comment.id]
        _asked(lambda: known.edit(body))
        return self._written(known)

    def remove(self, comment: Comment) -> None:
        """Deletes a comment that was listed or created."""
        known = self._listed[comment.id]
        _asked(known.delete)

    def _locate_pull(self, number: int) -> Place:
        repository = self._github.get_repo(self._target.repo)
        pull = repository.get_pull(number)
        try:
            _asked(pull.complete)
        except Refused as refused:
            if refused.status == 404:
                is_issue = _answers(repository.get_issue(number).complete)
                raise self._not_found(is_issue=is_issue) from refused
            raise
        if not pull.issue_url:
            raise answers.redirected()
        self._pull = pull
        self._state = "merged" if pull.merged else pull.state
        return Place(self._target, self._state)

    def _locate_commit(self, commit: str) -> Place:
        found = self._github.get_repo(self._target.repo).get_commit(commit)
        try:
            _asked(found.complete)
        except Refused as refused:
            # 422 is what the server says of a commit id that belongs to nothing.
            if refused.status in (404, 422):
                raise self._not_found(is_issue=False) from refused
            raise
        if not found.sha or not found.sha.startswith(commit):
            raise Stop("refused", "not_found", f"{self._target} is not the commit that GitHub answers with")
        self._commit = found
        return Place(msgspec.structs.replace(self._target, commit=found.sha))

    def _not_found(self, *, is_issue: bool) -> Stop:
        if is_issue:
            return Stop("refused", "not_a_pull_request", f"{self._target} is an issue, not a pull request")
        return Stop("refused", "not_found", f"GitHub does not find {self._target}, or the token may not see it")

    def _ask_account(self) -> Me | None:
        """Whose token it is; None for an app's token, which may not ask."""
        user = self._github.get_user()
        try:
            login, kind = _asked(lambda: (user.login, user.type))
        except Refused as refused:
            if refused.status == 403 and answers.limit(refused) is None:
                return None
            raise
        return Me(login, kind) if login and kind else None

    def _author_of(self, claiming: list[Comment]) -> Me | None:
        """Which of the comments the server says are ours; None where it does not answer that."""
        nodes = {self._listed[each.id].node_id: each.id for each in claiming}
        query = self._github.requester.graphql_query
        try:
            _, answer = _asked(lambda: query(_AUTHORED, {"ids": sorted(nodes)}))
        except (Refused, Unreachable):
            return None
        found = (answer.get("data") or {}).get("nodes")
        if not isinstance(found, list):
            return None
        ours = (each.get("id") for each in found if isinstance(each, dict) and each.get("viewerDidAuthor") is True)
        return Me(wrote=frozenset(nodes[name] for name in ours if name in nodes))

    def _app(self) -> Me:
        if self._slug is None:
            raise Stop(
                "refused", "identity_unknown", "the token does not say whose it is; name the app that it belongs to"
            )
        return Me(f"{self._slug}[bot]", "Bot")

    def _written(self, written: "IssueComment | CommitComment") -> Comment:
        # A redirected POST comes back as an object without anything in it, and without an error.
        if not written.id:
            raise answers.redirected()
        self._listed[written.id] = written
        return _comment(written)


def checked_url(api_url: str) -> str:
    """The address of the API without a slash at its end; PublishRefused unless it is https or this machine."""
    try:
        parts = urlsplit(api_url.strip())
        host = parts.hostname
    except ValueError:
        host, parts = None, urlsplit("")
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not secure or parts.username or parts.query or parts.fragment:
        raise PublishRefused(f"not a safe API address: {api_url!r}", "--api-url https://HOST/api/v3")
    return api_url.strip().rstrip("/")


def _comment(found: "IssueComment | CommitComment") -> Comment:
    user: NamedUser | Organization | None = found.user
    return Comment(
        id=found.id,
        body=found.body or "",
        login=user.login if user is not None else None,
        kind=user.type if user is not None else None,
        url=found.html_url or "",
        created=_moment(found.created_at),
        updated=_moment(found.updated_at),
    )


def _moment(at: Any) -> str:
    return at.isoformat() if at is not None else ""


def _answers(request: Callable[[], object]) -> bool:
    try:
        _asked(request)
    except (Refused, Unreachable):
        return False
    return True


def _asked(request: Callable[[], T]) -> T:
    """The library's answer, or its complaint as Refused, Unreachable or Stop."""
    from github import BadAttributeException, GithubException
    from requests.exceptions import RequestException

    try:
        return request()
    except GithubException as error:
        raise _refused(error.status, error.data, error.headers) from error
    except RequestException as error:
        raise Unreachable(type(error).__name__) from error
    except (RuntimeError, AssertionError) as error:
        # How the library says that an answer points to another host.
        raise answers.redirected() from error
    except (BadAttributeException, ValueError) as error:
        raise Stop("failed", "unexpected_answer", "GitHub's answer has another form than expected") from error


def _refused(status: int, data: Any, headers: Mapping[str, Any] | None) -> Refused:
    fields = data if isinstance(data, dict) else {}
    return Refused(
        status,
        str(fields.get("message") or "")[:500],
        details=str(fields.get("errors") or "")[:2000],
        headers={name.lower(): str(value) for name, value in (headers or {}).items()},
    )
