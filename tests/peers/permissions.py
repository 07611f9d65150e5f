"""What a workflow's token may do, by the `permissions` of its job: GitHub's own table for the requests that we make.

From the permissions that GitHub documents for each request of its REST API
(fine-grained tokens and apps, 2026-03-10). Reading metadata needs none.
"""

import re
from collections.abc import Callable, Mapping

from tests.peers.exchange import Answer, Request, said
from tests.peers.proxy import Facade, Fault
from tests.peers.rules import INTEGRATION

_LEVELS = ("none", "read", "write")
_PULLS = ("pull-requests",)
_TALK = ("issues", "pull-requests")
_REPO = r"/repos/[^/]+/[^/]+"
# Method, path, which permission (any of several) and at which level.
_TABLE: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("GET", rf"{_REPO}/actions/.*", ("actions",), "read"),
    ("GET", rf"{_REPO}/pulls(?:/[0-9]+)?", _PULLS, "read"),
    ("GET", rf"{_REPO}/commits/[0-9a-f]+/pulls", _PULLS, "read"),
    ("GET", rf"{_REPO}/issues/[0-9]+(?:/comments)?", _TALK, "read"),
    ("POST", rf"{_REPO}/issues/[0-9]+/comments", _TALK, "write"),
    ("PATCH|DELETE", rf"{_REPO}/issues/comments/[0-9]+", _TALK, "write"),
    ("GET", rf"{_REPO}/commits/[0-9a-f]+", ("contents",), "read"),
    ("GET", rf"{_REPO}/commits/[0-9a-f]+/comments", (), "read"),
    ("POST", rf"{_REPO}/commits/[0-9a-f]+/comments", ("contents",), "read"),
    ("PATCH|DELETE", rf"{_REPO}/comments/[0-9]+", ("contents",), "write"),
    ("GET", "/user", (), "read"),
    ("POST", "/graphql", (), "read"),
)


def permitted(token: str, permissions: Callable[[], Mapping[str, str] | None]) -> Fault:
    """Refuses what the permissions of the job that runs now do not cover; None grants everything.

    A request that the table does not know is an error.
    """

    def fault(_facade: Facade, request: Request) -> Answer | None:
        granted = permissions()
        if request.token != token or granted is None:
            return None
        names, level = _needed(request)
        held = max((_LEVELS.index(granted.get(name, "none")) for name in names), default=len(_LEVELS))
        return said(403, INTEGRATION) if held < _LEVELS.index(level) else None

    return fault


def _needed(request: Request) -> tuple[tuple[str, ...], str]:
    for method, path, names, level in _TABLE:
        if re.fullmatch(method, request.method) and re.fullmatch(path, request.place):
            return names, level
    raise ValueError(f"nobody knows which permission {request.method} {request.place} needs")
