"""What GitHub does and the emulator does not: identity, rights, limits of length, locks, new names, missing paths.

`answer` is asked before the emulator, `mended` after it. Nothing here is a
fault: this is how GitHub is every day.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.peers import authors
from tests.peers.exchange import Answer, Request, said
from tests.peers.exchange import answer as json_answer

if TYPE_CHECKING:
    from tests.peers.proxy import Facade

LONGEST_BODY = 65_536
INTEGRATION = "Resource not accessible by integration"
_PERSONAL = "Resource not accessible by personal access token"
LOCKED = "Unable to create comment because issue is locked."
_NOT_YOURS = "Must have admin rights to Repository."

_COMMENTS = re.compile(r"/repos/([^/]+/[^/]+)/(issues|commits)/([^/]+)/comments")
_COMMENT = re.compile(r"/repos/([^/]+/[^/]+)/(?:issues/)?comments/([0-9]+)")
_ISSUE = re.compile(r"/repos/([^/]+/[^/]+)/issues/([0-9]+)")
_COMMIT = re.compile(r"/repos/([^/]+/[^/]+)/commits/([0-9a-f]{7,40})(/pulls)?")
_REPOSITORY = re.compile(r"/repos/([^/]+/[^/]+)")


def canonical(facade: "Facade", request: Request) -> Request:
    """The request with a repository's number replaced by its name, as redirects use numbers."""
    found = re.match(r"/repositories/([0-9]+)(?=/|\?|$)", request.path)
    if found is None or found[1] not in facade.repositories:
        return request
    return request.at(f"/repos/{facade.repositories[found[1]]}{request.path[found.end() :]}")


def answer(facade: "Facade", request: Request) -> Answer | None:
    """GitHub's answer where the emulator has none or another; None where the emulator is asked."""
    for rule in _RULES:
        found = rule(facade, request)
        if found is not None:
            return found
    return facade.artifacts.respond(request, facade.url)


def mended(facade: "Facade", request: Request, reply: Answer) -> Answer:
    """The emulator's answer in GitHub's form."""
    if reply.status == 404 and request.method == "GET" and (found := _COMMIT.fullmatch(request.place)):
        return said(422, f"No commit found for SHA: {found[2]}")
    if not 200 <= reply.status < 300 or not reply.body:
        return reply
    if _REPOSITORY.fullmatch(request.place):
        return reply.saying({"network_count": 0, "subscribers_count": 0} | reply.value)
    if _COMMENTS.fullmatch(request.place) or _COMMENT.fullmatch(request.place):
        value = reply.value
        comments = value if isinstance(value, list) else [value]
        for each in comments:
            _mend_comment(facade, each)
            _mend_link(facade, request.token, each)
        return reply.saying(value)
    return reply


def _mend_comment(facade: "Facade", comment: dict[str, Any]) -> None:
    user = comment["user"]
    facade.authors[comment["node_id"]] = (user["login"], user["type"])
    if "issue_url" in comment:
        folded = comment["id"] in facade.minimized
        comment["minimized"] = {"reason": "outdated"} if folded else None


def _mend_link(facade: "Facade", token: str, comment: dict[str, Any]) -> None:
    """The page of a pull request is /pull/…, not /issues/…."""
    place = comment.get("issue_url", "").removeprefix(facade.url)
    if place not in facade.pulls:
        pull = place.replace("/issues/", "/pulls/")
        facade.pulls[place] = bool(place) and facade.raw(Request("GET", pull, token)).status == 200
    if facade.pulls[place]:
        comment["html_url"] = comment["html_url"].replace("/issues/", "/pull/", 1)


def _credentials(facade: "Facade", request: Request) -> Answer | None:
    return None if request.token in facade.accounts else said(401, "Bad credentials")


def _moved(facade: "Facade", request: Request) -> Answer | None:
    if facade.moved_to is None:
        return None
    return _redirect(request, facade.moved_to + request.path)


def _renamed(facade: "Facade", request: Request) -> Answer | None:
    for old, new in facade.renamed.items():
        if request.path.startswith(f"/repos/{old}/"):
            number = str(facade.raw(Request("GET", f"/repos/{new}", request.token)).value["id"])
            facade.repositories[number] = new
            rest = request.path.removeprefix(f"/repos/{old}/")
            return _redirect(request, f"{facade.url}/repositories/{number}/{rest}")
    return None


def _redirect(request: Request, location: str) -> Answer:
    status, message = (301, "Moved Permanently") if request.method == "GET" else (307, "Temporary Redirect")
    fields = {"message": message, "url": location, "documentation_url": "https://docs.github.com/rest"}
    return json_answer(status, fields, Location=location)


def _account(facade: "Facade", request: Request) -> Answer | None:
    """Tokens of apps have no user behind them."""
    if request.place == "/user" and facade.accounts[request.token].kind == "Bot":
        return said(403, INTEGRATION)
    return None


def _graphql(facade: "Facade", request: Request) -> Answer | None:
    if request.place != "/graphql":
        return None
    account = facade.accounts[request.token]

    def pull(repo: str, number: int) -> dict[str, Any] | None:
        found = facade.raw(Request("GET", f"/repos/{facade.renamed.get(repo, repo)}/pulls/{number}", request.token))
        return found.value if found.status == 200 else None

    return authors.respond(request, facade.authors, (account.login, account.kind), pull)


def _read_only(facade: "Facade", request: Request) -> Answer | None:
    account = facade.accounts[request.token]
    if not request.writes or account.rights != "read":
        return None
    needed = {"X_Accepted_GitHub_Permissions": "issues=write; pull_requests=write"}
    return said(403, INTEGRATION if account.kind == "Bot" else _PERSONAL, **needed)


def _others_comment(facade: "Facade", request: Request) -> Answer | None:
    """Who may comment may change one's own comments; who may write may change everybody's."""
    account = facade.accounts[request.token]
    if not request.writes or account.rights == "write" or not _COMMENT.fullmatch(request.place):
        return None
    found = facade.raw(Request("GET", request.place, request.token))
    if found.status != 200 or found.value["user"]["login"] == account.login:
        return None
    return said(403, _NOT_YOURS)


def _locked(facade: "Facade", request: Request) -> Answer | None:
    if request.method == "POST" and request.place in facade.locked:
        return said(403, LOCKED)
    return None


def _too_long(_facade: "Facade", request: Request) -> Answer | None:
    return too_long(request, LONGEST_BODY)


def too_long(request: Request, units: int) -> Answer | None:
    """GitHub's two ways of saying that a comment has more than so many UTF-16 units."""
    body = request.fields.get("body") if request.method in ("POST", "PATCH") else None
    if not isinstance(body, str) or len(body.encode("utf-16-le", "surrogatepass")) // 2 <= units:
        return None
    words = f"ody is too long (maximum is {units} characters)"
    if "/issues/" in request.place:
        error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "B" + words}
    else:
        error = {"resource": "CommitComment", "code": "custom", "field": "body", "message": "b" + words}
    return said(422, "Validation Failed", errors=[error])


def _pulls_of_commit(facade: "Facade", request: Request) -> Answer | None:
    """Pull requests that contain the commit, open ones and others."""
    found = _COMMIT.fullmatch(request.place)
    if found is None or found[3] is None:
        return None
    pulls = facade.raw(Request("GET", f"/repos/{found[1]}/pulls?state=all&per_page=100", request.token)).value
    return json_answer(200, [each for each in pulls if _contains(facade, request.token, found[1], each, found[2])])


def _contains(facade: "Facade", token: str, repo: str, pull: dict[str, Any], commit: str) -> bool:
    commits = facade.raw(Request("GET", f"/repos/{repo}/pulls/{pull['number']}/commits?per_page=100", token)).value
    # The emulator counts the commit that the branch started from among them.
    return commit in {pull["head"]["sha"], *(each["sha"] for each in commits)} - {pull["base"]["sha"]}


def _pull_as_issue(facade: "Facade", request: Request) -> Answer | None:
    """Every pull request is an issue, too."""
    found = _ISSUE.fullmatch(request.place)
    if found is None or request.method != "GET":
        return None
    pull = facade.raw(Request("GET", f"/repos/{found[1]}/pulls/{found[2]}", request.token))
    if pull.status != 200:
        return None
    value = pull.value
    url = f"{facade.url}/repos/{found[1]}"
    own = {
        "url": f"{url}/issues/{found[2]}",
        "repository_url": url,
        "labels_url": f"{url}/issues/{found[2]}/labels{{/name}}",
        "events_url": f"{url}/issues/{found[2]}/events",
        "pull_request": {name: value[name] for name in ("url", "html_url", "diff_url", "patch_url")},
    }
    return json_answer(200, {name: value[name] for name in _SHARED_WITH_ISSUES} | own)


_SHARED_WITH_ISSUES = (
    "assignee", "assignees", "author_association", "body", "closed_at", "comments", "comments_url", "created_at",
    "html_url", "id", "labels", "locked", "milestone", "node_id", "number", "state", "title", "updated_at", "user",
)  # fmt: skip

_RULES: tuple[Callable[["Facade", Request], Answer | None], ...] = (
    _credentials, _moved, _renamed, _account, _graphql, _read_only, _locked, _too_long, _others_comment,
    _pulls_of_commit, _pull_as_issue,
)  # fmt: skip
