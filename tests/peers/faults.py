"""What goes wrong once in a while, to be armed with `Facade.fail`: outages, limits, races with other people.

A fault is asked before anything else. It answers in GitHub's stead, or with
None when the request is not the kind that it spoils.
"""

import json
import re
import time
from collections.abc import Callable

from observer.base import clock
from tests.peers.exchange import Answer, Request, answer, said
from tests.peers.proxy import Facade, Fault
from tests.peers.rules import INTEGRATION, too_long

SECONDARY = (
    "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. "
    "Please retry your request again later."
)
_PRIMARY = "API rate limit exceeded for user ID 1."
_GRAPHQL = "/graphql"


def on(spoils: Callable[[Request], bool], reply: Answer | Callable[[], Answer]) -> Fault:
    """A fault that gives this answer to every request that `spoils` picks."""

    def fault(_facade: Facade, request: Request) -> Answer | None:
        if not spoils(request):
            return None
        return reply if isinstance(reply, Answer) else reply()

    return fault


def writing(request: Request) -> bool:
    """Anything that changes something."""
    return request.writes


def posting(request: Request) -> bool:
    """A new comment."""
    return request.writes and request.method == "POST"


def editing(request: Request) -> bool:
    """A comment that gets another text."""
    return request.method == "PATCH"


def removing(request: Request) -> bool:
    """A comment that goes."""
    return request.method == "DELETE"


def reading(request: Request) -> bool:
    """Anything that changes nothing, apart from GraphQL."""
    return request.method == "GET"


def asking_authors(request: Request) -> bool:
    """The question through GraphQL."""
    return request.place == _GRAPHQL


def asking_account(request: Request) -> bool:
    """Whose token is this?"""
    return request.place == "/user"


def anything(_request: Request) -> bool:
    """Every request."""
    return True


def post_is_stored_but_answers_502(facade: Facade, request: Request) -> Answer | None:
    """The comment is there, the answer says otherwise."""
    if not posting(request):
        return None
    facade.forward(request)
    return said(502, "Server Error")


post_answers_502 = on(posting, said(502, "Server Error"))
get_answers_503 = on(reading, said(503, "Service Unavailable"))
user_is_refused = on(asking_account, said(403, INTEGRATION))
edit_answers_404 = on(editing, said(404, "Not Found"))
no_graphql = on(asking_authors, said(404, "Not Found"))
graphql_is_forbidden = on(
    asking_authors,
    answer(200, {"data": {"nodes": [None]}, "errors": [{"type": "FORBIDDEN", "message": INTEGRATION}]}),
)
graphql_is_limited = on(
    asking_authors, answer(200, {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]})
)


def secondary_limit(seconds: int | None, spoils: Callable[[Request], bool] = writing) -> Fault:
    """The limit on creating content, with or without a Retry-After."""
    headers = {} if seconds is None else {"Retry_After": str(seconds)}
    return on(spoils, said(403, SECONDARY, **headers))


def too_many_requests(seconds: int | None, spoils: Callable[[Request], bool] = writing) -> Fault:
    """429, with or without a Retry-After."""
    headers = {} if seconds is None else {"Retry_After": str(seconds)}
    return on(spoils, said(429, "Too many requests", **headers))


def primary_limit(seconds: int, spoils: Callable[[Request], bool] = anything) -> Fault:
    """No requests left, and a reset so many seconds from now."""

    def limited() -> Answer:
        reset = clock.now_ms() // clock.MS + seconds
        named = {"X_RateLimit_Limit": "5000", "X_RateLimit_Remaining": "0", "X_RateLimit_Reset": str(reset)}
        return said(403, _PRIMARY, **named)

    return on(spoils, limited)


def redirect(status: int, spoils: Callable[[Request], bool], location: str) -> Fault:
    """A redirect to a fixed address."""
    fields = {"message": "Moved", "url": location, "documentation_url": "https://docs.github.com/rest"}
    return on(spoils, answer(status, fields, Location=location))


def slow(seconds: float, spoils: Callable[[Request], bool]) -> Fault:
    """An answer that comes late, after the request was carried out."""

    def fault(facade: Facade, request: Request) -> Answer | None:
        if not spoils(request):
            return None
        reply = facade.forward(request)
        time.sleep(seconds)
        return reply

    return fault


def longest_body(units: int) -> Fault:
    """A server with a lower limit than GitHub's, and its words."""

    def fault(_facade: Facade, request: Request) -> Answer | None:
        return too_long(request, units)

    return fault


def somebody_posts(body: str, token: str) -> Fault:
    """Another account posts the same text just before us; we get 502, and nothing of ours is stored."""

    def fault(facade: Facade, request: Request) -> Answer | None:
        if not posting(request):
            return None
        given = json.dumps({"body": body}).encode()
        facade.forward(Request("POST", request.path, token, given, {"content-type": "application/json"}))
        return said(502, "Server Error")

    return fault


def comment_vanishes(facade: Facade, request: Request) -> Answer | None:
    """Somebody deletes the comment just before it is edited."""
    if not editing(request):
        return None
    facade.forward(Request("DELETE", request.path, request.token))
    return said(404, "Not Found")


def comments_without_author(*ids: int) -> Fault:
    """Accounts that are gone: the comments are there, nobody wrote them."""

    def fault(facade: Facade, request: Request) -> Answer | None:
        if not reading(request) or not re.search(r"/comments$", request.place):
            return None
        found = facade.forward(request)
        listed = found.value
        for each in listed:
            if each["id"] in ids:
                each["user"] = None
                facade.authors[each["node_id"]] = ("", "")
        return found.saying(listed)

    return fault
