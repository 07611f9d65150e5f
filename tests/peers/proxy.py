"""A proxy in front of the emulator: what GitHub does and the emulator does not, and faults on demand.

Always: unknown tokens are refused, bodies above 65,536 UTF-16 units too, app
tokens may not ask who they are, locked conversations take no comments.
On demand, by name and for a number of requests: `Facade.fail`.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from observer.base import clock

LONGEST_BODY = 65_536
_HOP_BY_HOP = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
_INTEGRATION = "Resource not accessible by integration"
_SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
_WRITES = {"POST", "PATCH"}


@dataclass(frozen=True)
class Request:
    """One request of the publisher."""

    method: str
    path: str
    token: str
    body: bytes | None

    @property
    def fields(self) -> dict[str, Any]:
        """The JSON body, empty when there is none."""
        found = json.loads(self.body) if self.body else {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Answer:
    """What the publisher gets."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """The JSON body."""
        return json.loads(self.body)


Fault = Callable[["Facade", Request], Answer | None]


def said(status: int, message: str, **headers: str) -> Answer:
    """An answer in the form of GitHub's errors; `Retry_After` becomes `Retry-After`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, {"message": message, "documentation_url": "about:blank"}, **named)


def answer(status: int, value: object, **headers: str) -> Answer:
    """A JSON answer."""
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json; charset=utf-8"} | headers)


class Facade:
    """The running proxy. `log` holds `METHOD path` of what the publisher asked, setup traffic is not in it."""

    def __init__(self) -> None:
        self.upstream = ""
        self.tokens: dict[str, str] = {}
        self.app_tokens: set[str] = set()
        self.locked: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.answers_graphql = False
        # Called before a POST is passed on and again before it is answered, so that publishers can be made to meet.
        self.around_post: Callable[[], object] | None = None
        self.log: list[str] = []
        self._faults: list[list[Any]] = []
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address that plays the API's."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail(self, fault: Fault, *, times: int = 1) -> None:
        """Arms a fault for the next requests that it applies to."""
        self._faults.append([fault, times])

    def calm(self) -> None:
        """Forgets all faults, locks, names and the log."""
        self._faults.clear()
        self.locked.clear()
        self.renamed.clear()
        self.log.clear()
        self.answers_graphql = False
        self.around_post = None

    def respond(self, request: Request) -> Answer:
        """What GitHub would answer."""
        with self._lock:
            self.log.append(f"{request.method} {request.path}")
            for armed in self._faults:
                found = armed[0](self, request) if armed[1] > 0 else None
                if found is not None:
                    armed[1] -= 1
                    return found
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        if request.method != "POST" or self.around_post is None:
            return self.forward(request)
        self.around_post()
        reply = self.forward(request)
        self.around_post()
        return reply

    def forward(self, request: Request) -> Answer:
        """The emulator's own answer."""
        asked = urllib.request.Request(self.upstream + request.path, data=request.body, method=request.method)
        asked.add_header("Authorization", f"Bearer {request.token}")
        # The emulator makes the links to further pages out of it.
        asked.add_header("Host", self.url.removeprefix("http://"))
        asked.add_header("Accept", "application/vnd.github+json")
        if request.body is not None:
            asked.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(asked) as reply:
                return Answer(reply.status, reply.read(), _kept(dict(reply.headers)))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), _kept(dict(error.headers)))

    def _refusal(self, request: Request) -> Answer | None:
        if request.token not in self.tokens and request.token not in self.app_tokens:
            return said(401, "Bad credentials")
        if request.path == "/user" and request.token in self.app_tokens:
            return said(403, _INTEGRATION)
        if request.path == "/graphql":
            return self._graphql(request)
        for old, new in self.renamed.items():
            if request.path.startswith(f"/repos/{old}/"):
                path = request.path.replace(f"/repos/{old}/", f"/repos/{new}/", 1)
                status = 301 if request.method == "GET" else 307
                return answer(status, {"message": "Moved", "url": self.url + path}, Location=self.url + path)
        if request.method == "POST" and request.path in self.locked:
            return said(403, "Unable to create comment because issue is locked.")
        if request.method in _WRITES and _units(request.fields.get("body")) > LONGEST_BODY:
            fault = {"field": "data", "message": f"Body is too long (maximum is {LONGEST_BODY} characters)"}
            return answer(422, {"message": "Validation Failed", "errors": [fault]})
        return None

    def _graphql(self, request: Request) -> Answer:
        """`nodes(ids)` with `viewerDidAuthor`: the only question that the publisher asks here."""
        if not self.answers_graphql:
            return said(404, "Not Found")
        ids = request.fields["variables"]["ids"]
        return answer(200, {"data": {"nodes": [{"id": each, "viewerDidAuthor": True} for each in ids]}})


def post_is_stored_but_answers_502(facade: Facade, request: Request) -> Answer | None:
    """The comment is there, the answer says otherwise."""
    if request.method != "POST":
        return None
    facade.forward(request)
    return said(502, "Server Error")


def post_answers_502(_facade: Facade, request: Request) -> Answer | None:
    """Nothing is stored."""
    return said(502, "Server Error") if request.method == "POST" else None


def get_answers_503(_facade: Facade, request: Request) -> Answer | None:
    """A short outage of reading."""
    return said(503, "Service Unavailable") if request.method == "GET" else None


def integration(_facade: Facade, request: Request) -> Answer | None:
    """A token that may read only, as runs from forks have."""
    return said(403, _INTEGRATION) if request.method in _WRITES else None


def secondary_limit(seconds: int | None) -> Fault:
    """The limit on creating content, with or without a Retry-After."""

    def fault(_facade: Facade, request: Request) -> Answer | None:
        headers = {} if seconds is None else {"Retry_After": str(seconds)}
        return said(403, _SECONDARY, **headers) if request.method in _WRITES else None

    return fault


def too_many_requests(seconds: int) -> Fault:
    """429 with a Retry-After."""

    def fault(_facade: Facade, request: Request) -> Answer | None:
        return said(429, "Too many requests", Retry_After=str(seconds)) if request.method in _WRITES else None

    return fault


def primary_limit(seconds: int) -> Fault:
    """No requests left, and a reset so many seconds from now."""

    def fault(_facade: Facade, _request: Request) -> Answer | None:
        reset = clock.now_ms() // clock.MS + seconds
        return said(403, "API rate limit exceeded", **{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)})

    return fault


def comment_vanishes(facade: Facade, request: Request) -> Answer | None:
    """Somebody deletes the comment just before it is edited."""
    if request.method != "PATCH":
        return None
    facade.forward(Request("DELETE", request.path, request.token, None))
    return said(404, "Not Found")


def edit_answers_404(_facade: Facade, request: Request) -> Answer | None:
    """The comment is listed but cannot be written."""
    return said(404, "Not Found") if request.method == "PATCH" else None


def first_comment_has_no_author(facade: Facade, request: Request) -> Answer | None:
    """The author's account is gone."""
    if request.method != "GET" or not request.path.partition("?")[0].endswith("/comments"):
        return None
    found = facade.forward(request)
    listed = found.value
    listed[0]["user"] = None
    return Answer(found.status, json.dumps(listed).encode(), found.headers)


def user_is_refused(_facade: Facade, request: Request) -> Answer | None:
    """A token that may not ask whose it is."""
    return said(403, _INTEGRATION) if request.path == "/user" else None


def _units(body: object) -> int:
    return len(body.encode("utf-16-le")) // 2 if isinstance(body, str) else 0


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _HOP_BY_HOP}


def _handler(facade: Facade) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Hands every request to the facade."""

        protocol_version = "HTTP/1.1"

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Silent: the facade keeps its own log."""

        def handle_any(self) -> None:
            """Every method alike."""
            length = int(self.headers.get("Content-Length") or 0)
            token = self.headers.get("Authorization", "").partition(" ")[2]
            body = self.rfile.read(length) if length else None
            reply = facade.respond(Request(self.command, self.path, token, body))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

    return Handler
