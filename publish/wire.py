"""Requests to one server through PyGithub, and what comes back as typed values.

Owns redirects, pages, and the mapping of the library's failures to ours. The
library leaves out the query when it follows 301, and takes any other redirect
for an answer with nothing in it, without an error; so each status is looked at
here. Never repeats or waits (publish.patience), and never speaks to another
host. Importing PyGithub takes a quarter of a second: it happens when something
is really posted.
"""

import logging
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from observer import __version__
from observer.base.errors import PublishRefused
from publish import answers
from publish.addresses import checked_url, graphql_url, same_host
from publish.answers import Refused, Unreachable

T = TypeVar("T")

_PAGE = 100
_REDIRECTS = (301, 302, 303, 307, 308)
# These keep the method. Only reading may follow the others.
_KEEP_METHOD = (307, 308)
_MOST_HOPS = 3
_SILENCE_S = 15
# How the library says whereto it was sent.
_ELSEWHERE = re.compile(r"redirected .*? to (?:host )?(\S+?),")


class Reply(msgspec.Struct, frozen=True):
    """A status below 300 with its text; `headers` have lower-case names."""

    text: str
    headers: Mapping[str, str]


class Wire:
    """Connections to one server for one token, to be closed after use."""

    def __init__(self, token: str, *, api_url: str, ca_file: str | None = None) -> None:
        from github import Auth, Github

        if ca_file is not None:
            _check_authority(ca_file)
        # The library installs a handler that writes to everybody's stderr.
        logging.getLogger("github").handlers.clear()
        logging.getLogger("github").propagate = False
        self._base = checked_url(api_url)
        self._graphql = graphql_url(api_url)
        self._github = Github(
            base_url=self._base,
            auth=Auth.Token(token),
            user_agent=f"agent-observer/{__version__}",
            verify=ca_file or True,
            timeout=_SILENCE_S,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )

    def close(self) -> None:
        """Lets the connections go."""
        self._github.close()

    def ask(self, method: str, path: str, into: type[T], fields: Mapping[str, Any] | None = None) -> T:
        """The answer to one request. Refused, Unreachable, or Stop for an answer in another form than expected."""
        return _decoded(self._reply(method, path, fields).text, into)

    def send(self, method: str, path: str) -> None:
        """A request whose answer says nothing but that it was done."""
        self._reply(method, path)

    def pages(self, path: str, into: type[T]) -> Iterator[T]:
        """A list of that type, a hundred at a time, along the links that the server gives."""
        seen = {path}
        following: str | None = f"{path}?per_page={_PAGE}"
        while following is not None:
            seen.add(following)
            reply = self._reply("GET", following)
            yield _decoded(reply.text, into)
            following = _next(reply.headers.get("link", ""))
            if following in seen:
                raise answers.unexpected("a list of pages that leads back to itself")

    def query(self, question: str, variables: Mapping[str, Any], into: type[T]) -> T:
        """The answer to a GraphQL question, errors included. Refused when it is a rate limit."""
        reply = self._reply("POST", self._graphql, {"query": question, "variables": variables})
        errors = _decoded(reply.text, _Errors).errors or []
        if any(each.type == "RATE_LIMITED" for each in errors):
            # GraphQL says so with status 200.
            raise Refused(429, errors[0].message, headers=reply.headers)
        return _decoded(reply.text, into)

    def _reply(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Reply:
        """Follows redirects on the same host, with the same method, query and body."""
        where = path
        for _ in range(_MOST_HOPS):
            status, headers, text = self._sent(method, where, fields)
            if status >= 400:
                raise _refused(status, text, headers)
            if status not in _REDIRECTS:
                return Reply(text, headers)
            location = str(headers.get("location", ""))
            if not same_host(location, self._base) or (method != "GET" and status not in _KEEP_METHOD):
                raise answers.redirected(location)
            where = location
        raise answers.redirected(where)

    def _sent(self, method: str, path: str, fields: Mapping[str, Any] | None) -> tuple[int, dict[str, Any], str]:
        from requests.exceptions import RequestException, SSLError

        try:
            return self._github.requester.requestJson(method, path, input=None if fields is None else dict(fields))
        except SSLError as error:
            raise answers.untrusted() from error
        except RequestException as error:
            raise Unreachable(type(error).__name__) from error
        except RuntimeError as error:
            # A 301 that the library followed to another host, or in circles.
            found = _ELSEWHERE.search(str(error))
            raise answers.redirected(found[1] if found else "") from error


def _check_authority(ca_file: str) -> None:
    """PublishRefused for a file without a certificate: the library would find out while it connects, and say less."""
    try:
        ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # what ssl raises is one, too
        raise PublishRefused(f"no certificate in {ca_file!r}", "--ca-file FILE.pem") from error


class _Error(msgspec.Struct):
    message: str = ""
    type: str = ""


class _Errors(msgspec.Struct):
    errors: list[_Error] | None = None


class _Complaint(msgspec.Struct):
    message: str = ""
    errors: Any = None


def _decoded(text: str, into: type[T]) -> T:
    try:
        return msgspec.json.decode(text, type=into)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise answers.unexpected("an answer in another form than expected") from error


def _refused(status: int, text: str, headers: Mapping[str, Any]) -> Refused:
    try:
        complaint = msgspec.json.decode(text, type=_Complaint)
    except (msgspec.MsgspecError, UnicodeError) as error:
        # Not GitHub's own word: a page for people, or of a proxy in between. In an outage even GitHub sends one.
        if status < 500 and status != 429:
            raise answers.unexpected(f"a page instead of an answer (status {status})") from error
        complaint = _Complaint()
    return Refused(
        status,
        complaint.message[:500],
        details=str(complaint.errors or "")[:2000],
        headers={name: str(value) for name, value in headers.items()},
    )


def _next(links: str) -> str | None:
    from requests.utils import parse_header_links

    found = (each["url"] for each in parse_header_links(links) if each.get("rel") == "next") if links else ()
    return next(iter(found), None)
